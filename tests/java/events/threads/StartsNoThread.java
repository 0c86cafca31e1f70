// Who starts something else than a thread is atomic, even if it is called one.
// expect: violation StartsNoThread.block
// options: --atomic methods

import schedule.Schedule;

class StartsNoThread {
    static final Cell CELL = new Cell();

    static void block() {
        Schedule.turn(1);
        CELL.value = 1;
        new SewingThread().start();
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    /** No class of the JVM's. */
    static class SewingThread {
        void start() {}
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
            CELL.value = 2;
        }
    }

    static class Cell {
        int value = -1;
    }
}
