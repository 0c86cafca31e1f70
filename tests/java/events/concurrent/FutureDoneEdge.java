// A task comes before whoever finds that it is done.
// expect: violation FutureDoneEdge.block
// options: --atomic FutureDoneEdge.block

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class FutureDoneEdge {
    static final Cell CELL = new Cell();
    static final ExecutorService POOL = Executors.newFixedThreadPool(1);

    static void block() {
        Future<?> future = POOL.submit(() -> CELL.value = 1);
        while (!future.isDone()) Thread.onSpinWait();
    }

    public static void main(String[] args) {
        block();
        POOL.shutdown();
    }

    static class Cell {
        int value = -1;
    }
}
