package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Stable;

/**
 * What the probes have found out about the field of their site, for good: a number that is not 0. Code that is optimized after that has the
 * number in it, as the site is a constant there.
 */
final class InterloperSites {
    private InterloperSites() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    /** As many as there can be sites: their numbers have 24 bits. */
    private static final int ROW_BITS = 12, ROW = 1 << ROW_BITS;
    /** 1 while somebody adds a row. */
    private int locked;
    private static final long LOCKED = U.objectFieldOffset(InterloperSites.class, "locked");
    private static final InterloperSites LOCK = new InterloperSites();
    @Stable
    private static final long[][] ROWS = new long[1 << 24 - ROW_BITS][];

    /** What is known of a site; 0: nothing yet. */
    @ForceInline
    static long get(int site) {
        long[] row = ROWS[site >>> ROW_BITS];
        return row == null ? 0 : row[site & ROW - 1];
    }

    /**
     * All that find it out find the same. What it stands for must be there before. If there is no memory, it is found out again.
     */
    @DontInline
    static void put(int site, long known) {
        long[] row = ROWS[site >>> ROW_BITS];
        if (row == null) row = addRow(site >>> ROW_BITS);
        if (row == null) return;
        U.storeFence();
        row[site & ROW - 1] = known;
    }

    /** The program has not asked for it, so there may be no room. No monitor, see {@link InterloperMap}; whoever has this lock waits for nobody. */
    private static long[] addRow(int number) {
        long[] row;
        try {
            row = new long[ROW];
        } catch (OutOfMemoryError e) {
            return null;
        }
        InterloperLog.stackFor(64);
        for (int step = 0; !U.compareAndSetInt(LOCK, LOCKED, 0, 1); step++) InterloperOwnership.idle(step, 200);
        if (ROWS[number] == null) {
            U.storeFence();
            ROWS[number] = row;
        }
        row = ROWS[number];
        U.putIntVolatile(LOCK, LOCKED, 0);
        return row;
    }
}
