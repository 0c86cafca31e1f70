// A lock is taken and given up by methods of a class that extends ReentrantLock, under names of their own.
// expect: violation LockSuperEdge.block
// options: --atomic LockSuperEdge.block
// trace: T1|acq(LockSuperEdge$Own#1)
// trace: T1|rel(LockSuperEdge$Own#1)
// trace: T2|acq(LockSuperEdge$Own#1)

import java.util.concurrent.locks.ReentrantLock;
import schedule.Schedule;

class LockSuperEdge {
    static final Cell CELL = new Cell();
    static final Own LOCK = new Own();

    static void block() {
        Schedule.turn(1);
        LOCK.enter();
        LOCK.leave();
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
            LOCK.enter();
            LOCK.leave();
            CELL.value = 1;
        }
    }

    static class Own extends ReentrantLock {
        private static final long serialVersionUID = 1;

        void enter() {
            super.lock();
        }

        void leave() {
            super.unlock();
        }
    }

    static class Cell {
        int value = -1;
    }
}
