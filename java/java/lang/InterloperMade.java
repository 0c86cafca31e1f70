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
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * What woven code calls where objects are made, copied and handed to other threads. See {@link InterloperProbe}.
 */
public final class InterloperMade {
    private InterloperMade() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    /** An array of so many elements gets its record when it is made. */
    private static final int LARGE = 1 << 12;

    /** In a constructor, once the superclass's is done: the object is this thread's. The site tells of the further words. */
    public static void made(Object o, InterloperThread c, int site) {
        long offsets = InterloperFields.place(site);
        if (offsets == 0) offsets = resolveMade(o, site);
        // Most classes have one state word for all fields.
        if (offsets > 0 && offsets >>> 32 == 0 && (!InterloperLog.ON || c.making)) InterloperOwnership.made(o, (int) offsets, c);
        else if ((int) offsets > 0) InterloperOwnership.madeRarely(o, (int) offsets, (int) (offsets >>> 32), c);
    }

    @DontInline
    private static long resolveMade(Object o, int site) {
        Class<?> of = o.getClass();
        long offsets = (long) InterloperNames.further(of) << 32 | InterloperNames.offset(of) & 0xFFFFFFFFL;
        InterloperSites.put(site, offsets);
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
        if (r.state == InterloperOwnership.FRESH) InterloperOwnership.take(r, InterloperOwnership.RECORD_PLACE, c, 0, true);
        InterloperProbe.close(c);
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

    /** A copy made by clone() has its original's state and number; it is a new object, of a number of its own. */
    public static void cloned(Object original, Object copy) {
        if (copy == null || original == copy || original.getClass() != copy.getClass()) return;
        if (copy.getClass().isArray()) {
            madeArray(copy, InterloperProbe.here());
            return;
        }
        int offset = InterloperNames.offset(copy.getClass());
        if (offset <= 0) return;
        int number = U.getInt(copy, offset + 4);
        // Without a number, it may be what a method of the program of this name has found somewhere.
        if (number != 0 && number == U.getInt(original, offset + 4)) InterloperOwnership.copied(copy, offset, InterloperProbe.here());
    }
}
