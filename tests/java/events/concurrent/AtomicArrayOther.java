// Elements of an atomic array have nothing to do with each other.
// expect: none
// options: --atomic AtomicArrayOther.block

import java.util.concurrent.atomic.AtomicIntegerArray;
import schedule.Schedule;

class AtomicArrayOther {
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
            if (ARRAY.get(3) != 0) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
