import java.util.concurrent.CountDownLatch;

/** Ends with code 7 while threads are in the middle of their work. */
class ExitWhileRunning {
    private static int counter;
    private static final int[] ARRAY = new int[100];

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            new Thread(() -> {
                all.countDown();
                while (true) work();
            }).start();
        }
        all.await();
        Thread.sleep(200);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("going down: " + (count() >= 0))));
        System.exit(7);
    }

    private static void work() {
        counter++;
        synchronized (ARRAY) {
            ARRAY[counter & 63]++;
        }
    }

    private static int count() {
        synchronized (ARRAY) {
            return ARRAY[0];
        }
    }
}
