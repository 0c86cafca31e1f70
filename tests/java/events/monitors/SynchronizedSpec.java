// With --atomic synchronized, block is no block, but what it synchronizes is.
// options: --atomic synchronized
// expect: violation SynchronizedSpec.locked

import schedule.Schedule;

class SynchronizedSpec {
    static final Cell CELL = new Cell();

    static void block() {
        Schedule.turn(1);
        int before = CELL.value;
        Schedule.turn(3);
        CELL.value = before + 1;
        locked();
    }

    static synchronized void locked() {
        int before = CELL.value;
        Schedule.turn(5);
        CELL.value = before + 1;
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
            block();
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
