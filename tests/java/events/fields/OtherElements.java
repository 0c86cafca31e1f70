// Elements of one array, and fields of one object, have nothing to do with each other.
// expect: none

import schedule.Schedule;

class OtherElements {
    static final int[] ARRAY = new int[4];
    static final Cell CELL = new Cell();

    static void block() {
        Schedule.turn(1);
        int element = ARRAY[1];
        int field = CELL.first;
        Schedule.turn(3);
        ARRAY[1] = element + 1;
        CELL.first = field + 1;
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
            ARRAY[2] = 5;
            CELL.second = 5;
        }
    }

    static class Cell {
        int first;
        int second;
    }
}
