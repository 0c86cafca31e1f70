import java.util.concurrent.atomic.AtomicLong;

/** Eight threads hammer the same few objects: locked, atomic, volatile and without any order. */
class HotCounters {
    private static final int THREADS = 8;
    private static final int TIMES = 20_000;
    private static final AtomicLong ATOMIC = new AtomicLong();
    private static final int[] OWN = new int[THREADS];
    private static int locked;
    private static volatile int flag;
    private static int racy;

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                for (int time = 0; time < TIMES; time++) step(number);
            });
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        long own = 0;
        for (int count : OWN) own += count;
        boolean plausible = racy > 0 && racy <= THREADS * TIMES && flag > 0;
        System.out.println(locked + " " + ATOMIC.get() + " " + own + " " + plausible);
    }

    private static void step(int number) {
        racy++;
        flag = racy;
        OWN[number]++;
        ATOMIC.incrementAndGet();
        synchronized (ATOMIC) {
            locked++;
        }
    }
}
