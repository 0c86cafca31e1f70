// Who awaits a condition of a write lock lets go of it.
// expect: violation WriteConditionCuts.block
// options: --atomic WriteConditionCuts.block

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import schedule.Schedule;

class WriteConditionCuts {
    static final Cell CELL = new Cell();
    static final ReentrantReadWriteLock LOCK = new ReentrantReadWriteLock();
    static final Condition CHANGED = LOCK.writeLock().newCondition();
    static boolean changed;

    static void block() {
        LOCK.writeLock().lock();
        Schedule.turn(1);
        Schedule.pass();
        while (!changed) CHANGED.awaitUninterruptibly();
        LOCK.writeLock().unlock();
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
            LOCK.writeLock().lock();
            changed = true;
            CHANGED.signalAll();
            LOCK.writeLock().unlock();
        }
    }

    static class Cell {
        int value = -1;
    }
}
