// A task of CompletableFuture.runAsync comes after the call.
// expect: violation AsyncEdge.block
// options: --atomic AsyncEdge.block

import java.util.concurrent.CompletableFuture;
import schedule.Schedule;

class AsyncEdge {
    static final Cell CELL = new Cell();

    static void block() {
        Schedule.turn(1);
        CompletableFuture.runAsync(new Task());
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        CompletableFuture.runAsync(new Warm()).join();
        block();
    }

    static class Task implements Runnable {
        @Override
        public void run() {
            Schedule.turn(2);
            CELL.value = 1;
            Schedule.pass();
        }
    }

    /** Makes the pool start a thread, so that the start is not what orders the task. */
    static class Warm implements Runnable {
        @Override
        public void run() {}
    }

    static class Cell {
        int value = -1;
    }
}
