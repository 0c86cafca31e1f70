// A block that awaits a condition while nobody else takes the lock is whole.
// expect: none

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class ConditionAlone {
    static final Lock LOCK = new ReentrantLock();
    static final Condition CHANGED = LOCK.newCondition();

    static final Cell CELL = new Cell();

    static void block() {
        LOCK.lock();
        try {
            Schedule.turn(1);
            CELL.value++;
            pause();
            CELL.value++;
        } finally {
            LOCK.unlock();
        }
    }

    private static void pause() {
        try {
            CHANGED.awaitNanos(1_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
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
            CELL.value++;
            LOCK.unlock();
        }
    }

    static class Cell {
        int value = -1;
    }
}
