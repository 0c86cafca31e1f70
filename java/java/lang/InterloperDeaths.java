package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * Which objects that have a number in the log are dead, so that the reader can forget them. A thread of the agent looks after every
 * collection and writes the dead numbers into a log of its own, after an edge to where each other log is by then.
 *
 * An access is in the log before its window is closed, and nobody can make one any more: so every entry about the object stands before
 * those edges, and the reader has passed it when it comes to the word of the death. (A compiler may let go of an object that
 * a thread has just read the number of, to write it down. The reader passes over such an entry.)
 *
 * References are looked through without a queue: that needs no code of the JDK that may be woven. Most objects die young, so those that
 * have survived a few collections are looked at more and more rarely.
 */
final class InterloperDeaths {
    private InterloperDeaths() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long NEXT = U.objectFieldOffset(InterloperDeath.class, "added");
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

    /** Heads the list of those that were added since the last look. */
    private static final InterloperDeath ADDED = new InterloperDeath(null, 0);

    // ---- the rest is for the agent's thread only

    /**
     * Those that have survived a collection, by how many looks they have survived: a look at the n-th list is due after 2 to the n-th
     * looks at the first. The last list is of old ones.
     */
    private static final InterloperDeath[] SURVIVORS = new InterloperDeath[6];
    private static final int OLD = SURVIVORS.length - 1;
    /** How many each list has, and all of them; how many looks there were, and when the old were looked at last. */
    private static final int[] COUNTS = new int[SURVIVORS.length];
    private static int survived, looks;
    private static long lookedAt;
    /** How many survivors there were after the last collection of all. */
    private static int survivedThen;
    /** Dead, and not told yet. */
    private static int[] dead = new int[1024];
    private static int deadCount;
    private static InterloperThread log;
    /** How many variables there were at the last collection; when the next may be asked for. */
    private static int variablesThen;
    private static long nextCollection;

    /** From now on it is noticed when the object with this number dies. */
    static void watch(Object object, int id) {
        InterloperDeath added;
        try {
            added = new InterloperDeath(object, id);
        } catch (OutOfMemoryError e) {
            // The program has not asked for it. The reader remembers the object for ever.
            return;
        }
        add(added);
    }

    /** A number was given that no object has got: the reader can forget it. */
    static void inVain(int id) {
        if (InterloperLog.ON) watch(null, id);
    }

    static void add(InterloperDeath added) {
        do {
            added.added = (InterloperDeath) U.getReferenceVolatile(ADDED, NEXT);
        } while (!U.compareAndSetReference(ADDED, NEXT, added.added, added));
    }

    /** Called soon after a collection. */
    static void look() {
        look(System.nanoTime() - lookedAt > REST * COUNTS[OLD]);
    }

    private static void look(boolean atOld) {
        variablesThen = InterloperCounters.ALL.variables;
        looks++;
        if (atOld) {
            lookedAt = System.nanoTime();
            sortSurvivors(OLD, OLD);
        }
        for (int i = OLD - 1; i >= 0; i--) if (atOld || (looks & (1 << i) - 1) == 0) sortSurvivors(i, i + 1);
        sort((InterloperDeath) U.getAndSetReference(ADDED, NEXT, null), 0);
        survivedThen = Math.min(survivedThen, survived);
        if (deadCount >= FEW) tell();
    }

    private static void sortSurvivors(int from, int to) {
        InterloperDeath list = SURVIVORS[from];
        SURVIVORS[from] = null;
        survived -= COUNTS[from];
        COUNTS[from] = 0;
        sort(list, to);
    }

    /** The dead to the dead, the others to the survivors. */
    private static void sort(InterloperDeath list, int survivors) {
        for (InterloperDeath it = list, following; it != null; it = following) {
            following = it.added;
            if (it.refersTo(null)) {
                bury(it);
                // What is old and dead must not keep alive what is young and dead.
                it.added = null;
            } else {
                it.added = SURVIVORS[survivors];
                SURVIVORS[survivors] = it;
                COUNTS[survivors]++;
                survived++;
            }
        }
    }

    private static void bury(InterloperDeath it) {
        boolean hasNumber = it.id > 0;
        if (it instanceof InterloperRecord) {
            InterloperRecord record = (InterloperRecord) it;
            InterloperMap.remove(record);
            hasNumber &= !record.borrowed;
        }
        if (!hasNumber) return;
        if (deadCount == dead.length) dead = InterloperThreads.copy(dead, 2 * deadCount);
        dead[deadCount++] = it.id;
    }

    /** Sleeps for a while, known to the JVM: for threads that are in native code it waits before it ends. */
    static void rest() {
        U.park(false, INTERVAL);
    }

    /** Asks for a collection if there has been none for too long. */
    private static void collect() {
        long before = System.nanoTime();
        int many = Runtime.getRuntime().totalMemory() <= SMALL_HEAP ? MANY : VERY_MANY;
        boolean fewNew = InterloperCounters.ALL.variables - variablesThen < many, fewOld = survived - survivedThen < Math.max(MANY_OLD, survivedThen / 2);
        if (fewNew && fewOld || before - nextCollection < 0) return;
        System.gc();
        look(true);
        survivedThen = survived;
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
