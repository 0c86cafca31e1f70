// A block that an exception leaves is over: what the thread does later is no part of it.
// expect: none
// trace: T1|begin(LeftByException.block)
// trace: T1|r(LeftByException$Cell#1.value)
// trace: T1|end
// trace: T2|w(LeftByException$Cell#1.value)
// trace: T1|w(LeftByException$Cell#1.value)

import schedule.Schedule;

class LeftByException {
    static final Cell CELL = new Cell();

    static void block() {
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
            try {
                block();
            } catch (IllegalArgumentException e) {
                Schedule.turn(3);
                CELL.value = 1;
            }
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
