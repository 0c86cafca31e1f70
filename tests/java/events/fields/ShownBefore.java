// A block makes an object, shows it to others by a volatile field, goes on with it, and ends; then another thread, whose block the first one has read from, reads it.
// expect: violation ShownBefore.block

import schedule.Schedule;

class ShownBefore {
    static final Cell other = new Cell();
    static volatile Cell shown;

    static void block() {
        Schedule.turn(1);
        other.value = 1;
        Schedule.turn(3);
        Schedule.use(shown.value);
    }

    static void make() {
        Schedule.turn(2);
        Schedule.use(other.value);
        Cell cell = new Cell();
        shown = cell;
        cell.value = 2;
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
            make();
            Schedule.pass();
        }
    }

    static class Cell {
        int value;
    }
}
