// A small method that an exception broke off has not told of all that it uses: the next call does.
// expect: violation PartlyTold.block

import schedule.Schedule;

class PartlyTold {
    static final Pair PAIR = new Pair(), OTHER = new Pair(), THIRD = new Pair();

    static void block() {
        Schedule.turn(1);
        // From here on the block comes to depend on nobody else.
        Schedule.use(PAIR.first);
        Schedule.use(OTHER.sum(THIRD));
        try {
            Schedule.use(PAIR.sum(null));
        } catch (NullPointerException e) {
            Schedule.use(PAIR.sum(THIRD));
        }
        Schedule.turn(3);
        Schedule.use(PAIR.second);
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
            PAIR.second = 5;
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
