// The task whose result it is comes before the end of invokeAny.
// expect: violation InvokeAnyEdge.block
// options: --atomic InvokeAnyEdge.block

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

class InvokeAnyEdge {
    static final Cell CELL = new Cell();
    static final ExecutorService POOL = Executors.newFixedThreadPool(1);

    static void block() {
        try {
            POOL.invokeAny(List.of(() -> CELL.value = 1));
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        block();
        POOL.shutdown();
    }

    static class Cell {
        int value = -1;
    }
}
