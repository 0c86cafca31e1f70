package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The thread's log: words in shared memory, read by another process while they are written. A word is
 * there once it is not zero; of an entry of two words the second is written first.
 */
final class InterloperLog {
    private InterloperLog() {}

    static final int ACCESS = 1, ELEMENT = 2, EDGE = 3, MAKE = 4, SEEN = 5, BEGIN = 6, END = 7, ACQUIRE = 8, RELEASE = 9,
            WAIT = 10, NOTIFY = 11, FORK = 12, JOIN = 13, START = 14, EXIT = 15, SIGNAL = 16, AWAIT = 17, BARRIER = 18,
            OBJECT = 19, NEXT = 20, MADE_BY = 21, DEAD = 22, MAKES = 23;

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long ARENA = InterloperNative.settings(InterloperNative.ARENA);
    private static final int CHUNK_WORDS = (int) InterloperNative.settings(InterloperNative.CHUNK_WORDS);
    private static final int CHUNKS = (int) InterloperNative.settings(InterloperNative.CHUNKS);
    private static final long SLOT_TABLE = ARENA + InterloperNative.settings(InterloperNative.SLOT_TABLE);
    private static final long RING = ARENA + InterloperNative.settings(InterloperNative.RING);
    private static final long CHUNK_AREA = ARENA + InterloperNative.settings(InterloperNative.CHUNK_AREA);
    /** Four bytes a site: the leaf that it is in, or 0. */
    private static final long LEAVES = InterloperNative.settings(InterloperNative.LEAVES);
    private static final long STOP = ARENA + 64, FRESH = ARENA + 68, FREE_HEAD = ARENA + 128, FREE_TAIL = ARENA + 192;
    static final boolean REPETITIONS = InterloperNative.settings(InterloperNative.REPETITIONS) != 0;
    static final boolean ON = InterloperNative.settings(InterloperNative.LOG) != 0;

    @ForceInline
    static long word(int tag, int site, int id) {
        return (long) id << 32 | ((long) site << 8 | tag);
    }

    // ---- writing

    /*
     * A stack may overflow in any call. Then either nothing has happened or all: what follows the
     * writing of an entry's first word is no call.
     */

    /** Everything before comes first. (A release of {@link Unsafe}'s own would be a fence for the processor in code that is not optimized yet.) */
    @ForceInline
    static void put(long address, long word) {
        U.storeFence();
        U.putLong(address, word);
    }

    static void append(InterloperThread c, long word) {
        if (!ON) return;
        long p = c.position;
        if (p >= c.limit) p = nextChunk(c);
        put((p << 3) + c.bias, word);
        c.position = p + 1;
    }

    static void append(InterloperThread c, long first, long second) {
        if (!ON) return;
        long p = c.position;
        if (p + 1 >= c.limit) p = nextChunk(c);
        put((p + 1 << 3) + c.bias, second);
        put((p << 3) + c.bias, first);
        c.position = p + 2;
    }

    /** Throws if the stack has no room for what must not be broken off in the middle. */
    static int stackFor(int calls) {
        return calls == 0 ? 0 : stackFor(calls - 1) + 1;
    }

    /** So much room that an edge and one more entry need no new chunk. */
    static void makeRoom(InterloperThread c) {
        if (ON && c.position + 4 > c.limit) nextChunk(c);
    }

    /** Goes on in another chunk; returns the position there. Waits if the reader has fallen behind. */
    @DontInline
    private static long nextChunk(InterloperThread c) {
        settleCounts(c);
        for (int i = 0; i < c.behinds; i++) c.behind[i].leave();
        int chunk = takeChunk();
        boolean read = chunk >= 0;
        if (!read) chunk = c.chunk;
        long p = read ? c.position + 1 : c.position;
        long bias = CHUNK_AREA + (long) chunk * CHUNK_WORDS * 8 - (p << 3);
        if (read) put((c.position << 3) + c.bias, word(NEXT, 0, chunk));
        c.chunk = chunk;
        c.bias = bias;
        c.stretch++;
        // The last word of a chunk is for the way to the next.
        c.limit = p + CHUNK_WORDS - 1;
        c.position = p;
        return p;
    }

