// Who is interrupted already does not let go of the lock to wait for a condition, and who does not hold it lets go of nothing.
// expect: none
// absent: wait(
// absent: signal
// trace: T1|acq(ReentrantLock#1)
// trace: T1|w(ConditionNotAwaited$Cell#1.value)
// trace: T1|rel(ReentrantLock#1)
// trace: T2|acq(ReentrantLock#1)

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import schedule.Schedule;

class ConditionNotAwaited {
    static final Lock LOCK = new ReentrantLock();
    static final Condition CHANGED = LOCK.newCondition();
    static final Condition WRITTEN = new ReentrantReadWriteLock().writeLock().newCondition();
    static final Cell CELL = new Cell();

    static void block() {
        LOCK.lock();
        try {
            CELL.value++;
            Thread.currentThread().interrupt();
            pause(CHANGED);
            pause(WRITTEN);
            CELL.value++;
        } finally {
            LOCK.unlock();
        }
    }

    private static void pause(Condition condition) {
        try {
            condition.await();
            throw new AssertionError();
        } catch (InterruptedException | IllegalMonitorStateException e) {
            Schedule.use(0);
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
            Schedule.turn(1);
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
            pause(CHANGED);
            LOCK.lock();
            CELL.value++;
            LOCK.unlock();
        }
    }

    static class Cell {
        int value = -1;
    }
}
