// Who waits for a monitor that nobody else knew when it was entered comes, when it goes on, after those who had it meanwhile.
// expect: violation WaitOnOwn.block
// trace: T2|rel(WaitOnOwn$Monitor#1)
// trace: T1|acq(WaitOnOwn$Monitor#1)
// trace: T1|w(WaitOnOwn$Cell#1.value)
// trace: T2|r(WaitOnOwn$Cell#1.value)

import schedule.Schedule;

class WaitOnOwn {
    static final Cell CELL = new Cell();

    static void block() {
        enter(CELL.monitor);
        Schedule.turn(4);
        Schedule.use(CELL.value);
    }

    /** The notified thread goes on when this one waits for its turn. */
    private static void enter(Monitor monitor) {
        synchronized (monitor) {
            monitor.notifyAll();
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
            CELL.monitor = null;
            Monitor monitor = new Monitor();
            CELL.monitor = monitor;
            synchronized (monitor) {
                Schedule.pass();
                try {
                    monitor.wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                Schedule.turn(3);
                CELL.value = 1;
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
            block();
        }
    }

    static class Cell {
        int value = -1;
        Monitor monitor;
    }

    static class Monitor {
        int count;
    }
}
