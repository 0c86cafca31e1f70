// An interrupt ends a wait for a condition: the lock is taken again before, and let go of later.
// expect: violation ConditionInterrupted.block
// options: --atomic ConditionInterrupted.block
// trace: T1|acq(ReentrantLock#1)
// trace: T1|wait(ReentrantLock#1)
// trace: T2|acq(ReentrantLock#1)
// trace: T2|rel(ReentrantLock#1)
// trace: T1|acq(ReentrantLock#1)
// trace: T1|w(ConditionInterrupted$Cell#1.value)
// trace: T1|rel(ReentrantLock#1)

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class ConditionInterrupted {
    static final Lock LOCK = new ReentrantLock();
    static final Condition CHANGED = LOCK.newCondition();
    static final Cell CELL = new Cell();
    static Thread waits;

    static void block() {
        LOCK.lock();
        try {
            CELL.value++;
            Schedule.turn(1);
            Schedule.pass();
            CHANGED.await();
        } catch (InterruptedException e) {
            CELL.value++;
        } finally {
            LOCK.unlock();
        }
    }

    public static void main(String[] args) {
        waits = new First();
        Schedule.run(waits, new Second());
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
            CELL.value++;
            waits.interrupt();
            LOCK.unlock();
        }
    }

    static class Cell {
        int value = -1;
    }
}
