// All tasks come before the end of a fork-join pool.
// expect: violation PoolTerminationEdge.block
// options: --atomic PoolTerminationEdge.block

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

class PoolTerminationEdge {
    static final Cell CELL = new Cell();
    static final ForkJoinPool POOL = new ForkJoinPool(1);

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
