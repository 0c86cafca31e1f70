// A future that is complete is not completed again.
// expect: none
// options: --atomic CompleteFails.block

import java.util.concurrent.CompletableFuture;
import schedule.Schedule;

class CompleteFails {
    static final Cell CELL = new Cell();
    static final CompletableFuture<String> FUTURE = CompletableFuture.completedFuture("first");

    static void block() {
        Schedule.turn(1);
        if (FUTURE.complete("second") || FUTURE.completeExceptionally(new Error()) || FUTURE.cancel(true)) throw new IllegalStateException();
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            block();
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            Schedule.turn(2);
            FUTURE.join();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
