// The block makes an object and hands it out; another thread changes it before the block reads it again.
// expect: violation MadeInBlock.block

import schedule.Schedule;

class MadeInBlock {
    static Cell shared;

    static void block() {
        Schedule.turn(1);
        Cell mine = new Cell();
        mine.value = 1;
        shared = mine;
        Schedule.turn(3);
        Schedule.use(mine.value);
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
            shared.value = 5;
        }
    }

    static class Cell {
        int value = -1;
    }
}
