// A permit that is given after the only one was taken is not the one that was taken, however soon it comes.
// expect: none
// options: --atomic SemaphoreLate.take,SemaphoreLate.give

import java.util.concurrent.Semaphore;
import schedule.Schedule;

class SemaphoreLate {
    static final int ROUNDS = 500;
    static final Semaphore SEMAPHORE = new Semaphore(1);
    static int value;

    static void take(int number) {
        SEMAPHORE.acquireUninterruptibly();
        value = number;
    }

    /** Sees that the permit is gone, and not by what is recorded. */
    static void give(int number) {
        while (SEMAPHORE.availablePermits() > 0) Thread.onSpinWait();
        SEMAPHORE.release();
        Schedule.turn(3 * number + 3);
        Schedule.use(value);
        Schedule.pass();
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
            for (int i = 0; i < ROUNDS; i++) {
                Schedule.turn(3 * i + 1);
                Schedule.pass();
                take(i);
                Schedule.turn(3 * i + 2);
                Schedule.pass();
            }
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            for (int i = 0; i < ROUNDS; i++) give(i);
        }
    }
}
