// An object was made in the outer block, before the inner one began: who uses it first besides has cut the outer one in two, and not the inner one.
// expect: violation MadeBeforeInner$Shelf.outer

import schedule.Schedule;

class MadeBeforeInner {
    static class Thing {
        int value;
    }

    static class Shelf {
        Thing thing;
        int label, count;

        void outer() {
            Schedule.turn(1);
            thing = new Thing();
            inner();
        }

        void inner() {
            count = 1;
            Schedule.turn(3);
            Schedule.use(label);
        }

        void take() {
            Schedule.turn(2);
            thing.value = 1;
            label = 1;
        }
    }

    public static void main(String[] args) {
        Shelf shelf = new Shelf();
        Schedule.run(new Maker(shelf), new Taker(shelf));
    }

    static class Maker extends Thread {
        final Shelf shelf;

        Maker(Shelf shelf) {
            super("T1");
            this.shelf = shelf;
        }

        @Override
        public void run() {
            shelf.outer();
        }
    }

    static class Taker extends Thread {
        final Shelf shelf;

        Taker(Shelf shelf) {
            super("T2");
            this.shelf = shelf;
        }

        @Override
        public void run() {
            shelf.take();
            Schedule.pass();
        }
    }
}
