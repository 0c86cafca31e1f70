// Who gets an object by a collection of the JDK depends on the transaction that made it, also if that has ended.
// expect: violation HandedOnEnded.block, HandedOnEnded.make
// options: --atomic HandedOnEnded.block,HandedOnEnded.make

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import schedule.Schedule;

class HandedOnEnded {
    static final Cell CELL = new Cell();
    static final Map<Integer, Cell> MADE = new ConcurrentHashMap<>();

    static void block() {
        Schedule.turn(1);
        CELL.value = 1;
        Schedule.turn(3);
        Schedule.use(MADE.get(1).value);
    }

    static void make() {
        Cell made = new Cell();
        made.value = 1 + CELL.value;
        MADE.put(1, made);
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class Cell {
        int value, other;
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
            make();
            Schedule.pass();
        }
    }
}
