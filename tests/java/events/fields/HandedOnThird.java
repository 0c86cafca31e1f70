// A third thread depends on who has made an object as the second does, whichever field it uses.
// expect: violation HandedOnThird.block
// options: --atomic HandedOnThird.block

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import schedule.Schedule;

class HandedOnThird {
    static final Map<Integer, Cell> MADE = new ConcurrentHashMap<>();

    static void block() {
        Schedule.turn(1);
        Cell made = new Cell();
        made.value = 1;
        MADE.put(1, made);
        Schedule.turn(4);
        Schedule.use(made.value);
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second(), new Third());
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
            MADE.get(1).other = 2;
            Schedule.pass();
        }
    }

    static class Third extends Thread {
        Third() {
            super("T3");
        }

        @Override
        public void run() {
            Schedule.turn(3);
            MADE.get(1).value = 3;
            Schedule.pass();
        }
    }
}
