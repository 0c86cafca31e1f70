// A view of an array's bytes means none of its elements: nothing is recorded.
// expect: none
// options: --atomic VarHandleView.block
// absent: byte[]

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import schedule.Schedule;

class VarHandleView {
    static final Cell CELL = new Cell();
    static final VarHandle VIEW = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    static final byte[] ARRAY = new byte[8];

    static void block() {
        Schedule.turn(1);
        VIEW.set(ARRAY, 4, 7);
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
            if ((int) VIEW.get(ARRAY, 4) != 7) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
