// A thread makes an object, shows it, and writes it again before anybody else has touched it: that write counts, too.
// expect: violation OwnerWritesLater.block
// options: --atomic OwnerWritesLater.block

import java.util.concurrent.Semaphore;
import schedule.Schedule;

class OwnerWritesLater {
    static final Semaphore PERMITS = new Semaphore(0);
    static volatile Cell shared;

    static void block() {
        Schedule.turn(1);
        PERMITS.release();
        Schedule.turn(3);
        Schedule.use(shared.value);
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
            shared = new Cell();
            PERMITS.acquireUninterruptibly();
            shared.value = 2;
        }
    }

    static class Cell {
        int value = -1;
    }
}
