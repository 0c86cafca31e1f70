// What reads a field itself comes after the compareAndSet of an updater.
// expect: violation UpdaterPlainEdge.block
// options: --atomic UpdaterPlainEdge.block
// trace: T1|rmw(UpdaterPlainEdge$Named#1.name)
// trace: T2|vr(UpdaterPlainEdge$Named#1.name)

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import schedule.Schedule;

class UpdaterPlainEdge {
    static final Cell CELL = new Cell();
    static final AtomicReferenceFieldUpdater<Named, String> NAME =
            AtomicReferenceFieldUpdater.newUpdater(Named.class, String.class, "name");
    static final Named NAMED = new Named();

    static void block() {
        Schedule.turn(1);
        if (!NAME.compareAndSet(NAMED, null, "new")) throw new IllegalStateException();
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
            if (NAMED.name == null) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Named {
        volatile String name;
    }

    static class Cell {
        int value = -1;
    }
}
