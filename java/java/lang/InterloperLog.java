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
            OBJECT = 19, NEXT = 20, BEHALF = 21, DEAD = 22;

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
    private static final boolean REPETITIONS = InterloperNative.settings(InterloperNative.REPETITIONS) != 0;
    static final boolean ON = InterloperNative.settings(InterloperNative.LOG) != 0;

    private static final int IDS = 64;
    /** So many variables an object has, about. */
    private static final int FIELDS = 4;
    /** By number: the number that the object had while it was new. Old ones are overwritten. */
    private static final long[] BIRTHS = new long[1 << 16];

    @ForceInline
    static long word(int tag, int site, int id) {
        return (long) id << 32 | ((long) site << 8 | tag);
    }

    // ---- writing

    /*
     * A stack may overflow in any call. Then either nothing has happened or all: what follows the
     * writing of an entry's first word is no call.
     */

    static void append(InterloperThread c, long word) {
        if (!ON) return;
        long p = c.position;
        if (p >= c.limit) p = nextChunk(c);
        U.putLongRelease(null, (p << 3) + c.bias, word);
        c.position = p + 1;
    }

    static void append(InterloperThread c, long first, long second) {
        if (!ON) return;
        long p = c.position;
        if (p + 1 >= c.limit) p = nextChunk(c);
        U.putLongRelease(null, (p + 1 << 3) + c.bias, second);
        U.putLongRelease(null, (p << 3) + c.bias, first);
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
    private static long nextChunk(InterloperThread c) {
        settleCounts(c);
        for (int i = 0; i < c.behinds; i++) c.behind[i].leave();
        int chunk = takeChunk();
        boolean read = chunk >= 0;
        if (!read) chunk = c.chunk;
        long p = read ? c.position + 1 : c.position;
        long bias = CHUNK_AREA + (long) chunk * CHUNK_WORDS * 8 - (p << 3);
        if (read) U.putLongRelease(null, (c.position << 3) + c.bias, word(NEXT, 0, chunk));
        c.chunk = chunk;
        c.bias = bias;
        c.stretch++;
        // The last word of a chunk is for the way to the next.
        c.limit = p + CHUNK_WORDS - 1;
        c.position = p;
        return p;
    }

    /** A chunk of zeros; -1 if nobody reads any more. */
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
            c.nextBirth = before.nextBirth;
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

    /** Logs an access of a field, or remembers it if the object is this thread's alone. */
    static void tell(InterloperThread c, int site, Object o, long place) {
        int id = U.getInt(o, place >>> 32), word = U.getInt(o, (int) place);
        if (word == c.newWord) unshared(c, site, id);
        else access(c, site, id, word);
    }

    /** Whether this region knows of such an access of a new object: by heart, or because the running transaction has made it. */
    @ForceInline
    static boolean isNoNews(InterloperThread c, int site, int id) {
        return isBornIn(c, id) || isRemembered(c, site, id);
    }

    @DontInline
    private static boolean isRemembered(InterloperThread c, int site, int id) {
        long[] seen = c.seen;
        int i = fieldPlace(site, id) << 1 & seen.length - 2;
        return seen[i] == fieldKey(site, id) && seen[i + 1] == when(c, c.newWord);
    }

    /** Logs an access of a field, once in a region while the object is not away. */
    static void access(InterloperThread c, int site, int id, int word) {
        if (ON && (isWanted(word) || InterloperTold.isNews(c, site, id, word))) {
            catchUp(c, site);
            append(c, word(ACCESS, site, id));
        }
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
        } else if (isNewsOf(c, run, index, write, word)) {
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
        if (run.goesOn(c, word) && run.takesUp(c, index)) return true;
        if (run.isSteady()) {
            run.beginLater(c, index, word, write);
        } else if (isNewsOf(c, run, index, write, word)) {
            beginRun(c, run, index, word);
        } else {
            run.passOver(c, word);
        }
        return true;
    }

    /** A new entry, which may go on from this element. */
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
        if (ON && (isWanted(word) || isNews(c, id, index, write, word))) {
            elements(c, site, id, index);
        }
    }

    /**
     * Accesses to what only this thread has used: remembered, not logged. What the running transaction
     * has made itself need not be remembered: that it has made it says it all.
     */
    static void unshared(InterloperThread c, int site, int id) {
        if (ON && !isBornIn(c, id) && isNews(c, fieldKey(site, id), fieldPlace(site, id), when(c, c.newWord), site)) remember(c, id);
    }

    static void unsharedElement(InterloperThread c, InterloperRecord r, int site, int index, boolean write) {
        int id = r.id;
        if (ON && !isBornIn(c, id) && isNews(c, elementKey(id, write), elementPlace(id, index, write), when(c, index), site)) remember(c, id);
    }

    /** Births count down from below zero; what others may know has another number. */
    @ForceInline
    static boolean isBornIn(InterloperThread owner, int birth) {
        return birth < owner.firstBirth;
    }

    /** The lock of such an object was taken. */
    static void unsharedLock(InterloperThread c, Object o, int site) {
        int id = U.getInt(o, offset(o.getClass()) + 4);
        if (ON && !isBornIn(c, id) && isNews(c, word(ACQUIRE, 0, id), id, when(c, 0), site)) remember(c, id);
    }

    private static void remember(InterloperThread c, int id) {
        c.remember(id);
        beRunning(c);
    }

    /** The transaction is in the log before anybody may have to name it. */
    @ForceInline
    static void beRunning(InterloperThread c) {
        if (ON && c.logged == 0) run(c);
    }

    @DontInline
    private static void run(InterloperThread c) {
        if (c.depth != 0) begun(c, 1);
    }

    // ---- what the running region has logged of elements: (array, page and what was done; when; a bit an element)

    private static boolean isNews(InterloperThread c, int id, int index, boolean write, int word) {
        long[] pages = c.pages;
        int page = page(index, write);
        long key = (long) id << 32 | page, bit = 1L << index, when = when(c, word);
        int place = pagePlace(id, page), i = place & pages.length - 4;
        if (pages[i] == key && pages[i + 1] == when) {
            long mask = pages[i + 2];
            pages[i + 2] = mask | bit;
            return (mask & bit) == 0;
        }
        if ((int) (pages[i + 1] >>> 32) == c.region && pages[i] != key && pages[i] != 0 && ++c.crowdedPages >= pages.length) pages = morePages(c);
        i = place & pages.length - 4;
        pages[i] = key;
        pages[i + 1] = when;
        pages[i + 2] = bit;
        return true;
    }

    /** Whether the region has told of an element of the array that a site has at hand. */
    static boolean isTold(InterloperThread c, InterloperRun run, int index, boolean write) {
        long[] pages = c.pages;
        int id = run.record.id, page = page(index, write), i = pagePlace(id, page) & pages.length - 4;
        return (pages[i + 2] >>> index & 1) != 0 && pages[i] == ((long) id << 32 | page) && pages[i + 1] == when(c, run.record.state);
    }

    /** The same; the run remembers the page by itself. */
    private static boolean isNewsOf(InterloperThread c, InterloperRun run, int index, boolean write, int word) {
        boolean news = isNews(c, run.record.id, index, write, word);
        long[] pages = c.pages;
        run.rememberPage(c, index, word, pages[(pagePlace(run.record.id, page(index, write)) & pages.length - 4) + 2]);
        return news;
    }

    private static int page(int index, boolean write) {
        return index >>> 6 | (write ? 1 << 26 : 0);
    }

    private static int pagePlace(int id, int page) {
        return id * 0x9E3779B1 + page + (page >>> 16) << 2;
    }

    /** As {@link #crowded}, but what is forgotten is only told again. */
    private static long[] morePages(InterloperThread c) {
        c.crowdedPages = 0;
        return c.pages = InterloperThread.larger(c.pages, 4 * InterloperThread.MOST_PAGES);
    }

    // ---- what it remembers of objects that nobody else knows: (key, when) and the site

    /** A field goes by its site: that is at hand, and mostly there is one of a kind. */
    @ForceInline
    private static long fieldKey(int site, int id) {
        return word(ACCESS, site, id);
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

    private static long elementKey(int id, boolean write) {
        return word(ELEMENT, write ? 1 : 0, id);
    }

    // Neighbours in memory are neighbours here.

    @ForceInline
    private static int fieldPlace(int site, int id) {
        return id + (site * 0x9E3779B1 >>> 12);
    }

    private static int elementPlace(int id, int index, boolean write) {
        return id * 0x9E3779B1 + index + (write ? 0x51ED : 0);
    }

    private static boolean isNews(InterloperThread c, long key, int place, long when, int site) {
        long[] seen = c.seen;
        int i = place << 1 & seen.length - 2;
        if (seen[i] == key && seen[i + 1] == when) return false;
        if ((int) (seen[i + 1] >>> 32) == c.region && seen[i] != key) crowded(c);
        remember(c.seen, c.sites, place, key, when, site);
        return true;
    }

    /** In this order: others look at it while it is written. */
    private static void remember(long[] seen, int[] sites, int place, long key, long when, int site) {
        int i = place << 1 & seen.length - 2;
        seen[i] = key;
        U.storeFence();
        seen[i + 1] = when;
        sites[i >> 1] = site;
    }

    /** Something of this very region has to make room: if that happens too often, there is too little. */
    private static void crowded(InterloperThread c) {
        if (++c.crowded < c.seen.length || c.seen.length >= 2 * InterloperThread.LARGEST_FILTER) return;
        c.crowded = 0;
        long[] seen;
        int[] sites;
        try {
            seen = new long[4 * c.seen.length];
            sites = new int[seen.length / 2];
        } catch (OutOfMemoryError e) {
            // The program has not asked for it.
            return;
        }
        for (int i = 0; i < c.seen.length; i += 2) {
            long key = c.seen[i];
            int id = (int) (key >>> 32), index = (int) c.seen[i + 1], site = c.sites[i >> 1];
            if (key == 0) continue;
            int place = switch ((int) key & 0xFF) {
                case ACCESS -> fieldPlace(site, id);
                case ELEMENT -> elementPlace(id, index, (key & 0x100) != 0);
                default -> id;
            };
            remember(seen, sites, place, key, c.seen[i + 1], site);
        }
        c.sites = sites;
        U.storeFence();
        c.seen = seen;
    }

    /**
     * What the owner's running transaction did to an object while it was the only user, written into
     * the log of the thread that is now the second: the reader gives it to the owner.
     */
    static void onBehalf(InterloperThread c, InterloperThread owner, int id) {
        long before = c.position;
        if (hasMade(owner, id)) append(c, word(BEHALF, 0, id), (long) SIGNAL << 24 | owner.slot);
        else if (mayRemember(owner, id)) tellRemembered(c, owner, id);
        if (c.position == before) return;
        owner.touch(c.slot, c.position);
        // The reader takes it that entries for elements before it do not go on.
        c.stretch++;
    }

    private static void tellRemembered(InterloperThread c, InterloperThread owner, int id) {
        long[] seen = owner.seen;
        U.loadFence();
        int[] sites = owner.sites;
        if (seen.length != 2 * sites.length) return;
        for (int i = 0; i < seen.length; i += 2) {
            long key = remembered(owner, seen, i, id);
            if (key == 0) continue;
            long index = (key & 0xFF) == ELEMENT ? seen[i + 1] << 32 : 0;
            append(c, word(BEHALF, sites[i >> 1], id), index | (key & 0xFF) << 24 | owner.slot);
        }
    }

    /** The same for a thread's own log: it has let others in since, so the object is an ordinary one. */
    static void onOwnBehalf(InterloperThread c, int id, int at) {
        if (!ON || c.depth == 0 || c.handedOver - c.firstRegion < 0) return;
        if (hasMade(c, id) || !mayRemember(c, id)) return;
        for (int i = 0; i < c.seen.length; i += 2) {
            long key = remembered(c, c.seen, i, id);
            if (key == 0) continue;
            catchUp(c, at);
            int tag = (int) key & 0xFF, site = c.sites[i >> 1];
            if (tag == ELEMENT) append(c, word(tag, site, id), (int) c.seen[i + 1]);
            else append(c, word(tag, site, id));
            if (tag == ACQUIRE) append(c, word(RELEASE, site, id));
            c.stretch++;
        }
    }

    /** Whether the running transaction has made the object itself: then nothing is remembered of it. */
    private static boolean hasMade(InterloperThread owner, int id) {
        int birth = birthOf(id);
        return birth != 0 && isBornIn(owner, birth);
    }

    /** The number that an object had while it was new; 0: not known. */
    private static int birthOf(int id) {
        long birth = BIRTHS[id & BIRTHS.length - 1];
        return (int) (birth >>> 32) == id ? (int) birth : 0;
    }

    /** Most often nothing is remembered of an object, and there is no need to look through it all. */
    private static boolean mayRemember(InterloperThread owner, int id) {
        return owner.remembers(id) || owner.remembers(birthOf(id));
    }

    /** The key of an entry, if it is about this object and of the running transaction; else 0. */
    private static long remembered(InterloperThread owner, long[] seen, int i, int id) {
        long key = seen[i];
        if (key == 0) return 0;
        int of = (int) (key >>> 32);
        if (of != id && (of == 0 || of != birthOf(id))) return 0;
        U.loadFence();
        int region = (int) (seen[i + 1] >>> 32);
        U.loadFence();
        // The owner writes on: has it put something else here meanwhile?
        return seen[i] == key && region - owner.firstRegion >= 0 ? key : 0;
    }

    // ---- blocks

    /** The transaction's end comes after what others wrote down on its behalf. */
    static void awaitTouches(InterloperThread c) {
        for (int step = 0; U.getIntVolatile(c, InterloperThread.TOUCHING) != 0; step++) InterloperNative.pause(step >>> 6);
        synchronized (c) {
            for (int i = 0; i < c.touches; i++) edge(c, c.touchSlots[i], c.touchPositions[i]);
            c.touches = 0;
        }
    }

    /** Brings the blocks in the log to where the thread is: at this site. */
    private static void catchUp(InterloperThread c, int site) {
        int leaf = leafOf(c, site);
        if (leaf != 0) enterLeaf(c, leaf);
        else if (c.logged != c.depth) catchUp(c);
    }

    /** The same where no leaf can be. */
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
    private static void enterLeaf(InterloperThread c, int leaf) {
        if (c.logged > c.depth) return;
        begun(c, c.depth);
        append(c, word(BEGIN, 0, leaf));
        c.logged++;
        c.stretch++;
    }

    /** Writes the blocks that have begun and are not in the log, up to this depth. */
    static void begun(InterloperThread c, int depth) {
        while (c.logged < depth) {
            append(c, word(BEGIN, 0, c.labels[c.logged]));
            c.logged++;
            c.stretch++;
        }
    }

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

    /** Entries for elements end here; and whoever wants to know on which side of it accesses are is told them on both. */
    static void synchronizes(InterloperThread c) {
        if (c.behinds != 0) countAll(c);
        if (REPETITIONS) c.newRegion();
        else c.stretch++;
    }

    /**
     * What follows in this log comes after what the other had so far. It starts no new region: what this thread has told of
     * and has kept since, nobody else can have used in between in another way.
     */
    static void edge(InterloperThread c, int slot, long position) {
        if (slot >= 0 && slot != c.slot) append(c, word(EDGE, 0, slot), position);
    }

    // ---- names

    /** A number for an object, or for that of a record; the log says of which class it is. */
    static int newId(Object base, InterloperThread c) {
        if (c.nextId == c.lastId) {
            c.nextId = InterloperCounters.add(InterloperCounters.IDS, IDS) + 1;
            c.lastId = c.nextId + IDS;
            InterloperCounters.add(InterloperCounters.VARIABLES, c.variables);
            c.variables = 0;
            if (c.nextId < 0) stop("recording stopped: more objects were shared than the recorder can count");
        }
        int id = c.nextId++;
        if (base instanceof InterloperRecord) {
            InterloperRecord record = (InterloperRecord) base;
            c.variables += record.variables;
            append(c, word(OBJECT, 0, id), record.type);
        } else {
            if (ON && base != null) InterloperDeaths.watch(base, id);
            c.variables += FIELDS;
            append(c, word(OBJECT, 0, id), base == null ? 0 : classNumber(base.getClass()));
        }
        return id;
    }

    /** How many variables an object is counted for. */
    static int variablesOf(Object object) {
        return object.getClass().isArray() ? java.lang.reflect.Array.getLength(object) : FIELDS;
    }

    /** The number beside an object's first state word, or in its record; negative: a new object's, not in the log yet. */
    static int idAt(Object object, long offset, InterloperThread c) {
        for (int fresh = 0; ; ) {
            int id = U.getIntVolatile(object, offset);
            if (id > 0) return id;
            if (fresh == 0) fresh = newId(object, c);
            if (id != 0) BIRTHS[fresh & BIRTHS.length - 1] = (long) fresh << 32 | id & 0xFFFFFFFFL;
            if (U.compareAndSetInt(object, offset, id, fresh)) return fresh;
            // Who has a record of its own finds its death; and of a number that was given in vain, now.
            if (object instanceof InterloperRecord && U.getInt(object, offset) > 0 && ON) InterloperDeaths.watch(null, fresh);
        }
    }

    /** Where the instances of a class have their first state word; -1: nowhere. */
    static int offset(Class<?> of) {
        return laidOut(of).offset;
    }

    /** Where the instances of a class have their further state words, see InterloperOwnership.TWO; 0: nowhere. */
    static int further(Class<?> of) {
        return laidOut(of).further;
    }

    private static InterloperClass laidOut(Class<?> of) {
        InterloperClass record = InterloperMap.ofClass(of);
        if (record.offset == 0) {
            Class<?> root = InterloperNative.root(of);
            record.further = root == null ? 0 : furtherIn(root);
            U.storeFence();
            record.offset = root == null ? -1 : (int) U.objectFieldOffset(root, "$interloper$");
        }
        return record;
    }

    private static int furtherIn(Class<?> root) {
        String name = InterloperNative.groups(root);
        if (name == null) return 0;
        return (int) U.objectFieldOffset(root, name) + (name.indexOf('2') < 0 ? 0 : InterloperOwnership.TWO);
    }

    static int classNumber(Class<?> of) {
        InterloperClass record = InterloperMap.ofClass(of);
        int number = record.number;
        if (number == 0) {
            synchronized (record) {
                number = record.number;
                if (number == 0) {
                    number = InterloperCounters.add(InterloperCounters.CLASSES, 1) + 1;
                    InterloperNative.className(number, of);
                    record.number = number;
                }
            }
        }
        return number;
    }
}
