// Outside of blocks, an access of an element that was made before counts again once the thread depends on another's running block.
// expect: violation ElementAgainOutside$Pair.write
// trace: T1|w(ElementAgainOutside$Pair#1.second)
// trace: T2|r(ElementAgainOutside$Pair#1.second)
// trace: T2|w(int[]#1[0])
// trace: T1|r(int[]#1[0])

import schedule.Schedule;

class ElementAgainOutside {
    static class Pair {
        final int[] first = new int[1];
        int second;

        void write() {
            Schedule.turn(2);
            second = 1;
            Schedule.turn(4);
            Schedule.use(first[0]);
        }
    }

    public static void main(String[] args) {
        Pair pair = new Pair();
        Schedule.run(new Writer(pair), new Looper(pair));
    }

    static class Writer extends Thread {
        final Pair pair;

        Writer(Pair pair) {
            super("T1");
            this.pair = pair;
        }

        @Override
        public void run() {
            pair.write();
        }
    }

    static class Looper extends Thread {
        final Pair pair;

        Looper(Pair pair) {
            super("T2");
            this.pair = pair;
        }

        @Override
        public void run() {
            Pair it = pair;
            Schedule.turn(1);
            for (int i = 0; i < 2; i++) {
                it.first[0] = i;
                if (i == 1) break;
                Schedule.turn(3);
                Schedule.use(it.second);
            }
            Schedule.turn(5);
        }
    }
}
