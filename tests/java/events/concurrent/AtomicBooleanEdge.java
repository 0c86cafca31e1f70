// A flag that is seen to be set comes after the setting.
// expect: violation AtomicBooleanEdge.block
// options: --atomic AtomicBooleanEdge.block

import java.util.concurrent.atomic.AtomicBoolean;
import schedule.Schedule;

class AtomicBooleanEdge {
    static final Cell CELL = new Cell();
    static final AtomicBoolean FLAG = new AtomicBoolean();

    static void block() {
        Schedule.turn(1);
        FLAG.set(true);
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
            if (!FLAG.get()) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