    /** A chunk of zeros; -1 if nobody reads any more. */
    @DontInline
    private static int takeChunk() {
        for (int step = 0; ; step++) {
            if (U.getIntVolatile(null, STOP) != 0) return -1;
            long tail = U.getLongVolatile(null, FREE_TAIL);
            if (tail < U.getLongVolatile(null, FREE_HEAD)) {
                int chunk = U.getIntVolatile(null, RING + tail % CHUNKS * 4);
                if (U.compareAndSetLong(null, FREE_TAIL, tail, tail + 1)) return chunk;
                continue;
            }
            int fresh = U.getIntVolatile(null, FRESH);
            if (fresh < CHUNKS) {
                if (U.compareAndSetInt(null, FRESH, fresh, fresh + 1)) return fresh;
                continue;
            }
            InterloperNative.pause(step >>> 2);
        }
    }

    /** The first words of a thread in its slot; a slot that was used before goes on where it was. */
    static void open(InterloperThread c, InterloperThread before) {
        InterloperTold.open(c, before);
        if (before != null) {
            c.position = before.position;
            c.bias = before.bias;
            c.limit = before.limit;
            c.chunk = before.chunk;
            c.blocks = before.blocks;
            c.nextBirth = c.firstBirth = before.nextBirth;
            c.sharedSeen = before.sharedSeen;
            c.hold = before.hold;
            c.newWord = before.newWord;
            InterloperOwnership.handOver(c);
            c.region = before.region + 1;
            c.stretch = before.stretch + 1;
            c.awake();
            return;
        }
        c.awake();
        if (!ON) return;
        int chunk = takeChunk();
        c.chunk = Math.max(chunk, 0);
        c.bias = CHUNK_AREA + (long) c.chunk * CHUNK_WORDS * 8;
        c.limit = CHUNK_WORDS - 1;
        if (chunk >= 0) U.putIntVolatile(null, SLOT_TABLE + 64L * c.slot, chunk + 1);
    }

    /** Leaves the thread's counts where the reader finds them. */
    static void settleCounts(InterloperThread c) {
        U.putLong(null, SLOT_TABLE + 64L * c.slot + 8, c.blocks);
    }

    /** Recording stops for good; the program goes on. */
    static void stop(String why) {
        if (U.compareAndSetInt(null, STOP, 0, 2)) InterloperNative.note(why);
    }

    // ---- accesses

    /** Logs an access of a field, unless the object is this thread's alone. */
    static void tell(InterloperThread c, int site, Object o, long place) {
        int id = U.getInt(o, place >>> 32), word = U.getInt(o, (int) place);
        if (word != c.newWord) access(c, site, id, word);
    }

    /** Logs an access of a field, once in a region while the object is not away. */
    static void access(InterloperThread c, int site, int id, int word) {
        if (!ON) return;
        int news = isWanted(word) ? InterloperTold.NEWS : InterloperTold.news(c, site, id, word);
        if (news == InterloperTold.TOLD) return;
        if (mayDepend(c, news) && !isWanted(word)) InterloperTold.news(c, site, id, word);
        catchUp(c, site);
        append(c, word(ACCESS, site, id));
    }

    /**
     * Outside of blocks, every access is a transaction of its own. If one may be the first to depend on something, then it matters on which
     * side of it others are: what was told before, or done to new objects, is told again.
     */
    private static boolean mayDepend(InterloperThread c, int news) {
        if (news != InterloperTold.NEWS || !isBound(c)) return false;
        InterloperOwnership.handOver(c);
        return true;
    }

    /**
     * Outside of blocks: whether the thread may come to depend on a transaction that is still running. If none is, those that it does depend on
     * have ended, and nothing that it does can lead back to them; it is free until it has an edge to another log again.
     */
    private static boolean isBound(InterloperThread c) {
        return c.depth == 0 && c.bound && (c.bound = InterloperThreads.othersRun(c));
    }

