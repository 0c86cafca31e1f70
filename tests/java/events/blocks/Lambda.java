// The body of a lambda is a method like others.
// expect: violation Lambda.lambda$static$0

import java.util.function.IntSupplier;
import schedule.Schedule;

class Lambda {
    static final Cell CELL = new Cell();
    static final IntSupplier BLOCK = () -> {
        Schedule.turn(1);
        int before = CELL.value;
        Schedule.turn(3);
        return CELL.value = before + 1;
    };

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            Schedule.use(BLOCK.getAsInt());
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            Schedule.turn(2);
            CELL.value = 5;
        }
    }

    static class Cell {
        int value = -1;
    }
}
