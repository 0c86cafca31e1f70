// What reads the sum comes after the addition.
// expect: violation AtomicLongEdge.block
// options: --atomic AtomicLongEdge.block

import java.util.concurrent.atomic.AtomicLong;
import schedule.Schedule;

class AtomicLongEdge {
    static final Cell CELL = new Cell();
    static final AtomicLong SUM = new AtomicLong();

    static void block() {
        Schedule.turn(1);
        SUM.addAndGet(5);
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
            if (SUM.getAndIncrement() != 5) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
