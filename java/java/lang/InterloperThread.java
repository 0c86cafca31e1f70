package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/** What a running thread of the checked program has at hand: its window, its log, its open blocks. */
public final class InterloperThread {
    static final Unsafe U = Unsafe.getUnsafe();
    static final long OPEN = U.objectFieldOffset(InterloperThread.class, "open");
    static final long TICK = U.objectFieldOffset(InterloperThread.class, "tick");
    static final long QUIET = U.objectFieldOffset(InterloperThread.class, "quiet");
    private static final long MAY_USE_NEW = U.objectFieldOffset(InterloperThread.class, "mayUseNew");
    static final long NEW_WORD = U.objectFieldOffset(InterloperThread.class, "newWord");
    static final long POSITION = U.objectFieldOffset(InterloperThread.class, "position");
    static final long DEPTH = U.objectFieldOffset(InterloperThread.class, "depth");
    static final long ASKED = U.objectFieldOffset(InterloperThread.class, "asked");
    static final long ANSWERED = U.objectFieldOffset(InterloperThread.class, "answered");
    static final long TOLD = U.objectFieldOffset(InterloperThread.class, "told");
    static final long TOUCHING = U.objectFieldOffset(InterloperThread.class, "touching");
    private static final long TOUCHED = U.objectFieldOffset(InterloperThread.class, "touched");

    /** Entries for pages of elements that were logged: at first, and at most; powers of two. */
    private static final int PAGES = 32;
    static final int MOST_PAGES = 1 << 13, MOST_STRETCHES = 1 << 13;
    private static final int MADE = 16;
    static final int REGIONS = 32;
    /** Births begin anew with a transaction after this one. */
    private static final int LAST_BIRTH = Integer.MIN_VALUE + (1 << 28);
    /** Records of the sites used last, and the arrays that sites go through; the reader knows how many (RUNS in log.rs). */
    static final int CACHE = 64, RUNS = 64, RECENT = 256;

    /**
     * Four for each window that was closed; others can tell by it what they must be able to see. What was found out in a window
     * holds as long as it is the same, see {@link InterloperFields#readSince}.
     */
    int tick;
    /** Whether the thread opens windows with a barrier of its own, see {@link InterloperOwnership}. */
    int quiet;
    /** 1 while an access and its record are under way: nobody takes an object from this thread then. */
    int open;
    /** 0. Nothing is moved across a read of it by the JVM's compilers, and it costs nothing: no other way is free in code that is not optimized yet, too. */
    private volatile int order;
    /** How often others have asked for the window to be closed, and how many of these times it has been. */
    volatile int asked;
    int answered;
    /** The states of an object that is this thread's. */
    int newWord;
    final int ownWrite, ownRead;
    /** Counts, in the upper bits of a state, what this thread has taken from others: so an object that was away in between shows it. */
    int hold;
    /** What it is just taking, and how often it has begun to take something. */
    volatile Object takes;
    volatile int takings;
    /** The highest number of a read-shared state that the log has seen. */
    int sharedSeen;
    /** The same as words, or nothing that an object's state can be: others put it here. */
    int mayUseNew, writeWord, readWord, sharedLimit;

    /** How many words the slot's log has; readable by others. */
    long position;
    /** Address of a word = 8 * position + bias; up to this position there is room in the chunk. */
    long bias, limit;
    int chunk;

    /** Open blocks, how many of them are in the log, and their methods. */
    int depth, logged;
    int[] labels = new int[16];
    /** Within a region an access is logged once; and how many more may begin in the running transaction because it depends on others. */
    int region, regionsLeft;
    /** Counts whatever an entry for elements must not go on after: regions, blocks in the log, chunks. See InterloperRun. */
    int stretch;
    /** Outside of blocks: whether it is to be seen if others' transactions are running that the thread may depend on, see InterloperLog. */
    boolean bound = true;
    /** Whether the log says from which number on objects are made by the running transaction, or outside of any. */
    boolean making;
    long[] pages = new long[4 * PAGES];
    int crowdedPages;
    /** The same for stretches of elements. */
    long[] stretches = new long[4 * PAGES];
    int crowdedStretches;
    /** Accesses that the region has told of, see InterloperTold; and the same, or nothing: others put it here. */
    long ownTold, told;
    int toldMask, crowdedTold;
    /**
     * How many threads are just now writing down that they depend on what the running transaction has made, and where
     * in which log those that did have written it, one at a time. The transaction ends after them.
     */
    int touching, touched, touches;
    int[] touchSlots = new int[4];
    long[] touchPositions = new long[4];

    final InterloperRecord[] cache = new InterloperRecord[CACHE];
    /** Records used last, by their hashes. */
    final InterloperRecord[] recent = new InterloperRecord[RECENT];
    final InterloperRun[] runs = new InterloperRun[RUNS], otherRuns = new InterloperRun[RUNS];
    /** Those of them whose entries do not count everything yet that was accessed in the open window. */
    final InterloperRun[] behind = new InterloperRun[RUNS];
    int behinds;
    /** Ids that are this thread's to give, and how many variables the objects have that got the last ones. */
    int nextId, lastId, variables;
    /** The arrays that were made last, since the thread let others in, and in the running transaction if there is one. */
    private final Object[] made = new Object[MADE];
    private int nextMade;
    /** For new objects: numbers that tell them apart until they are shared. */
    int nextBirth = -1;
    /** The last of them before the running transaction. */
    int firstBirth = -1;
    /** The lock that this thread has let go of to wait, and how often it held it; the monitor or condition, if it is the JDK's, and where. */
    InterloperLock waitsFor;
    int waitCount, waitsAt;
    Object waitsOn;
    /** The semaphore that the thread is about to acquire permits of, how many, which acquisition of it that is, and how many signals it had given by then if they were free for it; else -1. */
    InterloperLock acquires;
    int permits, acquisition, acquiresAfter;
    /** What it has announced to do and not done yet; what it is about to complete, and where. */
    InterloperLock announced;
    Object completes;
    int completesAt;
    /** The barrier or exchanger that it waits at for others, who may not come. */
    InterloperLock meets;
    /** The last signal of the barrier before. */
    int meetsSince;
    /** A compare-and-set under way: number and index of its variable, and the state that allows it. */
    int pendingId, pendingIndex, pendingWord;
    long blocks;
    /** Whether it is being found out what a method starts, see {@link InterloperStarts}. */
    boolean deciding;

