// The method that has the code is the block, not the bridge that the compiler makes beside it.
// expect: violation Generic$Step.apply
// trace: T1|begin(Generic$Step.apply)
// trace: T1|r(Generic$Cell#1.value)
// trace: T1|w(Generic$Cell#1.value)
// trace: T1|end

import java.util.function.Function;
import schedule.Schedule;

class Generic {
    static final Cell CELL = new Cell();

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            Function<Integer, Integer> step = new Step();
            Schedule.use(step.apply(1));
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

    static class Step implements Function<Integer, Integer> {
        @Override
        public Integer apply(Integer turn) {
            Schedule.turn(turn);
            int before = CELL.value;
            Schedule.turn(turn + 2);
            CELL.value = before + 1;
            return before;
        }
    }

    static class Cell {
        int value = -1;
    }
}
