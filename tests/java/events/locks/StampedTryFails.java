// Who does not get the lock comes after nobody.
// expect: none
// options: --atomic StampedTryFails.block

import java.util.concurrent.locks.StampedLock;
import schedule.Schedule;

class StampedTryFails {
    static final Cell CELL = new Cell();
    static final StampedLock LOCK = new StampedLock();

    static void block() {
        Schedule.turn(1);
        long stamp = LOCK.writeLock();
        LOCK.unlockWrite(stamp);
        Schedule.turn(4);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second(), new Third());
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
            Schedule.turn(3);
            if (LOCK.tryWriteLock() != 0) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Third extends Thread {
        Third() {
            super("T3");
        }

        @Override
        public void run() {
            Schedule.turn(2);
            LOCK.readLock();
        }
    }

    static class Cell {
        int value = -1;
    }
}
