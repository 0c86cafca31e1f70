// An attempt that fails only reads.
// expect: none
// options: --atomic AtomicMarkableTryFails.block

import java.util.concurrent.atomic.AtomicMarkableReference;
import schedule.Schedule;

class AtomicMarkableTryFails {
    static final Cell CELL = new Cell();
    static final AtomicMarkableReference<String> REFERENCE = new AtomicMarkableReference<>("", false);

    static void block() {
        Schedule.turn(1);
        if (REFERENCE.attemptMark("other", true)) throw new IllegalStateException();
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
            if (REFERENCE.isMarked()) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
