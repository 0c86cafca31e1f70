// Two calls of synchronized methods in one block, and another thread's call between them.
// expect: violation SynchronizedMethods.block
// trace: T1|acq(SynchronizedMethods$Account#1)
// trace: T1|rel(SynchronizedMethods$Account#1)
// trace: T2|acq(SynchronizedMethods$Account#1)
// trace: T2|rel(SynchronizedMethods$Account#1)
// trace: T1|acq(SynchronizedMethods$Account#1)

import schedule.Schedule;

class SynchronizedMethods {
    static final Account ACCOUNT = new Account();

    static void block() {
        Schedule.turn(1);
        int before = ACCOUNT.get();
        Schedule.turn(3);
        ACCOUNT.set(before + 1);
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
            ACCOUNT.set(5);
        }
    }

    static class Account {
        private int balance;

        synchronized int get() {
            return balance;
        }

        synchronized void set(int balance) {
            this.balance = balance;
        }
    }
}
