// Readers do not come after each other, also if one has gone before the other comes.
// expect: none
// options: --atomic ReadersApart.block

import java.util.concurrent.locks.ReentrantReadWriteLock;
import schedule.Schedule;

class ReadersApart {
    static final Cell CELL = new Cell();
    static final ReentrantReadWriteLock LOCK = new ReentrantReadWriteLock();

    static void block() {
        Schedule.turn(1);
        LOCK.readLock().lock();
        LOCK.readLock().unlock();
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
            LOCK.readLock().lock();
            LOCK.readLock().unlock();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
