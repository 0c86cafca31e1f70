// Two permits: the blocks of two threads that each hold one may overlap.
// expect: none

import java.util.concurrent.Semaphore;
import schedule.Schedule;

class SemaphoreOverlap {
    static final Semaphore PERMITS = new Semaphore(2);
    static final Cell[] CELLS = {new Cell(), new Cell()};

    static void block(int mine) {
        PERMITS.acquireUninterruptibly();
        Schedule.turn(1 + mine);
        CELLS[mine].value++;
        Schedule.turn(4 - mine);
        CELLS[mine].value++;
        PERMITS.release();
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
            block(0);
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            block(1);
        }
    }

    static class Cell {
        int value = -1;
    }
}
