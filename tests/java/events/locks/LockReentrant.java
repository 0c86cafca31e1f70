// Only the outermost lock and unlock count: T2 waits until the block has let go for good.
// expect: none
// options: --atomic LockReentrant.block

import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class LockReentrant {
    static final Cell CELL = new Cell();
    static final ReentrantLock LOCK = new ReentrantLock();

    static void block() {
        Schedule.turn(1);
        LOCK.lock();
        LOCK.lock();
        LOCK.unlock();
        if (LOCK.getHoldCount() != 1) throw new IllegalStateException();
        Schedule.turn(3);
        Schedule.use(CELL.value);
        LOCK.unlock();
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
            if (LOCK.tryLock()) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
