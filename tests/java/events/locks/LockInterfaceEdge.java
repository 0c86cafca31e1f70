// The same, seen through the interface, with the lock held while T2 waits for it.
// expect: violation LockInterfaceEdge.block
// options: --atomic LockInterfaceEdge.block

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class LockInterfaceEdge {
    static final Cell CELL = new Cell();
    static final Second SECOND = new Second();
    static final Lock LOCK = new ReentrantLock();

    static void block() {
        Schedule.turn(1);
        LOCK.lock();
        Schedule.pass();
        Schedule.untilBlocked(SECOND);
        LOCK.unlock();
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        Schedule.run(new First(), SECOND);
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
            try {
                LOCK.lockInterruptibly();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            LOCK.unlock();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
