// A compareAndExchange that fails only reads: it comes after no other read.
// expect: none
// options: --atomic AtomicExchangeFails.block

import java.util.concurrent.atomic.AtomicInteger;
import schedule.Schedule;

class AtomicExchangeFails {
    static final Cell CELL = new Cell();
    static final AtomicInteger COUNT = new AtomicInteger(5);

    static void block() {
        Schedule.turn(1);
        if (COUNT.compareAndExchange(0, 1) != 5) throw new IllegalStateException();
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
            if (COUNT.compareAndSet(1, 2) || COUNT.get() != 5) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
