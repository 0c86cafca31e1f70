// A thread goes through an array, slowly, and takes in between what another's running block has made: what comes before that in its log is
// read by then, and must not go on.
// expect: none
// trace: T2|r(int[]#1[0])
// trace: T2|r(WalkBesideTaking$Thing[]#1[0])
// trace: T2|r(WalkBesideTaking$Thing#1.value)
// trace: T2|r(int[]#1[1])
// trace: T2|r(WalkBesideTaking$Thing[]#1[1])
// trace: T2|r(WalkBesideTaking$Thing#2.value)
// trace: T2|r(int[]#1[2])
// trace: T2|r(WalkBesideTaking$Thing[]#1[2])
// trace: T2|r(WalkBesideTaking$Thing#3.value)
// trace: T2|r(int[]#1[3])
// trace: T2|r(WalkBesideTaking$Thing[]#1[3])
// trace: T2|r(WalkBesideTaking$Thing#4.value)

import schedule.Schedule;

class WalkBesideTaking {
    private static final int COUNT = 4;

    static class Thing {
        int value;
    }

    static class Shelf {
        final int[] items = new int[COUNT];
        final Thing[] things = new Thing[COUNT];

        void make() {
            Schedule.turn(1);
            for (int i = 0; i < COUNT; i++) {
                Thing thing = new Thing();
                thing.value = i;
                things[i] = thing;
            }
            Schedule.turn(3);
        }

        int walk() {
            Schedule.turn(2);
            int sum = 0;
            for (int i = 0; i < COUNT; i++) {
                sum += items[i];
                sum += things[i].value;
                Schedule.rest();
            }
            return sum;
        }
    }

    public static void main(String[] args) {
        Shelf shelf = new Shelf();
        Schedule.run(new Maker(shelf), new Walker(shelf));
    }

    static class Maker extends Thread {
        final Shelf shelf;

        Maker(Shelf shelf) {
            super("T1");
            this.shelf = shelf;
        }

        @Override
        public void run() {
            shelf.make();
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
            Schedule.use(shelf.walk());
        }
    }
}
