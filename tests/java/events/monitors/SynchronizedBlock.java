// Two synchronized blocks in one block, and another thread's between them.
// expect: violation SynchronizedBlock.block
// trace: T1|acq(SynchronizedBlock$Monitor#1)
// trace: T1|rel(SynchronizedBlock$Monitor#1)
// trace: T2|acq(SynchronizedBlock$Monitor#1)
// trace: T2|rel(SynchronizedBlock$Monitor#1)
// trace: T1|acq(SynchronizedBlock$Monitor#1)

import schedule.Schedule;

class SynchronizedBlock {
    static final Monitor MONITOR = new Monitor();

    static void block() {
        Schedule.turn(1);
        synchronized (MONITOR) {
            Schedule.use(1);
        }
        Schedule.turn(3);
        synchronized (MONITOR) {
            Schedule.use(2);
        }
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
                Schedule.use(3);
            }
        }
    }

    static class Monitor {}
}
