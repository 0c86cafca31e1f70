// A handle found in a subclass means the field of the superclass.
// expect: violation VarHandleInheritedEdge.block
// options: --atomic VarHandleInheritedEdge.block
// trace: T1|vw(VarHandleInheritedEdge$Sub#1.count)
// trace: T2|r(VarHandleInheritedEdge$Sub#1.count)

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import schedule.Schedule;

class VarHandleInheritedEdge {
    static final Cell CELL = new Cell();
    static final VarHandle COUNT = find();
    static final Sub COUNTER = new Sub();

    static void block() {
        Schedule.turn(1);
        COUNT.setOpaque(COUNTER, 1);
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
            if (((Counter) COUNTER).count != 1) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Counter {
        int other, count;
    }

    static class Sub extends Counter {
        int count() {
            return 0;
        }
    }

    private static VarHandle find() {
        try {
            return MethodHandles.lookup().findVarHandle(Sub.class, "count", int.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Cell {
        int value = -1;
    }
}
