/** A sparse matrix, stored by rows, times a vector, over and over; each thread has half of the rows. */
final class Sparse {
    private static final int ROWS = 20_000;
    private static final int PER_ROW = 12;
    private static final int TIMES = 10;
    private final int[] start = new int[ROWS + 1];
    private final int[] column = new int[ROWS * PER_ROW];
    private final double[] value = new double[ROWS * PER_ROW];
    private double[] from = new double[ROWS];
    private double[] to = new double[ROWS];

    private Sparse() {
        for (int i = 0; i < ROWS; i++) {
            start[i + 1] = (i + 1) * PER_ROW;
            from[i] = 1 + i % 7;
            for (int j = 0; j < PER_ROW; j++) {
                column[i * PER_ROW + j] = (int) ((i * 7_919L + j * 104_729L) % ROWS);
                value[i * PER_ROW + j] = (j + 1) / 78.0;
            }
        }
    }

    public static void main(String[] args) {
        Kernel.measure(args, () -> new Sparse().multiply());
    }

    private long multiply() {
        for (int i = 0; i < TIMES; i++) {
            Kernel.together(new Share());
            double[] swapped = from;
            from = to;
            to = swapped;
        }
        double sum = 0;
        for (double element : from) sum += element;
        return Math.round(sum * 1e6);
    }

    private final class Share implements Kernel.Part {
        @Override
        public void of(int thread) {
            int rows = ROWS / Kernel.THREADS;
            for (int i = rows * thread; i < rows * (thread + 1); i++) to[i] = row(i);
        }
    }

    private double row(int i) {
        double sum = 0;
        for (int k = start[i]; k < start[i + 1]; k++) sum += value[k] * from[column[k]];
        return sum;
    }
}
