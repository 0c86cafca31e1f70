package java.lang;

/** What the probe asks of the agent's native part. All of it is slow, none of it is on a fast path. */
final class InterloperNative {
    private InterloperNative() {}

    static final int ARENA = 0, CHUNK_WORDS = 1, CHUNKS = 2, SLOTS = 3, SLOT_TABLE = 4, RING = 5, CHUNK_AREA = 6,
            SITES = 7, LOG = 8, ARRAY_CUTOFF = 9, ALL_ACCESSES = 10, LEAVES = 11, REPETITIONS = 12;

    /** One of the settings above. */
    static native long settings(int what);

    /** On return, every thread of this process has gone through a full memory barrier. */
    static native void membarrier();

    /** Lets others run; the larger the step, the longer. */
    static native void pause(int step);

    /** The class that declares the field of this site, seen from an object or, for statics, from a class. */
    static native Class<?> declaring(Object object, Class<?> owner, int site);

    /** The access flags of the site's field; -1 if unknown. */
    static native int flags(Class<?> declaring, int site);

    /** A number for the site's field name, the same for all sites that name it alike. */
    static native int fieldNumber(int site);

    /** The class from which this one has its state field, or null. */
    static native Class<?> root(Class<?> declaring);

    /** The field of such a class that holds the states of all groups of fields but the first, or null. */
    static native String groups(Class<?> root);

    /** The group of the site's field in the class that declares it and holds the states: 0, 1 or 2. */
    static native int group(Class<?> root, int site);

    /** Tells the reader what a class number means: instances of a class, or the class as an object. */
    static native void className(int number, Class<?> named, boolean object);

    /** Tells the reader a thread's name. */
    static native void threadName(int uid, Thread thread);

    /** Something that the user should know at the end of the run. */
    static native void note(String text);
}
