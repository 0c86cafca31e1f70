// A join that ends because its time is over comes after nothing.
// expect: none

import schedule.Schedule;

class JoinTimesOut {
    static final Cell CELL = new Cell();
    static final Worker WORKER = new Worker();

    static void block() {
        Schedule.turn(1);
        CELL.value = 1;
        Schedule.turn(3);
        await();
        Schedule.use(CELL.value);
    }

    private static void await() {
        try {
            WORKER.join(5);
            if (!WORKER.isAlive()) throw new IllegalStateException();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
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
            Schedule.turn(2);
            Schedule.use(CELL.value);
            Schedule.turn(4);
        }
    }

    static class Cell {
        int value = -1;
    }
}
