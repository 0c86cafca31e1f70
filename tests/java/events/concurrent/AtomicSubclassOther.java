// The fields of a class that extends an atomic are not the atomic's.
// expect: none
// options: --atomic AtomicSubclassOther.block

import java.util.concurrent.atomic.AtomicInteger;
import schedule.Schedule;

class AtomicSubclassOther {
    static final Cell CELL = new Cell();
    static final Own COUNT = new Own();

    static void block() {
        Schedule.turn(1);
        COUNT.incrementAndGet();
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
            if (COUNT.value != 0) throw new IllegalStateException();
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
