// Who goes on from a barrier comes after all who have arrived.
// expect: violation BarrierEdge.block
// options: --atomic BarrierEdge.block

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import schedule.Schedule;

class BarrierEdge {
    static final Cell CELL = new Cell();
    static final CyclicBarrier BARRIER = new CyclicBarrier(2);

    static void block() {
        Schedule.turn(1);
        Schedule.pass();
        try {
            BARRIER.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
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
                BARRIER.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
