// The end of a task of CompletableFuture.supplyAsync comes before the join.
// expect: violation AsyncJoinEdge.block
// options: --atomic AsyncJoinEdge.block

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import schedule.Schedule;

class AsyncJoinEdge {
    static final Cell CELL = new Cell();

    static void block(CompletableFuture<Integer> future) {
        Schedule.turn(1);
        CELL.value = 1;
        Schedule.turn(3);
        Schedule.use(future.join());
    }

    public static void main(String[] args) {
        block(CompletableFuture.supplyAsync(new Task()));
    }

    static class Task implements Supplier<Integer> {
        @Override
        public Integer get() {
            Schedule.turn(2);
            int value = CELL.value;
            Schedule.pass();
            return value;
        }
    }

    static class Cell {
        int value = -1;
    }
}