    /**
     * Logs an access of an element that is not the next one of a run, once in a region. A site that goes through an array
     * in even steps has one entry, which counts on in place: see InterloperRun.
     */
    @DontInline
    static void element(InterloperThread c, InterloperRun run, int index, boolean write) {
        int id = run.record.id, word = run.record.state;
        if (isWanted(word)) {
            singleElement(c, run.site, id, index, write, word);
        } else if (isBound(c)) {
            elementBound(c, run, index, write, word);
        } else if (InterloperPages.isNewsOf(c, run, index, write, word)) {
            if (!run.isSingle() || !run.goesOn(c, word) || !run.extend(index)) {
                beginRun(c, run, index, word);
            }
        }
    }

    /**
     * The same for a site in a loop that leaves the window open: further elements need not be counted at once. What a site
     * accesses that is seen to go in even steps is told when the window is closed, all together and once in a region.
     */
    static boolean elementSince(InterloperThread c, InterloperRun run, int index, boolean write) {
        int id = run.record.id, word = run.record.state;
        if (isWanted(word)) {
            singleElement(c, run.site, id, index, write, word);
            return false;
        }
        if (isBound(c)) {
            elementBound(c, run, index, write, word);
            return false;
        }
        if (run.goesOn(c, word) && run.takesUp(c, index)) return true;
        if (run.isSteady()) {
            run.beginLater(c, index, word, write);
        } else if (InterloperPages.isNewsOf(c, run, index, write, word)) {
            beginRun(c, run, index, word);
        } else {
            run.passOver(c, word);
        }
        return true;
    }

    /** The same where the thread is bound: an entry goes on only as long as it is the last one. */
    private static void elementBound(InterloperThread c, InterloperRun run, int index, boolean write, int word) {
        int id = run.record.id, news = InterloperPages.news(c, id, index, write, word);
        if (news == InterloperTold.TOLD) return;
        if (mayDepend(c, news)) InterloperPages.news(c, id, index, write, word);
        if (!run.goesOnBound(c, index, word)) beginRun(c, run, index, word);
    }

    /** A new entry, which may go on from this element. */
    @DontInline
    private static void beginRun(InterloperThread c, InterloperRun run, int index, int word) {
        run.end(c);
        elements(c, run.site, run.record.id, index);
        run.begin(c, index, word);
    }

    /** An entry for elements that were accessed in the open window. */
    static void elements(InterloperThread c, int site, int id, long second) {
        catchUp(c, site);
        append(c, word(ELEMENT, site, id), second);
    }

    /** Accesses in the open window that are not counted yet. */
    @DontInline
    static void countAll(InterloperThread c) {
        while (c.behinds > 0) c.behind[c.behinds - 1].catchUp(c);
    }

    /** The same for one that no other is to follow. */
    static void singleElement(InterloperThread c, int site, int id, int index, boolean write, int word) {
        c.runs[site & InterloperThread.RUNS - 1].end(c);
        if (!ON) return;
        int news = isWanted(word) ? InterloperTold.NEWS : InterloperPages.news(c, id, index, write, word);
        if (news == InterloperTold.TOLD) return;
        if (mayDepend(c, news) && !isWanted(word)) InterloperPages.news(c, id, index, write, word);
        elements(c, site, id, index);
    }

    /**
     * The transaction makes an object: that is in the log before anybody may come to depend on it. Outside of one, nobody does, but it is
     * to be told apart from what the last one has made.
     */
    @ForceInline
    static void makes(InterloperThread c) {
        if (ON && !c.making) beginMaking(c);
    }

    @DontInline
    private static void beginMaking(InterloperThread c) {
        if (c.logged > c.depth) ended(c, c.depth);
        if (c.depth > 0) begun(c, 1);
        append(c, word(MAKES, 0, c.nextBirth));
        c.stretch++;
        c.making = true;
    }

    /**
     * What stands behind a key: the region, and the state that allowed the access, which is another one when the object has been
     * away; or an index.
     */
    @ForceInline
    static long when(InterloperThread c, int what) {
        return (long) c.region << 32 | what & 0xFFFFFFFFL;
    }

