import java.util.concurrent.CountDownLatch;

/** A thousand threads that live at the same time, and a thousand that live one after the other. */
class ThousandThreads {
    private static final int THREADS = 1_000;
    private static int together;
    private static int oneByOne;

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(THREADS);
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> {
                all.countDown();
                await(all);
                add();
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> oneByOne++);
            thread.start();
            thread.join();
        }
        System.out.println(together + " " + oneByOne);
    }

    private static synchronized void add() {
        together++;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
