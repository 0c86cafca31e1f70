import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;

/** A cache on top of a concurrent map. The map is thread-safe, its use is not: pages are loaded twice. */
class Cache {
    private final ConcurrentHashMap<String, String> pages = new ConcurrentHashMap<>(256);
    private int loads;

    /** Meant to be one step: look whether the page is there, and if not, load it and put it there. */
    String page(String name) {
        String page = pages.get(name);
        if (page == null) {
            page = load(name);
            pages.put(name, page);
        }
        return page;
    }

    private String load(String name) {
        synchronized (pages) {
            loads++;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20; i++) text.append(name).append(i);
        return text.toString();
    }

    public static void main(String[] args) throws InterruptedException {
        Cache cache = new Cache();
        CyclicBarrier together = new CyclicBarrier(2);
        Reader first = new Reader("first", cache, together);
        Reader second = new Reader("second", cache, together);
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println(Reader.PAGES + " pages, " + cache.loads + " loads");
    }

    /** Asks for one page after the other; the other reader does the same at the same time. */
    static class Reader extends Thread {
        static final int PAGES = 1_000;
        private final Cache cache;
        private final CyclicBarrier together;

        Reader(String name, Cache cache, CyclicBarrier together) {
            super(name);
            this.cache = cache;
            this.together = together;
        }

        @Override
        public void run() {
            try {
                for (int number = 0; number < PAGES; number++) {
                    if (number % 10 == 0) together.await();
                    cache.page("page-" + number);
                }
            } catch (InterruptedException | java.util.concurrent.BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
