// A task that two threads have submitted begins because of one of them, and it is not said which: its first run has nothing to do with the second submission.
// expect: none
// options: --atomic SubmittedTwice.block

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import schedule.Schedule;

class SubmittedTwice {
    static final Cell CELL = new Cell();
    static final ExecutorService POOL = Executors.newSingleThreadExecutor();
    static final Task TASK = new Task();

    static void block() {
        Schedule.turn(2);
        POOL.execute(TASK);
        Schedule.turn(5);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        POOL.execute(new Warm());
        Schedule.run(new First(), new Second());
        POOL.shutdown();
    }

    static class Task implements Runnable {
        private int runs;

        @Override
        public void run() {
            if (++runs > 1) return;
            Schedule.turn(4);
            CELL.value = 1;
            Schedule.pass();
        }
    }

    /** Keeps the pool's thread busy until both have submitted. */
    static class Warm implements Runnable {
        @Override
        public void run() {
            Schedule.turn(3);
            Schedule.pass();
        }
    }

    static class Cell {
        int value;
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
            Schedule.turn(1);
            POOL.execute(TASK);
            Schedule.pass();
        }
    }
}
