package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Who may access an object without asking. Every object has a state word, or several: one for each group of its fields
 * (see crates/weave/src/groups.rs). A negative one is SHARED; else its lower three bits say which state, the others whose:
 *
 * <pre>
 *   FRESH       nobody has used it yet
 *   NEW t g     t has made it, and has let nobody into what it made in its g-th stretch
 *   WRITE t h   t may read and write, READ t h: t may read; it is the h-th that t has taken from others
 *   SHARED n    everybody may read whose log comes after the n-th such change
 *   BUSY t      t is taking it over; others wait
 *   LEASE t h   t used it last; every use asks, because it changes hands all the time
 * </pre>
 *
 * A thread accesses and records within a window: it sets its {@code open}, looks at the state, and
 * if that allows the access writes the log, makes the access and clears {@code open}, at the latest before it may block. Whoever wants an object in
 * another state makes it BUSY and asks the owner to close its window, which it does at the end of a round of its loop; or makes sure that the owner's window is
 * visible if it is open (a barrier on all processors does that, see await), and waits until it is closed: the owner has then
 * either finished what it began under the old state, or will find BUSY. So everywhere outside a window a
 * thread can be taken from, whatever it does there (run, block, sleep, call native code), and does not have to answer.
 * Nobody waits with the own window open, so waiting threads never wait for each other in a circle; who has
 * taken an object makes its access before giving it away, so somebody always gets on.
 *
 * Each change of hands writes into the new owner's log how far the old owner's log was.
 *
 * The groups of an object go different ways, but NEW is the object as a whole: the first group's word is the one that
 * is changed by compare-and-swap from NEW, and whoever has done that has the others to change. So a further word
 * that is NEW while the first is not is just being changed.
 *
 * Where a state is, is told by a place: the offset of the word in the lower half, that of the object's number
 * in the upper. The number follows the first word.
 */
final class InterloperOwnership {
    private InterloperOwnership() {}

    static final int FRESH = 0, NEW = 1, WRITE = 2, READ = 3, SHARED = 4, BUSY = 5, LEASE = 6, STATE = 7;
    /** Where the slot is in a word that has one; above it is the stretch of a NEW object, or the number of a taking. */
    private static final int SLOT = 0xFFFF, COUNT = 1 << 19, COUNTS = -COUNT & Integer.MAX_VALUE;
    /** The first number of a taking, which only the log needs; what of a word says which state and whose. */
    static final int HOLD = InterloperLog.ON ? COUNT : 0, WHOSE = InterloperLog.ON ? ~COUNTS : -1;

    static int slotOf(int word) {
        return word >>> 3 & SLOT;
    }

    static int stateOf(int word) {
        return word < 0 ? SHARED : word & STATE;
    }

    /** The word of the n-th shared state: the later, the larger, and all below those of other states. */
    static int sharedWord(int number) {
        return Integer.MIN_VALUE + number;
    }

    private static int numberOf(int sharedWord) {
        return sharedWord & Integer.MAX_VALUE;
    }

    /**
     * The thread lets others in, in ways that are not seen. What it has made up to here may be
     * known to others from now on, so it is an ordinary object for the maker, too.
     */
    @DontInline
    static void handOver(InterloperThread c) {
        c.beginStretch(c.newWord + COUNT & Integer.MAX_VALUE);
        InterloperLog.synchronizes(c);
        c.forgetMade();
        // What was known of new objects does not hold any more.
        c.tick += 4;
    }

    /**
     * The same where the log tells how others come to know of it: of the release, the write, the signal. What the running transaction has made may
     * stay new then. If it has ended when others use such an object, they depend on it by what they learned it from; if not, they
     * depend on it as on the maker (MADE_BY). But races, and what other engines look for, are on one side of a release or the other; and outside of
     * transactions so are the accesses.
     */
    static void shows(InterloperThread c) {
        if (!InterloperLog.ON) return;
        if (InterloperLog.REPETITIONS || c.depth == 0) handOver(c);
        else InterloperLog.synchronizes(c);
    }

    private static final Unsafe U = Unsafe.getUnsafe();
    static final long RECORD_ID = U.objectFieldOffset(InterloperDeath.class, "id");
    /** The place in a record. */
    static final long RECORD_PLACE = RECORD_ID << 32 | U.objectFieldOffset(InterloperRecord.class, "state");
    /** Says of the offset of the further words that there are two of them. */
    static final int TWO = 1;
    private static final boolean ALL_ACCESSES = InterloperNative.settings(InterloperNative.ALL_ACCESSES) != 0;

