// An optimistic read comes after the writers before it.
// expect: violation StampedOptimisticEdge.block
// options: --atomic StampedOptimisticEdge.block

import java.util.concurrent.locks.StampedLock;
import schedule.Schedule;

class StampedOptimisticEdge {
    static final Cell CELL = new Cell();
    static final StampedLock LOCK = new StampedLock();

    static void block() {
        Schedule.turn(1);
        long stamp = LOCK.writeLock();
        LOCK.unlockWrite(stamp);
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
            if (LOCK.tryOptimisticRead() == 0) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
