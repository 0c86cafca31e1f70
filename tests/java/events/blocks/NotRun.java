// run and main are no blocks, and neither is a method that starts, joins, waits or notifies.
// expect: none

import schedule.Schedule;

class NotRun {
    static final Cell CELL = new Cell();

    static void notifies() {
        Schedule.turn(1);
        int before = CELL.value;
        Schedule.turn(3);
        CELL.value = before + 1;
        synchronized (CELL) {
            CELL.notifyAll();
        }
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            notifies();
            Schedule.use(CELL.value);
            Schedule.turn(5);
            CELL.value = 1;
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            Schedule.turn(2);
            CELL.value = 5;
            Schedule.turn(4);
            CELL.value = 6;
        }
    }

    static class Cell {
        int value = -1;
    }
}
