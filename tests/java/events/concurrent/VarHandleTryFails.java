// A compareAndSet or compareAndExchange that fails only reads: it comes after no other read.
// expect: none
// options: --atomic VarHandleTryFails.block
// trace: T1|vr(VarHandleTryFails$Counter#1.count)
// absent: rmw(VarHandleTryFails$Counter#1.count)

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import schedule.Schedule;

class VarHandleTryFails {
    static final Cell CELL = new Cell();
    static final VarHandle COUNT = find();
    static final Counter COUNTER = new Counter();

    static void block() {
        Schedule.turn(1);
        if (COUNT.compareAndSet(COUNTER, 1, 2)) throw new IllegalStateException();
        if ((int) COUNT.compareAndExchange(COUNTER, 3, 4) != 0) throw new IllegalStateException();
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
            if (COUNTER.count != 0 || COUNT.weakCompareAndSetPlain(COUNTER, 1, 2)) throw new IllegalStateException();
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
