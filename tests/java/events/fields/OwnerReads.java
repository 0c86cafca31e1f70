// The block reads an object of its own thread, made before the block; another thread then writes it for the first time.
// expect: violation OwnerReads.block

import schedule.Schedule;

class OwnerReads {
    static Cell shared;

    static void block() {
        int before = shared.value;
        Schedule.turn(3);
        shared.value = before + 1;
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
            Schedule.turn(1);
            shared = new Cell();
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
            shared.value = 5;
        }
    }

    static class Cell {
        int value = -1;
    }
}
