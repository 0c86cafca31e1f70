// Methods that fork tasks and join them meet other threads on purpose: they are not atomic by default.
// expect: none

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;
import schedule.Schedule;

class ForkJoinTasks {
    static final int[] COUNTS = new int[64];

    public static void main(String[] args) {
        ForkJoinPool pool = new ForkJoinPool(2);
        Schedule.use(pool.invoke(new Sum(0, COUNTS.length)));
        pool.invoke(new Add(0, COUNTS.length));
        pool.invoke(new Late(0, COUNTS.length));
        pool.shutdown();
    }

    static class Sum extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        private final int from, to;

        Sum(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Integer compute() {
            if (to - from == 1) return COUNTS[from]++;
            int middle = (from + to) / 2;
            Sum left = new Sum(from, middle), right = new Sum(middle, to);
            left.fork();
            return right.compute() + left.join();
        }
    }

    static class Add extends RecursiveAction {
        private static final long serialVersionUID = 1;
        private final int from, to;

        Add(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected void compute() {
            int middle = (from + to) / 2;
            if (to - from == 1) COUNTS[from]++;
            else invokeAll(new Add(from, middle), new Add(middle, to));
        }
    }

    /** Forks in one method and joins in another. */
    static class Late extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        private final int from, to;

        Late(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Integer compute() {
            if (to - from == 1) return COUNTS[from]++;
            int middle = (from + to) / 2;
            return later(new Late(middle, to).fork(), new Late(from, middle));
        }

        private static int later(ForkJoinTask<Integer> forked, Late own) {
            return own.compute() + forked.join();
        }
    }
}
