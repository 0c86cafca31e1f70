// The end of a task comes before Future.get: it read what the block wrote.
// expect: violation FutureGetEdge.block
// options: --atomic FutureGetEdge.block

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import schedule.Schedule;

class FutureGetEdge {
    static final Cell CELL = new Cell();
    static final ExecutorService POOL = Executors.newFixedThreadPool(1);

    static void block(Future<?> future) {
        Schedule.turn(1);
        CELL.value = 1;
        Schedule.turn(3);
        try {
            future.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        block(POOL.submit(new Task()));
        POOL.shutdown();
    }

    static class Task implements Runnable {
        @Override
        public void run() {
            Schedule.turn(2);
            Schedule.use(CELL.value);
            Schedule.pass();
        }
    }

    static class Cell {
        int value = -1;
    }
}
