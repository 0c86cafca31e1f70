// A thread that has not been started takes no permit.
// expect: none
// options: --atomic UnparkTooEarly.block

import java.util.concurrent.locks.LockSupport;
import schedule.Schedule;

class UnparkTooEarly {
    static final Cell CELL = new Cell();
    static final Thread PARKED = new Parked();

    static void block() {
        Schedule.turn(1);
        LockSupport.unpark(PARKED);
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class Parked extends Thread {
        @Override
        public void run() {
            LockSupport.parkNanos(1_000);
            CELL.value = 1;
        }
    }

    static class Cell {
        int value;
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
            PARKED.start();
            Schedule.end(PARKED);
            Schedule.pass();
        }
    }
}
