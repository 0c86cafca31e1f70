// Readers of a StampedLock through its views do not come after each other, also if they are there at once.
// expect: none
// options: --atomic StampedViewReadersApart.block

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.StampedLock;
import schedule.Schedule;

class StampedViewReadersApart {
    static final Cell CELL = new Cell();
    static final StampedLock LOCK = new StampedLock();

    static void block() {
        Schedule.turn(1);
        Lock lock = LOCK.asReadLock();
        lock.lock();
        Schedule.turn(3);
        lock.unlock();
        lock.lock();
        Schedule.turn(5);
        Schedule.use(CELL.value);
        lock.unlock();
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
            Lock lock = LOCK.asReadWriteLock().readLock();
            lock.lock();
            Schedule.turn(4);
            lock.unlock();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
