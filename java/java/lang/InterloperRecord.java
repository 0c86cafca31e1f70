package java.lang;

/**
 * What the probe knows of one object that cannot carry it itself: arrays, JDK objects, locks, static
 * variables (one record a variable). Found through {@link InterloperMap}; the object may be collected. There can be millions of them, so
 * what few need is elsewhere: {@link InterloperLock}, {@link InterloperClass}.
 *
 * The number of a new array is below 0 until others know it, as that of a new object.
 */
class InterloperRecord extends InterloperDeath {
    private static final long LOCK = InterloperThread.U.objectFieldOffset(InterloperRecord.class, "lock");
    /** Of no object. */
    static final InterloperRecord NOTHING = new InterloperRecord(null, 0, 0);

    /** The ownership word, see {@link InterloperOwnership}. */
    int state;
    /** What the object is found by, and the next record of the same bucket. */
    final int hash;
    InterloperRecord next;
    /** As a lock, a signal, a thread; null: it has not been one. */
    private volatile InterloperLock lock;
    /** Of an object without a number as yet: the number of its class, and how many variables it has. */
    int type, variables;
    /** Whether the object carries its number itself, and has a death of its own. */
    boolean borrowed;

    InterloperRecord(Object object, int id, int hash) {
        super(object, id);
        this.hash = hash;
    }

    /** What is known of it as a lock. */
    final InterloperLock lock(InterloperThread c) {
        InterloperLock known = lock;
        return known != null ? known : makeLock(InterloperNames.idAt(this, InterloperOwnership.RECORD_ID, c));
    }

    /** No monitor, see InterloperMap. */
    private InterloperLock makeLock(int id) {
        InterloperLock made = new InterloperLock(id);
        return InterloperThread.U.compareAndSetReference(this, LOCK, null, made) ? made : lock;
    }
}
