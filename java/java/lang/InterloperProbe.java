package java.lang;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import jdk.internal.misc.InnocuousThread;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What woven code calls. The fast paths are here and are compiled into their callers, whose code must stay small, or it
 * is not compiled into their own callers any more: so what is rare is always called.
 */
public final class InterloperProbe {
    private InterloperProbe() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    /**
     * Eight bytes a site: where the state and the object's number are, as a place ({@link InterloperOwnership}). 0: not
     * looked up yet, -1: in a record, -2: a final field, not looked at.
     */
    private static final long SITES = InterloperNative.settings(InterloperNative.SITES);
    private static final int IN_RECORD = -1, IGNORED = -2;
    private static final int ARRAY_CUTOFF = (int) InterloperNative.settings(InterloperNative.ARRAY_CUTOFF);
    private static final int FINAL = 0x10, VOLATILE = 0x40;
    /** An array of so many elements gets its record when it is made. */
    private static final int LARGE = 1 << 12;
    /** Added to a place where a volatile field is written: that makes both halves negative, and less than anything else. */
    private static final long VOLATILE_PLACE = (1L << 63) + (1L << 31), SHOWS = -1L << 62;
    private static final long RECORD = InterloperOwnership.RECORD_PLACE, STATE = (int) RECORD;

    // ---- methods and blocks

    @ForceInline
    public static InterloperThread here() {
        return InterloperThreads.here();
    }

    @ForceInline
    public static int begin(InterloperThread c, int method) {
        if (!InterloperLog.ON) return count(c);
        int depth = c.depth;
        int[] labels = c.labels;
        // An exception at a bad moment may have left a block in the log that has ended.
        if (depth == 0 || depth >= labels.length || c.logged > depth) return beginRarely(c, method);
        labels[depth] = method;
        c.blocks++;
        U.putIntRelease(c, InterloperThread.DEPTH, depth + 1);
        return depth;
    }

    @DontInline
    private static int beginRarely(InterloperThread c, int method) {
        int depth = c.depth;
        if (depth >= c.labels.length) c.labels = InterloperThreads.copy(c.labels, 2 * depth);
        c.labels[depth] = method;
        if (c.logged > depth) InterloperLog.ended(c, depth);
        if (depth == 0) {
            c.newRegion();
            c.regionsLeft = InterloperThread.REGIONS;
            c.beginBirths();
            c.forgetMade();
            c.making = false;
        }
        c.blocks++;
        U.putIntRelease(c, InterloperThread.DEPTH, depth + 1);
        return depth;
    }

    /** Without a log, there are no transactions. */
    @ForceInline
    private static int count(InterloperThread c) {
        c.blocks++;
        return 0;
    }

    /**
     * A block in which no other probes are met than its own: its sites know that they are in it, and it is
     * nowhere but in the log, if at all (InterloperLog.catchUp). As a transaction it begins and ends like any other.
     */
    @ForceInline
    public static int beginLeaf(InterloperThread c, int method) {
        if (!InterloperLog.ON) return count(c);
        int depth = c.depth;
        if (depth == 0 || c.logged > depth) return beginLeafRarely(c, method);
        c.blocks++;
        return depth;
    }

    @DontInline
    private static int beginLeafRarely(InterloperThread c, int method) {
        int depth = c.depth;
        if (depth == 0) return beginRarely(c, method);
        InterloperLog.ended(c, depth);
        c.blocks++;
        return depth;
    }

    @ForceInline
    public static void endLeaf(InterloperThread c, int saved) {
        if (InterloperLog.ON && (saved == 0 || c.logged > saved)) endLeafRarely(c, saved);
    }

    /** The same, where a window may be open. */
    @ForceInline
    public static void closeLeaf(InterloperThread c, int saved) {
        if (InterloperLog.ON && (saved == 0 || c.logged > saved || c.behinds != 0)) endLeafRarely(c, saved);
        else InterloperOwnership.closeCounted(c);
    }

    @DontInline
    private static void endLeafRarely(InterloperThread c, int saved) {
        // What is still to be counted may be the first that the leaf has in the log.
        close(c);
        if (saved == 0 || c.logged > saved) end(c, saved);
    }

    // ---- what small methods look at once, see guards.rs in the weaver

    /** Whether a leaf that tells nothing has nothing to do for its block, either. */
    @ForceInline
    public static boolean isPlain(InterloperThread c) {
        return !InterloperLog.ON || c.depth != 0 && c.logged <= c.depth;
    }

    @ForceInline
    public static void beginTold(InterloperThread c) {
        c.blocks++;
    }

    /** Where the window has told nothing, so that nothing is left to be counted. */
    @ForceInline
    public static void closeTold(InterloperThread c) {
        InterloperOwnership.closeCounted(c);
    }

    /** What {@link #readFirst} gives, where there is nothing to do. */
    @ForceInline
    public static int since(InterloperThread c) {
        return c.tick;
    }

    @ForceInline
    public static boolean readTold(Object o, InterloperThread c, int site) {
        return isHeldAndTold(o, c, site, 0, false);
    }

    @ForceInline
    public static boolean writeTold(Object o, InterloperThread c, int site) {
        return isHeldAndTold(o, c, site, 0, true);
    }

    @ForceInline
    public static boolean readsTold(Object o, InterloperThread c, int site) {
        return isHeldAndTold(o, c, site, InterloperTold.ALL, false);
    }

    @ForceInline
    public static boolean writesTold(Object o, InterloperThread c, int site) {
        return isHeldAndTold(o, c, site, InterloperTold.ALL, true);
    }

