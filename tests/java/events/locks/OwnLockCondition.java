// A condition belongs to the lock that made it, whoever hands it on: who awaits it lets go of that.
// expect: violation OwnLockCondition.block
// options: --atomic OwnLockCondition.block

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class OwnLockCondition {
    static final Cell CELL = new Cell();
    static final Lock LOCK = new Own();
    static final Condition CHANGED = LOCK.newCondition();
    static boolean changed;

    static void block() {
        LOCK.lock();
        Schedule.turn(1);
        Schedule.pass();
        while (!changed) CHANGED.awaitUninterruptibly();
        LOCK.unlock();
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
            changed = true;
            CHANGED.signalAll();
            LOCK.unlock();
        }
    }

    static class Cell {
        int value = -1;
    }
}
