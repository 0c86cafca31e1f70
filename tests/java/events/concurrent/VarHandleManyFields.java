// One place in the code that accesses several fields tells them apart.
// expect: none
// options: --atomic VarHandleManyFields.block
// trace: T1|rmw(VarHandleManyFields$Pair#1.first)
// trace: T2|rmw(VarHandleManyFields$Pair#1.second)

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import schedule.Schedule;

class VarHandleManyFields {
    static final Cell CELL = new Cell();
    static final VarHandle FIRST = find("first"), SECOND = find("second");
    static final Pair PAIR = new Pair();

    static int add(VarHandle handle) {
        return (int) handle.getAndAdd(PAIR, 1);
    }

    static void block() {
        Schedule.turn(1);
        add(FIRST);
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
            if (add(SECOND) != 0) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Pair {
        int first, second;
    }

    private static VarHandle find(String name) {
        try {
            return MethodHandles.lookup().findVarHandle(Pair.class, name, int.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Cell {
        int value = -1;
    }
}
