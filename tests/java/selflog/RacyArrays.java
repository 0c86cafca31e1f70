import java.util.SplittableRandom;
import schedule.Together;

/** Elements of an array of ints and of one of longs, whose ownership changes all the time; one block for some accesses at a time. */
class RacyArrays {
    static final int THREADS = 3;
    static final int LENGTH = 3_000;
    static final int STRIDE = 10;
    static final int[] INTS = new int[LENGTH];
    static final long[] LONGS = new long[LENGTH];

    public static void main(String[] args) throws InterruptedException {
        Racer[] racers = new Racer[THREADS];
        Together together = new Together(THREADS);
        for (int i = 0; i < THREADS; i++) racers[i] = new Racer(i, together);
        for (Racer racer : racers) racer.start();
        for (Racer racer : racers) racer.join();
        for (Racer racer : racers) System.out.print(racer.notes);
    }

    static class Racer extends Thread {
        final StringBuilder notes = new StringBuilder();
        private final SplittableRandom random;
        private final Together together;
        private int next;

        Racer(int number, Together together) {
            super("R" + number);
            random = new SplittableRandom(number);
            this.together = together;
            next = (number + 1) * 1_000_000;
        }

        @Override
        public void run() {
            for (int start = 0; start < LENGTH; start += STRIDE) {
                together.meet(start / STRIDE + 1);
                stride(start);
            }
        }

        /** A block of some accesses. */
        private void stride(int start) {
            for (int index = start; index < start + STRIDE; index++) {
                int kind = random.nextInt(4);
                if (kind == 0) note("r", "int[]#1[", index, INTS[index]);
                if (kind == 1) note("w", "int[]#1[", index, INTS[index] = ++next);
                if (kind == 2) note("r", "long[]#1[", index, LONGS[index]);
                if (kind == 3) note("w", "long[]#1[", index, LONGS[index] = ++next);
            }
        }

        private void note(String op, String array, int index, long value) {
            notes.append(getName()).append(' ').append(op).append(' ').append(array).append(index).append("] ").append(value).append('\n');
        }
    }
}
