package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Where a site goes through an array: the array's record, and the entry in the log that is about the elements accessed last. As long as
 * the next element is as far away as the one before, in the same block, and nothing has come into the log since that starts a new
 * region, a block or a chunk, the entry counts one more in place.
 *
 * The entry is in the log before others can take the array over, and counts up within the window of the access; so whoever has taken the
 * array finds the count as it is, and it does not change any more: to access the array again the thread has to take it back, which
 * starts a new region.
 */
final class InterloperRun {
    private static final Unsafe U = Unsafe.getUnsafe();
    static final long ONE_MORE = 1L << 40;
    private static final int MOST = (1 << 12) - 1;
    /** What sites have that have used no array yet. */
    static final InterloperRun NOWHERE = new InterloperRun();
    /** No index. */
    private static final int NONE = -1;

    /** The array that the site used last; never null. */
    InterloperRecord record = InterloperRecord.NOTHING;
    /** The element after the last one, if the entry is to go on. */
    int next = NONE;
    int stride;
    /** How many elements it may still count. */
    int left;
    /** The entry's second word, and where it is. */
    long second, address;
    /** When it was written. */
    private int site, stretch, depth, state;

    /**
     * Has nothing happened since the entry was written that it must not go on after? The block that it is in was in
     * the log by then, so that its end is, too; but another one may have begun in it that is not in the log.
     */
    @ForceInline
    boolean goesOn(InterloperThread c, int site, int word) {
        return stretch == c.stretch && depth == c.depth && this.site == site && state == word;
    }

    /** Counts an element in the entry, if it is the next one; or need not. */
    @ForceInline
    boolean counts(InterloperThread c, int site, int index, int word) {
        if (!InterloperLog.ON) return true;
        if (next != index || !goesOn(c, site, word)) return false;
        next = index + stride;
        U.putLongRelease(null, address, second += ONE_MORE);
        if (--left == 0) end();
        return true;
    }

    /** A new entry of one element, the last in the log. */
    void begin(InterloperThread c, int site, int index, int word) {
        this.site = site;
        state = word;
        stretch = c.stretch;
        depth = c.depth;
        address = (c.position - 1 << 3) + c.bias;
        second = index;
        next = NONE;
        left = MOST;
    }

    /** Is this the state of an array that the running transaction has made itself, and nobody else knows? */
    @ForceInline
    boolean isOwn(InterloperThread c, int word) {
        return word == c.newWord && (!InterloperLog.ON || record.madeIn == c.transactions);
    }

    /** Is the entry about one element as yet? */
    boolean isSingle() {
        return left == MOST;
    }

    /** A second element: it says how far the others have to be. (If it is the first one again, the entry says it already.) */
    boolean extend(int index) {
        int distance = index - (int) second;
        if (distance == 0) return true;
        if (distance != (byte) distance) return false;
        stride = distance;
        second |= ONE_MORE | (distance & 0xFFL) << 32;
        U.putLongRelease(null, address, second);
        next = index + distance;
        left--;
        return true;
    }

    /** The entry does not go on. */
    void end() {
        next = NONE;
        left = 0;
    }

    /** The site uses another array now. */
    void turnTo(InterloperRecord record) {
        end();
        this.record = record;
    }
}
