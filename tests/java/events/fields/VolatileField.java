// A volatile field is read twice, and written in between.
// expect: violation VolatileField.block
// trace: T1|vr(VolatileField$Cell#1.value)
// trace: T2|vw(VolatileField$Cell#1.value)
// trace: T1|vr(VolatileField$Cell#1.value)

import schedule.Schedule;

class VolatileField {
    static final Cell CELL = new Cell();

    static void block() {
        Schedule.turn(1);
        int before = CELL.value;
        Schedule.turn(3);
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
            block();
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
        volatile int value;
    }
}
