import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What the kernels share: warm-up, measuring, two threads. A kernel's main calls {@link #measure}. */
final class Kernel {
    static final int THREADS = 2;
    /** Iterations before the clock starts: enough for the compiler to be done. */
    private static final int WARM_UP = 3;

    private Kernel() {}

    /** One iteration; its result does not depend on the schedule. */
    interface Work {
        long iterate();
    }

    /** Work of one of the threads. */
    interface Part {
        void of(int thread);
    }

    /** Runs as many iterations as the first argument says, after some to warm up; none at all if it says 0. */
    static void measure(String[] args, Work work) {
        int iterations = Integer.parseInt(args[0]);
        long sum = 0;
        for (int i = 0; i < (iterations == 0 ? 0 : WARM_UP); i++) sum += work.iterate();
        long before = cpuNanos();
        for (int i = 0; i < iterations; i++) sum += work.iterate();
        System.out.println("checksum " + sum);
        System.out.println("cpu " + (cpuNanos() - before) / 1_000_000);
    }

    /** Does the parts at the same time and waits for them. */
    static void together(Part part) {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Worker(part, i);
            threads[i].start();
        }
        try {
            for (Thread thread : threads) thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** A thread with its part; a class, because its run is then no atomic block. */
    private static final class Worker extends Thread {
        private final Part part;
        private final int number;

        Worker(Part part, int number) {
            super("worker " + number);
            this.part = part;
            this.number = number;
        }

        @Override
        public void run() {
            part.of(number);
        }
    }
}
