// A thread that an exception ends has ended, and its blocks with it.
// expect: violation DiesByException.block
// trace: T2|begin(DiesByException.fail)
// trace: T2|r(DiesByException$Cell#1.value)
// trace: T2|end
// trace: T1|join(T2)

import schedule.Schedule;

class DiesByException {
    static final Cell CELL = new Cell();
    static final Worker WORKER = new Worker();

    static void block() {
        Schedule.turn(1);
        CELL.value = 1;
        Schedule.turn(3);
        await();
        Schedule.use(CELL.value);
    }

    static void fail() {
        Schedule.turn(2);
        Schedule.use(CELL.value);
        throw new IllegalStateException("meant to be");
    }

    private static void await() {
        try {
            WORKER.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        WORKER.setUncaughtExceptionHandler((thread, exception) -> {});
        Schedule.run(new First(), WORKER);
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

    static class Worker extends Thread {
        Worker() {
            super("T2");
        }

        @Override
        public void run() {
            fail();
        }
    }

    static class Cell {
        int value = -1;
    }
}
