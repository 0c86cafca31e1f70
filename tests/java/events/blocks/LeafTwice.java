// Two invocations of a method that calls nothing are two blocks, and what is in between is in neither: arrays are
// gone through in the method and around it.
// expect: none
// trace: T1|begin(LeafTwice.outer)
// trace: T1|r(int[]#1[0])
// trace: T1|begin(LeafTwice.sum)
// trace: T1|r(int[]#2[0])
// trace: T1|r(int[]#2[1])
// trace: T1|r(int[]#2[2])
// trace: T1|end
// trace: T1|r(int[]#1[1])
// trace: T1|begin(LeafTwice.sum)
// trace: T1|r(int[]#3[0])
// trace: T1|r(int[]#3[1])
// trace: T1|r(int[]#3[2])
// trace: T1|end
// trace: T1|r(int[]#1[2])
// trace: T1|end

import schedule.Schedule;

class LeafTwice {
    static final int[] WAY = new int[3];
    static final int[][] ROWS = {new int[3], new int[3], new int[0]};

    static int outer() {
        int all = 0;
        for (int i = 0; i < WAY.length; i++) all += WAY[i] + sum(ROWS[i]);
        return all;
    }

    static int sum(int[] row) {
        int all = 0;
        for (int element : row) all += element;
        return all;
    }

    public static void main(String[] args) {
        Schedule.run(new First());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            Schedule.use(outer());
        }
    }
}
