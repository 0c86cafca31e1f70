// A submission that is refused is no reason for the task to begin: another one is.
// expect: none
// options: --atomic SubmissionRefused.block

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import schedule.Schedule;

class SubmissionRefused {
    static final Cell CELL = new Cell();
    static final ExecutorService CLOSED = Executors.newSingleThreadExecutor();
    static final ExecutorService POOL = Executors.newSingleThreadExecutor();
    static final Task TASK = new Task();

    static void block() {
        Schedule.turn(1);
        try {
            CLOSED.execute(TASK);
        } catch (RejectedExecutionException expected) {
            Schedule.use(0);
        }
        Schedule.turn(4);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        CLOSED.shutdown();
        Schedule.run(new First(), new Second());
        POOL.shutdown();
    }

    static class Task implements Runnable {
        @Override
        public void run() {
            Schedule.turn(3);
            CELL.value = 1;
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
            Schedule.turn(2);
            POOL.execute(TASK);
            Schedule.pass();
        }
    }
}
