// A tryLock that succeeds comes after the last unlock.
// expect: violation TryLockEdge.block
// options: --atomic TryLockEdge.block

import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class TryLockEdge {
    static final Cell CELL = new Cell();
    static final ReentrantLock LOCK = new ReentrantLock();

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

    static class Cell {
        int value = -1;
    }
}
