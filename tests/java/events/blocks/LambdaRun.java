// The body of a lambda that becomes a Runnable is a run method, and so no block.
// expect: none

import schedule.Schedule;

class LambdaRun {
    static final Cell CELL = new Cell();
    static final Runnable NO_BLOCK = () -> {
        Schedule.turn(1);
        int before = CELL.value;
        Schedule.turn(3);
        CELL.value = before + 1;
    };

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            NO_BLOCK.run();
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
        }
    }

    static class Cell {
        int value = -1;
    }
}
