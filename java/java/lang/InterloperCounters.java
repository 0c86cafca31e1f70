package java.lang;

/** Counters that all threads share, far enough apart not to get into each other's way. */
final class InterloperCounters {
    static final InterloperCounters ALL = new InterloperCounters();
    static final long IDS = InterloperThread.U.objectFieldOffset(InterloperCounters.class, "ids");
    static final long CLASSES = InterloperThread.U.objectFieldOffset(InterloperCounters.class, "classes");
    static final long SHARES = InterloperThread.U.objectFieldOffset(InterloperCounters.class, "shares");
    static final long VARIABLES = InterloperThread.U.objectFieldOffset(InterloperCounters.class, "variables");

    /** Numbers of objects and of classes that were given, and how many variables the objects have, roughly. */
    int ids, classes, variables;
    long p0, p1, p2, p3, p4, p5, p6, p7;
    /** How many read-shared states there were. */
    int shares;

    static int add(long counter, int amount) {
        return InterloperThread.U.getAndAddInt(ALL, counter, amount);
    }
}
