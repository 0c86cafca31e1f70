// A block is the first to use a class, changes what its initialiser has made, and ends; then another thread reads that.
// expect: violation MadeByInitializer.block

import schedule.Schedule;

class MadeByInitializer {
    static final Cell other = new Cell();

    static void block() {
        Schedule.turn(1);
        other.value = 1;
        Schedule.turn(3);
        Schedule.use(Holder.CELL.value);
    }

    static void make() {
        Schedule.turn(2);
        Schedule.use(other.value);
        Holder.CELL.value = 2;
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

    static class Holder {
        static final Cell CELL = new Cell();
    }

    static class Cell {
        int value;
    }
}
