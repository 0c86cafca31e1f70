// A wait for a latch that ends because its time is over comes after nothing.
// expect: none
// options: --atomic LatchTimesOut.block

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import schedule.Schedule;

class LatchTimesOut {
    static final Cell CELL = new Cell();
    static final CountDownLatch LATCH = new CountDownLatch(2);

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
                if (LATCH.await(1, TimeUnit.MILLISECONDS)) throw new IllegalStateException();
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
