// Phasers of a tree advance together.
// expect: violation PhaserTreeEdge.block
// options: --atomic PhaserTreeEdge.block

import java.util.concurrent.Phaser;
import schedule.Schedule;

class PhaserTreeEdge {
    static final Cell CELL = new Cell();
    static final Phaser ROOT = new Phaser();
    static final Phaser LEFT = new Phaser(ROOT, 1);
    static final Phaser RIGHT = new Phaser(ROOT, 1);

    static void block() {
        Schedule.turn(1);
        LEFT.arrive();
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
            RIGHT.arriveAndAwaitAdvance();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
