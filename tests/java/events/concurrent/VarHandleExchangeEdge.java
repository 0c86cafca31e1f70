// What reads a field comes after the compareAndExchange that has written it.
// expect: violation VarHandleExchangeEdge.block
// options: --atomic VarHandleExchangeEdge.block

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import schedule.Schedule;

class VarHandleExchangeEdge {
    static final Cell CELL = new Cell();
    static final VarHandle NAME = find();
    static final Named NAMED = new Named();

    static void block() {
        Schedule.turn(1);
        if ((String) NAME.compareAndExchange(NAMED, (String) null, "new") != null) throw new IllegalStateException();
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

    private static VarHandle find() {
        try {
            return MethodHandles.lookup().findVarHandle(Named.class, "name", String.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Cell {
        int value = -1;
    }
}
