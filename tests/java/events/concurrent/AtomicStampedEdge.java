// A reference with a stamp is a variable as any other.
// expect: violation AtomicStampedEdge.block
// options: --atomic AtomicStampedEdge.block

import java.util.concurrent.atomic.AtomicStampedReference;
import schedule.Schedule;

class AtomicStampedEdge {
    static final Cell CELL = new Cell();
    static final AtomicStampedReference<String> REFERENCE = new AtomicStampedReference<>("", 0);

    static void block() {
        Schedule.turn(1);
        if (!REFERENCE.compareAndSet("", "", 0, 1)) throw new IllegalStateException();
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
            if (REFERENCE.getStamp() != 1) throw new IllegalStateException();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
