/** Two threads count in a plain field: the simplest bug there is. Checking the program must not make it disappear. */
class PlainIncrement {
    private static final int TIMES = 300_000;

    static class Counter {
        int value;

        void increment() {
            value++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Counter counter = new Counter();
        Runnable work = () -> {
            for (int i = 0; i < TIMES; i++) counter.increment();
        };
        Thread first = new Thread(work), second = new Thread(work);
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println(counter.value < 2 * TIMES ? "some were lost" : "none was lost");
    }
}
