// A class that extends an atomic calls its methods by `super`.
// expect: violation AtomicSuperEdge.block
// options: --atomic AtomicSuperEdge.block
// trace: T1|rmw(AtomicSuperEdge$Own#1.value)
// trace: T2|vr(AtomicSuperEdge$Own#1.value)

import java.util.concurrent.atomic.AtomicInteger;
import schedule.Schedule;

class AtomicSuperEdge {
    static final Cell CELL = new Cell();
    static final Own COUNT = new Own();

    static void block() {
        Schedule.turn(1);
        COUNT.next();
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
            if (COUNT.now() != 1) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Own extends AtomicInteger {
        private static final long serialVersionUID = 1;

        void next() {
            super.incrementAndGet();
        }

        int now() {
            return super.get();
        }
    }

    static class Cell {
        int value = -1;
    }
}
