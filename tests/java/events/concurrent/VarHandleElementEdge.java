// What reads an element through a VarHandle comes after the write of that element.
// expect: violation VarHandleElementEdge.block
// options: --atomic VarHandleElementEdge.block

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import schedule.Schedule;

class VarHandleElementEdge {
    static final Cell CELL = new Cell();
    static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);
    static final long[] ARRAY = new long[4];

    static void block() {
        Schedule.turn(1);
        ELEMENT.setRelease(ARRAY, 2, 5L);
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
            if ((long) ELEMENT.getAcquire(ARRAY, 2) != 5) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
