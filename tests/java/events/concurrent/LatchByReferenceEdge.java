// What waits for a latch comes after its countDown, which an optional calls.
// expect: violation LatchByReferenceEdge.block
// options: --atomic LatchByReferenceEdge.block

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import schedule.Schedule;

class LatchByReferenceEdge {
    static final Cell CELL = new Cell();
    static final CountDownLatch LATCH = new CountDownLatch(1);

    static void block() {
        Schedule.turn(1);
        Optional.of(LATCH).ifPresent(CountDownLatch::countDown);
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
                LATCH.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