    private static final int MOST_SHARES = Integer.MAX_VALUE - 1;

    /** Per state word (by number and offset, roughly): changes of hands; uses of a lease in a row by one thread. */
    private static final byte[] HOT = new byte[1 << 16];
    private static final int[] IN_A_ROW = new int[1 << 16];
    /** So many changes of hands for writing make a lease of it, so many uses in a row end that. */
    private static final int HOT_AT = 16, COOL_AT = 64;
    /** So many windows are more than a processor can hold back; how long to wait for them. */
    private static final int ENOUGH = 4 * 128, PATIENCE = 50;
    /**
     * How a thread opens windows, and ends transactions: without a barrier; with one, because it is taking; not at
     * all, before it has woken up with a barrier; or another (slot in the upper bits) is just making it so.
     */
    private static final int AWAKE = 0, TAKING = 1, ASLEEP = 2, FALLING = 3;
    /** Nanoseconds that the end of the JVM is held up at most. */
    private static final long LAST_PATIENCE = 20_000_000;
    /** So many times it is hoped that an object which another thread is taking is free soon. */
    private static final int SOME = 200;
    /** With more threads than this, one barrier for all is cheaper. */
    private static final int FEW = 4;

    static void openFenced(InterloperThread c) {
        U.putIntVolatile(c, InterloperThread.OPEN, 1);
    }

    @ForceInline
    static void close(InterloperThread c) {
        if (InterloperLog.ON && c.behinds != 0) InterloperLog.countAll(c);
        closeCounted(c);
    }

    /** The same if there is nothing to count. */
    @ForceInline
    static void closeCounted(InterloperThread c) {
        c.tick += 4;
        U.storeFence();
        c.open = 0;
    }

    /** The place of an object's first word. */
    static long placeOf(int offset) {
        return (long) (offset + 4) << 32 | offset;
    }

    private static long first(long place) {
        return placeOf((int) (place >>> 32) - 4);
    }

    private static boolean isFurther(Object base, long place) {
        return !(base instanceof InterloperRecord) && (int) (place >>> 32) != (int) place + 4;
    }

    /** Where the further words of an object are, see TWO; 0: it has none. */
    private static int furtherOf(Object base) {
        return base instanceof InterloperRecord ? 0 : InterloperNames.further(base.getClass());
    }

    private static void putFurther(Object base, int further, int word) {
        if (further == 0) return;
        if ((further & TWO) == 0) U.putIntVolatile(base, further, word);
        else U.putLongVolatile(base, further - TWO, (long) word << 32 | word & 0xFFFFFFFFL);
    }

    /** Comes back with the window open and a state that allows the access; the site may be 0, but not in a leaf. */
    @DontInline
    static void take(Object base, long place, InterloperThread c, int site, boolean write) {
        close(c);
        U.putIntVolatile(c, InterloperThread.QUIET, TAKING);
        try {
            c.takings++;
            c.takes = base;
            answer(c);
            takeQuietly(base, place, c, site, write);
        } finally {
            c.takes = null;
            c.awake();
            U.putIntVolatile(c, InterloperThread.QUIET, AWAKE);
        }
    }

    @DontInline
    private static void takeQuietly(Object base, long wanted, InterloperThread c, int site, boolean write) {
        for (int step = 0; ; ) {
            long place = wanted;
            int word = U.getIntVolatile(base, (int) place);
            if (stateOf(word) == NEW && isFurther(base, place)) {
                place = first(place);
                word = U.getIntVolatile(base, (int) place);
                if (stateOf(word) != NEW) word = BUSY;
            }
            int state = stateOf(word);
            boolean done;
            if (state == FRESH) {
                done = takeFresh(base, place, c);
            } else if (state == BUSY) {
                idle(++step, SOME);
                if (step > SOME && isLeft(base, place, c)) clear(base, place, c);
                done = false;
            } else if (state == SHARED) {
                done = write ? takeFromAll(base, place, c, word) : readShared(base, place, c, word);
            } else if (slotOf(word) == c.slot) {
                done = state == NEW && !(word == c.newWord && InterloperNames.isJustBorn(c, U.getInt(base, place >>> 32)))
                        ? ageOwn(base, place, c, word)
                        : useOwn(base, place, c, word, write);
            } else if (state == READ && !write) {
                done = share(base, place, c, word);
            } else {
                done = takeFrom(base, place, c, word, write);
            }
            if (done) return;
        }
    }

