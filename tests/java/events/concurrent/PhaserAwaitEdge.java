// Who awaits the next phase comes after one who arrives and awaits it, too.
// expect: violation PhaserAwaitEdge.block
// options: --atomic PhaserAwaitEdge.block

import java.util.concurrent.Phaser;
import schedule.Schedule;

class PhaserAwaitEdge {
    static final Cell CELL = new Cell();
    static final Phaser PHASER = new Phaser(2);

    static void block() {
        Schedule.turn(1);
        Schedule.pass();
        PHASER.arriveAndAwaitAdvance();
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
            PHASER.awaitAdvance(PHASER.arrive());
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
