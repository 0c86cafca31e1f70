// A method that calls nothing, within another block: it is blamed for what happens in it, an exception that it catches included.
// expect: violation LeafInBlock.both
// trace: T1|begin(LeafInBlock.outer)
// trace: T1|begin(LeafInBlock.both)
// trace: T1|r(LeafInBlock$Cell#1.value)
// trace: T2|w(LeafInBlock$Cell#1.value)
// trace: T1|r(LeafInBlock$Cell#1.value)
// trace: T1|end
// trace: T1|w(LeafInBlock$Cell#2.value)
// trace: T1|end

import schedule.Schedule;

class LeafInBlock {
    static final Cell CELL = new Cell(), OTHER = new Cell();
    static volatile boolean begun, written;

    static void outer() {
        Schedule.use(both(CELL, null));
        OTHER.value = 7;
    }

    static int both(Cell cell, Cell none) {
        int first = cell.value;
        begun = true;
        while (!written) {}
        try {
            first += none.value;
        } catch (NullPointerException e) {
            first++;
        }
        return first + cell.value;
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
        Schedule.use(OTHER.value);
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            outer();
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
