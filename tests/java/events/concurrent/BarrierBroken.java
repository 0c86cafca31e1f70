// Who has left a barrier without having met others is not of the round of those who come later.
// expect: none
// options: --atomic BarrierBroken.block

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import schedule.Schedule;

class BarrierBroken {
    static final Cell CELL = new Cell();
    static final CyclicBarrier BARRIER = new CyclicBarrier(2);

    static void block() {
        Schedule.turn(1);
        try {
            BARRIER.await(1, TimeUnit.MILLISECONDS);
            throw new AssertionError();
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            // Nobody was there.
        }
        BARRIER.reset();
        Schedule.turn(4);
        Schedule.use(CELL.value);
    }

    static void meet() {
        try {
            BARRIER.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second(), new Third());
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
            Schedule.pass();
            meet();
            CELL.value = 1;
        }
    }

    static class Third extends Thread {
        Third() {
            super("T3");
        }

        @Override
        public void run() {
            Schedule.turn(3);
            meet();
            Schedule.rest();
        }
    }

    static class Cell {
        int value = -1;
    }
}