    /**
     * What the first probe would find out, with the window open; if there is something to do, it is closed again. If there is no object, there is
     * no access.
     */
    @ForceInline
    private static boolean isHeldAndTold(Object o, InterloperThread c, int site, int all, boolean write) {
        if (o == null) return true;
        U.putIntOpaque(c, InterloperThread.OPEN, 1);
        long place = place(site);
        if (place > 0) {
            int word = U.getIntAcquire(o, (int) place);
            if (word == c.newWord ? isOwn(o, c, place) : InterloperLog.ON ? isTold(o, c, site + all, place, word) : write ? mayWrite(c, word) : mayRead(c, word)) return true;
        }
        InterloperOwnership.closeCounted(c);
        return false;
    }

    public static int depth(InterloperThread c) {
        return c.depth;
    }

    /** Closes the window, too. */
    @ForceInline
    public static void end(InterloperThread c, int saved) {
        close(c);
        if (!InterloperLog.ON) return;
        U.putIntRelease(c, InterloperThread.DEPTH, saved);
        if (saved == 0 || c.logged > saved) endRarely(c, saved);
    }

    @DontInline
    private static void endRarely(InterloperThread c, int saved) {
        if (saved == 0) {
            c.newRegion();
            c.making = true;
            c.bound = true;
            if (U.getIntOpaque(c, InterloperThread.TOUCHING) != 0 || c.touches != 0) InterloperLog.awaitTouches(c);
        }
        if (c.logged > saved) InterloperLog.ended(c, saved);
    }

    @DontInline
    public static void caught(InterloperThread c, int saved) {
        if (c.meets != null || c.announced != null || c.waitsFor != null) leave(c);
        if (c.depth > saved) end(c, saved);
        else close(c);
    }

    @DontInline
    public static void leave(InterloperThread c) {
        close(c);
        if (c.meets != null) InterloperSync.failed(c);
        if (c.waitsFor != null) InterloperSync.waitEnded(c);
        InterloperSync.settled(c);
    }

    public static void beginBlock(InterloperThread c, int method) {
        begin(c, method);
    }

    public static void endBlock(InterloperThread c) {
        if (c.depth > 0) end(c, c.depth - 1);
    }

    @ForceInline
    public static void close(InterloperThread c) {
        InterloperOwnership.close(c);
    }

    /** In a loop that goes round with a window that may be open. */
    @ForceInline
    public static void poll(InterloperThread c) {
        if (U.getIntAcquire(c, InterloperThread.ASKED) != c.answered) InterloperOwnership.answer(c);
    }

    // ---- fields

    public static void read(Object o, InterloperThread c, int site) {
        if (o == null) return;
        U.putIntOpaque(c, InterloperThread.OPEN, 1);
        long place = place(site);
        if (place > 0) {
            int word = U.getIntAcquire(o, (int) place);
            if (word == c.newWord ? isOwn(o, c, place) : InterloperLog.ON ? isTold(o, c, site, place, word) : mayRead(c, word)) return;
        } else if (place == IGNORED) {
            return;
        }
        slow(o, c, site, false);
    }

    public static void write(Object o, InterloperThread c, int site) {
        if (o == null) return;
        U.putIntOpaque(c, InterloperThread.OPEN, 1);
        long place = place(site);
        if (place > 0) {
            int word = U.getIntAcquire(o, (int) place);
            if (word == c.newWord ? isOwn(o, c, place) : InterloperLog.ON ? isTold(o, c, site, place, word) : mayWrite(c, word)) return;
        }
        slow(o, c, site, true);
    }

    // ---- accesses in loops that leave the window open

    /*
     * The last argument is what the same access of the same variable gave the last time round: as long as the window was not closed
     * since, there is nothing to do. NEVER: it has not been made yet, or of another object.
     */
    private static final int NEVER = 2;

    @ForceInline
    public static int readSince(Object o, InterloperThread c, int site, int since) {
        if (since == c.tick) return since;
        read(o, c, site);
        return c.tick;
    }

    @ForceInline
    public static int writeSince(Object o, InterloperThread c, int site, int since) {
        if (since == c.tick) return since;
        write(o, c, site);
        return c.tick;
    }

    @ForceInline
    public static int readStaticSince(Class<?> owner, InterloperThread c, int site, int since) {
        if (since == c.tick) return since;
        readStatic(owner, c, site);
        return c.tick;
    }

    /**
     * Elements are others each time: what the site has to go through the array counts them, and knows how long the array is held.
     */
    @ForceInline
    public static InterloperRun readElementSince(Object array, int index, InterloperThread c, int site, InterloperRun since) {
        return since.isNext(c, index) ? since : elementSince(array, index, c, site, since, false);
    }

    @ForceInline
    public static InterloperRun writeElementSince(Object array, int index, InterloperThread c, int site, InterloperRun since) {
        return since.isNext(c, index) ? since : elementSince(array, index, c, site, since, true);
    }

    /** Another element of an array in the window of an access that was allowed at least as much. */
    @ForceInline
    public static InterloperRun readElementAgainSince(Object array, int index, InterloperThread c, int site, InterloperRun since) {
        return !InterloperLog.ON || since.isNext(c, index) ? since : elementAgainSince(array, index, c, site, since, false);
    }

    @ForceInline
    public static InterloperRun writeElementAgainSince(Object array, int index, InterloperThread c, int site, InterloperRun since) {
        return !InterloperLog.ON || since.isNext(c, index) ? since : elementAgainSince(array, index, c, site, since, true);
    }

