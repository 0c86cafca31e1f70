// Static synchronized methods lock their class.
// expect: violation StaticSynchronized.block
// trace: T1|acq(StaticSynchronized.class)

import schedule.Schedule;

class StaticSynchronized {
    static void block() {
        Schedule.turn(1);
        step();
        Schedule.turn(3);
        step();
    }

    static synchronized void step() {
        Schedule.use(1);
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
            synchronized (StaticSynchronized.class) {
                Schedule.use(2);
            }
        }
    }
}
