// A walk downwards that goes one step too far: what was read before is there, and what there is not was not read.
// expect: none
// trace: T1|begin(WalkOffTheArray.down)
// trace: T1|r(int[]#1[3])
// trace: T1|r(int[]#1[2])
// trace: T1|r(int[]#1[1])
// trace: T1|r(int[]#1[0])
// trace: T1|end
// absent: [-1]

import schedule.Schedule;

class WalkOffTheArray {
    static final int[] WAY = new int[4];

    static int down() {
        int sum = 0;
        try {
            for (int i = 3; ; i--) sum += WAY[i];
        } catch (ArrayIndexOutOfBoundsException e) {
            return sum;
        }
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
            Schedule.use(down());
        }
    }
}
