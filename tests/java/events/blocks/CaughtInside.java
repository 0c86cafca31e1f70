// A block that catches the exception of an inner block goes on.
// expect: violation CaughtInside.outer
// trace: T1|begin(CaughtInside.outer)
// trace: T1|begin(CaughtInside.inner)
// trace: T1|end
// trace: T2|w(CaughtInside$Cell#1.value)
// trace: T1|w(CaughtInside$Cell#1.value)
// trace: T1|end

import schedule.Schedule;

class CaughtInside {
    static final Cell CELL = new Cell();

    static void outer() {
        try {
            inner();
        } catch (IllegalArgumentException e) {
            Schedule.turn(3);
            CELL.value = 1;
        }
    }

    static void inner() {
        Schedule.turn(1);
        Schedule.use(CELL.value);
        throw new IllegalArgumentException();
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
