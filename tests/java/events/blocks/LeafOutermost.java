// A method that calls nothing, as a transaction of its own: what it reads twice is written in between.
// expect: violation LeafOutermost.both
// trace: T1|begin(LeafOutermost.both)
// trace: T1|r(LeafOutermost$Cell#1.value)
// trace: T2|w(LeafOutermost$Cell#1.value)
// trace: T1|r(LeafOutermost$Cell#1.value)
// trace: T1|end

import schedule.Schedule;

class LeafOutermost {
    static final Cell CELL = new Cell();
    static volatile boolean begun, written;

    static int both(Cell cell) {
        int first = cell.value;
        begun = true;
        while (!written) {}
        return first + cell.value;
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
            Schedule.use(both(CELL));
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            while (!begun) {}
            CELL.value = 5;
            written = true;
        }
    }

    static class Cell {
        int value = -1;
    }
}
