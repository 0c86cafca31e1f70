package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * What woven code calls around calls of atomic variables: the call is the access. See {@link InterloperProbe}.
 */
public final class InterloperAtomics {
    private InterloperAtomics() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long RECORD = InterloperOwnership.RECORD_PLACE, STATE = (int) RECORD;

    public static void atomicRead(Object o, InterloperThread c, int site) {
        if (o != null) InterloperFields.record(InterloperMap.of(o, c, site), c, site, false);
    }

    public static void atomicWrite(Object o, InterloperThread c, int site) {
        InterloperOwnership.shows(c);
        if (o != null) InterloperFields.record(InterloperMap.of(o, c, site), c, site, true);
    }

    public static void atomicUpdate(Object o, InterloperThread c, int site) {
        InterloperOwnership.shows(c);
        if (o != null) InterloperFields.record(InterloperMap.of(o, c, site), c, site, true);
    }

    /** Before a compare-and-set: what it was is known afterwards. */
    public static void atomicTry(Object o, InterloperThread c, int site) {
        c.pendingId = 0;
        if (o == null) return;
        InterloperOwnership.shows(c);
        InterloperRecord r = InterloperMap.of(o, c, site);
        c.open();
        int word = U.getIntVolatile(r, STATE);
        if (word == c.mayUseNew ? !InterloperNames.isJustBorn(c, r.id) : !c.mayWrite(word)) InterloperOwnership.take(r, RECORD, c, site, true);
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
        if (o != null) InterloperElements.element(o, index, c, site, false);
    }

    public static void atomicWriteElement(Object o, int index, InterloperThread c, int site) {
        InterloperOwnership.shows(c);
        if (o != null) InterloperElements.element(o, index, c, site, true);
    }

    public static void atomicUpdateElement(Object o, int index, InterloperThread c, int site) {
        InterloperOwnership.shows(c);
        if (o != null) InterloperElements.element(o, index, c, site, true);
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
        else if (o != null) InterloperFields.tell(InterloperMap.of(o, c, site), c, site);
    }

    public static void updatedElement(Object o, int index, InterloperThread c, int site) {
        if (c.open == 0) atomicUpdateElement(o, index, c, site);
        else if (o != null) InterloperElements.tellElement(InterloperMap.of(o, c, site), index, c, site, true);
    }
}
