import java.util.SplittableRandom;
import schedule.Together;

/** Long arrays, so long that one entry of the log is not enough for a walk: threads meet somewhere in the middle of it. */
class RacyPasses {
    static final int THREADS = 3;
    static final int ROUNDS = 8;
    static final int LENGTH = 9_000;
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
        final StringBuilder notes = new StringBuilder();
        private final int number;
        private final SplittableRandom random;
        private final Together together;

        Racer(int number, Together together) {
            super("R" + number);
            this.number = number;
            random = new SplittableRandom(number);
            this.together = together;
        }

        @Override
        public void run() {
            for (int round = 0; round < ROUNDS; round++) {
                long[] copy = new long[LENGTH];
                boolean writes = (round + number) % THREADS == 0;
                int from = random.nextInt(100);
                together.meet(round + 1);
                if (writes) fill(ARRAYS[round], copy, from, (number + 1) * 1_000_000 + round * LENGTH);
                else copy(ARRAYS[round], copy, from);
                for (int i = from; i < LENGTH; i++) note(writes, round, i, copy[i]);
            }
        }

        private static void fill(int[] array, long[] copy, int from, int value) {
            for (int i = from; i < LENGTH; i++) {
                copy[i] = value + i;
                array[i] = value + i;
            }
        }

        private static void copy(int[] array, long[] copy, int from) {
            for (int i = from; i < LENGTH; i++) copy[i] = array[i];
        }

        private void note(boolean writes, int round, int index, long value) {
            notes.append(getName()).append(writes ? " w " : " r ").append("int[]#").append(round + 1).append('[').append(index).append("] ");
            notes.append(value).append('\n');
        }
    }
}
