// A class that implements Lock is no lock by itself: two threads can hold this one at once.
// expect: none
// options: --atomic OwnLockApart.block

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import schedule.Schedule;

class OwnLockApart {
    static final Cell CELL = new Cell();
    static final Lock LOCK = new Own();

    static void block() {
        Schedule.turn(1);
        LOCK.lock();
        Schedule.turn(3);
        LOCK.unlock();
        Schedule.turn(5);
        Schedule.use(CELL.value);
    }

    static class Own implements Lock {
        @Override
        public void lock() {}

        @Override
        public void lockInterruptibly() {}

        @Override
        public boolean tryLock() {
            return true;
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) {
            return true;
        }

        @Override
        public void unlock() {}

        @Override
        public Condition newCondition() {
            return null;
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
            Schedule.turn(4);
            LOCK.unlock();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
