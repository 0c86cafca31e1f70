// A loop goes through an array that only its thread knows, and again when others may know it, and one of its elements is told already:
// the others are not.
// expect: none
// trace: T1|begin(OwnThenGiven.work)
// trace: T1|r(int[]#1[0])
// trace: T1|r(int[]#1[1])
// trace: T1|r(int[]#1[2])
// trace: T1|r(int[]#1[3])
// trace: T1|end

import schedule.Schedule;

class OwnThenGiven {
    static volatile int[] given;

    static void work() {
        int[] array = new int[4];
        Schedule.use(sum(array));
        given = array;
        Schedule.use(first(array));
        Schedule.use(sum(array));
    }

    static int first(int[] array) {
        return array[0];
    }

    static int sum(int[] array) {
        int sum = 0;
        for (int i = 0; i < 4; i++) sum += array[i];
        return sum;
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
            work();
        }
    }
}
