// A tryAcquire that fails comes after nothing.
// expect: none
// options: --atomic SemaphoreTryFails.block

import java.util.concurrent.Semaphore;
import schedule.Schedule;

class SemaphoreTryFails {
    static final Cell CELL = new Cell();
    static final Semaphore PERMITS = new Semaphore(0);

    static void block() {
        Schedule.turn(1);
        PERMITS.release();
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
            if (PERMITS.tryAcquire(2)) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
