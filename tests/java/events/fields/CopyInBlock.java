// The block makes a copy of an object and hands it out; another thread changes it before the block reads it again.
// expect: violation CopyInBlock.block

import schedule.Schedule;

class CopyInBlock {
    static final Cell original = new Cell();
    static Cell shared;

    static void block() {
        Schedule.turn(1);
        original.value = 1;
        Cell mine = original.copy();
        mine.value = 2;
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

    static class Cell implements Cloneable {
        int value = -1;

        Cell copy() {
            try {
                return (Cell) clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
