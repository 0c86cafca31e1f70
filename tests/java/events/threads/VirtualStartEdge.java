// A virtual thread comes after its start.
// jdk: 21
// expect: violation VirtualStartEdge.block

import schedule.Schedule;

class VirtualStartEdge {
    static final Cell CELL = new Cell();

    static void block() {
        Schedule.turn(1);
        virtual(new Task());
        Schedule.turn(3);
        Schedule.use(CELL.value);
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
            CELL.value = 1;
            Schedule.pass();
        }
    }

    static class Cell {
        int value = -1;
    }
}
