// A thread comes after its start: what it writes, its starter's block reads.
// expect: violation StartEdge.block
// trace: T1|begin(StartEdge.block)
// trace: T1|fork(T2)
// trace: T2|w(StartEdge$Cell#1.value)
// trace: T1|r(StartEdge$Cell#1.value)

import schedule.Schedule;

class StartEdge {
    static final Cell CELL = new Cell();

    static void block() {
        Schedule.turn(1);
        launch();
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    /** In a method of its own, because a method that starts a thread is not taken to be atomic. */
    private static void launch() {
        new Worker().start();
    }

    public static void main(String[] args) {
        Schedule.run(new First());
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
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
