// Who acquires more permits than are free comes after who gives the rest, also if that has not told of it yet.
// expect: violation SemaphoreSeveral.block
// options: --atomic SemaphoreSeveral.block

import java.util.concurrent.Semaphore;
import schedule.Schedule;

class SemaphoreSeveral {
    static final Cell CELL = new Cell();
    static final Semaphore SEMAPHORE = new Semaphore(1);

    static void block() {
        Schedule.turn(1);
        SEMAPHORE.release();
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        Thread second = new Second();
        Schedule.run(new First(second), second);
    }

    static class Cell {
        int value;
    }

    static class First extends Thread {
        private final Thread second;

        First(Thread second) {
            super("T1");
            this.second = second;
        }

        @Override
        public void run() {
            Schedule.untilBlocked(second);
            block();
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            SEMAPHORE.acquireUninterruptibly(2);
            Schedule.turn(2);
            CELL.value = 2;
            Schedule.pass();
        }
    }
}
