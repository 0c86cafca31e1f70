// An updater's compareAndSet that fails only reads: it comes after no other read.
// expect: none
// options: --atomic UpdaterTryFails.block
// trace: T1|vr(UpdaterTryFails$Counter#1.count)

import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import schedule.Schedule;

class UpdaterTryFails {
    static final Cell CELL = new Cell();
    static final AtomicLongFieldUpdater<Counter> COUNT = AtomicLongFieldUpdater.newUpdater(Counter.class, "count");
    static final Counter COUNTER = new Counter();

    static void block() {
        Schedule.turn(1);
        if (COUNT.compareAndSet(COUNTER, 1, 2)) throw new IllegalStateException();
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
            if (COUNTER.count != 0 || COUNT.get(COUNTER) != 0) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Counter {
        volatile long count;
    }

    static class Cell {
        int value = -1;
    }
}
