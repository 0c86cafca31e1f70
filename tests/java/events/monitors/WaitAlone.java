// A block that waits while nobody else takes the monitor is whole.
// expect: none
// trace: T1|acq(WaitAlone$Monitor#1)
// trace: T1|wait(WaitAlone$Monitor#1)
// trace: T1|acq(WaitAlone$Monitor#1)
// trace: T1|rel(WaitAlone$Monitor#1)
// trace: T2|acq(WaitAlone$Monitor#1)

import schedule.Schedule;

class WaitAlone {
    static final Monitor MONITOR = new Monitor();

    static void block() {
        synchronized (MONITOR) {
            MONITOR.count++;
            Schedule.turn(1);
            pause();
            MONITOR.count++;
        }
    }

    private static void pause() {
        try {
            MONITOR.wait(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
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
                MONITOR.count++;
            }
        }
    }

    static class Monitor {
        int count;
    }
}
