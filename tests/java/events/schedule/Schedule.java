package schedule;

/**
 * Forces an order upon threads by numbered turns. The tests exclude this package, so that nothing in here is an event:
 * what orders the threads in the trace is only what the program itself does.
 */
public final class Schedule {
    private static final Object MONITOR = new Object();
    private static final long PATIENCE_MILLIS = 30_000;
    private static int current = 1;
    private static Thread holder;
    private static volatile long sink;

    private Schedule() {}

    /** Ends this thread's turn, if it has one, and waits for the given one. The turn also ends with the thread. */
    public static void turn(int number) {
        synchronized (MONITOR) {
            pass();
            long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
            while (current != number || holder != null) {
                if (System.currentTimeMillis() > deadline) stuck(number);
                pause(MONITOR);
                if (holder != null && !holder.isAlive()) next();
            }
            holder = Thread.currentThread();
        }
    }

    /** Ends this thread's turn: what follows may run beside the next one. */
    public static void pass() {
        synchronized (MONITOR) {
            if (holder == Thread.currentThread()) next();
        }
    }

    /** Waits until the thread is blocked, or waits without a limit (a wait for a turn has one). */
    public static void untilBlocked(Thread thread) {
        long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
        while (true) {
            switch (thread.getState()) {
                case BLOCKED: case WAITING: return;
                default: if (System.currentTimeMillis() > deadline) stuck(-1);
            }
            Thread.yield();
        }
    }

    /** Lets so much time pass that what was recorded up to here is read. */
    public static void rest() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs the threads to their end. The first turn comes when all have been started. */
    public static void run(Thread... threads) {
        synchronized (MONITOR) {
            current = 0;
            holder = null;
        }
        for (Thread thread : threads) thread.start();
        synchronized (MONITOR) {
            next();
        }
        for (Thread thread : threads) end(thread);
    }

    /** Waits for the end of a thread. */
    public static void end(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Keeps a value from being optimised away. */
    public static void use(long value) {
        sink = value;
    }

    private static void next() {
        holder = null;
        current++;
        MONITOR.notifyAll();
    }

    private static void pause(Object monitor) {
        try {
            monitor.wait(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void stuck(int number) {
        System.err.println("schedule: turn " + number + " does not come, it is turn " + current + " of " + holder);
        Runtime.getRuntime().halt(99);
    }
}
