package java.lang;

import jdk.internal.vm.annotation.DontInline;

/**
 * Records by identity of their objects, which it does not keep alive. Reading takes no lock: a
 * reader that misses a record because the table is being rebuilt looks again under the lock.
 */
final class InterloperMap {
    private static final int SEGMENTS = 64;
    private static final InterloperMap[] ALL = new InterloperMap[SEGMENTS];

    static {
        for (int i = 0; i < SEGMENTS; i++) ALL[i] = new InterloperMap();
    }

    /** Classes, apart: they have no number in the log. */
    private static final InterloperMap CLASSES = new InterloperMap();

    private volatile InterloperRecord[] table = new InterloperRecord[16];
    private int size;
    /** 1 while somebody changes it. */
    private int locked;
    private static final long LOCKED = InterloperThread.U.objectFieldOffset(InterloperMap.class, "locked");

    /** The object's record, made if there is none. */
    static InterloperRecord of(Object object, InterloperThread c) {
        return of(object, hash(object, c), c);
    }

    private static InterloperRecord of(Object object, int hash, InterloperThread c) {
        int place = hash & InterloperThread.RECENT - 1;
        InterloperRecord recent = c.recent[place];
        if (recent != null && recent.hash == hash && recent.refersTo(object)) return recent;
        return c.recent[place] = find(object, hash, c);
    }

    private static InterloperRecord find(Object object, int hash, InterloperThread c) {
        InterloperMap segment = ALL[hash & SEGMENTS - 1];
        InterloperRecord found = find(segment.table, object, hash);
        if (found != null) return found;
        // Nobody waits with the window open. (Whose elements were accessed in it has a record.)
        InterloperOwnership.close(c);
        return segment.add(object, hash, c);
    }

    /** To ask a locked object for its identity hash code would inflate its lock: its own number does as well. */
    private static int hash(Object object, InterloperThread c) {
        if (!(object instanceof Class) && !object.getClass().isArray()) {
            int offset = InterloperNames.offset(object.getClass());
            if (offset > 0) return InterloperNames.idAt(object, offset + 4, c) * 0x9E3779B1;
        }
        return System.identityHashCode(object);
    }

    /** The record if the site used it last; else null. */
    static InterloperRecord cached(Object object, InterloperThread c, int site) {
        InterloperRecord cached = c.cache[site & InterloperThread.CACHE - 1];
        return cached != null && cached.refersTo(object) ? cached : null;
    }

    /** The record, from the thread's own cache of what the site used last. */
    static InterloperRecord of(Object object, InterloperThread c, int site) {
        InterloperRecord cached = cached(object, c, site);
        if (cached != null) return cached;
        InterloperRecord found = of(object, c);
        c.cache[site & InterloperThread.CACHE - 1] = found;
        return found;
    }

    /** How the site goes through an array, which is not the one that was used last in its place. */
    static InterloperRun turn(Object array, InterloperThread c, int site) {
        InterloperRecord record = of(array, System.identityHashCode(array), c);
        InterloperRun run = runFor(c, site);
        if (run.record != record) run.turnTo(c, record);
        return run;
    }

    /** What the site goes through arrays with; of those that have the same place, the one before is kept for its next turn. */
    @DontInline
    private static InterloperRun runFor(InterloperThread c, int site) {
        int place = site & InterloperThread.RUNS - 1;
        InterloperRun run = c.runs[place], other = c.otherRuns[place];
        if (run.site == site) return run;
        run.rest(c);
        c.otherRuns[place] = run;
        return c.runs[place] = other != null && other.site == site ? other : new InterloperRun(site);
    }

    /** The same for locks, signals and threads. */
    static InterloperLock lock(Object object, InterloperThread c) {
        return of(object, c).lock(c);
    }

    static InterloperLock lock(Object object, InterloperThread c, int site) {
        return of(object, c, site).lock(c);
    }

    static InterloperClass ofClass(Class<?> named) {
        int hash = System.identityHashCode(named);
        InterloperRecord found = find(CLASSES.table, named, hash);
        return (InterloperClass) (found != null ? found : CLASSES.add(named, hash, null));
    }

