// What waits for a latch comes after its countDown, also if that is done in the monitor of the latch itself.
// expect: violation LatchInMonitorEdge.block
// options: --atomic LatchInMonitorEdge.block

import java.util.concurrent.CountDownLatch;
import schedule.Schedule;

class LatchInMonitorEdge {
    static final Cell CELL = new Cell();
    static final CountDownLatch LATCH = new CountDownLatch(1);

    static void block() {
        Schedule.turn(1);
        synchronized (LATCH) {
            LATCH.countDown();
        }
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
