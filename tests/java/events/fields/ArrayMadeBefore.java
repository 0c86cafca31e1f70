// A block only reads an array that its thread has made before, outside of blocks, without using an element; another block reads it, too.
// That orders nothing: what the second block writes, the first one reads afterwards.
// expect: none

import schedule.Schedule;

class ArrayMadeBefore {
    static class Shelf {
        int[] items;
        int label;

        int look() {
            int sum = items[0];
            Schedule.turn(1);
            Schedule.turn(3);
            return sum + label;
        }

        int lookAndLabel() {
            int sum = items[0];
            label = 1;
            return sum;
        }
    }

    public static void main(String[] args) {
        Shelf shelf = new Shelf();
        Schedule.run(new First(shelf), new Second(shelf));
    }

    static class First extends Thread {
        final Shelf shelf;

        First(Shelf shelf) {
            super("T1");
            this.shelf = shelf;
        }

        @Override
        public void run() {
            shelf.items = new int[2];
            Schedule.use(shelf.look());
        }
    }

    static class Second extends Thread {
        final Shelf shelf;

        Second(Shelf shelf) {
            super("T2");
            this.shelf = shelf;
        }

        @Override
        public void run() {
            Schedule.turn(2);
            Schedule.use(shelf.lookAndLabel());
        }
    }
}