    /**
     * Nobody is taking the object, although its state says so: it is a copy that code without probes has made of one that was just being taken. The thread that
     * its state names has begun to take nothing else meanwhile, takes something else or nothing, and the state is still the same after that.
     */
    private static boolean isLeft(Object base, long place, InterloperThread c) {
        int word = U.getIntVolatile(base, (int) place);
        if (stateOf(word) != BUSY) return false;
        if (slotOf(word) == c.slot) return true;
        InterloperThread named = InterloperThreads.SLOTS[slotOf(word)];
        if (named == null) return U.getIntVolatile(base, (int) place) == word && InterloperThreads.SLOTS[slotOf(word)] == null;
        int takings = named.takings;
        return named.takes != base && U.getIntVolatile(base, (int) place) == word && named.takings == takings && InterloperThreads.SLOTS[slotOf(word)] == named;
    }

    /** Such a copy is a new object, of a number of its own. */
    private static void clear(Object base, long place, InterloperThread c) {
        int word = U.getIntVolatile(base, (int) place), number = U.getIntVolatile(base, place >>> 32);
        if (!isLeft(base, place, c)) return;
        if (!isFurther(base, place)) U.compareAndSetInt(base, place >>> 32, number, 0);
        U.compareAndSetInt(base, (int) place, word, FRESH);
    }

    /** Is the object this thread's alone? If it was another's alone, it is no longer. */
    static boolean isUnshared(Object o, int offset, InterloperThread c) {
        int word = U.getIntVolatile(o, offset);
        if (isNew(o, offset, c, word)) return true;
        if (word == FRESH || stateOf(word) == NEW) {
            take(o, placeOf(offset), c, 0, true);
            close(c);
        }
        return isNew(o, offset, c, U.getInt(o, offset));
    }

    private static boolean isNew(Object o, int offset, InterloperThread c, int word) {
        return word == c.newWord && InterloperNames.isJustBorn(c, U.getInt(o, offset + 4));
    }

    /** Found without a state: it was not made here, or its making was not seen. */
    @DontInline
    private static boolean takeFresh(Object base, long place, InterloperThread c) {
        boolean made = base instanceof InterloperRecord && !ALL_ACCESSES && c.hasMade((InterloperRecord) base);
        if (made) {
            InterloperLog.makes(c);
            U.compareAndSetInt(base, RECORD_ID, 0, c.newBirth());
        } else {
            idOf(base, place, c);
        }
        openFenced(c);
        boolean done = U.compareAndSetInt(base, (int) place, FRESH, made ? c.newWord : c.ownWrite | c.hold);
        if (!done) close(c);
        return done;
    }

    /** An object that is just being made: nobody else knows it. It is numbered by its maker alone until it is shared. */
    @ForceInline
    static void made(Object object, int offset, InterloperThread c) {
        if (ALL_ACCESSES || U.getLong(object, offset) != 0) return;
        U.putLong(object, offset, (long) c.newBirth() << 32 | c.newWord & 0xFFFFFFFFL);
    }

    /** The same for the first of a transaction, for an object with further state words, and for a copy. */
    @DontInline
    static void madeRarely(Object object, int offset, int further, InterloperThread c) {
        if (ALL_ACCESSES || U.getLong(object, offset) != 0) return;
        InterloperLog.makes(c);
        if (further != 0) {
            if ((further & TWO) == 0) U.putInt(object, further, c.newWord);
            else U.putLong(object, further - TWO, (long) c.newWord << 32 | c.newWord & 0xFFFFFFFFL);
        }
        made(object, offset, c);
    }


    /** A copy that nobody has used yet. */
    static void copied(Object object, int offset, InterloperThread c) {
        int further = furtherOf(object);
        putFurther(object, further, FRESH);
        U.putLong(object, offset, 0);
        madeRarely(object, offset, further, c);
    }

