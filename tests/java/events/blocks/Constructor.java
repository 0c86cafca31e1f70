// A constructor is a block: what it reads twice is written in between.
// expect: violation Constructor$Reader.<init>

import schedule.Schedule;

class Constructor {
    static final Cell CELL = new Cell();

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            Schedule.use(new Reader(1).sum);
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
        }
    }

    static class Reader {
        final int sum;

        Reader(int turn) {
            Schedule.turn(turn);
            int first = CELL.value;
            Schedule.turn(turn + 2);
            sum = first + CELL.value;
        }
    }

    static class Cell {
        int value = -1;
    }
}
