import java.util.SplittableRandom;
import schedule.Together;

/**
 * Elements of one array that follow each other, the first one twice: others may want the array in between. A write leaves the thread's
 * number; each thread notes the others' numbers that it read, without repetitions.
 */
class RacyAgain {
    static final int THREADS = 3;
    static final int ROUNDS = 60;
    static final int TIMES = 2_000;
    static final int LENGTH = 4;
    static final int[][] ARRAYS = new int[ROUNDS][LENGTH];

    public static void main(String[] args) throws InterruptedException {
        Racer[] racers = new Racer[THREADS];
        Together together = new Together(THREADS);
        for (int i = 0; i < THREADS; i++) racers[i] = new Racer(i + 1, together);
        for (Racer racer : racers) racer.start();
        for (Racer racer : racers) racer.join();
        for (Racer racer : racers) System.out.print(racer.notes);
    }

    static class Racer extends Thread {
        final StringBuilder notes = new StringBuilder();
        private final int number;
        private final SplittableRandom random;
        private final Together together;
        private final StringBuilder[] seen = new StringBuilder[LENGTH];
        private int[] last;

        Racer(int number, Together together) {
            super("R" + number);
            this.number = number;
            random = new SplittableRandom(number);
            this.together = together;
        }

        @Override
        public void run() {
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < LENGTH; i++) seen[i] = new StringBuilder();
                int first = random.nextInt();
                together.meet(round + 1);
                work(ARRAYS[round], first);
                for (int i = 0; i < LENGTH; i++) note(i, round);
            }
        }

        /** One atomic block. */
        private void work(int[] array, int first) {
            last = new int[LENGTH];
            for (int i = 0; i < LENGTH; i++) last[i] = -1;
            for (int i = 0; i < TIMES; i++) {
                if (((first >>> i) + i % 17 & 15) == 0) put(array, i % LENGTH);
                else look(array, i % 2, 2 + i / 2 % 2);
            }
        }

        private void put(int[] array, int index) {
            array[index] = number;
        }

        private void look(int[] array, int one, int other) {
            int a = array[one], b = array[other], c = array[one], d = array[other];
            saw(one, a);
            saw(other, b);
            saw(one, c);
            saw(other, d);
        }

        private void saw(int index, int value) {
            if (value == number || value == last[index]) return;
            last[index] = value;
            seen[index].append(value);
        }

        private void note(int index, int round) {
            if (seen[index].length() == 0) return;
            notes.append(getName()).append(" r int[]#").append(round + 1).append('[').append(index).append("] ").append(seen[index]).append('\n');
        }
    }
}
