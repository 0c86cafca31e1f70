// A lock called through a class that extends ReentrantLock is a lock.
// expect: violation LockSubclassEdge.block
// options: --atomic LockSubclassEdge.block
// trace: T1|acq(LockSubclassEdge$Own#1)
// trace: T1|rel(LockSubclassEdge$Own#1)
// trace: T2|acq(LockSubclassEdge$Own#1)

import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class LockSubclassEdge {
    static final Cell CELL = new Cell();
    static final Own LOCK = new Own();

    static void block() {
        Schedule.turn(1);
        LOCK.lock();
        LOCK.unlock();
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
            if (!LOCK.tryLock()) throw new IllegalStateException();
            LOCK.unlock();
            CELL.value = 1;
        }
    }

    static class Own extends ReentrantLock {
        private static final long serialVersionUID = 1;
    }

    static class Cell {
        int value = -1;
    }
}
