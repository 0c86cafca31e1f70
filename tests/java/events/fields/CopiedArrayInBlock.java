// The block makes copies of an array and hands one out; another thread changes it before the block reads it again.
// expect: violation CopiedArrayInBlock.block

import schedule.Schedule;
import java.util.Arrays;

class CopiedArrayInBlock {
    static final int[] original = {1, 2};
    static int[] shared;

    static void block() {
        Schedule.turn(1);
        int[] mine = Arrays.copyOf(original.clone(), 4);
        mine[3] = 2;
        shared = mine;
        Schedule.turn(3);
        Schedule.use(mine[3]);
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
            shared[3] = 5;
        }
    }
}
