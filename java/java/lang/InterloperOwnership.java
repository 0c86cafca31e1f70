package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * Who may access an object without asking. Every object has a state word; its lower three bits say
 * which state, the others whose:
 *
 * <pre>
 *   FRESH       nobody has used it yet
 *   NEW t g     t has made it, and has let nobody into what it made in its g-th stretch
 *   WRITE t     t may read and write, READ t: t may read
 *   SHARED n    everybody may read whose log comes after the n-th such change
 *   BUSY t      t is taking it over; others wait
 *   LEASE t     t used it last; every use asks, because it changes hands all the time
 * </pre>
 *
 * A thread accesses and records within a window: it sets its {@code open}, looks at the state, and
 * if that allows the access writes the log, makes the access and clears {@code open}. Whoever wants an object in
 * another state makes it BUSY, makes sure that the owner's window is visible if it is open (a barrier on all processors does that, see
 * awaitVisible), and waits until it is closed: the owner has then
 * either finished what it began under the old state, or will find BUSY. So everywhere outside a window a
 * thread can be taken from, whatever it does there (run, block, sleep, call native code), and never has to answer.
 * Nobody waits with the own window open, so waiting threads never wait for each other in a circle; who has
 * taken an object makes its access before giving it away, so somebody always gets on.
 *
 * Each change of hands writes into the new owner's log how far the old owner's log was.
 */
final class InterloperOwnership {
    private InterloperOwnership() {}

    static final int FRESH = 0, NEW = 1, WRITE = 2, READ = 3, SHARED = 4, BUSY = 5, LEASE = 6, STATE = 7;
    /** Where the slot is in a word that has one; above it is the stretch of a NEW object. */
    private static final int SLOT = 0xFFFF;

    static int slotOf(int word) {
        return word >>> 3 & SLOT;
    }

    /**
     * The thread lets others in: it releases, signals, starts a thread. What it has made up to here may be
     * known to others from now on, so it is an ordinary object for the maker, too.
     */
    static void handOver(InterloperThread c) {
        c.newWord += 1 << 19;
        c.handedOver = ++c.region;
    }

    private static final Unsafe U = Unsafe.getUnsafe();
    static final long RECORD_STATE = U.objectFieldOffset(InterloperRecord.class, "state");
    private static final boolean ALL_ACCESSES = InterloperNative.settings(InterloperNative.ALL_ACCESSES) != 0;

    private static final int MOST_SHARES = (1 << 29) - 1;

    /** Per object (by number, roughly): changes of hands; uses of a lease in a row by one thread. */
    private static final byte[] HOT = new byte[1 << 16];
    private static final int[] IN_A_ROW = new int[1 << 16];
    /** So many changes of hands for writing make a lease of it, so many uses in a row end that. */
    private static final int HOT_AT = 16, COOL_AT = 64;
    /** So many windows are more than a processor can hold back; how long to wait for them. */
    private static final int ENOUGH = 128, PATIENCE = 50;
    /** With more threads than this, one barrier for all is cheaper. */
    private static final int FEW = 4;

    static void open(InterloperThread c) {
        U.putIntVolatile(c, InterloperThread.OPEN, 1);
    }

    static void close(InterloperThread c) {
        c.tick++;
        U.putIntRelease(c, InterloperThread.OPEN, 0);
    }

    /**
     * Comes back with the window open and a state that allows the access. The state is an object's own
     * field (number in the next four bytes) or a record's.
     */
    static void take(Object base, long offset, InterloperThread c, boolean write) {
        close(c);
        U.putIntVolatile(c, InterloperThread.QUIET, 1);
        try {
            takeQuietly(base, offset, c, write);
        } finally {
            U.putIntVolatile(c, InterloperThread.QUIET, 0);
        }
    }

    private static void takeQuietly(Object base, long offset, InterloperThread c, boolean write) {
        for (int step = 0; ; ) {
            int word = U.getIntVolatile(base, offset);
            int state = word & STATE;
            boolean done;
            if (state == FRESH) {
                done = takeFresh(base, offset, c);
            } else if (state == BUSY) {
                if (++step < 200) Thread.onSpinWait();
                else InterloperNative.pause(step - 200 >>> 5);
                done = false;
            } else if (state == SHARED) {
                done = write ? takeFromAll(base, offset, c, word) : readShared(base, offset, c, word);
            } else if (slotOf(word) == c.slot) {
                done = useOwn(base, offset, c, word, write);
            } else if (state == READ && !write) {
                done = share(base, offset, c, word);
            } else {
                done = takeFrom(base, offset, c, word, write);
            }
            if (done) return;
        }
    }

