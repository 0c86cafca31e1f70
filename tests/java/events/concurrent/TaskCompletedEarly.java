// Who finds a task done comes after what has completed it, not after who has submitted it: here, it has not run.
// expect: none
// options: --atomic TaskCompletedEarly.block

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import schedule.Schedule;

class TaskCompletedEarly {
    static final Cell CELL = new Cell();
    static final ForkJoinPool POOL = new ForkJoinPool(1);
    static final Task CANCELLED = new Task(0), COMPLETED = new Task(0);

    static void block() {
        Schedule.turn(2);
        POOL.execute(CANCELLED);
        POOL.execute(COMPLETED);
        Schedule.turn(4);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        // The only thread of the pool is busy until its last turn.
        POOL.execute(new Task(5));
        Schedule.run(new First(), new Second());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            Schedule.turn(1);
            block();
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            Schedule.turn(3);
            CANCELLED.cancel(false);
            COMPLETED.complete(7);
            if (!CANCELLED.isDone() || COMPLETED.join() != 7) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Task extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        private final int turn;

        Task(int turn) {
            this.turn = turn;
        }

        @Override
        protected Integer compute() {
            if (turn != 0) Schedule.turn(turn);
            return 0;
        }
    }

    static class Cell {
        int value = -1;
    }
}
