// A class that implements Lock by another lock: that one is seen.
// expect: violation OwnLockEdge.block
// options: --atomic OwnLockEdge.block

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class OwnLockEdge {
    static final Cell CELL = new Cell();
    static final Lock LOCK = new Own();

    static void block() {
        Schedule.turn(1);
        LOCK.lock();
        LOCK.unlock();
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    static class Own implements Lock {
        private final ReentrantLock inner = new ReentrantLock();

        @Override
        public void lock() {
            inner.lock();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            inner.lockInterruptibly();
        }

        @Override
        public boolean tryLock() {
            return inner.tryLock();
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return inner.tryLock(time, unit);
        }

        @Override
        public void unlock() {
            inner.unlock();
        }

        @Override
        public Condition newCondition() {
            return inner.newCondition();
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
            LOCK.lock();
            LOCK.unlock();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
