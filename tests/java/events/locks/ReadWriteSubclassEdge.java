// The parts of a read-write lock that a class extends belong together.
// expect: violation ReadWriteSubclassEdge.block
// options: --atomic ReadWriteSubclassEdge.block

import java.util.concurrent.locks.ReentrantReadWriteLock;
import schedule.Schedule;

class ReadWriteSubclassEdge {
    static final Cell CELL = new Cell();
    static final Own LOCK = new Own();

    static void block() {
        Schedule.turn(1);
        LOCK.writeLock().lock();
        LOCK.writeLock().unlock();
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

    static class Own extends ReentrantReadWriteLock {
        private static final long serialVersionUID = 1;
    }

    static class Cell {
        int value = -1;
    }
}
