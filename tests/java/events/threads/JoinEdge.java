// The end of a thread comes before its join: it read what the block wrote.
// expect: violation JoinEdge.block
// trace: T1|w(JoinEdge$Cell#1.value)
// trace: T2|r(JoinEdge$Cell#1.value)
// trace: T1|join(T2)

import schedule.Schedule;

class JoinEdge {
    static final Cell CELL = new Cell();
    static final Worker WORKER = new Worker();

    static void block() {
        Schedule.turn(1);
        CELL.value = 1;
        Schedule.pass();
        Schedule.turn(3);
        await();
        Schedule.use(CELL.value);
    }

    private static void await() {
        try {
            WORKER.join();
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
        }
    }

    static class Cell {
        int value = -1;
    }
}
