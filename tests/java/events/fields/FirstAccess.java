// The very first access of an object counts, also if another thread has made the object and done nothing with it.
// expect: violation FirstAccess.block
// options: --atomic FirstAccess.block

import java.util.concurrent.Semaphore;
import schedule.Schedule;

class FirstAccess {
    static final Cell CELL = new Cell();
    static final Semaphore PERMITS = new Semaphore(0);

    static void block() {
        Schedule.turn(1);
        PERMITS.release();
        Schedule.turn(3);
        Schedule.use(CELL.value);
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
            PERMITS.acquireUninterruptibly();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value;
    }
}
