import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Ten thousand virtual threads that sleep, lock and count. Needs JDK 21. */
class VirtualThreads {
    private static final int THREADS = 10_000;
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static int locked;
    private static int synchronised;

    public static void main(String[] args) throws Exception {
        var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add((Thread) start.invoke(null, (Runnable) VirtualThreads::work));
        }
        for (Thread thread : threads) thread.join();
        System.out.println(locked + " " + synchronised);
    }

    private static void work() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        LOCK.lock();
        locked++;
        LOCK.unlock();
        add();
    }

    private static synchronized void add() {
        synchronised++;
    }
}
