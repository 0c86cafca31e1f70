// What has methods like an atomic's is none for that.
// expect: none
// options: --atomic AtomicNamedAlike.block
// absent: Counter

import schedule.Schedule;

class AtomicNamedAlike {
    static final Cell CELL = new Cell();
    static final Counter COUNT = new Counter();

    static void block() {
        Schedule.turn(1);
        COUNT.set(1);
        Schedule.turn(3);
        Schedule.use(CELL.value);
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
            if (COUNT.get() != 0 || !COUNT.compareAndSet(0, 1)) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Counter {
        void set(int value) {}

        int get() {
            return 0;
        }

        boolean compareAndSet(int expected, int value) {
            return true;
        }
    }

    static class Cell {
        int value = -1;
    }
}
