// What reads an element itself comes after the update through a VarHandle.
// expect: violation VarHandleElementPlainEdge.block
// options: --atomic VarHandleElementPlainEdge.block
// trace: T1|rmw(String[]#1[3])
// trace: T2|r(String[]#1[3])

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import schedule.Schedule;

class VarHandleElementPlainEdge {
    static final Cell CELL = new Cell();
    static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(String[].class);
    static final String[] ARRAY = new String[4];

    static void block() {
        Schedule.turn(1);
        if (!ELEMENT.compareAndSet(ARRAY, 3, (String) null, "set")) throw new IllegalStateException();
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
            if (ARRAY[3] != "set") throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
