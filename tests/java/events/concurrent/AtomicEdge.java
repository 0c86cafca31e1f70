// An atomic that is seen to be changed comes after the change.
// expect: violation AtomicEdge.block
// options: --atomic AtomicEdge.block

import java.util.concurrent.atomic.AtomicInteger;
import schedule.Schedule;

class AtomicEdge {
    static final Cell CELL = new Cell();
    static final AtomicInteger COUNT = new AtomicInteger();

    static void block() {
        Schedule.turn(1);
        COUNT.incrementAndGet();
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
            if (COUNT.get() != 1) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