    /** For what has not been accessed yet, or where another array is now. */
    @ForceInline
    public static InterloperRun nowhere() {
        return InterloperRun.NOWHERE;
    }

    @ForceInline
    private static InterloperRun runOf(InterloperThread c, int site) {
        return c.runs[site & InterloperThread.RUNS - 1];
    }

    @DontInline
    private static InterloperRun elementSince(Object array, int index, InterloperThread c, int site, InterloperRun since, boolean write) {
        if (isTold(index, c, since, write)) return since;
        if (array == null || !isLookedAt(index)) return InterloperRun.NOWHERE;
        InterloperRun run = runThrough(array, c, site);
        int word = held(run.record, c, site, write);
        if (ARRAY_CUTOFF == Integer.MAX_VALUE) return goOn(run, index, c, word, write);
        tellElement(run.record, index, c, site, write);
        return InterloperRun.NOWHERE;
    }

    @DontInline
    private static InterloperRun elementAgainSince(Object array, int index, InterloperThread c, int site, InterloperRun since, boolean write) {
        if (isTold(index, c, since, write)) return since;
        if (array == null || !isLookedAt(index)) return InterloperRun.NOWHERE;
        InterloperRun run = runThrough(array, c, site);
        return goOn(run, index, c, run.record.state, write);
    }

    private static boolean isTold(int index, InterloperThread c, InterloperRun since, boolean write) {
        return since.isHeld(c) && index >= 0 && InterloperPages.isTold(c, since, index, write);
    }

    /** What the site goes through this array with. */
    private static InterloperRun runThrough(Object array, InterloperThread c, int site) {
        InterloperRun run = runOf(c, site);
        return isThrough(run, array, site) ? run : InterloperMap.turn(array, c, site);
    }

    /** Whether this is what the site goes through this array with. */
    @ForceInline
    private static boolean isThrough(InterloperRun run, Object array, int site) {
        return run.site == site && run.record.refersTo(array);
    }

    /** Tells of an element of an array that is held, and counts others from there on, if that can be. */
    private static InterloperRun goOn(InterloperRun run, int index, InterloperThread c, int word, boolean write) {
        boolean quiet = !InterloperLog.ON || word == c.newWord;
        if (!quiet && !InterloperLog.elementSince(c, run, index, write)) return InterloperRun.NOWHERE;
        run.beHeld(c, index, quiet);
        return run;
    }

    /** Opens the window and gets hold of an array; its state. */
    @ForceInline
    private static int held(InterloperRecord r, InterloperThread c, int site, boolean write) {
        U.putIntOpaque(c, InterloperThread.OPEN, 1);
        int word = U.getIntAcquire(r, STATE);
        if (word == c.newWord ? InterloperNames.isJustBorn(c, r.id) : mayWrite(c, word) || !write && mayRead(c, word)) return word;
        InterloperOwnership.take(r, RECORD, c, site, write);
        return r.state;
    }

    // ---- accesses of one object that follow each other in a window

    /*
     * The first one gets hold of the object for all, for writing if one of them writes. What it gives to the others says, by the number of
     * closed windows, how long it is held, and whether there is anything to do: as it is, nothing, because the region has told of all of
     * them; and HELD, to tell; and HELD_AGAIN, the same, but the object has been away since the first one told.
     */
    private static final int HELD = 1, HELD_AGAIN = 3;

    public static int readFirst(Object o, InterloperThread c, int site) {
        if (o != null) {
            U.putIntOpaque(c, InterloperThread.OPEN, 1);
            long place = place(site);
            if (place > 0) {
                int word = U.getIntAcquire(o, (int) place);
                if (word == c.newWord ? isOwn(o, c, place) : InterloperLog.ON ? isTold(o, c, site + InterloperTold.ALL, place, word) : mayRead(c, word)) return c.tick;
            }
        }
        return first(o, c, site, false);
    }

    public static int writeFirst(Object o, InterloperThread c, int site) {
        if (o != null) {
            U.putIntOpaque(c, InterloperThread.OPEN, 1);
            long place = place(site);
            if (place > 0) {
                int word = U.getIntAcquire(o, (int) place);
                if (word == c.newWord ? isOwn(o, c, place) : InterloperLog.ON ? isTold(o, c, site + InterloperTold.ALL, place, word) : mayWrite(c, word)) return c.tick;
            }
        }
        return first(o, c, site, true);
    }

    @DontInline
    private static int first(Object o, InterloperThread c, int site, boolean write) {
        return hold(o, c, site, write) ? c.tick | HELD : NEVER;
    }

    @ForceInline
    public static int readNext(Object o, InterloperThread c, int site, int since) {
        return since == c.tick ? since : next(o, c, site, since, false);
    }

    @ForceInline
    public static int writeNext(Object o, InterloperThread c, int site, int since) {
        return since == c.tick ? since : next(o, c, site, since, true);
    }

    @DontInline
    private static int next(Object o, InterloperThread c, int site, int since, boolean write) {
        if ((since | HELD_AGAIN) == (c.tick | HELD_AGAIN) && since != NEVER) {
            tellHeld(o, c, site);
            return since;
        }
        return hold(o, c, site, write) ? c.tick | HELD_AGAIN : NEVER;
    }

    @ForceInline
    public static void readLast(Object o, InterloperThread c, int site, int since, int first) {
        if (since != c.tick) last(o, c, site, since, first, false);
    }

