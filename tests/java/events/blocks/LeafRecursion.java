// A method that calls itself is a block within a block each time; the last of them is no different from the others.
// expect: none
// trace: T1|begin(LeafRecursion.sum)
// trace: T1|r(LeafRecursion$Cell#1.value)
// trace: T1|begin(LeafRecursion.sum)
// trace: T1|r(LeafRecursion$Cell#2.value)
// trace: T1|begin(LeafRecursion.sum)
// trace: T1|r(LeafRecursion$Cell#3.value)
// trace: T1|end
// trace: T1|r(LeafRecursion$Cell#2.seen)
// trace: T1|end
// trace: T1|r(LeafRecursion$Cell#1.seen)
// trace: T1|end

import schedule.Schedule;

class LeafRecursion {
    static final Cell LIST = new Cell(new Cell(new Cell(null)));

    static int sum(Cell cell) {
        int value = cell.value;
        if (cell.next != null) value += sum(cell.next);
        return value + cell.seen;
    }

    public static void main(String[] args) {
        Schedule.run(new First());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            Schedule.use(sum(LIST));
        }
    }

    static class Cell {
        int value, seen;
        final Cell next;

        Cell(Cell next) {
            this.next = next;
        }
    }
}
