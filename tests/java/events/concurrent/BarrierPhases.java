// Blocks between two meetings, each with cells that only the next phase reads, are whole.
// expect: none

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import schedule.Schedule;

class BarrierPhases {
    static final CyclicBarrier MEETING = new CyclicBarrier(2);
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
            try {
                MEETING.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
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
            try {
                MEETING.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
            read();
        }
    }
}