    @ForceInline
    public static void writeLast(Object o, InterloperThread c, int site, int since, int first) {
        if (since != c.tick) last(o, c, site, since, first, true);
    }

    @DontInline
    private static void last(Object o, InterloperThread c, int site, int since, int first, boolean write) {
        next(o, c, site, since, write);
        if (!InterloperLog.ON || since != (c.tick | HELD)) return;
        long place = place(first);
        if (place > 0) InterloperTold.tellAll(c, first, idAt(o, place), U.getInt(o, (int) place));
    }

    /** Whether the object is held now, and the first access told. */
    private static boolean hold(Object o, InterloperThread c, int site, boolean write) {
        if (o == null) return false;
        slow(o, c, site, write);
        long place = place(site);
        return place > 0 || place == IN_RECORD;
    }

    /** The state is not looked at: somebody may want the object by now, but gets it when the window is closed. */
    private static void tellHeld(Object o, InterloperThread c, int site) {
        long place = place(site);
        if (place == 0) place = resolve(o, site, false);
        if (place > 0) InterloperLog.tell(c, site, o, place);
        else if (place == IN_RECORD) tell(InterloperMap.of(o, c, site), c, site);
    }

    /** Where the state and the number are, or why not. */
    @ForceInline
    private static long place(int site) {
        return U.getLong(SITES + ((long) site << 3));
    }

    /** The number of the object. */
    @ForceInline
    private static int idAt(Object o, long place) {
        return U.getInt(o, place >>> 32);
    }

    /** Whether the region has told of the access under this very state; or of all that the site is the first of. */
    @ForceInline
    private static boolean isTold(Object o, InterloperThread c, int site, long place, int word) {
        return InterloperTold.has(c, site, idAt(o, place), word);
    }

    /** Whether an object that is new to all appearance was made just now: then nobody else knows it. */
    @ForceInline
    private static boolean isOwn(Object o, InterloperThread c, long place) {
        return InterloperNames.isJustBorn(c, idAt(o, place));
    }

    /** In a constructor, once the superclass's is done: the object is this thread's. The site tells of the further words. */
    public static void made(Object o, InterloperThread c, int site) {
        long offsets = place(site);
        if (offsets == 0) offsets = resolveMade(o, site);
        // Most classes have one state word for all fields.
        if (offsets > 0 && offsets >>> 32 == 0 && (!InterloperLog.ON || c.making)) InterloperOwnership.made(o, (int) offsets, c);
        else if ((int) offsets > 0) InterloperOwnership.madeRarely(o, (int) offsets, (int) (offsets >>> 32), c);
    }

    @DontInline
    private static long resolveMade(Object o, int site) {
        Class<?> of = o.getClass();
        long offsets = (long) InterloperNames.further(of) << 32 | InterloperNames.offset(of) & 0xFFFFFFFFL;
        U.putLong(SITES + ((long) site << 3), offsets);
        return offsets;
    }

    /** After the making of an array. */
    public static void madeArray(Object array, InterloperThread c) {
        c.makes(array);
        // Nothing is kept alive that the program may be short of.
        if (java.lang.reflect.Array.getLength(array) >= LARGE) largeArray(array, c);
    }

    @DontInline
    private static void largeArray(Object array, InterloperThread c) {
        InterloperRecord r = InterloperMap.of(array, c);
        if (r.state == InterloperOwnership.FRESH) InterloperOwnership.take(r, RECORD, c, 0, true);
        close(c);
        c.forgetLast();
    }

    /** Before a call that may hand objects to other threads in ways that are not seen. */
    public static void handingOver(InterloperThread c) {
        InterloperOwnership.handOver(c);
    }

    /** The same before something is put into a collection, if that is not one for a single thread. */
    public static void putting(Object collection, InterloperThread c, int site) {
        if (collection != null && !isForOneThread(collection.getClass())) InterloperOwnership.handOver(c);
    }

    /** Whether collections of this class need a lock of the program's to be used by several threads. */
    private static boolean isForOneThread(Class<?> c) {
        return c == ArrayList.class || c == HashMap.class || c == HashSet.class || c == LinkedHashMap.class || c == LinkedList.class || c == ArrayDeque.class
                || c == TreeMap.class || c == TreeSet.class || c == LinkedHashSet.class || c == IdentityHashMap.class || c == PriorityQueue.class;
    }

    @ForceInline
    private static boolean mayRead(InterloperThread c, int word) {
        // READ is WRITE and a bit.
        return word <= c.sharedLimit || ((word | 1) & InterloperOwnership.WHOSE) == c.readWord;
    }

    @ForceInline
    private static boolean mayWrite(InterloperThread c, int word) {
        return (word & InterloperOwnership.WHOSE) == c.writeWord;
    }

    @DontInline
    private static void slow(Object o, InterloperThread c, int site, boolean write) {
        long place = place(site);
        if (place == 0) {
            close(c);
            place = resolve(o, site, write);
        }
        if (place < SHOWS) {
            // What is written to a volatile field is for others to see.
            InterloperOwnership.shows(c);
            place -= VOLATILE_PLACE;
        }
        if (place == IN_RECORD) {
            record(InterloperMap.of(o, c, site), c, site, write);
        } else if (place > 0) {
            U.putIntOpaque(c, InterloperThread.OPEN, 1);
            int word = U.getIntAcquire(o, (int) place);
            if (word == c.newWord ? !isOwn(o, c, place) : !mayWrite(c, word) && (write || !mayRead(c, word)))
                InterloperOwnership.take(o, place, c, site, write);
            InterloperLog.tell(c, site, o, place);
        } else {
            close(c);
        }
    }

