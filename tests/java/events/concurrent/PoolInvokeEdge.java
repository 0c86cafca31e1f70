// A task comes before the end of ForkJoinPool.invoke.
// expect: violation PoolInvokeEdge.block
// options: --atomic PoolInvokeEdge.block

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;

class PoolInvokeEdge {
    static final Cell CELL = new Cell();
    static final ForkJoinPool POOL = new ForkJoinPool(1);

    static void block() {
        POOL.invoke(new Task());
    }

    static class Task extends RecursiveAction {
        @Override
        protected void compute() {
            CELL.value = 1;
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
