import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Successive over-relaxation on a grid, red and black points by turns, each thread with half of the rows. */
final class Sor {
    private static final int SIZE = 600;
    private static final int SWEEPS = 20;
    private static final double OMEGA = 1.25;
    private final double[][] grid = new double[SIZE][SIZE];
    private final CyclicBarrier barrier = new CyclicBarrier(Kernel.THREADS);

    private Sor() {
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) grid[i][j] = (i * 31 + j * 17) % 101 * 1e-2;
        }
    }

    public static void main(String[] args) {
        Kernel.measure(args, () -> new Sor().relax());
    }

    private long relax() {
        Kernel.together(new Share());
        double sum = 0;
        for (double[] row : grid) {
            for (double value : row) sum += value;
        }
        return Math.round(sum * 1e6);
    }

    private final class Share implements Kernel.Part {
        @Override
        public void of(int thread) {
            int first = Math.max(1, SIZE / Kernel.THREADS * thread);
            int last = Math.min(SIZE - 1, SIZE / Kernel.THREADS * (thread + 1));
            for (int sweep = 0; sweep < 2 * SWEEPS; sweep++) {
                for (int i = first; i < last; i++) row(i, 1 + (i + sweep) % 2);
                meet();
            }
        }
    }

    private void meet() {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    private void row(int i, int start) {
        double[] above = grid[i - 1];
        double[] here = grid[i];
        double[] below = grid[i + 1];
        for (int j = start; j < SIZE - 1; j += 2) {
            here[j] = OMEGA / 4 * (above[j] + below[j] + here[j - 1] + here[j + 1]) + (1 - OMEGA) * here[j];
        }
    }
}