    /** Where the state is that guards a field: with the class that declares the field, or in a record. */
    @DontInline
    private static long resolve(Object o, int site, boolean write) {
        long place = IN_RECORD;
        Class<?> declaring = InterloperNative.declaring(o, null, site);
        if (declaring != null) {
            int flags = InterloperNative.flags(declaring, site);
            Class<?> root = InterloperNative.root(declaring);
            if (flags != -1 && (flags & FINAL) != 0) place = IGNORED;
            else if (root != null) place = placeIn(root, declaring, site);
            if (place > 0 && write && flags != -1 && (flags & VOLATILE) != 0) place += VOLATILE_PLACE;
        }
        U.putLong(SITES + ((long) site << 3), place);
        return place;
    }

    /** Fields of subclasses belong to the first group. */
    private static long placeIn(Class<?> root, Class<?> declaring, int site) {
        long first = InterloperOwnership.placeOf(InterloperNames.offset(root));
        int further = InterloperNames.further(root);
        int group = root == declaring && further != 0 ? InterloperNative.group(root, site) : 0;
        if (group == 0) return first;
        return first - (int) first + (further & -4) + 4 * (group - 1);
    }

    // ---- variables whose state is in a record

    /** Opens the window, gets hold of the record's object, logs the access. */
    private static void record(InterloperRecord r, InterloperThread c, int site, boolean write) {
        U.putIntOpaque(c, InterloperThread.OPEN, 1);
        int word = U.getIntAcquire(r, STATE);
        boolean may = word == c.newWord ? InterloperNames.isJustBorn(c, r.id) : write ? mayWrite(c, word) : mayRead(c, word);
        if (InterloperLog.ON && (InterloperTold.has(c, site, r.id, word) || may && word == c.newWord)) return;
        if (InterloperLog.ON || !may) takeAndTell(r, c, site, may, write);
    }

    @DontInline
    private static void takeAndTell(InterloperRecord r, InterloperThread c, int site, boolean may, boolean write) {
        if (!may) InterloperOwnership.take(r, RECORD, c, site, write);
        tellAt(r, STATE, r.id, c, site);
    }

    public static void readStatic(Class<?> owner, InterloperThread c, int site) {
        InterloperRecord r = InterloperStatics.of(owner, c, site);
        if (r != null) record(r, c, site, false);
    }

    public static void writeStatic(Class<?> owner, InterloperThread c, int site) {
        InterloperOwnership.shows(c);
        InterloperRecord r = InterloperStatics.of(owner, c, site);
        if (r != null) record(r, c, site, true);
    }

    /** In one comparison: it is not beyond the cutoff, and not below 0, where no element is. */
    @ForceInline
    private static boolean isLookedAt(int index) {
        if (ARRAY_CUTOFF == Integer.MAX_VALUE) return index >= 0;
        return index + Integer.MIN_VALUE < ARRAY_CUTOFF + Integer.MIN_VALUE;
    }

    public static void readElement(Object array, int index, InterloperThread c, int site) {
        InterloperRun run = runOf(c, site);
        if (array != null && isLookedAt(index) && isThrough(run, array, site)) {
            U.putIntOpaque(c, InterloperThread.OPEN, 1);
            int word = U.getIntAcquire(run.record, STATE);
            if (mayRead(c, word)) {
                if (!run.counts(c, index, word) && !run.isTold(c, index, word))
                    InterloperLog.element(c, run, index, false);
                return;
            }
            if (run.isOwn(c, word)) return;
        }
        element(array, index, c, site, false);
    }

    public static void writeElement(Object array, int index, InterloperThread c, int site) {
        InterloperRun run = runOf(c, site);
        if (array != null && isLookedAt(index) && isThrough(run, array, site)) {
            U.putIntOpaque(c, InterloperThread.OPEN, 1);
            int word = U.getIntAcquire(run.record, STATE);
            if (mayWrite(c, word)) {
                if (!run.counts(c, index, word) && !run.isTold(c, index, word))
                    InterloperLog.element(c, run, index, true);
                return;
            }
            if (run.isOwn(c, word)) return;
        }
        element(array, index, c, site, true);
    }

    @DontInline
    private static void element(Object array, int index, InterloperThread c, int site, boolean write) {
        if (array == null || !isLookedAt(index)) return;
        InterloperRun run = runThrough(array, c, site);
        tellHeld(run, index, c, held(run.record, c, site, write), write);
    }

    /**
     * Another element of an array in the window of an access that was allowed at least as much. The state is not looked at: somebody may want
     * the array by now, but gets it when the window is closed, and others of its elements need not be told again until then.
     */
    @ForceInline
    public static void readElementAgain(Object array, int index, InterloperThread c, int site) {
        if (InterloperLog.ON) elementAgain(array, index, c, site, false);
    }

    @ForceInline
    public static void writeElementAgain(Object array, int index, InterloperThread c, int site) {
        if (InterloperLog.ON) elementAgain(array, index, c, site, true);
    }

    private static void elementAgain(Object array, int index, InterloperThread c, int site, boolean write) {
        InterloperRun run = runOf(c, site);
        if (!isLookedAt(index) || !isThrough(run, array, site) || !run.counts(c, index, run.record.state))
            heldElement(array, index, c, site, write);
    }

