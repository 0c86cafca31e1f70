// What reads an element of an atomic array comes after its update.
// expect: violation AtomicArrayEdge.block
// options: --atomic AtomicArrayEdge.block

import java.util.concurrent.atomic.AtomicIntegerArray;
import schedule.Schedule;

class AtomicArrayEdge {
    static final Cell CELL = new Cell();
    static final AtomicIntegerArray ARRAY = new AtomicIntegerArray(4);

    static void block() {
        Schedule.turn(1);
        ARRAY.incrementAndGet(2);
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
            if (ARRAY.get(2) != 1) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
