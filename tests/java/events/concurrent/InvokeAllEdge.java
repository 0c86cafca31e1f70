// The tasks come before the end of invokeAll.
// expect: violation InvokeAllEdge.block
// options: --atomic InvokeAllEdge.block

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

class InvokeAllEdge {
    static final Cell CELL = new Cell();
    static final ExecutorService POOL = Executors.newFixedThreadPool(1);

    static void block() {
        try {
            POOL.invokeAll(List.of(() -> CELL.value = 1));
        } catch (InterruptedException e) {
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