    @DontInline
    private static void heldElement(Object array, int index, InterloperThread c, int site, boolean write) {
        if (array == null || !isLookedAt(index)) return;
        InterloperRun run = runThrough(array, c, site);
        tellHeld(run, index, c, run.record.state, write);
    }

    private static void tellHeld(InterloperRun run, int index, InterloperThread c, int word, boolean write) {
        if (word != c.newWord && !run.counts(c, index, word)) InterloperLog.element(c, run, index, write);
    }

    /** A copy made by clone() has its original's state and number; it is a new object, of a number of its own. */
    public static void cloned(Object original, Object copy) {
        if (copy == null || original == copy || original.getClass() != copy.getClass()) return;
        if (copy.getClass().isArray()) {
            madeArray(copy, here());
            return;
        }
        int offset = InterloperNames.offset(copy.getClass());
        if (offset <= 0) return;
        int number = U.getInt(copy, offset + 4);
        // Without a number, it may be what a method of the program of this name has found somewhere.
        if (number != 0 && number == U.getInt(original, offset + 4)) InterloperOwnership.copied(copy, offset, here());
    }

    // ---- atomic variables: the call is the access

    public static void atomicRead(Object o, InterloperThread c, int site) {
        if (o != null) record(InterloperMap.of(o, c, site), c, site, false);
    }

    public static void atomicWrite(Object o, InterloperThread c, int site) {
        InterloperOwnership.shows(c);
        if (o != null) record(InterloperMap.of(o, c, site), c, site, true);
    }

    public static void atomicUpdate(Object o, InterloperThread c, int site) {
        InterloperOwnership.shows(c);
        if (o != null) record(InterloperMap.of(o, c, site), c, site, true);
    }

    /** Before a compare-and-set: what it was is known afterwards. */
    public static void atomicTry(Object o, InterloperThread c, int site) {
        c.pendingId = 0;
        if (o == null) return;
        InterloperOwnership.shows(c);
        InterloperRecord r = InterloperMap.of(o, c, site);
        U.putIntOpaque(c, InterloperThread.OPEN, 1);
        int word = U.getIntAcquire(r, STATE);
        if (word == c.newWord ? !InterloperNames.isJustBorn(c, r.id) : !mayWrite(c, word)) InterloperOwnership.take(r, RECORD, c, site, true);
        c.pendingId = r.id;
        c.pendingWord = r.state;
        c.pendingIndex = -1;
    }

    public static void tried(boolean success, InterloperThread c, int site) {
        int id = c.pendingId, index = c.pendingIndex;
        if (id == 0) return;
        if (success) site++;
        if (index < 0) {
            InterloperLog.access(c, site, id, c.pendingWord);
        } else {
            InterloperLog.singleElement(c, site, id, index, success, c.pendingWord);
        }
    }

    public static void atomicReadElement(Object o, int index, InterloperThread c, int site) {
        if (o != null) element(o, index, c, site, false);
    }

    public static void atomicWriteElement(Object o, int index, InterloperThread c, int site) {
        InterloperOwnership.shows(c);
        if (o != null) element(o, index, c, site, true);
    }

    public static void atomicUpdateElement(Object o, int index, InterloperThread c, int site) {
        InterloperOwnership.shows(c);
        if (o != null) element(o, index, c, site, true);
    }

    public static void atomicTryElement(Object o, int index, InterloperThread c, int site) {
        atomicTry(o, c, site);
        c.pendingIndex = index;
    }

    /** Before an update by a function of the program: what is called in its place. */
    public static Object updating(Object o, Object function, InterloperThread c, int site) {
        return InterloperUpdate.of(function, c, o, site, false);
    }

    /** After it. The window is open since the function has ended, unless something went wrong. */
    public static void updated(Object o, InterloperThread c, int site) {
        if (c.open == 0) atomicUpdate(o, c, site);
        else if (o != null) tell(InterloperMap.of(o, c, site), c, site);
    }

    public static void updatedElement(Object o, int index, InterloperThread c, int site) {
        if (c.open == 0) atomicUpdateElement(o, index, c, site);
        else if (o != null) tellElement(InterloperMap.of(o, c, site), index, c, site, true);
    }

    // ---- synchronization, see InterloperSync

