// Who awaits a phase does not come after those who arrive in the next one.
// expect: none
// options: --atomic PhaserLaterPhase.block

import java.util.concurrent.Phaser;
import schedule.Schedule;

class PhaserLaterPhase {
    static final Cell CELL = new Cell();
    static final Phaser PHASER = new Phaser(2);

    static void block() {
        Schedule.turn(1);
        PHASER.arrive();
        Schedule.turn(3);
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) {
        PHASER.arrive();
        PHASER.arrive();
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
