// What reads through a VarHandle comes after the write through it.
// expect: violation VarHandleEdge.block
// options: --atomic VarHandleEdge.block

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import schedule.Schedule;

class VarHandleEdge {
    static final Cell CELL = new Cell();
    static final VarHandle COUNT = find();
    static final Counter COUNTER = new Counter();

    static void block() {
        Schedule.turn(1);
        COUNT.setVolatile(COUNTER, 1);
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
            if ((int) COUNT.getVolatile(COUNTER) != 1) throw new IllegalStateException();
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
