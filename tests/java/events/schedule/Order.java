package schedule;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Forces a given order upon threads: who has the first turn, the second, and so on. */
public final class Order {
    private static final long PATIENCE_MILLIS = 30_000;
    private static volatile long sink;
    private final int[] order;
    private final Set<Integer> seen = new HashSet<>();
    /** Who waits, and for which monitor. */
    private final Map<Integer, Object> waiting = new HashMap<>();
    private final Map<Integer, Object> kept = new HashMap<>();
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
        if (at < order.length) wake(waiting.remove(order[at]));
        notifyAll();
    }

    /** Ends this thread's turn, before it waits for a monitor that it holds; it is woken up when its next turn comes. */
    public synchronized void leave(int me, Object monitor) {
        waiting.put(me, monitor);
        pass(me);
    }

    public synchronized boolean isWaitedFor(Object monitor) {
        return waiting.containsValue(monitor);
    }

    /** Nobody has asked this before with this number. */
    public synchronized boolean isFirst(int number) {
        return seen.add(number);
    }

    /** Something for who asks with this number. */
    public synchronized void keep(int number, Object it) {
        kept.put(number, it);
    }

    public synchronized Object kept(int number) {
        return kept.get(number);
    }

    /** Keeps a value from being optimised away. */
    public static void use(int value) {
        sink = value;
    }

    private static void wake(Object monitor) {
        if (monitor == null) return;
        synchronized (monitor) {
            monitor.notifyAll();
        }
    }
}
