// A lock of a class of the program, taken by references that stand in an interface.
// expect: violation LockByReferenceInInterface.block
// options: --atomic LockByReferenceInInterface.block
// trace: T1|acq(LockByReferenceInInterface$Own#1)
// trace: T1|rel(LockByReferenceInInterface$Own#1)
// trace: T2|acq(LockByReferenceInInterface$Own#1)

import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class LockByReferenceInInterface {
    static final Cell CELL = new Cell();
    static final Own LOCK = new Own();

    static void block() {
        Schedule.turn(1);
        Taking.taking(LOCK).run();
        Taking.letting(LOCK).run();
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
            Taking.taking(LOCK).run();
            Taking.letting(LOCK).run();
            CELL.value = 1;
        }
    }

    static class Own extends ReentrantLock {}

    interface Taking {
        static Runnable taking(Own lock) {
            return lock::lock;
        }

        static Runnable letting(Own lock) {
            return lock::unlock;
        }
    }

    static class Cell {
        int value = -1;
    }
}
