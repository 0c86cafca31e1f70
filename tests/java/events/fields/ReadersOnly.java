// Two blocks that only read are in nobody's way.
// expect: none

import schedule.Schedule;

class ReadersOnly {
    static final Cell CELL = new Cell();

    static void block(int turn) {
        Schedule.turn(turn);
        int before = CELL.value;
        Schedule.turn(turn + 2);
        Schedule.use(before + CELL.value);
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
            block(1);
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            block(2);
        }
    }

    static class Cell {
        int value = -1;
    }
}
