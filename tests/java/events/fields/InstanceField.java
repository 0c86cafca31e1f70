// A field is read, written by another thread, and written: a lost update.
// expect: violation InstanceField.block
// trace: T1|begin(InstanceField.block)
// trace: T1|r(InstanceField$Cell#1.value)
// trace: T2|w(InstanceField$Cell#1.value)
// trace: T1|w(InstanceField$Cell#1.value)
// trace: T1|end

import schedule.Schedule;

class InstanceField {
    static final Cell CELL = new Cell();

    static void block() {
        Schedule.turn(1);
        int before = CELL.value;
        Schedule.turn(3);
        CELL.value = before + 1;
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
        int value = -1;
    }
}