    /** The state names this thread: so look again with the window open. */
    private static boolean useOwn(Object base, long place, InterloperThread c, int word, boolean write) {
        openFenced(c);
        boolean done;
        if ((word & STATE) == READ && write) {
            done = U.compareAndSetInt(base, (int) place, word, word - READ + WRITE);
        } else {
            done = U.getIntVolatile(base, (int) place) == word;
            if (done && (word & STATE) == LEASE) coolDown(base, place, c, word);
        }
        if (!done) close(c);
        return done;
    }

    /** This thread has made the object and has let others in since: it is an ordinary one from now on. */
    @DontInline
    private static boolean ageOwn(Object base, long place, InterloperThread c, int word) {
        idOf(base, place, c);
        int further = furtherOf(base);
        if (further != 0) InterloperLog.stackFor(64);
        openFenced(c);
        int own = c.ownWrite | c.hold;
        boolean done = U.compareAndSetInt(base, (int) place, word, own);
        if (done) putFurther(base, further, own);
        else close(c);
        return done;
    }

    @DontInline
    private static boolean readShared(Object base, long place, InterloperThread c, int word) {
        int number = numberOf(word);
        if (number > c.sharedSeen) {
            c.sharedSeen = number;
            InterloperLog.seen(c, number);
        }
        openFenced(c);
        boolean done = U.getIntVolatile(base, (int) place) == word;
        if (!done) close(c);
        return done;
    }

    /**
     * A second reader. The order of the steps matters: the first one's position is read while the object is BUSY
     * and its window is closed, so that whoever reads the object from now on has seen the number; and before the
     * number is taken, or the numbers could contradict the edges.
     */
    @DontInline
    private static boolean share(Object base, long place, InterloperThread c, int word) {
        // A number that is taken must come into the log without waiting for the reader, who may wait for it.
        InterloperLog.makeRoom(c);
        InterloperLog.stackFor(64);
        if (!U.compareAndSetInt(base, (int) place, word, c.slot << 3 | BUSY)) return false;
        int slot = slotOf(word);
        InterloperThread first = InterloperThreads.SLOTS[slot];
        await(first, c, word);
        InterloperLog.edge(c, slot, positionOf(first, slot));
        int number = InterloperCounters.add(InterloperCounters.SHARES, 1) + 1;
        if (number <= 0 || number >= MOST_SHARES) {
            // The program goes on sharing: the counter must not begin anew.
            InterloperCounters.ALL.shares = MOST_SHARES;
            InterloperLog.stop("recording stopped: more objects were shared for reading than the recorder can count");
            number = MOST_SHARES;
        }
        InterloperLog.append(c, InterloperLog.word(InterloperLog.MAKE, 0, number));
        c.sharedSeen = Math.max(c.sharedSeen, number);
        U.putIntVolatile(base, (int) place, sharedWord(number));
        return readShared(base, place, c, sharedWord(number));
    }

    @DontInline
    private static boolean takeFrom(Object base, long place, InterloperThread c, int word, boolean write) {
        // Memory and stack first: nothing may fail once the object is BUSY.
        int slot = slotOf(word), state = word & STATE;
        int id = idOf(base, place, c), further = state == NEW ? furtherOf(base) : 0;
        InterloperLog.stackFor(64);
        if (!U.compareAndSetInt(base, (int) place, word, c.slot << 3 | BUSY)) return false;
        putFurther(base, further, c.slot << 3 | BUSY);
        InterloperThread owner = InterloperThreads.SLOTS[slot];
        boolean touches = state == NEW && owner != null;
        try {
            // From here on the owner does not end its transaction.
            if (touches) U.getAndAddInt(owner, InterloperThread.TOUCHING, 1);
            // A lease is looked at under a barrier of the user's own.
            if (state == LEASE) awaitClosed(owner);
            else await(owner, c, word);
            InterloperLog.edge(c, slot, positionOf(owner, slot));
            if (state == NEW) tellMaker(c, owner, slot, id);
        } finally {
            if (touches) U.getAndAddInt(owner, InterloperThread.TOUCHING, -1);
            give(base, place, further, c, id, state == LEASE, write);
        }
        return true;
    }

    /**
     * Whoever is the second to use an object depends on the transaction that has made it, if one has: on the owner's running one, which ends after that, or
     * on one that has ended. (That may be ordered before by whatever handed the object over, but not if that was done by code that is not seen.)
     */
    @DontInline
    private static void tellMaker(InterloperThread c, InterloperThread owner, int slot, int id) {
        int birth = InterloperNames.birthOf(id);
        if (birth == 0) return;
        boolean runs = owner != null && U.getIntVolatile(owner, InterloperThread.DEPTH) != 0 && InterloperNames.isBornIn(owner, birth);
        InterloperLog.append(c, InterloperLog.word(InterloperLog.MADE_BY, 0, id), (long) birth << 32 | slot);
        if (runs) owner.touch(c.slot, c.position);
        // The reader takes it that entries for elements before it do not go on.
        c.stretch++;
    }

