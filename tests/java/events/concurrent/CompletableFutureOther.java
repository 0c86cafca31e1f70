// Completing a future orders nothing that looks at another one.
// expect: none
// options: --atomic CompletableFutureOther.block

import java.util.concurrent.CompletableFuture;
import schedule.Schedule;

class CompletableFutureOther {
    static final Cell CELL = new Cell();
    static final CompletableFuture<Integer> FUTURE = new CompletableFuture<>();
    static final CompletableFuture<Integer> OTHER = CompletableFuture.completedFuture(8);

    static void block() {
        Schedule.turn(1);
        FUTURE.complete(7);
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
            if (OTHER.join() != 8) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
