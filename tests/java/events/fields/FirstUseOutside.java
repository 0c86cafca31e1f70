// Outside of blocks, a field that is read for the first time can be what makes the thread depend on another's running block, also if the object has been
// its own for a while: what the thread did before and does again counts again.
// expect: violation FirstUseOutside$Pair.write
// trace: T1|w(FirstUseOutside$Pair#1.second)
// trace: T2|r(FirstUseOutside$Pair#1.first)
// trace: T2|r(FirstUseOutside$Pair#1.second)
// trace: T2|w(FirstUseOutside$Mark#1.value)
// trace: T1|r(FirstUseOutside$Mark#1.value)

import schedule.Schedule;

class FirstUseOutside {
    static class Mark {
        int value;
    }

    static class Pair {
        int first, second;

        void write(Mark mark, boolean both) {
            Schedule.turn(1);
            second = 1;
            if (both) first = 1;
            Schedule.turn(3);
            Schedule.use(mark.value);
        }
    }

    public static void main(String[] args) {
        Pair pair = new Pair();
        Mark mark = new Mark();
        Schedule.run(new Writer(pair, mark), new Looper(pair, mark));
    }

    static class Writer extends Thread {
        final Pair pair;
        final Mark mark;

        Writer(Pair pair, Mark mark) {
            super("T1");
            this.pair = pair;
            this.mark = mark;
        }

        @Override
        public void run() {
            pair.write(mark, false);
        }
    }

    static class Looper extends Thread {
        final Pair pair;
        final Mark mark;

        Looper(Pair pair, Mark mark) {
            super("T2");
            this.pair = pair;
            this.mark = mark;
        }

        @Override
        public void run() {
            Pair pair = this.pair;
            Mark mark = this.mark;
            Schedule.turn(2);
            for (int i = 0; i < 4; i++) {
                if (i == 1) Schedule.use(pair.first);
                if (i == 2) Schedule.use(pair.second);
                mark.value = i;
                Schedule.rest();
            }
            Schedule.turn(4);
        }
    }
}
