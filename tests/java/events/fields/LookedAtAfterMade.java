// A small method looks once at an object that an earlier block has made and put into a plain field: others may know it.
// expect: violation LookedAtAfterMade.block

import schedule.Schedule;

class LookedAtAfterMade {
    static final Holder HOLDER = new Holder();

    static void make() {
        HOLDER.pair = new Pair();
        Schedule.use(HOLDER.pair.sum(HOLDER.pair));
    }

    static void block() {
        Pair pair = HOLDER.pair;
        Schedule.use(pair.sum(pair));
        Schedule.turn(1);
        Schedule.turn(3);
        Schedule.use(pair.sum(pair));
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
            make();
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
            HOLDER.pair.set(5);
        }
    }

    static class Holder {
        Pair pair;
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
