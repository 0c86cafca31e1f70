// A task of a ForkJoinPool comes after its execution was asked for.
// expect: violation ForkJoinEdge.block
// options: --atomic ForkJoinEdge.block

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import schedule.Schedule;

class ForkJoinEdge {
    static final Cell CELL = new Cell();
    static final ForkJoinPool POOL = new ForkJoinPool(1);

    static void block() {
        Schedule.turn(1);
        POOL.execute(new Task(2));
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        POOL.submit(new Task(0)).join();
        block();
    }

    static class Task extends RecursiveAction {
        private static final long serialVersionUID = 1;
        private final int turn;

        /** Turn 0 makes the pool start its thread, so that the start is not what orders the other task. */
        Task(int turn) {
            this.turn = turn;
        }

        @Override
        protected void compute() {
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