    /** A thread that wants the object next has been here already: the state does not tell any more what allowed the access. */
    static boolean isWanted(int word) {
        return InterloperOwnership.stateOf(word) == InterloperOwnership.BUSY;
    }

    // ---- blocks

    /** The transaction's end comes after what others wrote down on its behalf. */
    static void awaitTouches(InterloperThread c) {
        for (int step = 0; U.getIntVolatile(c, InterloperThread.TOUCHING) != 0; step++) InterloperNative.pause(step >>> 6);
        // Nobody comes after those that have been waited for.
        for (int i = 0; i < c.touches; i++) edge(c, c.touchSlots[i], c.touchPositions[i]);
        c.touches = 0;
    }

    /** Brings the blocks in the log to where the thread is: at this site. */
    static void catchUp(InterloperThread c, int site) {
        int leaf = leafOf(c, site);
        if (leaf != 0) enterLeaf(c, leaf);
        else if (c.logged != c.depth) catchUp(c);
    }

    /** The same where no leaf can be. */
    @DontInline
    private static void catchUp(InterloperThread c) {
        if (c.logged > c.depth) ended(c, c.depth);
        begun(c, c.depth);
    }

    /** The leaf that a site is in (see InterloperProbe.beginLeaf) and that is not among the open blocks; 0: in none. */
    private static int leafOf(InterloperThread c, int site) {
        int leaf = U.getInt(LEAVES + ((long) site << 2));
        return leaf != 0 && (c.depth != 1 || c.labels[0] != leaf) ? leaf : 0;
    }

    /** When the leaf began, there was no block too many in the log: if there is one now, it is the leaf's. */
    @DontInline
    private static void enterLeaf(InterloperThread c, int leaf) {
        if (c.logged > c.depth) return;
        begun(c, c.depth);
        append(c, word(BEGIN, 0, leaf));
        c.logged++;
        c.stretch++;
    }

    /** Writes the blocks that have begun and are not in the log, up to this depth. */
    @DontInline
    static void begun(InterloperThread c, int depth) {
        while (c.logged < depth) {
            append(c, word(BEGIN, 0, c.labels[c.logged]));
            c.logged++;
            c.stretch++;
        }
    }

    @DontInline
    static void ended(InterloperThread c, int depth) {
        while (c.logged > depth) {
            append(c, END);
            c.logged--;
            c.stretch++;
        }
    }

    /** Anything but an access. */
    static void event(InterloperThread c, int tag, int site, int id) {
        if (c.logged != c.depth) catchUp(c);
        append(c, word(tag, site, id));
        synchronizes(c);
    }

    static void event(InterloperThread c, int tag, int site, int id, long second) {
        if (c.logged != c.depth) catchUp(c);
        append(c, word(tag, site, id), second);
        synchronizes(c);
    }

    /**
     * Entries for elements end here; and where it matters on which side of it accesses are, as outside of blocks, or to whoever wants to know,
     * they are told on both.
     */
    static void synchronizes(InterloperThread c) {
        if (c.behinds != 0) countAll(c);
        if (REPETITIONS || c.depth == 0) c.newRegion();
        else c.stretch++;
    }

    /** What follows in this log comes after what the other had so far. */
    @DontInline
    static void edge(InterloperThread c, int slot, long position) {
        if (slot < 0 || slot == c.slot) return;
        follows(c);
        append(c, word(EDGE, 0, slot), position);
    }

    /** What follows comes after a number of shared states. */
    @DontInline
    static void seen(InterloperThread c, int number) {
        follows(c);
        append(c, word(SEEN, 0, number));
    }

    /**
     * It matters on which side of what this thread depends on its accesses are: outside of blocks, where every access is a transaction of its
     * own, to whether there is a violation, and within one to who is to blame. So what was told before is told again; in one that goes on
     * and on, which the reader could not follow, no more.
     */
    private static void follows(InterloperThread c) {
        if (c.depth == 0) {
            InterloperOwnership.handOver(c);
            c.bound = true;
        } else if (--c.regionsLeft >= 0) {
            c.newRegion();
        } else {
            c.stretch++;
        }
    }
}
