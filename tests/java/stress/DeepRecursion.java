/** Recursion until the stack is full, in blocks, monitors and constructors, again and again in two threads. */
class DeepRecursion {
    private static final int TIMES = 20;
    private int depth;
    private int overflows;

    public static void main(String[] args) throws InterruptedException {
        DeepRecursion shared = new DeepRecursion();
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(null, () -> {
                DeepRecursion mine = new DeepRecursion();
                for (int time = 0; time < TIMES; time++) {
                    overflow(() -> mine.plain(0), shared);
                    overflow(() -> mine.locked(0), shared);
                    overflow(() -> new Nested(mine), shared);
                }
                mine.check();
            }, "deep " + i, 512 * 1024);
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println("overflows: " + shared.overflows + ", deep: " + (shared.depth > 100));
    }

    private static void overflow(Runnable recursion, DeepRecursion shared) {
        try {
            recursion.run();
        } catch (StackOverflowError e) {
            shared.count();
        }
    }

    private synchronized void count() {
        overflows++;
        depth = 1_000;
    }

    private int plain(int level) {
        depth = level;
        return plain(level + 1) + depth;
    }

    private synchronized int locked(int level) {
        depth = level;
        return locked(level + 1) + depth;
    }

    /** Fails if a monitor was left locked. */
    private void check() throws IllegalMonitorStateException {
        if (Thread.holdsLock(this)) throw new IllegalMonitorStateException();
    }

    static class Nested {
        final Nested inner;

        Nested(DeepRecursion shared) {
            shared.depth++;
            inner = new Nested(shared);
        }
    }
}
