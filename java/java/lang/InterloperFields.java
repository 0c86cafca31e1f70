package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What woven code calls for fields and static variables. See {@link InterloperProbe}.
 */
public final class InterloperFields {
    private InterloperFields() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    /**
     * Of a site it is known where the state and the object's number are, as a place ({@link InterloperOwnership}). 0: not
     * looked up yet, -1: in a record, -2: a final field, not looked at.
     */
    static final int IN_RECORD = -1, IGNORED = -2;
    private static final int FINAL = 0x10, VOLATILE = 0x40;
    /** Added to a place where a volatile field is written: that makes both halves negative, and less than anything else. */
    private static final long VOLATILE_PLACE = (1L << 63) + (1L << 31), SHOWS = -1L << 62;
    private static final long RECORD = InterloperOwnership.RECORD_PLACE, STATE = (int) RECORD;

    // ---- fields

    public static void read(Object o, InterloperThread c, int site) {
        if (o == null) return;
        c.open();
        long place = place(site);
        if (place > 0) {
            int word = U.getIntVolatile(o, (int) place);
            if (word == c.mayUseNew ? isOwn(o, c, place) : InterloperLog.ON ? isTold(o, c, site, place, word) : c.mayRead(word)) return;
        } else if (place == IGNORED) {
            return;
        }
        slow(o, c, site, false);
    }

    public static void write(Object o, InterloperThread c, int site) {
        if (o == null) return;
        c.open();
        long place = place(site);
        if (place > 0) {
            int word = U.getIntVolatile(o, (int) place);
            if (word == c.mayUseNew ? isOwn(o, c, place) : InterloperLog.ON ? isTold(o, c, site, place, word) : c.mayWrite(word)) return;
        }
        slow(o, c, site, true);
    }

    // ---- what small methods look at once, see guards.rs in the weaver

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
        c.open();
        long place = place(site);
        if (place > 0) {
            int word = U.getIntVolatile(o, (int) place);
            if (word == c.mayUseNew ? isOwn(o, c, place) : InterloperLog.ON ? isTold(o, c, site + all, place, word) : write ? c.mayWrite(word) : c.mayRead(word)) return true;
        }
        InterloperOwnership.closeCounted(c);
        return false;
    }

    // ---- accesses in loops that leave the window open

    /*
     * The last argument is what the same access of the same variable gave the last time round: as long as the window was not closed
     * since, there is nothing to do. NEVER: it has not been made yet, or of another object.
     */
    static final int NEVER = 2;

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

    // ---- where states are

    /** Where the state and the number are, or why not. */
    @ForceInline
    static long place(int site) {
        return InterloperSites.get(site);
    }

    /** The number of the object. */
    @ForceInline
    static int idAt(Object o, long place) {
        return U.getInt(o, place >>> 32);
    }

    /** Whether the region has told of the access under this very state; or of all that the site is the first of. */
    @ForceInline
    static boolean isTold(Object o, InterloperThread c, int site, long place, int word) {
        return InterloperTold.has(c, site, idAt(o, place), word);
    }

    /** Whether an object that is new to all appearance was made just now: then nobody else knows it. */
    @ForceInline
    static boolean isOwn(Object o, InterloperThread c, long place) {
        return InterloperNames.isJustBorn(c, idAt(o, place));
    }

    @DontInline
    static void slow(Object o, InterloperThread c, int site, boolean write) {
        long place = place(site);
        if (place == 0) {
            InterloperProbe.close(c);
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
            c.open();
            int word = U.getIntVolatile(o, (int) place);
            if (word == c.mayUseNew ? !isOwn(o, c, place) : !c.mayWrite(word) && (write || !c.mayRead(word)))
                InterloperOwnership.take(o, place, c, site, write);
            InterloperLog.tell(c, site, o, place);
        } else {
            InterloperProbe.close(c);
        }
    }

    /** Where the state is that guards a field: with the class that declares the field, or in a record. */
    @DontInline
    static long resolve(Object o, int site, boolean write) {
        long place = IN_RECORD;
        Class<?> declaring = InterloperNative.declaring(o, null, site);
        if (declaring != null) {
            int flags = InterloperNative.flags(declaring, site);
            Class<?> root = InterloperNative.root(declaring);
            if (flags != -1 && (flags & FINAL) != 0) place = IGNORED;
            else if (root != null) place = placeIn(root, declaring, site);
            if (place > 0 && write && flags != -1 && (flags & VOLATILE) != 0) place += VOLATILE_PLACE;
        }
        InterloperSites.put(site, place);
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
    static void record(InterloperRecord r, InterloperThread c, int site, boolean write) {
        c.open();
        int word = U.getIntVolatile(r, STATE);
        boolean may = word == c.mayUseNew ? InterloperNames.isJustBorn(c, r.id) : write ? c.mayWrite(word) : c.mayRead(word);
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

    // ---- what is accessed by a call

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
        c.open();
        int word = U.getIntVolatile(base, (int) place);
        if (word == c.mayUseNew ? !isOwn(base, c, place) : !c.mayWrite(word)) InterloperOwnership.take(base, place, c, 0, true);
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
}
