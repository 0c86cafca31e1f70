// Who leaves an inner synchronized block still has the monitor: the other thread comes after the outer one.
// expect: none
// trace: T1|acq(Reentrant$Monitor#1)
// trace: T1|w(Reentrant$Monitor#1.count)
// trace: T1|rel(Reentrant$Monitor#1)
// trace: T2|acq(Reentrant$Monitor#1)
// trace: T2|w(Reentrant$Monitor#1.count)

import schedule.Schedule;

class Reentrant {
    static final Second SECOND = new Second();
    static final Monitor MONITOR = new Monitor();

    static void block() {
        synchronized (MONITOR) {
            Schedule.turn(1);
            MONITOR.step();
            Schedule.pass();
            Schedule.untilBlocked(SECOND);
            synchronized (MONITOR) {
                MONITOR.step();
            }
            MONITOR.step();
        }
    }

    public static void main(String[] args) {
        Schedule.run(new First(), SECOND);
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
            Schedule.pass();
            MONITOR.step();
            MONITOR.step();
        }
    }

    static class Monitor {
        int count;

        synchronized void step() {
            count++;
        }
    }
}
