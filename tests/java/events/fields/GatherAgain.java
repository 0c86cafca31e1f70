// A loop gathers elements that are told already, and then the one after those that it went through before: nobody counts on by then.
// expect: none
// trace: T1|r(int[]#1[2])
// trace: T1|r(int[]#1[3])
// trace: T1|r(int[]#1[4])
// trace: T1|r(int[]#1[7])
// trace: T1|r(int[]#1[8])

import schedule.Schedule;

class GatherAgain {
    static class Shelf {
        final int[] items = new int[16];

        int gatherAll() {
            Schedule.turn(1);
            int sum = gather(new int[] {2, 3}) + gather(new int[] {2, 4});
            sum += gather(new int[] {7}) + gather(new int[] {2, 3, 7, 8});
            Schedule.turn(3);
            return sum;
        }

        private int gather(int[] indices) {
            int[] from = items;
            int sum = 0;
            for (int index : indices) sum += from[index];
            return sum;
        }

        void fill() {
            for (int i = 0; i < items.length; i++) items[i] = i;
        }
    }

    public static void main(String[] args) {
        Shelf shelf = new Shelf();
        shelf.fill();
        Schedule.run(new Gatherer(shelf), new Filler(shelf));
    }

    static class Gatherer extends Thread {
        final Shelf shelf;

        Gatherer(Shelf shelf) {
            super("T1");
            this.shelf = shelf;
        }

        @Override
        public void run() {
            Schedule.use(shelf.gatherAll());
        }
    }

    static class Filler extends Thread {
        final Shelf shelf;

        Filler(Shelf shelf) {
            super("T2");
            this.shelf = shelf;
        }

        @Override
        public void run() {
            Schedule.turn(2);
            shelf.fill();
        }
    }
}
