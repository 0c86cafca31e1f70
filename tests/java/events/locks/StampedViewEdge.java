// A view of a StampedLock is the lock itself.
// expect: violation StampedViewEdge.block
// options: --atomic StampedViewEdge.block

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.StampedLock;
import schedule.Schedule;

class StampedViewEdge {
    static final Cell CELL = new Cell();
    static final StampedLock LOCK = new StampedLock();

    static void block() {
        Schedule.turn(1);
        Lock lock = LOCK.asReadLock();
        lock.lock();
        lock.unlock();
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
