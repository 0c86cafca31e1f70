// get() of a class that extends AtomicReference reads.
// expect: violation AtomicReferenceSubclassEdge.block
// options: --atomic AtomicReferenceSubclassEdge.block

import java.util.concurrent.atomic.AtomicReference;
import schedule.Schedule;

class AtomicReferenceSubclassEdge {
    static final Cell CELL = new Cell();
    static final Own NAME = new Own();

    static void block() {
        Schedule.turn(1);
        NAME.set("new");
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
            if (NAME.get() == null) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Own extends AtomicReference<String> {
        private static final long serialVersionUID = 1;
    }

    static class Cell {
        int value = -1;
    }
}