    private static int idOf(Object base, long place, InterloperThread c) {
        return InterloperNames.idAt(base, place >>> 32, c);
    }

    /** From everybody who may be reading: who has seen the number. */
    @DontInline
    private static boolean takeFromAll(Object base, long place, InterloperThread c, int word) {
        int id = idOf(base, place, c), number = numberOf(word);
        InterloperLog.stackFor(64);
        if (!U.compareAndSetInt(base, (int) place, word, c.slot << 3 | BUSY)) return false;
        int slots = InterloperThreads.used();
        boolean few = InterloperThreads.running() <= FEW;
        if (!few) awaitAllVisible(c, word, slots);
        for (int slot = 0; slot < slots; slot++) {
            InterloperThread reader = InterloperThreads.last(slot);
            if (slot == c.slot || !hasSeen(reader, number)) continue;
            if (few) await(reader, c, word);
            else awaitClosed(reader);
            InterloperLog.edge(c, slot, positionOf(reader, slot));
        }
        give(base, place, 0, c, id, false, true);
        return true;
    }

    @DontInline
    private static void give(Object base, long place, int further, InterloperThread c, int id, boolean leased, boolean write) {
        int index = heatIndex(id, place);
        if (write && HOT[index] < Byte.MAX_VALUE) HOT[index]++;
        IN_A_ROW[index] = 0;
        // Readers can share: a lease would have them take turns.
        boolean lease = write && (leased || HOT[index] >= HOT_AT);
        int hold = c.newHold(), own = (write ? c.ownWrite : c.ownRead) | hold;
        openFenced(c);
        putFurther(base, further, own);
        U.putIntVolatile(base, (int) place, lease ? c.slot << 3 | LEASE | hold : own);
    }

    private static int heatIndex(int id, long place) {
        return id + (int) place * 0x9E37 & HOT.length - 1;
    }

    /** One thread uses a lease again and again: it gets the object for itself. */
    @DontInline
    private static void coolDown(Object base, long place, InterloperThread c, int word) {
        int index = heatIndex(idOf(base, place, c), place);
        if (++IN_A_ROW[index] < COOL_AT) return;
        IN_A_ROW[index] = 0;
        HOT[index] = HOT_AT / 2;
        U.compareAndSetInt(base, (int) place, word, word - LEASE + WRITE);
    }

    /** The window is closed, and whoever has asked for that is told. */
    @DontInline
    static void answer(InterloperThread c) {
        int asked = U.getIntVolatile(c, InterloperThread.ASKED);
        close(c);
        U.putIntRelease(c, InterloperThread.ANSWERED, asked);
    }

    private static int ask(InterloperThread other) {
        return U.getAndAddInt(other, InterloperThread.ASKED, 1) + 1;
    }

    private static boolean hasAnswered(InterloperThread other, int asked) {
        return U.getIntVolatile(other, InterloperThread.ANSWERED) - asked >= 0;
    }

    /**
     * Comes back when a thread has finished what it began before now, so that it will find what was changed before now. Mostly it
     * answers, at the end of a round of its loop: it saw the question, so it will see what was written before, too. Else its window must be
     * visible, if it is open. What it stores
     * becomes visible in order, and no processor holds more than some hundred stores back: so a thread that has closed
     * many windows since (three stores each) has told all it knew. One that has not gets a barrier, with
     * all others; that takes longer by far. It is put to sleep by the way, so that the barrier serves for
     * all that is taken from it before it goes on.
     */
    @DontInline
    private static void await(InterloperThread other, InterloperThread c, int word) {
        if (other == null) return;
        if (!isQuiet(other, word)) {
            int asked = ask(other), from = U.getIntVolatile(other, InterloperThread.TICK), last = from;
            for (int step = 0; ; step++) {
                for (int i = 0; i < 4; i++) Thread.onSpinWait();
                if (hasAnswered(other, asked)) return;
                int now = U.getIntVolatile(other, InterloperThread.TICK);
                if (now - from > ENOUGH) break;
                if (step == PATIENCE || now == last && step > 4 && U.getIntVolatile(other, InterloperThread.OPEN) == 0) {
                    boolean falls = lull(other, c);
                    InterloperNative.membarrier();
                    if (falls) settle(other, c);
                    break;
                }
                last = now;
            }
        }
        awaitClosed(other);
    }

