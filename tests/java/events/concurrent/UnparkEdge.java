// What returns from park comes after the unpark.
// expect: violation UnparkEdge.block
// options: --atomic UnparkEdge.block

import java.util.concurrent.locks.LockSupport;
import schedule.Schedule;

class UnparkEdge {
    static final Cell CELL = new Cell();
    static final Second SECOND = new Second();

    static void block() {
        Schedule.turn(1);
        LockSupport.unpark(SECOND);
        Schedule.turn(3);
        Schedule.use(CELL.value);
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
            LockSupport.park();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
