// A static field is read, written by another thread, and written.
// expect: violation StaticField.block
// trace: T1|r(StaticField.value)
// trace: T2|w(StaticField.value)
// trace: T1|w(StaticField.value)

import schedule.Schedule;

class StaticField {
    static int value;

    static void block() {
        Schedule.turn(1);
        int before = value;
        Schedule.turn(3);
        value = before + 1;
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
            value = 5;
        }
    }
}
