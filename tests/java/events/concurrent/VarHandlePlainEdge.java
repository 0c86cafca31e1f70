// What reads a field itself comes after the write through a VarHandle.
// expect: violation VarHandlePlainEdge.block
// options: --atomic VarHandlePlainEdge.block
// trace: T1|w(VarHandlePlainEdge$Counter#1.count)
// trace: T2|r(VarHandlePlainEdge$Counter#1.count)

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import schedule.Schedule;

class VarHandlePlainEdge {
    static final Cell CELL = new Cell();
    static final VarHandle COUNT = find();
    static final Counter COUNTER = new Counter();

    static void block() {
        Schedule.turn(1);
        COUNT.set(COUNTER, 1);
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
            if (COUNTER.count != 1) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Counter {
        int count;
    }

    private static VarHandle find() {
        try {
            return MethodHandles.lookup().findVarHandle(Counter.class, "count", int.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Cell {
        int value = -1;
    }
}