    public static void entered(Object o, InterloperThread c, int site) { InterloperSync.entered(o, c, site); }
    public static void exiting(Object o, InterloperThread c, int site) { InterloperSync.exiting(o, c, site); }
    public static void waiting(Object o, InterloperThread c, int site) { InterloperSync.waiting(o, c, site); }
    public static void waited(Object o, InterloperThread c, int site) { InterloperSync.waited(o, c, site); }
    public static void notifying(Object o, InterloperThread c, int site) { InterloperSync.notifying(o, c, site); }
    public static void locked(Object o, InterloperThread c, int site) { if (o != null) InterloperSync.locked(o, c, site); }
    public static void lockedIf(boolean got, Object o, InterloperThread c, int site) { if (got && o != null) InterloperSync.locked(o, c, site); }
    public static void unlocking(Object o, InterloperThread c, int site) { InterloperSync.unlocking(o, c, site); }
    public static void views(Object lock, Object view) { InterloperSync.views(lock, view); }
    public static void condition(Object lock, Object condition) { InterloperSync.condition(lock, condition); }
    public static void readLocked(Object o, InterloperThread c, int site) { InterloperSync.readLocked(o, c, site); }
    public static void readLockedIf(boolean got, Object o, InterloperThread c, int site) { if (got) InterloperSync.readLocked(o, c, site); }
    public static void readUnlocking(Object o, InterloperThread c, int site) { InterloperSync.readUnlocking(o, c, site); }
    public static void writeLocked(Object o, InterloperThread c, int site) { InterloperSync.writeLocked(o, c, site); }
    public static void writeLockedIf(boolean got, Object o, InterloperThread c, int site) { if (got) InterloperSync.writeLocked(o, c, site); }
    public static void writeUnlocking(Object o, InterloperThread c, int site) { InterloperSync.writeUnlocking(o, c, site); }
    public static void awaiting(Object o, InterloperThread c, int site) { InterloperSync.awaiting(o, c, site); }
    public static void awaitingUnlessInterrupted(Object o, InterloperThread c, int site) { InterloperSync.awaitingUnlessInterrupted(o, c, site); }
    public static void awaited(Object o, InterloperThread c, int site) { InterloperSync.awaited(o, c, site); }
    public static void releasing(Object o, InterloperThread c, int site) { InterloperSync.releasing(o, c, site); }
    public static void released(Object o, InterloperThread c, int site) { InterloperSync.released(o, c, site); }
    public static void signalled(Object o, InterloperThread c, int site) { if (o != null) InterloperSync.signalled(o, c, site); }
    public static void signalledIf(boolean got, Object o, InterloperThread c, int site) { if (got && o != null) InterloperSync.signalled(o, c, site); }
    public static void unstamping(Object o, long stamp, InterloperThread c, int site) { InterloperSync.unstamping((StampedLock) o, stamp, c, site); }
    public static void restamping(Object o, long stamp, InterloperThread c, int site) { InterloperSync.restamping((StampedLock) o, stamp, c, site); }
    public static void readStamped(long stamp, Object o, InterloperThread c, int site) { InterloperSync.readStamped((StampedLock) o, stamp, c, site); }
    public static void writeStamped(long stamp, Object o, InterloperThread c, int site) { InterloperSync.writeStamped((StampedLock) o, stamp, c, site); }
    public static void glanced(long stamp, Object o, InterloperThread c, int site) { InterloperSync.glanced((StampedLock) o, stamp, c, site); }
    public static void validatedIf(boolean valid, Object o, InterloperThread c, int site) { if (valid) InterloperSync.validated(o, c, site); }
    public static void countingDown(Object o, InterloperThread c, int site) { InterloperSync.countingDown(o, c, site); }
    public static void countedDown(Object o, InterloperThread c, int site) { InterloperSync.settled(c); }
    public static void counted(long left, Object o, InterloperThread c, int site) { if (left == 0 && o != null) InterloperSync.signalled(o, c, site); }
    public static void completing(Object o, InterloperThread c, int site) { InterloperSync.completing(o, c, site); }
    public static void invokedAll(Object tasks, Object o, InterloperThread c, int site) { InterloperSync.invokedAll(tasks, c, site); }
    public static void exchanging(Object o, Object item, InterloperThread c, int site) { InterloperSync.exchanging(o, item, c, site); }
    public static void exchanged(Object got, Object o, InterloperThread c, int site) { InterloperSync.exchanged(got, o, c, site); }
    public static void phaseArriving(Object o, InterloperThread c, int site) { InterloperSync.phaseArriving((Phaser) o, c, site); }
    public static void phaseMeeting(Object o, InterloperThread c, int site) {
        InterloperSync.phaseArriving((Phaser) o, c, site);
        InterloperSync.arriving(o, c, site);
    }
    public static void phasePassed(int next, Object o, InterloperThread c, int site) { if (o != null) InterloperSync.phasePassed(next, (Phaser) o, c, site); }
    public static void arriving(Object o, InterloperThread c, int site) { InterloperSync.barrierArriving(o, c, site); }
    public static void arrived(Object o, InterloperThread c, int site) { if (o != null) InterloperSync.arrived(o, c, site); }

    // ---- hooks in JDK classes

    public static void starting(Thread t) { InterloperThreads.starting(t); }
    public static void joined(Thread t) { InterloperThreads.joined(t); }
    /**
     * The JVM's own threads among others wake virtual threads that wait for a monitor, one of ours perhaps: they must not wait for it
     * themselves.
     */
    public static void submitted(Object task) {
        if (!(Thread.currentThread() instanceof InnocuousThread)) InterloperSync.signalling(task, here(), 0);
    }
    public static void running(Object task) { InterloperSync.signalled(task, here(), 0); }
    public static void done(Object task) { InterloperSync.done(task, here()); }
    public static void settled(Object task) { InterloperSync.settled(here()); }
    /** Something has said whether it is done: then its end comes before. */
    public static void asked(boolean done, Object task) { if (done) InterloperSync.foundDone(task, here(), 0); }
    public static void failed(Object task) { InterloperSync.foundFailed(task, here()); }
    public static void found(Object stage) { InterloperSync.found(stage, here()); }
    public static void exit() { InterloperThreads.exit(); }
    public static void shutdown() { InterloperThreads.shutdown(); }

    // ---- accesses through handles, see InterloperHandles

