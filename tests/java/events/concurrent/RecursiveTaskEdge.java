// The end of a task comes before its join, which is called through the task's own class: it read what the block wrote.
// expect: violation RecursiveTaskEdge.block
// options: --atomic RecursiveTaskEdge.block

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import schedule.Schedule;

class RecursiveTaskEdge {
    static final Cell CELL = new Cell();
    static final ForkJoinPool POOL = new ForkJoinPool(1);

    static void block(Task task) {
        Schedule.turn(1);
        CELL.value = 1;
        Schedule.turn(3);
        Schedule.use(task.join());
    }

    public static void main(String[] args) {
        Task task = new Task();
        POOL.execute(task);
        block(task);
    }

    static class Task extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;

        @Override
        protected Integer compute() {
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
