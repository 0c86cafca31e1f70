// To count down a latch that is open already lets nobody through.
// expect: none
// options: --atomic LatchOpen.block

import java.util.concurrent.CountDownLatch;
import schedule.Schedule;

class LatchOpen {
    static final Cell CELL = new Cell();
    static final CountDownLatch LATCH = new CountDownLatch(0);

    static void block() {
        Schedule.turn(1);
        LATCH.countDown();
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
