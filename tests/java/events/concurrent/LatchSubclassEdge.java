// What waits for a latch through a class that extends it comes after its countDown.
// expect: violation LatchSubclassEdge.block
// options: --atomic LatchSubclassEdge.block

import java.util.concurrent.CountDownLatch;
import schedule.Schedule;

class LatchSubclassEdge {
    static final Cell CELL = new Cell();
    static final Own LATCH = new Own();

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

    static class Own extends CountDownLatch {
        Own() {
            super(1);
        }
    }

    static class Cell {
        int value = -1;
    }
}
