// Outside of blocks, elements that were accessed before the thread depended on another's running block come before that, however late they are
// counted.
// expect: none
// trace: T2|w(int[]#1[0])
// trace: T2|w(int[]#1[9])
// trace: T2|r(WalkOutside$Shelf#1.label)
// trace: T1|r(int[]#1[9])

import schedule.Schedule;

class WalkOutside {
    static class Shelf {
        final int[] items = new int[10];
        int label;

        void read() {
            Schedule.turn(1);
            label = 1;
            Schedule.turn(3);
            Schedule.use(items[9]);
        }
    }

    public static void main(String[] args) {
        Shelf shelf = new Shelf();
        Schedule.run(new Reader(shelf), new Walker(shelf));
    }

    static class Reader extends Thread {
        final Shelf shelf;

        Reader(Shelf shelf) {
            super("T1");
            this.shelf = shelf;
        }

        @Override
        public void run() {
            shelf.read();
        }
    }

    static class Walker extends Thread {
        final Shelf shelf;

        Walker(Shelf shelf) {
            super("T2");
            this.shelf = shelf;
        }

        @Override
        public void run() {
            Shelf it = shelf;
            int[] items = it.items;
            for (int i = 0; i < 10; i++) {
                items[i] = i;
                Schedule.rest();
            }
            Schedule.turn(2);
            Schedule.use(it.label);
            Schedule.turn(4);
        }
    }
}
