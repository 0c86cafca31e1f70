package java.lang;

import java.lang.ref.PhantomReference;
import jdk.internal.misc.Unsafe;

/**
 * Which objects that have a number in the log are dead, so that the reader can forget them. A thread of the agent looks after every
 * collection and writes the dead numbers into a log of its own, after an edge to where each other log is by then.
 *
 * An access is in the log before its window is closed, and nobody can make one any more: so every entry about the object stands before
 * those edges, and the reader has passed it when it comes to the word of the death. (A compiler may let go of an object that
 * a thread has just read the number of, to write it down. The reader passes over such an entry.)
 *
 * References are phantoms, because finalizers may still use objects that weak references have let go of. They are looked through
 * without a queue: that needs no code of the JDK that may be woven.
 */
final class InterloperDeaths extends PhantomReference<Object> {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long NEXT = U.objectFieldOffset(InterloperDeaths.class, "next");
    /** So few are not worth an edge to every log, until the second is over. */
    private static final int FEW = 256;
    /** A look at those that have survived one costs some ten nanoseconds each: there is one when this has passed for each. */
    private static final long REST = 2_000;
    /**
     * The reader has some ten bytes for each variable until its object is collected, and programs that have a large heap and make
     * little garbage are rarely collected: after so many there is a collection on its behalf. It stops the program: so it must be more
     * where the heap is not small, but not more than the reader has room for, and at least so many times as long must pass as the
     * last one has taken.
     */
    private static final int MANY = 4_000_000, VERY_MANY = 20_000_000, TIMES = 10;
    /**
     * The same for objects that have survived one, if they have become half as many again: most collections leave them alone, also when they are
     * dead, and the reader has some hundred bytes for each.
     */
    private static final int MANY_OLD = 400_000;
    private static final long SMALL_HEAP = 1L << 30;
    /** How often it is looked whether garbage was collected, in nanoseconds. */
    private static final long INTERVAL = 50_000_000;

    private final int id;
    /** The one that was added before. */
    private InterloperDeaths next;

    private InterloperDeaths(Object object, int id) {
        super(object, null);
        this.id = id;
    }

    /** Heads the list of those that were added since the last look. */
    private static final InterloperDeaths ADDED = new InterloperDeaths(null, 0);

    // ---- the rest is for the agent's thread only

    /** Those that have survived a collection, how many they are, and when they were looked at last. */
    private static InterloperDeaths survivors;
    private static int survived;
    private static long lookedAt;
    /** How many of them there were after the last collection of all. */
    private static int oldThen;
    /** Dead, and not told yet. */
    private static int[] dead = new int[1024];
    private static int deadCount;
    private static InterloperThread log;
    /** How many variables there were at the last collection; when the next may be asked for. */
    private static int variablesThen;
    private static long nextCollection;

    /** From now on it is noticed when the object with this number dies. */
    static void watch(Object object, int id) {
        InterloperDeaths added;
        try {
            added = new InterloperDeaths(object, id);
        } catch (OutOfMemoryError e) {
            // The program has not asked for it. The reader remembers the object for ever.
            return;
        }
        do {
            added.next = (InterloperDeaths) U.getReferenceVolatile(ADDED, NEXT);
        } while (!U.compareAndSetReference(ADDED, NEXT, added.next, added));
    }

    /** Called soon after a collection. */
    static void look() {
        long now = System.nanoTime();
        variablesThen = InterloperCounters.ALL.variables;
        if (now - lookedAt > REST * survived) lookAtOld(now);
        oldThen = Math.min(oldThen, survived);
        sort((InterloperDeaths) U.getAndSetReference(ADDED, NEXT, null));
        if (deadCount >= FEW) tell();
    }

    private static void lookAtOld(long now) {
        lookedAt = now;
        InterloperDeaths list = survivors;
        survivors = null;
        survived = 0;
        sort(list);
    }

    /** The dead to the dead, the others to the survivors. */
    private static void sort(InterloperDeaths list) {
        for (InterloperDeaths it = list, following; it != null; it = following) {
            following = it.next;
            if (it.refersTo(null)) {
                if (deadCount == dead.length) dead = InterloperThreads.copy(dead, 2 * deadCount);
                dead[deadCount++] = it.id;
                // What is old and dead must not keep alive what is young and dead.
                it.next = null;
            } else {
                it.next = survivors;
                survivors = it;
                survived++;
            }
        }
    }

    /** Sleeps for a while, known to the JVM: for threads that are in native code it waits before it ends. */
    static void rest() {
        U.park(false, INTERVAL);
    }

    /** Asks for a collection if there has been none for too long. */
    private static void collect() {
        long before = System.nanoTime();
        int many = Runtime.getRuntime().totalMemory() <= SMALL_HEAP ? MANY : VERY_MANY;
        boolean fewNew = InterloperCounters.ALL.variables - variablesThen < many, fewOld = survived - oldThen < Math.max(MANY_OLD, oldThen / 2);
        if (fewNew && fewOld || before - nextCollection < 0) return;
        System.gc();
        lookAtOld(System.nanoTime());
        look();
        oldThen = survived;
        long after = System.nanoTime();
        nextCollection = after + TIMES * (after - before);
    }

    /** Called every second. */
    static void tellInTime() {
        collect();
        tell();
    }

    private static void tell() {
        if (deadCount == 0) return;
        if (log == null) log = InterloperThreads.nobody();
        int count = deadCount;
        deadCount = 0;
        if (log == null) return;
        // Accesses of elements come into the log before the window is closed that they are made in.
        InterloperOwnership.awaitAll();
        // All of them: an entry for elements grows without the position of its log.
        for (int slot = 0, slots = InterloperThreads.used(); slot < slots; slot++)
            InterloperLog.edge(log, slot, InterloperOwnership.positionOf(InterloperThreads.last(slot), slot));
        for (int i = 0; i < count; i += 3) {
            long second = i + 1 < count ? dead[i + 1] : 0;
            if (i + 2 < count) second |= (long) dead[i + 2] << 32;
            InterloperLog.append(log, InterloperLog.word(InterloperLog.DEAD, 0, dead[i]), second);
        }
    }
}
