// What nobody takes is given to nobody, whoever exchanges things later.
// expect: none
// options: --atomic ExchangerTimesOut.block

import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import schedule.Schedule;

class ExchangerTimesOut {
    static final Cell CELL = new Cell();
    static final Exchanger<String> EXCHANGER = new Exchanger<>();

    static void block() {
        Schedule.turn(1);
        try {
            EXCHANGER.exchange("first", 1, TimeUnit.MILLISECONDS);
            throw new AssertionError();
        } catch (InterruptedException | TimeoutException e) {
            // Nobody was there.
        }
        Schedule.turn(4);
        Schedule.use(CELL.value);
    }

    static String exchange(String item) {
        try {
            return EXCHANGER.exchange(item);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second(), new Third());
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
            Schedule.pass();
            exchange("first");
            CELL.value = 1;
        }
    }

    static class Third extends Thread {
        Third() {
            super("T3");
        }

        @Override
        public void run() {
            Schedule.turn(3);
            exchange("first");
            Schedule.rest();
        }
    }

    static class Cell {
        int value = -1;
    }
}
