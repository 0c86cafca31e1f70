// A reference with a mark is a variable as any other.
// expect: violation AtomicMarkableEdge.block
// options: --atomic AtomicMarkableEdge.block

import java.util.concurrent.atomic.AtomicMarkableReference;
import schedule.Schedule;

class AtomicMarkableEdge {
    static final Cell CELL = new Cell();
    static final AtomicMarkableReference<String> REFERENCE = new AtomicMarkableReference<>("", false);

    static void block() {
        Schedule.turn(1);
        REFERENCE.set("", true);
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
            if (!REFERENCE.isMarked()) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