    private static int bucket(InterloperRecord[] table, int hash) {
        return hash >>> 6 & table.length - 1;
    }

    private static InterloperRecord find(InterloperRecord[] table, Object object, int hash) {
        InterloperRecord record = table[bucket(table, hash)];
        while (record != null && !(record.hash == hash && record.refersTo(object))) record = record.next;
        return record;
    }

    /** All that may wait for others is done before. */
    @DontInline
    private InterloperRecord add(Object object, int hash, InterloperThread c) {
        InterloperRecord fresh = c == null ? new InterloperClass((Class<?>) object, hash) : made(object, hash, c);
        InterloperLog.stackFor(64);
        lock();
        try {
            InterloperRecord found = find(table, object, hash);
            if (found == null) {
                link(fresh);
                if (c != null && InterloperLog.ON) InterloperDeaths.add(fresh);
                return fresh;
            }
            if (fresh.id > 0 && !fresh.borrowed) InterloperDeaths.inVain(fresh.id);
            return found;
        } finally {
            unlock();
        }
    }

    private void link(InterloperRecord record) {
        if (size >= table.length) rebuild();
        int bucket = bucket(table, record.hash);
        record.next = table[bucket];
        InterloperThread.U.storeFence();
        table[bucket] = record;
        size++;
    }

    /*
     * No monitor: a virtual thread that waits for one gives its carrier away, and when it is its turn, all carriers may be waiting for the same
     * one. Whoever has this lock waits for nobody.
     */

    private void lock() {
        for (int step = 0; !InterloperThread.U.compareAndSetInt(this, LOCKED, 0, 1); step++) InterloperOwnership.idle(step, 200);
    }

    private void unlock() {
        InterloperThread.U.putIntRelease(this, LOCKED, 0);
    }

    /** An array gets its number when others come to know it. */
    @DontInline
    private static InterloperRecord made(Object object, int hash, InterloperThread c) {
        InterloperRecord made = new InterloperRecord(object, 0, hash);
        int offset = object instanceof Class ? 0 : InterloperNames.offset(object.getClass());
        made.borrowed = offset > 0;
        if (made.borrowed) {
            made.id = InterloperNames.idAt(object, offset + 4, c);
        } else {
            made.type = object instanceof Class ? InterloperNames.classObjectNumber((Class<?>) object) : InterloperNames.classNumber(object.getClass());
            made.variables = InterloperNames.variablesOf(object);
            if (!object.getClass().isArray()) made.id = InterloperNames.newId(made, c);
        }
        return made;
    }

    /** The object of this record is dead. */
    static void remove(InterloperRecord dead) {
        ALL[dead.hash & SEGMENTS - 1].unlink(dead);
    }

    /** Who is just going through the bucket still gets on from there. */
    private void unlink(InterloperRecord dead) {
        lock();
        try {
            unlinkLocked(dead);
        } finally {
            unlock();
        }
    }

    private void unlinkLocked(InterloperRecord dead) {
        int bucket = bucket(table, dead.hash);
        InterloperRecord before = null, it = table[bucket];
        while (it != null && it != dead) {
            before = it;
            it = it.next;
        }
        if (it == null) return;
        if (before == null) table[bucket] = dead.next;
        else before.next = dead.next;
        size--;
    }

    /** Drops the records of collected objects; grows if most are still alive. */
    @DontInline
    private void rebuild() {
        InterloperRecord[] old = table;
        int alive = 0;
        for (InterloperRecord chain : old)
            for (InterloperRecord r = chain; r != null; r = r.next) if (!r.refersTo(null)) alive++;
        InterloperRecord[] fresh = new InterloperRecord[alive > old.length / 2 ? 2 * old.length : old.length];
        for (InterloperRecord chain : old) {
            for (InterloperRecord r = chain, next; r != null; r = next) {
                next = r.next;
                if (r.refersTo(null)) continue;
                int bucket = bucket(fresh, r.hash);
                r.next = fresh[bucket];
                fresh[bucket] = r;
            }
        }
        size = alive;
        table = fresh;
    }
}
