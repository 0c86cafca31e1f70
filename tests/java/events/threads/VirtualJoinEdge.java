// The end of a virtual thread comes before its join.
// jdk: 21
// expect: violation VirtualJoinEdge.block

import schedule.Schedule;

class VirtualJoinEdge {
    static final Cell CELL = new Cell();

    static void block(Thread worker) {
        Schedule.turn(1);
        CELL.value = 1;
        Schedule.turn(3);
        await(worker);
        Schedule.use(CELL.value);
    }

    private static void await(Thread worker) {
        try {
            worker.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        block(virtual(new Task()));
    }

    /** Starts a virtual thread, by reflection so that older compilers take it. */
    static Thread virtual(Runnable task) {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Task implements Runnable {
        @Override
        public void run() {
            Schedule.turn(2);
            Schedule.use(CELL.value);
            Schedule.pass();
        }
    }

    static class Cell {
        int value = -1;
    }
}
