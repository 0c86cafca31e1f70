// Who has waited for a task quietly comes after it.
// expect: violation TaskQuietlyJoinedEdge.block
// options: --atomic TaskQuietlyJoinedEdge.block

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import schedule.Schedule;

class TaskQuietlyJoinedEdge {
    static final Cell CELL = new Cell();
    static final Task TASK = new Task();

    static void block() {
        Schedule.turn(1);
        CELL.value = 1;
        Schedule.turn(3);
        TASK.quietlyJoin();
    }

    public static void main(String[] args) {
        ForkJoinPool.commonPool().execute(TASK);
        block();
    }

    static class Task extends RecursiveAction {
        private static final long serialVersionUID = 1;

        @Override
        protected void compute() {
            Schedule.turn(2);
            Schedule.use(CELL.value);
            Schedule.pass();
        }
    }

    static class Cell {
        int value = -1;
    }
}
