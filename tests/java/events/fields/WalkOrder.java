// What a loop reads and writes is recorded in the order in which it happened: here the block that is hit could have run alone, between two rounds of the loop.
// expect: violation WalkOrder.first
// trace: T1|w(int[]#1[4])
// trace: T2|r(int[]#1[1])
// trace: T2|w(int[]#1[1])
// trace: T2|r(int[]#1[4])
// trace: T2|w(int[]#1[4])
// trace: T1|w(int[]#1[1])
// pending: elements that two places of a loop access in one window are told place by place, so that a block can be blamed that is not to blame alone

import schedule.Schedule;

class WalkOrder {
    static final int[] ELEMENTS = new int[6];

    static void first() {
        Schedule.turn(1);
        ELEMENTS[4] = 1;
        Schedule.turn(3);
        ELEMENTS[1] = 1;
    }

    static void second() {
        Schedule.turn(2);
        for (int i = 0; i < 6; i++) ELEMENTS[i]++;
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
            first();
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            second();
        }
    }
}
