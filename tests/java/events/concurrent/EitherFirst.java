// A function of either of two futures looks at the first if that is complete, and the second is none of its business.
// expect: none
// options: --atomic EitherFirst.block

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import schedule.Schedule;

class EitherFirst {
    static final Cell CELL = new Cell();
    static final ExecutorService POOL = Executors.newSingleThreadExecutor();
    static final CompletableFuture<Integer> FIRST = new CompletableFuture<>(), SECOND = new CompletableFuture<>();

    static void block() {
        Schedule.turn(2);
        SECOND.complete(2);
        Schedule.turn(5);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        POOL.execute(new Warm());
        FIRST.acceptEitherAsync(SECOND, EitherFirst::use, POOL);
        Schedule.run(new One(), new Other());
        POOL.shutdown();
    }

    static void use(int value) {
        if (value != 1) throw new IllegalStateException("the other future");
        Schedule.turn(4);
        CELL.value = 1;
        Schedule.pass();
    }

    /** Keeps the pool's thread busy until both futures are complete. */
    static class Warm implements Runnable {
        @Override
        public void run() {
            Schedule.turn(3);
            Schedule.pass();
        }
    }

    static class Cell {
        int value;
    }

    static class One extends Thread {
        One() {
            super("T1");
        }

        @Override
        public void run() {
            block();
        }
    }

    static class Other extends Thread {
        Other() {
            super("T2");
        }

        @Override
        public void run() {
            Schedule.turn(1);
            FIRST.complete(1);
            Schedule.pass();
        }
    }
}
