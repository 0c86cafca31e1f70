package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What the running transaction did to objects that nobody else knows: not logged, but remembered (key, when, and the site) until the transaction
 * ends, unless it has made the object itself, which says it all. When a second thread comes, or the thread has let others in, it is written down on its behalf.
 */
final class InterloperAlone {
    private InterloperAlone() {}

    private static final Unsafe U = Unsafe.getUnsafe();

    /** Whether this region knows of such an access of a new object: by heart, or because the running transaction has made it. */
    @ForceInline
    static boolean isNoNews(InterloperThread c, int site, int id) {
        return InterloperNames.isBornIn(c, id) || isRemembered(c, site, id);
    }

    @DontInline
    private static boolean isRemembered(InterloperThread c, int site, int id) {
        long[] seen = c.seen;
        int i = fieldPlace(site, id) << 1 & seen.length - 2;
        return seen[i] == fieldKey(site, id) && seen[i + 1] == InterloperLog.when(c, c.newWord);
    }

    /**
     * Accesses to what only this thread has used: remembered, not logged. What the running transaction
     * has made itself need not be remembered: that it has made it says it all.
     */
    static void unshared(InterloperThread c, int site, int id) {
        if (isOld(c, id) && isNews(c, fieldKey(site, id), fieldPlace(site, id), InterloperLog.when(c, c.newWord), site)) remember(c, id);
    }

    static void unsharedElement(InterloperThread c, InterloperRecord r, int site, int index, boolean write) {
        int id = r.id;
        if (isOld(c, id) && isNews(c, elementKey(id, write), elementPlace(id, index, write), InterloperLog.when(c, index), site)) remember(c, id);
    }

    /** The lock of such an object was taken. */
    static void unsharedLock(InterloperThread c, Object o, int site) {
        int id = U.getInt(o, InterloperNames.offset(o.getClass()) + 4);
        if (isOld(c, id) && isNews(c, InterloperLog.word(InterloperLog.ACQUIRE, 0, id), id, InterloperLog.when(c, 0), site)) remember(c, id);
    }

    /** Whether the running transaction has not made the object itself. */
    private static boolean isOld(InterloperThread c, int id) {
        return InterloperLog.ON && !InterloperNames.isBornIn(c, id);
    }

    private static void remember(InterloperThread c, int id) {
        c.remember(id);
        InterloperLog.beRunning(c);
    }

    // ---- the table

    /** A field goes by its site: that is at hand, and mostly there is one of a kind. */
    @ForceInline
    private static long fieldKey(int site, int id) {
        return InterloperLog.word(InterloperLog.ACCESS, site, id);
    }

    private static long elementKey(int id, boolean write) {
        return InterloperLog.word(InterloperLog.ELEMENT, write ? 1 : 0, id);
    }

    // Neighbours in memory are neighbours here.

    @ForceInline
    private static int fieldPlace(int site, int id) {
        return id + (site * 0x9E3779B1 >>> 12);
    }

    private static int elementPlace(int id, int index, boolean write) {
        return id * 0x9E3779B1 + index + (write ? 0x51ED : 0);
    }

    private static boolean isNews(InterloperThread c, long key, int place, long when, int site) {
        long[] seen = c.seen;
        int i = place << 1 & seen.length - 2;
        if (seen[i] == key && seen[i + 1] == when) return false;
        if ((int) (seen[i + 1] >>> 32) == c.region && seen[i] != key) crowded(c);
        remember(c.seen, c.sites, place, key, when, site);
        return true;
    }

    /** In this order: others look at it while it is written. */
    private static void remember(long[] seen, int[] sites, int place, long key, long when, int site) {
        int i = place << 1 & seen.length - 2;
        seen[i] = key;
        U.storeFence();
        seen[i + 1] = when;
        sites[i >> 1] = site;
    }

