// Another element of the same array is another variable.
// expect: none
// options: --atomic VarHandleElementOther.block

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import schedule.Schedule;

class VarHandleElementOther {
    static final Cell CELL = new Cell();
    static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(int[].class);
    static final int[] ARRAY = new int[4];

    static void block() {
        Schedule.turn(1);
        ELEMENT.setVolatile(ARRAY, 3, 1);
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
            if (ARRAY[2] != 0 || (int) ELEMENT.getAndAdd(ARRAY, 1, 1) != 0) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
