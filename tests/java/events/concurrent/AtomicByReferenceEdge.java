// An atomic that is seen to be changed comes after the change, by method references.
// expect: violation AtomicByReferenceEdge.block
// options: --atomic AtomicByReferenceEdge.block

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import schedule.Schedule;

class AtomicByReferenceEdge {
    static final Cell CELL = new Cell();
    static final AtomicInteger COUNT = new AtomicInteger();

    static void block() {
        Schedule.turn(1);
        IntSupplier next = COUNT::incrementAndGet;
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
            if (count.get() != 1) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
