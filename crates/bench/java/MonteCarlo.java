import java.util.ArrayList;
import java.util.List;

/** Random walks of a price; each thread takes the next walk from a shared list of tasks and adds its result to another. */
final class MonteCarlo {
    private static final int WALKS = 1_000;
    private static final int STEPS = 500;
    private final List<Walk> results = new ArrayList<>();
    private int next;

    public static void main(String[] args) {
        Kernel.measure(args, () -> new MonteCarlo().simulate());
    }

    private long simulate() {
        Kernel.together(new Share());
        long sum = 0;
        for (Walk walk : results) sum += Math.round(walk.mean() * 1e6);
        return sum;
    }

    private final class Share implements Kernel.Part {
        @Override
        public void of(int thread) {
            for (int number = take(); number < WALKS; number = take()) {
                Walk walk = new Walk(number);
                walk.go();
                give(walk);
            }
        }
    }

    private synchronized int take() {
        return next++;
    }

    private synchronized void give(Walk walk) {
        results.add(walk);
    }

    private static final class Random {
        private long state;

        Random(long seed) {
            state = seed * 0x9E3779B97F4A7C15L + 1;
        }

        double uniform() {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            return (state >>> 11) * 0x1.0p-53;
        }

        double normal() {
            return Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
        }
    }

    private static final class Walk {
        private final Random random;
        private final double[] path = new double[STEPS];

        Walk(int number) {
            random = new Random(number + 1);
        }

        void go() {
            path[0] = 100;
            for (int i = 1; i < STEPS; i++) path[i] = path[i - 1] * Math.exp(0.0001 + 0.01 * random.normal());
        }

        double mean() {
            double sum = 0;
            for (double price : path) sum += price;
            return sum / STEPS;
        }
    }
}
