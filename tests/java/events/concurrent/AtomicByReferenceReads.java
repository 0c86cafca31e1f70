// Who only reads an atomic is not ordered with others who read it.
// expect: none
// options: --atomic AtomicByReferenceReads.block

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import schedule.Schedule;

class AtomicByReferenceReads {
    static final Cell CELL = new Cell();
    static final AtomicInteger COUNT = new AtomicInteger();

    static void block() {
        Schedule.turn(1);
        IntSupplier next = COUNT::get;
        next.getAsInt();
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
            Supplier<Integer> count = COUNT::get;
            if (count.get() != 0) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
