// A reference that is seen to be set comes after the setting.
// expect: violation AtomicReferenceEdge.block
// options: --atomic AtomicReferenceEdge.block

import java.util.concurrent.atomic.AtomicReference;
import schedule.Schedule;

class AtomicReferenceEdge {
    static final Cell CELL = new Cell();
    static final AtomicReference<String> NAME = new AtomicReference<>("");

    static void block() {
        Schedule.turn(1);
        if (!NAME.compareAndSet("", "x")) throw new IllegalStateException();
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
            if (NAME.getAndSet("y").isEmpty()) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
