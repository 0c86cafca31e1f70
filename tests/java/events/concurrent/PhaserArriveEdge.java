// Who arrives and awaits the others comes after one who only arrives.
// expect: violation PhaserArriveEdge.block
// options: --atomic PhaserArriveEdge.block

import java.util.concurrent.Phaser;
import schedule.Schedule;

class PhaserArriveEdge {
    static final Cell CELL = new Cell();
    static final Phaser PHASER = new Phaser(2);

    static void block() {
        Schedule.turn(1);
        PHASER.arrive();
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
            PHASER.arriveAndAwaitAdvance();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
