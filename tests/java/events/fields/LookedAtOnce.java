// A small method looks once at all that it uses: what an earlier block has told counts again in this one.
// expect: violation LookedAtOnce.block

import schedule.Schedule;

class LookedAtOnce {
    static final Pair PAIR = new Pair(), OTHER = new Pair();

    static void earlier() {
        for (int i = 0; i < 3; i++) Schedule.use(PAIR.sum(OTHER));
    }

    static void block() {
        Schedule.turn(1);
        Schedule.use(PAIR.sum(OTHER));
        Schedule.turn(3);
        Schedule.use(PAIR.sum(OTHER));
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
            earlier();
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
            OTHER.second = 5;
        }
    }

    static class Pair {
        int first, second;

        void set(int value) {
            first = value;
            second = value;
        }

        int sum(Pair other) {
            return first + other.first + second + other.second;
        }
    }
}
