// Outside of blocks, elements of two arrays are accessed by turns, and come in that order: what was written first does not depend on what was read last.
// expect: none
// trace: T2|w(int[]#2[0])
// trace: T2|r(int[]#1[9])
// trace: T2|w(int[]#2[9])
// trace: T1|r(int[]#2[0])

import schedule.Schedule;

class WalkBesideOutside {
    static class Shelf {
        final int[] from = new int[10], to = new int[10];

        void read() {
            Schedule.turn(1);
            from[9] = 1;
            Schedule.turn(3);
            Schedule.use(to[0]);
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
            int[] from = shelf.from, to = shelf.to;
            Schedule.turn(2);
            for (int i = 0; i < 10; i++) to[i] = from[i];
            Schedule.turn(4);
        }
    }
}
