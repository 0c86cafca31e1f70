// Who arrives at a phaser without being registered gets an exception, and has not arrived.
// expect: none
// options: --atomic PhaserArriveFails.block

import java.util.concurrent.Phaser;
import schedule.Schedule;

class PhaserArriveFails {
    static final Cell CELL = new Cell();
    static final Phaser PHASER = new Phaser();

    static void block() {
        Schedule.turn(1);
        try {
            PHASER.arrive();
        } catch (IllegalStateException expected) {
            Schedule.use(0);
        }
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class Cell {
        int value;
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
            PHASER.register();
            PHASER.arriveAndAwaitAdvance();
            CELL.value = 1;
            Schedule.pass();
        }
    }
}
