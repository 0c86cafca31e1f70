// What reads a static field through a VarHandle comes after the successful compareAndSet.
// expect: violation VarHandleStaticUpdateEdge.block
// options: --atomic VarHandleStaticUpdateEdge.block

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import schedule.Schedule;

class VarHandleStaticUpdateEdge {
    static final Cell CELL = new Cell();
    static final VarHandle COUNT = find();

    static void block() {
        Schedule.turn(1);
        if (!COUNT.compareAndSet(0L, 5L)) throw new IllegalStateException();
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
            if ((long) COUNT.get() != 5) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Counter {
        static long count;
    }

    private static VarHandle find() {
        try {
            return MethodHandles.lookup().findStaticVarHandle(Counter.class, "count", long.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Cell {
        int value = -1;
    }
}
