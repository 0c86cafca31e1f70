// What reads through a field updater comes after the update.
// expect: violation UpdaterEdge.block
// options: --atomic UpdaterEdge.block

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import schedule.Schedule;

class UpdaterEdge {
    static final Cell CELL = new Cell();
    static final AtomicIntegerFieldUpdater<Counter> COUNT = AtomicIntegerFieldUpdater.newUpdater(Counter.class, "count");
    static final Counter COUNTER = new Counter();

    static void block() {
        Schedule.turn(1);
        COUNT.incrementAndGet(COUNTER);
        Schedule.turn(3);
        Schedule.use(CELL.value);
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
            if (COUNT.get(COUNTER) != 1) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Counter {
        volatile int count;
    }

    static class Cell {
        int value = -1;
    }
}
