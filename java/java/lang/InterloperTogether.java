package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What woven code calls for accesses of one object that follow each other in a window. See {@link InterloperProbe}.
 */
public final class InterloperTogether {
    private InterloperTogether() {}

    private static final Unsafe U = Unsafe.getUnsafe();

    /*
     * The first one gets hold of the object for all, for writing if one of them writes. What it gives to the others says, by the number of
     * closed windows, how long it is held, and whether there is anything to do: as it is, nothing, because the region has told of all of
     * them; and HELD, to tell; and HELD_AGAIN, the same, but the object has been away since the first one told.
     */
    private static final int HELD = 1, HELD_AGAIN = 3;

    public static int readFirst(Object o, InterloperThread c, int site) {
        if (o != null) {
            c.open();
            long place = InterloperFields.place(site);
            if (place > 0) {
                int word = U.getIntVolatile(o, (int) place);
                if (word == c.mayUseNew ? InterloperFields.isOwn(o, c, place) : InterloperLog.ON ? InterloperFields.isTold(o, c, site + InterloperTold.ALL, place, word) : c.mayRead(word)) return c.tick;
            }
        }
        return first(o, c, site, false);
    }

    public static int writeFirst(Object o, InterloperThread c, int site) {
        if (o != null) {
            c.open();
            long place = InterloperFields.place(site);
            if (place > 0) {
                int word = U.getIntVolatile(o, (int) place);
                if (word == c.mayUseNew ? InterloperFields.isOwn(o, c, place) : InterloperLog.ON ? InterloperFields.isTold(o, c, site + InterloperTold.ALL, place, word) : c.mayWrite(word)) return c.tick;
            }
        }
        return first(o, c, site, true);
    }

    @DontInline
    private static int first(Object o, InterloperThread c, int site, boolean write) {
        return isHeld(o, c, site, write) ? c.tick | HELD : InterloperFields.NEVER;
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
        if ((since | HELD_AGAIN) == (c.tick | HELD_AGAIN) && since != InterloperFields.NEVER) {
            tellHeld(o, c, site);
            return since;
        }
        return isHeld(o, c, site, write) ? c.tick | HELD_AGAIN : InterloperFields.NEVER;
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
        long place = InterloperFields.place(first);
        if (place > 0) InterloperTold.tellAll(c, first, InterloperFields.idAt(o, place), U.getInt(o, (int) place));
    }

    /** Whether the object is held now, and the first access told. */
    private static boolean isHeld(Object o, InterloperThread c, int site, boolean write) {
        if (o == null) return false;
        InterloperFields.slow(o, c, site, write);
        long place = InterloperFields.place(site);
        return place > 0 || place == InterloperFields.IN_RECORD;
    }

    /** The state is not looked at: somebody may want the object by now, but gets it when the window is closed. */
    private static void tellHeld(Object o, InterloperThread c, int site) {
        long place = InterloperFields.place(site);
        if (place == 0) place = InterloperFields.resolve(o, site, false);
        if (place > 0) InterloperLog.tell(c, site, o, place);
        else if (place == InterloperFields.IN_RECORD) InterloperFields.tell(InterloperMap.of(o, c, site), c, site);
    }
}
