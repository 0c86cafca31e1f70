// Outside of blocks, a field that is read twice in a row of accesses counts again after another one that makes the thread depend on a running block.
// expect: violation OwnAgainOutside$Pair.write

import schedule.Schedule;

class OwnAgainOutside {
    static class Pair extends Thread {
        int first, second;

        Pair() {
            super("T2");
        }

        void write() {
            Schedule.turn(1);
            second = 1;
            Schedule.turn(3);
            first = 1;
        }

        @Override
        public void run() {
            Schedule.turn(2);
            int before = first;
            int between = second;
            int after = first;
            Schedule.use(before + between + after);
            Schedule.turn(4);
        }
    }

    public static void main(String[] args) {
        Pair pair = new Pair();
        Thread writer = new Thread("T1") {
            @Override
            public void run() {
                pair.write();
            }
        };
        Schedule.run(writer, pair);
    }
}
