package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What woven code calls for elements of arrays. See {@link InterloperProbe}.
 */
public final class InterloperElements {
    private InterloperElements() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final int ARRAY_CUTOFF = (int) InterloperNative.settings(InterloperNative.ARRAY_CUTOFF);
    private static final long RECORD = InterloperOwnership.RECORD_PLACE, STATE = (int) RECORD;

    /** In one comparison: it is not beyond the cutoff, and not below 0, where no element is. */
    @ForceInline
    private static boolean isLookedAt(int index) {
        if (ARRAY_CUTOFF == Integer.MAX_VALUE) return index >= 0;
        return index + Integer.MIN_VALUE < ARRAY_CUTOFF + Integer.MIN_VALUE;
    }

    public static void readElement(Object array, int index, InterloperThread c, int site) {
        InterloperRun run = runOf(c, site);
        if (array != null && isLookedAt(index) && isThrough(run, array, site)) {
            c.open();
            int word = U.getIntVolatile(run.record, STATE);
            if (c.mayRead(word)) {
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
            c.open();
            int word = U.getIntVolatile(run.record, STATE);
            if (c.mayWrite(word)) {
                if (!run.counts(c, index, word) && !run.isTold(c, index, word))
                    InterloperLog.element(c, run, index, true);
                return;
            }
            if (run.isOwn(c, word)) return;
        }
        element(array, index, c, site, true);
    }

    @DontInline
    static void element(Object array, int index, InterloperThread c, int site, boolean write) {
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

    // ---- in loops that leave the window open

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
        c.open();
        int word = U.getIntVolatile(r, STATE);
        if (word == c.mayUseNew ? InterloperNames.isJustBorn(c, r.id) : c.mayWrite(word) || !write && c.mayRead(word)) return word;
        InterloperOwnership.take(r, RECORD, c, site, write);
        return r.state;
    }

    static void tellElement(InterloperRecord r, int index, InterloperThread c, int site, boolean write) {
        if (r.state != c.newWord) InterloperLog.singleElement(c, site, r.id, index, write, r.state);
    }
}
