// The very first access of an array counts.
// expect: violation FirstElement.block
// options: --atomic FirstElement.block

import java.util.concurrent.Semaphore;
import schedule.Schedule;

class FirstElement {
    static final Semaphore PERMITS = new Semaphore(0);
    static final int[] ARRAY = new int[2];

    static void block() {
        Schedule.turn(1);
        PERMITS.release();
        Schedule.turn(3);
        Schedule.use(ARRAY[1]);
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
            PERMITS.acquireUninterruptibly();
            ARRAY[1] = 1;
        }
    }
}
