// A virtual thread that waits for a monitor, unmounts and goes on elsewhere is still the same thread.
// jdk: 21
// expect: violation VirtualMonitors.block

import schedule.Schedule;

class VirtualMonitors {
    static final Cell CELL = new Cell();

    static void block() {
        Schedule.turn(1);
        int before;
        synchronized (CELL) {
            before = CELL.value;
        }
        Schedule.turn(3);
        synchronized (CELL) {
            CELL.value = before + 1;
        }
    }

    public static void main(String[] args) {
        Thread task = virtual(new Task());
        Schedule.run(new First());
        Schedule.end(task);
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
            for (int i = 0; i < 3; i++) {
                synchronized (CELL) {
                    CELL.value++;
                }
                Thread.yield();
            }
            Schedule.pass();
        }
    }

    static class Cell {
        int value = -1;
    }
}
