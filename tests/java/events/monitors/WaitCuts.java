// A block that waits lets go of the monitor: who notifies it has come in between.
// expect: violation WaitCuts.block
// trace: T1|acq(WaitCuts$Monitor#1)
// trace: T1|wait(WaitCuts$Monitor#1)
// trace: T2|acq(WaitCuts$Monitor#1)
// trace: T2|notify(WaitCuts$Monitor#1)
// trace: T2|rel(WaitCuts$Monitor#1)
// trace: T1|acq(WaitCuts$Monitor#1)
// trace: T1|rel(WaitCuts$Monitor#1)

import schedule.Schedule;

class WaitCuts {
    static final Monitor MONITOR = new Monitor();

    static void block() {
        synchronized (MONITOR) {
            MONITOR.count++;
            Schedule.turn(1);
            Schedule.pass();
            pause();
            MONITOR.count++;
        }
    }

    /** In a method of its own, because a method that waits is not taken to be atomic. */
    private static void pause() {
        try {
            MONITOR.wait();
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
                MONITOR.notifyAll();
            }
        }
    }

    static class Monitor {
        int count;
    }
}
