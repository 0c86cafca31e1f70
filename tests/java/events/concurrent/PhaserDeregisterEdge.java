// Who awaits the next phase comes after one who has left.
// expect: violation PhaserDeregisterEdge.block
// options: --atomic PhaserDeregisterEdge.block

import java.util.concurrent.Phaser;
import schedule.Schedule;

class PhaserDeregisterEdge {
    static final Cell CELL = new Cell();
    static final Phaser PHASER = new Phaser(1);

    static void block() {
        Schedule.turn(1);
        PHASER.arriveAndDeregister();
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
            PHASER.awaitAdvance(0);
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
