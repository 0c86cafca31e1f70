package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Accesses of fields that the running region has told of: by the object's number and the state that allowed the access, the region, and the site. A
 * state that is still the same allows the access still, and the object has not been away: so what is found here needs no other look at the
 * state. What is forgotten is only told again.
 */
final class InterloperTold {
    private InterloperTold() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    /** Entries of two words, at first and at most; powers of two. */
    private static final int ENTRIES = 128, MOST = 1 << 15;
    private static final int ENTRY = 4;
    /** A table as large as any, of nothing. It is given to a thread that has to look with a barrier. */
    static final long NOTHING = table(MOST);
    /** Added to the site of the first of several accesses that are made together: all of them are told. */
    static final int ALL = 1 << 24;
    /** What a lease becomes here, as its state alone never allows an access. */
    private static final int LEASED = InterloperOwnership.STATE;

    @ForceInline
    static boolean has(InterloperThread c, int site, int id, int word) {
        long entry = c.told + place(c, site, id);
        return U.getLong(entry) == what(id, word) && U.getLong(entry + 8) == InterloperLog.when(c, site);
    }

    /** What is known of an access: the region has told of it; an earlier one has, under the same state of the object; nothing. */
    static final int TOLD = 0, TOLD_BEFORE = 1, NEWS = 2;

    /** From now on it is told. */
    static int news(InterloperThread c, int site, int id, int word) {
        if (InterloperOwnership.stateOf(word) == InterloperOwnership.LEASE) word |= LEASED;
        long what = what(id, word), where = InterloperLog.when(c, site), entry = c.ownTold + place(c, site, id);
        long there = U.getLong(entry + 8);
        boolean before = U.getLong(entry) == what && (int) there == site;
        if (before && there == where) return TOLD;
        if (there >>> 32 == where >>> 32 && ++c.crowdedTold > c.toldMask >> ENTRY - 1) {
            grow(c);
            entry = c.ownTold + place(c, site, id);
        }
        // A stack may overflow in any call.
        U.putLong(entry + 8, 0);
        U.putLong(entry, what);
        U.putLong(entry + 8, where);
        return before ? TOLD_BEFORE : NEWS;
    }

    /**
     * All accesses made together are told from now on, unless that cannot be seen by the state of the object, or each of them stands for
     * itself.
     */
    static void tellAll(InterloperThread c, int first, int id, int word) {
        if (word != c.newWord && !InterloperLog.isWanted(word) && (c.depth != 0 || !c.bound)) news(c, first + ALL, id, word);
    }

    @ForceInline
    private static long what(int id, int word) {
        return (long) id << 32 | word & 0xFFFFFFFFL;
    }

    /** Neighbours in memory are neighbours here. */
    @ForceInline
    private static int place(InterloperThread c, int site, int id) {
        return id + (site * 0x9E3779B1 >>> 12) << ENTRY & c.toldMask;
    }

    /** The table of a thread; a slot that was used before has one. */
    static void open(InterloperThread c, InterloperThread before) {
        c.toldMask = before != null ? before.toldMask : ENTRIES - 1 << ENTRY;
        // Where there are too many threads, the other still runs: its table is never too small for its mask.
        U.loadFence();
        c.ownTold = before != null ? before.ownTold : table(ENTRIES);
    }

    /**
     * Something of this very region had to make room too often. What others have given the thread instead meanwhile stays. Tables are never given back, as
     * their slots are not.
     */
    @DontInline
    private static void grow(InterloperThread c) {
        c.crowdedTold = 0;
        int entries = (c.toldMask >> ENTRY) + 1;
        if (entries == MOST) return;
        long larger;
        try {
            larger = table(4 * entries);
        } catch (OutOfMemoryError e) {
            return;
        }
        // Whichever table is looked at has room for what the mask leaves; and what follows the first call is none, so the stack suffices.
        U.compareAndSetLong(c, InterloperThread.TOLD, c.ownTold, larger);
        c.ownTold = larger;
        c.toldMask = 4 * entries - 1 << ENTRY;
    }

    private static long table(int entries) {
        long bytes = (long) entries << ENTRY, table = U.allocateMemory(bytes);
        U.setMemory(table, bytes, (byte) 0);
        return table;
    }
}