    /** The same for all who may read an object of this shared state. */
    @DontInline
    private static void awaitAllVisible(InterloperThread c, int word, int slots) {
        boolean quiet = true;
        for (int slot = 0; slot < slots; slot++) {
            InterloperThread reader = InterloperThreads.last(slot);
            if (slot == c.slot || !hasSeen(reader, numberOf(word)) || isQuiet(reader, word)) continue;
            lull(reader, c);
            quiet = false;
        }
        if (quiet) return;
        InterloperNative.membarrier();
        for (int slot = 0; slot < slots; slot++) {
            InterloperThread reader = InterloperThreads.last(slot);
            if (reader != null) settle(reader, c);
        }
    }

    private static boolean hasSeen(InterloperThread reader, int number) {
        return reader != null && reader.sharedSeen >= number;
    }

    /** Whether the thread looks with a barrier before it uses an object of this state. */
    private static boolean isQuiet(InterloperThread other, int word) {
        int quiet = U.getIntVolatile(other, InterloperThread.QUIET);
        if (quiet == TAKING || quiet == ASLEEP) return true;
        // While a transaction runs, it must not end unseen, either.
        return stateOf(word) == NEW && U.getIntVolatile(other, InterloperThread.NEW_WORD) != word
                && U.getIntVolatile(other, InterloperThread.DEPTH) == 0;
    }

    /** The thread's transaction has ended: who takes from a thread that is asleep looks whether it has without a barrier of its own. */
    static void ends(InterloperThread c) {
        if (U.getIntVolatile(c, InterloperThread.QUIET) != AWAKE) U.fullFence();
    }

    /** Takes its words from a thread: whatever it wants to use next, it has to look with a barrier of its own. */
    private static boolean lull(InterloperThread other, InterloperThread c) {
        if (!U.compareAndSetInt(other, InterloperThread.QUIET, AWAKE, c.slot << 2 | FALLING)) return false;
        other.lull();
        return true;
    }

    /** After the barrier; unless the thread has woken up meanwhile. */
    private static void settle(InterloperThread other, InterloperThread c) {
        U.compareAndSetInt(other, InterloperThread.QUIET, c.slot << 2 | FALLING, ASLEEP);
    }

    /** Comes back when a window that was open before now is closed. */
    @DontInline
    private static void awaitClosed(InterloperThread other) {
        if (other == null || U.getIntVolatile(other, InterloperThread.OPEN) == 0) return;
        int asked = ask(other);
        for (int step = 0; U.getIntVolatile(other, InterloperThread.OPEN) != 0 && !hasAnswered(other, asked); step++) {
            idle(step, 100);
        }
    }

    /** One step of waiting for another thread: so many times it is hoped to be short. */
    static void idle(int step, int spins) {
        if (step < spins) Thread.onSpinWait();
        else InterloperNative.pause(step - spins >>> 5);
    }

    /** Comes back when all windows are closed that were open before now. */
    static void awaitAll() {
        InterloperNative.membarrier();
        for (int slot = 0, slots = InterloperThreads.used(); slot < slots; slot++) awaitClosed(InterloperThreads.last(slot));
    }

    /** Asks everybody to close what is open, and waits for that, but not long: in the end, what is not in the log would be lost. */
    static void askAll() {
        long until = System.nanoTime() + LAST_PATIENCE;
        for (int slot = 0, slots = InterloperThreads.used(); slot < slots; slot++) {
            InterloperThread other = InterloperThreads.SLOTS[slot];
            if (other == null || other.thread == Thread.currentThread()) continue;
            int asked = ask(other);
            while (U.getIntVolatile(other, InterloperThread.OPEN) != 0 && !hasAnswered(other, asked) && System.nanoTime() < until)
                InterloperNative.pause(1);
        }
    }

    static long positionOf(InterloperThread other, int slot) {
        return other != null ? U.getLongVolatile(other, InterloperThread.POSITION) : InterloperThreads.lastPosition(slot);
    }
}
