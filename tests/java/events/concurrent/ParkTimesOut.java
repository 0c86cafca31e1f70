// A park that ends because its time is over comes after nothing.
// expect: none
// options: --atomic ParkTimesOut.block

import java.util.concurrent.locks.LockSupport;
import schedule.Schedule;

class ParkTimesOut {
    static final Cell CELL = new Cell();

    static void block() {
        Schedule.turn(1);
        LockSupport.unpark(Thread.currentThread());
        Schedule.turn(3);
        Schedule.use(CELL.value);
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
            LockSupport.parkNanos(1_000);
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
