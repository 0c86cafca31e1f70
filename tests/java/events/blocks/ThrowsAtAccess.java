// Accesses that fail (no object, no such element, wrong type) are no events and leave nothing open: T2 is not held up.
// expect: violation ThrowsAtAccess.block

import schedule.Schedule;

class ThrowsAtAccess {
    static final Cell CELL = new Cell();
    static final int[] ARRAY = new int[2];
    static final Object[] STRINGS = new String[1];
    static Cell none;

    static void block() {
        Schedule.turn(1);
        int before = CELL.value;
        int failures = 0;
        try {
            none.value = before;
        } catch (NullPointerException e) {
            failures++;
        }
        try {
            ARRAY[before + 3] = 1;
        } catch (ArrayIndexOutOfBoundsException e) {
            failures++;
        }
        try {
            STRINGS[0] = ARRAY;
        } catch (ArrayStoreException e) {
            failures++;
        }
        try {
            CELL.value = ARRAY[0] / ARRAY[1];
        } catch (ArithmeticException e) {
            failures++;
        }
        if (failures != 4) throw new IllegalStateException();
        Schedule.turn(3);
        CELL.value = before + 1;
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
            CELL.value = 5;
            ARRAY[0] = 1;
            ARRAY[1] = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
