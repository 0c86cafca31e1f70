// The very first access of a static field counts: T2's write comes after T1's block and before it.
// expect: violation StaticFirstWrite.block

import schedule.Schedule;

class StaticFirstWrite {
    static final Object MONITOR = new Object();
    static int value;

    static void block() {
        Schedule.turn(1);
        synchronized (MONITOR) {
            Schedule.use(0);
        }
        Schedule.turn(3);
        Schedule.use(value);
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
            synchronized (MONITOR) {
                Schedule.use(1);
            }
            value = 5;
        }
    }
}
