// Blocks between two meetings, each with cells that only the next phase reads, are whole.
// expect: none

import java.util.concurrent.Phaser;
import schedule.Schedule;

class PhaserPhases {
    static final Phaser MEETING = new Phaser(2);
    static final int[] CELLS = new int[2];

    static void write(int mine) {
        CELLS[mine] = 1;
        CELLS[mine]++;
    }

    static void read() {
        Schedule.use(CELLS[0] + CELLS[1]);
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
            write(0);
            MEETING.arriveAndAwaitAdvance();
            read();
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            write(1);
            MEETING.arriveAndAwaitAdvance();
            read();
        }
    }
}