    /** Is the object this thread's alone? If it was another's alone, it is no longer. */
    static boolean isUnshared(Object o, int offset, InterloperThread c) {
        int word = U.getIntVolatile(o, offset);
        if (word == c.newWord) return true;
        if (word == FRESH || (word & STATE) == NEW) {
            take(o, offset, c, true);
            close(c);
        }
        return U.getInt(o, offset) == c.newWord;
    }

    /** Found without a state: it was not made here, or its making was not seen. */
    private static boolean takeFresh(Object base, long offset, InterloperThread c) {
        boolean made = base instanceof InterloperRecord && c.hasMade(((InterloperRecord) base).get());
        idOf(base, offset, c);
        if (made) {
            ((InterloperRecord) base).madeIn = c.transactions;
            InterloperLog.beRunning(c);
        }
        open(c);
        boolean done = U.compareAndSetInt(base, offset, FRESH, made && !ALL_ACCESSES ? c.newWord : c.writeWord);
        if (!done) close(c);
        return done;
    }

    /** An object that is just being made: nobody else knows it. */
    static void made(Object object, long offset, InterloperThread c) {
        if (ALL_ACCESSES || U.getLong(object, offset) != 0) return;
        InterloperLog.beRunning(c);
        // It is numbered by its maker alone until it is shared.
        U.putLong(object, offset, (long) (--c.nextBirth | Integer.MIN_VALUE) << 32 | c.newWord);
    }

    /** The state names this thread: so look again with the window open. */
    private static boolean useOwn(Object base, long offset, InterloperThread c, int word, boolean write) {
        boolean old = (word & STATE) == NEW && word != c.newWord;
        if (old) idOf(base, offset, c);
        open(c);
        boolean done;
        if (old || (word & STATE) == READ && write) {
            done = U.compareAndSetInt(base, offset, word, c.writeWord);
            if (done && old) InterloperLog.onOwnBehalf(c, idOf(base, offset, c));
        } else {
            done = U.getIntVolatile(base, offset) == word;
            if (done && (word & STATE) == LEASE) coolDown(base, offset, c, word);
        }
        if (!done) close(c);
        return done;
    }

    private static boolean readShared(Object base, long offset, InterloperThread c, int word) {
        int number = word >>> 3;
        if (number > c.sharedSeen) {
            c.sharedSeen = number;
            InterloperLog.append(c, InterloperLog.word(InterloperLog.SEEN, 0, number));
            c.region++;
        }
        open(c);
        boolean done = U.getIntVolatile(base, offset) == word;
        if (!done) close(c);
        return done;
    }

    /**
     * A second reader. The order of the steps matters: the first one's position is read while the object is BUSY
     * and its window is closed, so that whoever reads the object from now on has seen the number; and before the
     * number is taken, or the numbers could contradict the edges.
     */
    private static boolean share(Object base, long offset, InterloperThread c, int word) {
        // A number that is taken must come into the log without waiting for the reader, who may wait for it.
        InterloperLog.makeRoom(c);
        InterloperLog.stackFor(64);
        if (!U.compareAndSetInt(base, offset, word, c.slot << 3 | BUSY)) return false;
        int slot = slotOf(word);
        InterloperThread first = InterloperThreads.SLOTS[slot];
        awaitVisible(first);
        awaitClosed(first);
        InterloperLog.edge(c, slot, positionOf(first, slot));
        int number = InterloperCounters.add(InterloperCounters.SHARES, 1) + 1;
        if (number >= MOST_SHARES) {
            InterloperLog.stop("recording stopped: more objects were shared for reading than the recorder can count");
            number = MOST_SHARES;
        }
        InterloperLog.append(c, InterloperLog.word(InterloperLog.MAKE, 0, number));
        c.sharedSeen = Math.max(c.sharedSeen, number);
        U.putIntVolatile(base, offset, number << 3 | SHARED);
        return readShared(base, offset, c, number << 3 | SHARED);
    }