    /** Something of this very region has to make room: if that happens too often, there is too little. */
    private static void crowded(InterloperThread c) {
        if (++c.crowded < c.seen.length || c.seen.length >= 2 * InterloperThread.LARGEST_FILTER) return;
        c.crowded = 0;
        long[] seen;
        int[] sites;
        try {
            seen = new long[4 * c.seen.length];
            sites = new int[seen.length / 2];
        } catch (OutOfMemoryError e) {
            // The program has not asked for it.
            return;
        }
        for (int i = 0; i < c.seen.length; i += 2) {
            long key = c.seen[i];
            int id = (int) (key >>> 32), index = (int) c.seen[i + 1], site = c.sites[i >> 1];
            if (key == 0) continue;
            int place = switch ((int) key & 0xFF) {
                case InterloperLog.ACCESS -> fieldPlace(site, id);
                case InterloperLog.ELEMENT -> elementPlace(id, index, (key & 0x100) != 0);
                default -> id;
            };
            remember(seen, sites, place, key, c.seen[i + 1], site);
        }
        c.sites = sites;
        U.storeFence();
        c.seen = seen;
    }

    // ---- written down

    /**
     * What the owner's running transaction did to an object while it was the only user, written into
     * the log of the thread that is now the second: the reader gives it to the owner.
     */
    static void onBehalf(InterloperThread c, InterloperThread owner, int id) {
        long before = c.position;
        if (hasMade(owner, id)) tell(c, owner, 0, id, InterloperLog.SIGNAL, 0);
        else if (mayRemember(owner, id)) tellRemembered(c, owner, id);
        if (c.position == before) return;
        owner.touch(c.slot, c.position);
        // The reader takes it that entries for elements before it do not go on.
        c.stretch++;
    }

    private static void tellRemembered(InterloperThread c, InterloperThread owner, int id) {
        long[] seen = owner.seen;
        U.loadFence();
        int[] sites = owner.sites;
        if (seen.length != 2 * sites.length) return;
        for (int i = 0; i < seen.length; i += 2) {
            long key = remembered(owner, seen, i, id);
            if (key == 0) continue;
            int tag = (int) key & 0xFF;
            tell(c, owner, sites[i >> 1], id, tag, tag == InterloperLog.ELEMENT ? (int) seen[i + 1] : 0);
        }
    }

    private static void tell(InterloperThread c, InterloperThread owner, int site, int id, int tag, int index) {
        InterloperLog.append(c, InterloperLog.word(InterloperLog.BEHALF, site, id), (long) index << 32 | (long) tag << 24 | owner.slot);
    }

    /** The same for a thread's own log: it has let others in since, so the object is an ordinary one. */
    static void onOwnBehalf(InterloperThread c, int id, int at) {
        if (!InterloperLog.ON || c.depth == 0 || c.handedOver - c.firstRegion < 0) return;
        if (hasMade(c, id) || !mayRemember(c, id)) return;
        for (int i = 0; i < c.seen.length; i += 2) {
            long key = remembered(c, c.seen, i, id);
            if (key == 0) continue;
            InterloperLog.catchUp(c, at);
            int tag = (int) key & 0xFF, site = c.sites[i >> 1];
            if (tag == InterloperLog.ELEMENT) InterloperLog.append(c, InterloperLog.word(tag, site, id), (int) c.seen[i + 1]);
            else InterloperLog.append(c, InterloperLog.word(tag, site, id));
            if (tag == InterloperLog.ACQUIRE) InterloperLog.append(c, InterloperLog.word(InterloperLog.RELEASE, site, id));
            c.stretch++;
        }
    }

    /** Whether the running transaction has made the object itself: then nothing is remembered of it. */
    private static boolean hasMade(InterloperThread owner, int id) {
        int birth = InterloperNames.birthOf(id);
        return birth != 0 && InterloperNames.isBornIn(owner, birth);
    }

    /** Most often nothing is remembered of an object, and there is no need to look through it all. */
    private static boolean mayRemember(InterloperThread owner, int id) {
        return owner.remembers(id) || owner.remembers(InterloperNames.birthOf(id));
    }

    /** The key of an entry, if it is about this object and of the running transaction; else 0. */
    private static long remembered(InterloperThread owner, long[] seen, int i, int id) {
        long key = seen[i];
        if (key == 0) return 0;
        int of = (int) (key >>> 32);
        if (of != id && (of == 0 || of != InterloperNames.birthOf(id))) return 0;
        U.loadFence();
        int region = (int) (seen[i + 1] >>> 32);
        U.loadFence();
        // The owner writes on: has it put something else here meanwhile?
        return seen[i] == key && region - owner.firstRegion >= 0 ? key : 0;
    }
}
