// A block that awaits a condition lets go of the lock: who signals it has come in between.
// expect: violation ConditionCuts.block
// trace: T1|acq(ReentrantLock#1)
// trace: T2|acq(ReentrantLock#1)
// trace: T2|rel(ReentrantLock#1)
// trace: T1|acq(ReentrantLock#1)
// trace: T1|rel(ReentrantLock#1)

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class ConditionCuts {
    static final Lock LOCK = new ReentrantLock();
    static final Condition CHANGED = LOCK.newCondition();

    static boolean changed;

    static void block() {
        LOCK.lock();
        try {
            Schedule.turn(1);
            Schedule.pass();
            while (!changed) pause();
        } finally {
            LOCK.unlock();
        }
    }

    private static void pause() {
        CHANGED.awaitUninterruptibly();
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
}