    public static void handleGet(Object h, Object o, InterloperThread c, int site) { InterloperHandles.access(h, o, c, site, InterloperHandles.GET); }
    public static void handleSet(Object h, Object o, InterloperThread c, int site) { InterloperHandles.access(h, o, c, site, InterloperHandles.SET); }
    public static void handleRead(Object h, Object o, InterloperThread c, int site) { InterloperHandles.access(h, o, c, site, InterloperHandles.READ); }
    public static void handleWrite(Object h, Object o, InterloperThread c, int site) { InterloperHandles.access(h, o, c, site, InterloperHandles.WRITE); }
    public static void handleUpdate(Object h, Object o, InterloperThread c, int site) { InterloperHandles.access(h, o, c, site, InterloperHandles.UPDATE); }
    public static void handleTry(Object h, Object o, InterloperThread c, int site) { InterloperHandles.attempt(h, o, c, site); }
    public static void handleTried(boolean wrote, Object h, Object o, InterloperThread c, int site) { InterloperHandles.attempted(wrote, h, o, c, site); }
    public static void handleGetElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.accessElement(h, o, i, c, site, InterloperHandles.GET); }
    public static void handleSetElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.accessElement(h, o, i, c, site, InterloperHandles.SET); }
    public static void handleReadElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.accessElement(h, o, i, c, site, InterloperHandles.READ); }
    public static void handleWriteElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.accessElement(h, o, i, c, site, InterloperHandles.WRITE); }
    public static Object handleUpdating(Object h, Object o, Object function, InterloperThread c, int site) { return InterloperHandles.updating(h, o, function, c, site); }
    public static void handleUpdated(Object h, Object o, InterloperThread c, int site) { InterloperHandles.updated(h, o, c, site); }
    public static void handleUpdateElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.accessElement(h, o, i, c, site, InterloperHandles.UPDATE); }
    public static void handleTryElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.attemptElement(h, o, i, c, site); }
    public static void handleTriedElement(boolean wrote, Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.attemptedElement(wrote, h, o, i, c, site); }

    public static boolean same(int a, int b) { return a == b; }
    public static boolean same(long a, long b) { return a == b; }
    public static boolean same(float a, float b) { return Float.floatToRawIntBits(a) == Float.floatToRawIntBits(b); }
    public static boolean same(double a, double b) { return Double.doubleToRawLongBits(a) == Double.doubleToRawLongBits(b); }
    public static boolean same(Object a, Object b) { return a == b; }

    /** Opens the window and gets hold of the site's field for writing; logs nothing yet. */
    static void hold(Object o, InterloperThread c, int site) {
        long place = place(site);
        if (place == 0) place = resolve(o, site, false);
        if (place < SHOWS) place -= VOLATILE_PLACE;
        if (place == IN_RECORD) hold(InterloperMap.of(o, c, site), c);
        else if (place > 0) holdAt(o, place, c);
    }

    /** The same for a variable whose state is in a record; null: it is not looked at. */
    static void hold(InterloperRecord r, InterloperThread c) {
        if (r != null) holdAt(r, RECORD, c);
    }

    private static void holdAt(Object base, long place, InterloperThread c) {
        U.putIntOpaque(c, InterloperThread.OPEN, 1);
        int word = U.getIntAcquire(base, (int) place);
        if (word == c.newWord ? !isOwn(base, c, place) : !mayWrite(c, word)) InterloperOwnership.take(base, place, c, 0, true);
    }

    /** Logs what was done to what is held: the field is the first site's, what was done is the second's. */
    static void tell(Object o, InterloperThread c, int held, int site) {
        long place = place(held);
        if (place < SHOWS) place -= VOLATILE_PLACE;
        if (place == IN_RECORD) tell(InterloperMap.of(o, c, held), c, site);
        else if (place > 0) tellAt(o, (int) place, U.getInt(o, place >>> 32), c, site);
    }

    static void tell(InterloperRecord r, InterloperThread c, int site) {
        if (r != null) tellAt(r, STATE, r.id, c, site);
    }

    private static void tellAt(Object base, long offset, int id, InterloperThread c, int site) {
        int word = U.getInt(base, offset);
        if (word != c.newWord) InterloperLog.access(c, site, id, word);
    }

    static void tellElement(InterloperRecord r, int index, InterloperThread c, int site, boolean write) {
        if (r.state != c.newWord) InterloperLog.singleElement(c, site, r.id, index, write, r.state);
    }

    // ---- calls through classes that may extend those of the JDK, by the numbers of subclasses.rs in the weaver

    /** The object if it is what the call takes it for, else null: then nothing is recorded. */
    public static Object only(Object o, int guard) {
        boolean is = switch (guard) {
            case 1 -> o instanceof ReentrantLock || o instanceof ReentrantReadWriteLock.ReadLock
                    || o instanceof ReentrantReadWriteLock.WriteLock;
            case 2 -> o instanceof ReentrantReadWriteLock;
            case 3 -> o instanceof Semaphore;
            case 4 -> o instanceof CountDownLatch;
            case 5 -> o instanceof CyclicBarrier;
            case 6 -> o instanceof Phaser;
            case 7 -> o instanceof Future;
            case 8 -> o instanceof CompletableFuture;
            case 9 -> o instanceof AtomicInteger;
            case 10 -> o instanceof AtomicLong;
            case 11 -> o instanceof AtomicBoolean;
            case 12 -> o instanceof AtomicReference;
            default -> false;
        };
        return is ? o : null;
    }

    /** Around a call of get(), which may read an atomic reference or wait for a future: the latter's site is the next. */
    public static void getting(Object o, InterloperThread c, int site) {
        if (o instanceof AtomicReference) atomicRead(o, c, site);
    }

    public static void got(Object o, InterloperThread c, int site) {
        if (o instanceof AtomicReference) close(c);
        else if (o instanceof Future) InterloperSync.signalled(o, c, site + 1);
    }
}
