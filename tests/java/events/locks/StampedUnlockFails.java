// To give back a lock that is not held lets nobody in.
// expect: none
// options: --atomic StampedUnlockFails.block

import java.util.concurrent.locks.StampedLock;
import schedule.Schedule;

class StampedUnlockFails {
    static final Cell CELL = new Cell();
    static final StampedLock LOCK = new StampedLock();

    static void block() {
        Schedule.turn(1);
        try {
            LOCK.unlockWrite(256);
            throw new AssertionError();
        } catch (IllegalMonitorStateException e) {
            // As it should be.
        }
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
            long stamp = LOCK.writeLock();
            LOCK.unlockWrite(stamp);
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
