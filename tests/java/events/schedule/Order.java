package schedule;

/** Forces a given order upon threads: who has the first turn, the second, and so on. */
public final class Order {
    private static final long PATIENCE_MILLIS = 30_000;
    private static volatile long sink;
    private final int[] order;
    private int at;
    private int running = -1;

    public Order(int... order) {
        this.order = order;
    }

    /** Ends this thread's turn, if it has one, and waits for its next. */
    public synchronized void turn(int me) {
        pass(me);
        long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
        while (at >= order.length || order[at] != me || running >= 0) {
            if (System.currentTimeMillis() > deadline) throw new IllegalStateException("thread " + me + " waits for turn " + at);
            try {
                wait(1_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        running = me;
    }

    /** Ends this thread's turn. */
    public synchronized void pass(int me) {
        if (running != me) return;
        running = -1;
        at++;
        notifyAll();
    }

    /** Keeps a value from being optimised away. */
    public static void use(int value) {
        sink = value;
    }
}
