// A task comes after its submission.
// expect: violation ExecutorSubmitEdge.block
// options: --atomic ExecutorSubmitEdge.block

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import schedule.Schedule;

class ExecutorSubmitEdge {
    static final Cell CELL = new Cell();
    static final ExecutorService POOL = Executors.newFixedThreadPool(1);

    static void block() {
        Schedule.turn(1);
        POOL.submit(new Task());
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        POOL.submit(new Warm());
        block();
        POOL.shutdown();
    }

    static class Task implements Runnable {
        @Override
        public void run() {
            Schedule.turn(2);
            CELL.value = 1;
            Schedule.pass();
        }
    }

    /** Makes the pool start its thread, so that the start is not what orders the task. */
    static class Warm implements Runnable {
        @Override
        public void run() {}
    }

    static class Cell {
        int value = -1;
    }
}