    private static boolean takeFrom(Object base, long offset, InterloperThread c, int word, boolean write) {
        // Memory and stack first: nothing may fail once the object is BUSY.
        int id = idOf(base, offset, c);
        InterloperLog.stackFor(64);
        if (!U.compareAndSetInt(base, offset, word, c.slot << 3 | BUSY)) return false;
        int slot = slotOf(word), state = word & STATE;
        InterloperThread owner = InterloperThreads.SLOTS[slot];
        boolean touches = state == NEW && owner != null;
        try {
            // From here on the owner does not end its transaction.
            if (touches) U.getAndAddInt(owner, InterloperThread.TOUCHING, 1);
            // A lease is looked at under a barrier of the user's own.
            if (state != LEASE) awaitVisible(owner);
            awaitClosed(owner);
            InterloperLog.edge(c, slot, positionOf(owner, slot));
            if (touches && U.getIntVolatile(owner, InterloperThread.DEPTH) != 0)
                InterloperLog.onBehalf(c, owner, base, id);
        } finally {
            if (touches) U.getAndAddInt(owner, InterloperThread.TOUCHING, -1);
            give(base, offset, c, id, state == LEASE, write);
        }
        return true;
    }

    private static int idOf(Object base, long offset, InterloperThread c) {
        return base instanceof InterloperRecord ? ((InterloperRecord) base).id : InterloperLog.idAt(base, offset, c);
    }

    /** From everybody who may be reading: who has seen the number. */
    private static boolean takeFromAll(Object base, long offset, InterloperThread c, int word) {
        int id = idOf(base, offset, c), number = word >>> 3;
        InterloperLog.stackFor(64);
        if (!U.compareAndSetInt(base, offset, word, c.slot << 3 | BUSY)) return false;
        int slots = InterloperThreads.used();
        boolean few = InterloperThreads.running() <= FEW;
        if (!few) InterloperNative.membarrier();
        for (int slot = 0; slot < slots; slot++) {
            InterloperThread reader = InterloperThreads.last(slot);
            if (slot == c.slot || reader == null || reader.sharedSeen < number) continue;
            if (few) awaitVisible(reader);
            awaitClosed(reader);
            InterloperLog.edge(c, slot, positionOf(reader, slot));
        }
        give(base, offset, c, id, false, true);
        return true;
    }

    private static void give(Object base, long offset, InterloperThread c, int id, boolean leased, boolean write) {
        int index = id & HOT.length - 1;
        if (write && HOT[index] < Byte.MAX_VALUE) HOT[index]++;
        IN_A_ROW[index] = 0;
        // Readers can share: a lease would have them take turns.
        boolean lease = write && (leased || HOT[index] >= HOT_AT);
        open(c);
        U.putIntVolatile(base, offset, lease ? c.slot << 3 | LEASE : write ? c.writeWord : c.readWord);
    }

    /** One thread uses a lease again and again: it gets the object for itself. */
    private static void coolDown(Object base, long offset, InterloperThread c, int word) {
        int index = idOf(base, offset, c) & HOT.length - 1;
        if (++IN_A_ROW[index] < COOL_AT) return;
        IN_A_ROW[index] = 0;
        HOT[index] = HOT_AT / 2;
        U.compareAndSetInt(base, offset, word, c.writeWord);
    }

    /**
     * Comes back when everything is visible that a thread did before now, its window above all. What it stores
     * becomes visible in order, and no processor holds more than some hundred stores back: so a thread that has closed
     * many windows since (three stores each) has told all it knew. One that has not gets a barrier, with
     * all others; that takes longer by far.
     */
    private static void awaitVisible(InterloperThread other) {
        if (other == null || U.getIntVolatile(other, InterloperThread.QUIET) != 0) return;
        int from = U.getIntVolatile(other, InterloperThread.TICK), last = from;
        for (int step = 0; step < PATIENCE; step++) {
            for (int i = 0; i < 4; i++) Thread.onSpinWait();
            int now = U.getIntVolatile(other, InterloperThread.TICK);
            if (now - from > ENOUGH) return;
            if (now == last && step > 4) break;
            last = now;
        }
        InterloperNative.membarrier();
    }

    private static void awaitClosed(InterloperThread other) {
        if (other == null) return;
        for (int step = 0; U.getIntVolatile(other, InterloperThread.OPEN) != 0; step++) {
            if (step < 100) Thread.onSpinWait();
            else InterloperNative.pause(step - 100 >>> 5);
        }
    }

    static long positionOf(InterloperThread other, int slot) {
        return other != null ? U.getLongVolatile(other, InterloperThread.POSITION) : InterloperThreads.lastPosition(slot);
    }
}
