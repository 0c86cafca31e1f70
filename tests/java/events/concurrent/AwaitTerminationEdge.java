// All tasks come before the end of an executor.
// expect: violation AwaitTerminationEdge.block
// options: --atomic AwaitTerminationEdge.block

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

class AwaitTerminationEdge {
    static final Cell CELL = new Cell();
    static final ExecutorService POOL = Executors.newFixedThreadPool(1);

    static void block() {
        POOL.execute(() -> CELL.value = 1);
        POOL.shutdown();
        try {
            if (!POOL.awaitTermination(30, TimeUnit.SECONDS)) throw new IllegalStateException();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        block();
    }

    static class Cell {
        int value = -1;
    }
}
