package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/** Running threads and their slots. */
final class InterloperThreads {
    private InterloperThreads() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");
    private static final int MOST = (int) InterloperNative.settings(InterloperNative.SLOTS);
    private static final int TABLE_SIZE = 1 << 13;
    private static final int MANY = 256;

    /** By slot; null: the slot's thread has ended. */
    static final InterloperThread[] SLOTS = new InterloperThread[MOST];
    private static final InterloperThread[] TABLE = new InterloperThread[TABLE_SIZE];
    /** The same for the first threads of a JVM, by their ids, which are never given twice. */
    private static final int FIRST_BITS = 16;
    private static final InterloperThread[] FIRST = new InterloperThread[1 << FIRST_BITS];
    /** The last threads of slots that are free. */
    private static final InterloperThread[] FREE = new InterloperThread[MOST];
    private static final InterloperThread[] LAST = new InterloperThread[MOST];
    private static int free;
    private static volatile int used;
    private static final Object LOCK = new Object();

    static int used() {
        return used;
    }

    /** Whether another thread is in a transaction; if there are many threads, that is taken for granted. */
    static boolean othersRun(InterloperThread c) {
        int slots = used;
        if (slots > MANY) return true;
        for (int slot = 0; slot < slots; slot++) {
            InterloperThread other = SLOTS[slot];
            if (other != null && other != c && U.getIntOpaque(other, InterloperThread.DEPTH) != 0) return true;
        }
        return false;
    }

    static int running() {
        return used - free;
    }

    /** The slot's thread, or the last it had. */
    static InterloperThread last(int slot) {
        return LAST[slot];
    }

    static long lastPosition(int slot) {
        InterloperThread last = LAST[slot];
        return last == null ? 0 : last.position;
    }

    @ForceInline
    static InterloperThread here() {
        Thread t = Thread.currentThread();
        long id = U.getLong(t, TID);
        if (id >>> FIRST_BITS == 0) {
            InterloperThread c = FIRST[(int) id & (1 << FIRST_BITS) - 1];
            if (c != null) return c;
        }
        return find(t);
    }

    @DontInline
    private static InterloperThread find(Thread t) {
        InterloperThread c = inTable(t);
        return c != null ? c : enter(t);
    }

    private static InterloperThread inTable(Thread t) {
        InterloperThread c = TABLE[(int) U.getLong(t, TID) & TABLE_SIZE - 1];
        while (c != null && c.thread != t) c = c.nextInTable;
        return c;
    }

    /** The thread's first time here. */
    private static InterloperThread enter(Thread t) {
        int uid = (int) U.getLong(t, TID);
        InterloperThread c;
        synchronized (LOCK) {
            InterloperThread before = free > 0 ? FREE[--free] : null;
            if (before == null && used == MOST) {
                InterloperLog.stop("recording stopped: more than " + MOST + " threads ran at once");
                before = LAST[MOST - 1];
            }
            int slot = before != null ? before.slot : used;
            c = new InterloperThread(t, slot);
            InterloperLog.open(c, before);
            SLOTS[slot] = c;
            LAST[slot] = c;
            if (before == null) used = slot + 1;
            int index = uid & TABLE_SIZE - 1;
            c.nextInTable = TABLE[index];
            U.storeFence();
            TABLE[index] = c;
            if (U.getLong(t, TID) >>> FIRST_BITS == 0) FIRST[uid] = c;
        }
        InterloperLog.append(c, InterloperLog.word(InterloperLog.START, 0, uid));
        InterloperLock lock = InterloperMap.lock(t, c);
        if (!lock.forked) InterloperNative.threadName(uid, t);
        synchronized (lock) {
            lock.follow(c);
        }
        return c;
    }

    /** A log for what no thread of the program says; null if there is no room for it. */
    static InterloperThread nobody() {
        synchronized (LOCK) {
            // The last slot is for threads: see enter.
            if (used >= MOST - 1) return null;
            InterloperThread c = new InterloperThread(null, used);
            InterloperLog.open(c, null);
            used = c.slot + 1;
            return c;
        }
    }

    /** The current thread ends. */
    static void exit() {
        Thread t = Thread.currentThread();
        InterloperThread c = inTable(t);
        if (c == null) return;
        InterloperOwnership.close(c);
        InterloperProbe.end(c, 0);
        InterloperLog.settleCounts(c);
        c.forgetMade();
        InterloperLock lock = InterloperMap.lock(t, c);
        synchronized (lock) {
            lock.follow(c);
            InterloperLog.append(c, InterloperLog.EXIT);
            lock.leave(c);
            lock.ended = true;
        }
        synchronized (LOCK) {
            long id = U.getLong(t, TID);
            if (id >>> FIRST_BITS == 0) FIRST[(int) id] = null;
            remove(c, (int) id & TABLE_SIZE - 1);
            U.fullFence();
            // Where there were too many, several had the last one.
            if (SLOTS[c.slot] != c) return;
            SLOTS[c.slot] = null;
            FREE[free++] = c;
        }
    }

    private static void remove(InterloperThread c, int index) {
        if (TABLE[index] == c) {
            TABLE[index] = c.nextInTable;
            return;
        }
        InterloperThread before = TABLE[index];
        while (before != null && before.nextInTable != c) before = before.nextInTable;
        if (before != null) before.nextInTable = c.nextInTable;
    }

    /** The JVM ends: counts go where the reader finds them. */
    static void shutdown() {
        InterloperOwnership.askAll();
        int slots = used;
        for (int slot = 0; slot < slots; slot++) {
            InterloperThread c = SLOTS[slot];
            if (c != null) InterloperLog.settleCounts(c);
        }
    }

    // ---- start and join, from hooks in Thread itself

    static void starting(Thread t) {
        InterloperThread c = here();
        InterloperOwnership.shows(c);
        InterloperLock lock = InterloperMap.lock(t, c);
        synchronized (lock) {
            if (lock.forked || lock.ended || inTable(t) != null) return;
            lock.forked = true;
            InterloperNative.threadName((int) U.getLong(t, TID), t);
            lock.follow(c);
            InterloperLog.event(c, InterloperLog.FORK, 0, (int) U.getLong(t, TID));
            lock.leave(c);
        }
    }

    static void joined(Thread t) {
        if (t.isAlive()) return;
        InterloperThread c = here();
        InterloperLock lock = InterloperMap.lock(t, c);
        synchronized (lock) {
            if (!lock.ended && (!lock.forked || inTable(t) != null)) return;
            lock.follow(c);
            InterloperLog.event(c, InterloperLog.JOIN, 0, (int) U.getLong(t, TID));
        }
    }

    static int[] copy(int[] from, int length) {
        int[] to = new int[length];
        System.arraycopy(from, 0, to, 0, from.length);
        return to;
    }
}
