// What runs after a delay comes after it was asked for.
// expect: violation DelayedExecutorEdge.block
// options: --atomic DelayedExecutorEdge.block

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import schedule.Schedule;

class DelayedExecutorEdge {
    static final Cell CELL = new Cell();
    static final Executor DELAYED = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS);

    static void block() {
        Schedule.turn(1);
        DELAYED.execute(new Task(2));
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        // This starts the threads, so that their start is not what orders the other task.
        CompletableFuture.runAsync(new Task(0), DELAYED).join();
        block();
    }

    static class Task implements Runnable {
        private final int turn;

        Task(int turn) {
            this.turn = turn;
        }

        @Override
        public void run() {
            if (turn == 0) return;
            Schedule.turn(turn);
            CELL.value++;
            Schedule.pass();
        }
    }

    static class Cell {
        int value = -1;
    }
}
