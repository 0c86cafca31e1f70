// A class that extends an atomic is one; its own fields are others.
// expect: violation AtomicSubclassEdge.block
// options: --atomic AtomicSubclassEdge.block
// trace: T1|rmw(AtomicSubclassEdge$Own#1.value)
// trace: T2|vr(AtomicSubclassEdge$Own#1.value)

import java.util.concurrent.atomic.AtomicInteger;
import schedule.Schedule;

class AtomicSubclassEdge {
    static final Cell CELL = new Cell();
    static final Own COUNT = new Own();

    static void block() {
        Schedule.turn(1);
        if (!COUNT.compareAndSet(0, 1)) throw new IllegalStateException();
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

    static class Own extends AtomicInteger {
        private static final long serialVersionUID = 1;
        int value;
    }

    static class Cell {
        int value = -1;
    }
}
