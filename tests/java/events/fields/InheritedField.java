// One field, named in the code by two classes, is one variable.
// expect: violation InheritedField.block

import schedule.Schedule;

class InheritedField {
    static final Special SPECIAL = new Special();
    static final General GENERAL = SPECIAL;

    static void block() {
        Schedule.turn(1);
        int before = SPECIAL.value;
        Schedule.turn(3);
        SPECIAL.value = before + 1;
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
            GENERAL.value = 5;
        }
    }

    static class General {
        int value;
    }

    static class Special extends General {}
}
