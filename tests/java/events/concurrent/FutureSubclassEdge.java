// Who gets a future's value comes after its completion, whatever class they call it.
// expect: violation FutureSubclassEdge.block
// options: --atomic FutureSubclassEdge.block

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import schedule.Schedule;

class FutureSubclassEdge {
    static final Cell CELL = new Cell();
    static final Own FUTURE = new Own();

    static void block() {
        Schedule.turn(1);
        FUTURE.complete("done");
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
            try {
                FUTURE.get();
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
            CELL.value = 1;
        }
    }

    static class Own extends CompletableFuture<String> {}

    static class Cell {
        int value = -1;
    }
}
