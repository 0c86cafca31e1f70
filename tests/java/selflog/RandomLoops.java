import java.util.SplittableRandom;
import schedule.Notes;

/**
 * Blocks of random loops over a few arrays: walks, gathers, neighbours, two arrays side by side, one through the other, with elements that come
 * again. What a block reads and writes is noted for each block, outside of the loops.
 */
class RandomLoops {
    static final int THREADS = 2;
    static final int ROUNDS = 1_500;
    static final int LENGTH = 10;
    static final int[][] ARRAYS = new int[3][LENGTH];

    public static void main(String[] args) throws InterruptedException {
        // This also gives them their numbers.
        for (int[] array : ARRAYS) fill(array);
        Looper[] loopers = new Looper[THREADS];
        for (int i = 0; i < THREADS; i++) loopers[i] = new Looper(i);
        for (Looper looper : loopers) looper.start();
        for (Looper looper : loopers) looper.join();
        for (Looper looper : loopers) System.out.print(looper.notes);
    }

    private static void fill(int[] array) {
        for (int i = 0; i < LENGTH; i++) array[i] = i;
    }

    static class Looper extends Thread {
        final Notes notes;
        private final SplittableRandom random;
        private final int number;

        Looper(int number) {
            super("R" + number);
            this.number = number;
            random = new SplittableRandom(number + 17);
            notes = new Notes(getName(), LENGTH);
        }

        @Override
        public void run() {
            for (int round = 0; round < ROUNDS; round++) {
                block();
                notes.end();
            }
        }

        /** Mostly the array of its own, sometimes the one that both have. */
        private int any() {
            return random.nextInt(8) == 0 ? 2 : number;
        }

        private void block() {
            int loops = 1 + random.nextInt(12);
            for (int i = 0; i < loops; i++) loop();
        }

        private void loop() {
            int which = any(), other = any(), from = random.nextInt(LENGTH), count = 1 + random.nextInt(4);
            switch (random.nextInt(6)) {
                case 0 -> {
                    int step = random.nextInt(5) - 2;
                    notes.use(walk(ARRAYS[which], from, count, step));
                    for (int k = 0, i = from; k < count && i >= 0 && i < LENGTH; k++, i += step) notes.read(which, i);
                }
                case 1 -> {
                    write(ARRAYS[which], from, count);
                    for (int i = from; i < from + count && i < LENGTH; i++) notes.write(which, i);
                }
                case 2 -> {
                    int[] indices = notes.indices(random, count, LENGTH);
                    notes.use(gather(ARRAYS[which], indices));
                    for (int index : indices) notes.read(which, index);
                }
                case 3 -> {
                    notes.use(neighbours(ARRAYS[which], from, count));
                    for (int i = Math.max(1, from); i < from + count && i < LENGTH - 1; i++)
                        for (int near = -1; near <= 1; near++) notes.read(which, i + near);
                }
                case 4 -> {
                    sideBySide(ARRAYS[which], ARRAYS[other], from, count);
                    for (int i = from; i < from + count && i < LENGTH; i++) {
                        notes.read(which, i);
                        notes.write(other, LENGTH - 1 - i);
                    }
                }
                default -> {
                    int[] indices = notes.indices(random, count, LENGTH);
                    scatter(ARRAYS[which], indices);
                    for (int index : indices) {
                        notes.read(which, index);
                        notes.write(which, index);
                    }
                }
            }
        }

        private static int walk(int[] array, int from, int count, int step) {
            int sum = 0;
            for (int k = 0, i = from; k < count && i >= 0 && i < LENGTH; k++, i += step) sum += array[i];
            return sum;
        }

        private static void write(int[] array, int from, int count) {
            for (int i = from; i < from + count && i < LENGTH; i++) array[i] = i;
        }

        private static int gather(int[] array, int[] indices) {
            int sum = 0;
            for (int index : indices) sum += array[index];
            return sum;
        }

        private static int neighbours(int[] array, int from, int count) {
            int sum = 0;
            for (int i = Math.max(1, from); i < from + count && i < LENGTH - 1; i++) sum += array[i - 1] + array[i] + array[i + 1];
            return sum;
        }

        private static void sideBySide(int[] array, int[] other, int from, int count) {
            for (int i = from; i < from + count && i < LENGTH; i++) other[LENGTH - 1 - i] = array[i];
        }

        private static void scatter(int[] array, int[] indices) {
            for (int index : indices) array[index]++;
        }
    }
}
