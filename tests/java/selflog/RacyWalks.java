import java.util.SplittableRandom;
import schedule.Together;

/** Arrays that threads go through at the same time, forwards, backwards and in steps: walks that are interrupted in the middle. */
class RacyWalks {
    static final int THREADS = 3;
    static final int ROUNDS = 500;
    static final int LENGTH = 120;
    static final int[][] ARRAYS = new int[ROUNDS][LENGTH];

    public static void main(String[] args) throws InterruptedException {
        Racer[] racers = new Racer[THREADS];
        Together together = new Together(THREADS);
        for (int i = 0; i < THREADS; i++) racers[i] = new Racer(i, together);
        for (Racer racer : racers) racer.start();
        for (Racer racer : racers) racer.join();
        for (Racer racer : racers) System.out.print(racer.notes);
    }

    static class Racer extends Thread {
        private static final byte[] STEPS = {1, 1, 2, 3, -1, -2};
        final StringBuilder notes = new StringBuilder();
        private final SplittableRandom random;
        private final Together together;
        private final long[] values = new long[LENGTH];
        private int next;

        Racer(int number, Together together) {
            super("R" + number);
            random = new SplittableRandom(number);
            this.together = together;
            next = (number + 1) * 1_000_000;
        }

        @Override
        public void run() {
            for (int round = 0; round < ROUNDS; round++) {
                int step = STEPS[random.nextInt(STEPS.length)];
                boolean writes = random.nextInt(3) == 0;
                int first = step > 0 ? 0 : LENGTH - 1;
                together.meet(round + 1);
                if (writes) write(ARRAYS[round], first, step);
                else read(ARRAYS[round], first, step);
                for (int index = first; index >= 0 && index < LENGTH; index += step) note(writes, round, index);
            }
        }

        private void read(int[] array, int first, int step) {
            for (int index = first; index >= 0 && index < LENGTH; index += step) values[index] = array[index];
        }

        private void write(int[] array, int first, int step) {
            for (int index = first; index >= 0 && index < LENGTH; index += step) {
                array[index] = ++next;
                values[index] = next;
            }
        }

        private void note(boolean writes, int round, int index) {
            notes.append(getName()).append(writes ? " w " : " r ").append("int[]#").append(round + 1).append('[').append(index).append("] ");
            notes.append(values[index]).append('\n');
        }
    }
}
