// Who gets a thing comes after who gave it.
// expect: violation ExchangerEdge.block
// options: --atomic ExchangerEdge.block

import java.util.concurrent.Exchanger;
import schedule.Schedule;

class ExchangerEdge {
    static final Cell CELL = new Cell();
    static final Exchanger<String> EXCHANGER = new Exchanger<>();

    static void block() {
        Schedule.turn(1);
        Schedule.pass();
        exchange("first");
        Schedule.turn(3);
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
            exchange("second");
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
