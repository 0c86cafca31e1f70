// An exception leaves a synchronized block, a synchronized method and the block around them: all are closed.
// expect: none
// trace: T1|acq(LeftByException$Monitor#1)
// trace: T1|rel(LeftByException$Monitor#1)
// trace: T2|acq(LeftByException$Monitor#1)
// trace: T2|rel(LeftByException$Monitor#1)
// trace: T1|acq(LeftByException$Monitor#1)
// trace: T1|rel(LeftByException$Monitor#1)

import schedule.Schedule;

class LeftByException {
    static final Monitor MONITOR = new Monitor();

    static void inBlock() {
        synchronized (MONITOR) {
            MONITOR.count++;
            throw new IllegalArgumentException();
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
            Schedule.turn(1);
            try {
                inBlock();
            } catch (IllegalArgumentException e) {
                MONITOR.seen++;
            }
            Schedule.turn(3);
            try {
                MONITOR.fail();
            } catch (IllegalArgumentException e) {
                MONITOR.seen++;
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
            try {
                MONITOR.fail();
            } catch (IllegalArgumentException e) {
                MONITOR.seen++;
            }
        }
    }

    static class Monitor {
        int count;
        int seen;

        synchronized void fail() {
            count++;
            throw new IllegalArgumentException();
        }
    }
}