    final Thread thread;
    final int slot;
    InterloperThread nextInTable;

    InterloperThread(Thread thread, int slot) {
        this.thread = thread;
        this.slot = slot;
        newWord = slot << 3 | InterloperOwnership.NEW;
        ownWrite = slot << 3 | InterloperOwnership.WRITE;
        ownRead = slot << 3 | InterloperOwnership.READ;
        for (int i = 0; i < RUNS; i++) runs[i] = InterloperRun.NOWHERE;
    }

    /** Opens the window, before anything that comes after: see {@link #order}. */
    @ForceInline
    void open() {
        open = 1;
        int ignored = order;
    }

    /** Whether an object in this state may be read; one that the thread has made and keeps is not asked about. */
    @ForceInline
    boolean mayRead(int word) {
        // READ is WRITE and a bit.
        return word <= sharedLimit || ((word | 1) & InterloperOwnership.WHOSE) == readWord;
    }

    @ForceInline
    boolean mayWrite(int word) {
        return (word & InterloperOwnership.WHOSE) == writeWord;
    }

    /** Others see what was done before, too, if they see it. */
    @ForceInline
    void setDepth(int depth) {
        U.storeFence();
        this.depth = depth;
    }

    void awake() {
        mayUseNew = newWord;
        writeWord = ownWrite;
        readWord = ownRead;
        sharedLimit = InterloperOwnership.sharedWord(sharedSeen);
        told = ownTold;
    }

    /** What it makes from here on is in another state; unless others have taken that from it meanwhile, it may use it. */
    void beginStretch(int word) {
        int before = newWord;
        // Who sees it sees every window before it, too.
        U.putIntRelease(this, NEW_WORD, word);
        U.compareAndSetInt(this, MAY_USE_NEW, before, word);
    }

    void lull() {
        mayUseNew = writeWord = readWord = -1;
        sharedLimit = InterloperOwnership.sharedWord(0);
        told = InterloperTold.NOTHING;
    }

    void waitFor(InterloperLock lock, Object on, int site) {
        waitsFor = lock;
        waitsOn = on;
        waitsAt = site;
    }

    /** A larger table for what was told, empty, or the same: the program has not asked for it, so there may be no memory. */
    static long[] larger(long[] table, int most) {
        if (table.length >= most) return table;
        try {
            return new long[4 * table.length];
        } catch (OutOfMemoryError e) {
            return table;
        }
    }

    /** What was told before may be told again from here on. */
    @ForceInline
    int newRegion() {
        stretch++;
        return ++region;
    }

    /** For the state of what is being taken from others. When numbers come again, what was told before is told again. */
    int newHold() {
        hold = hold + InterloperOwnership.HOLD & Integer.MAX_VALUE;
        if (hold == 0 && InterloperLog.ON) newRegion();
        return hold;
    }

    void makes(Object array) {
        made[nextMade++ & MADE - 1] = array;
    }

    /** Whether the record is of an array that was made here since the thread let others in, in the running transaction if there is one. */
    boolean hasMade(InterloperRecord record) {
        for (int i = 0; i < MADE; i++) if (made[i] != null && record.refersTo(made[i])) return true;
        return false;
    }

    /** What was made up to here is an ordinary array when it is first used. */
    void forgetMade() {
        if (nextMade == 0) return;
        for (int i = 0; i < MADE; i++) made[i] = null;
        nextMade = 0;
    }

    void forgetLast() {
        made[nextMade - 1 & MADE - 1] = null;
    }

    /** A number for a new object, until others know it. */
    @ForceInline
    int newBirth() {
        return --nextBirth | Integer.MIN_VALUE;
    }

    /**
     * Another thread has written something on this one's behalf. It has an object that others wait for, so it must not wait for a monitor:
     * a virtual thread would give way to those that wait.
     */
    void touch(int slot, long position) {
        while (!U.compareAndSetInt(this, TOUCHED, 0, 1)) Thread.onSpinWait();
        try {
            if (touches == touchSlots.length) growTouches();
            touchSlots[touches] = slot;
            touchPositions[touches++] = position;
        } catch (OutOfMemoryError e) {
            InterloperLog.stop("recording stopped: there was no memory for it");
        } finally {
            U.putIntRelease(this, TOUCHED, 0);
        }
    }

    private void growTouches() {
        long[] longer = new long[2 * touches];
        touchSlots = InterloperThreads.copy(touchSlots, 2 * touches);
        System.arraycopy(touchPositions, 0, longer, 0, touches);
        touchPositions = longer;
    }

    /** At the beginning of a transaction: what was born before is none of it. */
    void beginBirths() {
        if (nextBirth < LAST_BIRTH || nextBirth >= 0) {
            // What has such a number from the last time is no new object any more.
            nextBirth = -1;
            InterloperOwnership.handOver(this);
        }
        firstBirth = nextBirth;
    }
}
