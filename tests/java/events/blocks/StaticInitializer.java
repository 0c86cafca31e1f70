// What a static initialiser does is recorded; it is no block of its own unless it is named.
// expect: none
// trace: T1|r(StaticInitializer$Cell#1.value)
// trace: T2|w(StaticInitializer$Cell#1.value)
// trace: T1|r(StaticInitializer$Cell#1.value)

import schedule.Schedule;

class StaticInitializer {
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
            Schedule.use(Lazy.sum);
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

    static class Lazy {
        static int sum;

        static {
            Schedule.turn(1);
            int first = CELL.value;
            Schedule.turn(3);
            sum = first + CELL.value;
        }
    }

    static class Cell {
        int value = -1;
    }
}
