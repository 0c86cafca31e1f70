// Outside of blocks, an access that was made before counts again once the thread depends on another's running block.
// expect: violation AgainOutside$Pair.write
// trace: T1|w(AgainOutside$Pair#1.second)
// trace: T2|r(AgainOutside$Pair#1.second)
// trace: T2|w(AgainOutside$Pair#1.first)
// trace: T1|r(AgainOutside$Pair#1.first)

import schedule.Schedule;

class AgainOutside {
    static class Pair {
        int first, second;

        void write() {
            Schedule.turn(2);
            second = 1;
            Schedule.turn(4);
            Schedule.use(first);
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
                it.first = i;
                if (i == 1) break;
                Schedule.turn(3);
                Schedule.use(it.second);
            }
            Schedule.turn(5);
        }
    }
}
