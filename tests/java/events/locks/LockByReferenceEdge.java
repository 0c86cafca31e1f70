// Who locks comes after the last unlock, even if both go by method references.
// expect: violation LockByReferenceEdge.block
// options: --atomic LockByReferenceEdge.block
// trace: T1|acq(ReentrantLock#1)
// trace: T1|rel(ReentrantLock#1)
// trace: T2|acq(ReentrantLock#1)

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import schedule.Schedule;

class LockByReferenceEdge {
    static final Cell CELL = new Cell();
    static final ReentrantLock LOCK = new ReentrantLock();

    static void block() {
        Schedule.turn(1);
        Runnable locks = LOCK::lock;
        Runnable unlocks = LOCK::unlock;
        locks.run();
        unlocks.run();
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
            Stream.of(LOCK).forEach(Lock::lock);
            Stream.of(LOCK).forEach(Lock::unlock);
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
