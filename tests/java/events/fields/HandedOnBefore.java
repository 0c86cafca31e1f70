// What one transaction has made says nothing about a later one of the same thread, nor about what the thread does in between.
// expect: none
// options: --atomic HandedOnBefore.block,HandedOnBefore.make,HandedOnBefore.look

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import schedule.Schedule;

class HandedOnBefore {
    static final Cell CELL = new Cell();
    static final Map<Integer, Cell> MADE = new ConcurrentHashMap<>();

    static void block() {
        Schedule.turn(2);
        CELL.value = 1;
        Schedule.turn(4);
        Schedule.use(MADE.get(1).value + MADE.get(2).value);
    }

    static void make(int number) {
        Cell made = new Cell();
        made.value = number;
        MADE.put(number, made);
    }

    static void look() {
        Cell own = new Cell();
        own.value = CELL.value;
        own.other = own.value;
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
            Schedule.turn(1);
            make(1);
            make(2);
            Schedule.turn(3);
            look();
            Schedule.pass();
        }
    }
}
