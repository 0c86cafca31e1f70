// An exception ends the block of a method that calls nothing: what the block around it does afterwards is no part of it.
// expect: violation LeafThrows.outer
// trace: T1|begin(LeafThrows.outer)
// trace: T1|begin(LeafThrows.both)
// trace: T1|r(LeafThrows$Cell#1.value)
// trace: T1|end
// trace: T2|w(LeafThrows$Cell#1.value)
// trace: T1|w(LeafThrows$Cell#1.value)
// trace: T1|end

import schedule.Schedule;

class LeafThrows {
    static final Cell CELL = new Cell();

    static void outer() {
        Schedule.turn(1);
        try {
            Schedule.use(both(CELL, null));
        } catch (NullPointerException e) {
            Schedule.turn(3);
            CELL.value = 1;
        }
    }

    static int both(Cell cell, Cell none) {
        return cell.value + none.value;
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
            outer();
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

    static class Cell {
        int value = -1;
    }
}
