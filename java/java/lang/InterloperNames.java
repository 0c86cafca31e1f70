package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What objects and classes are called in the log: numbers, given when others come to know an object; and where instances of a class have theirs.
 */
final class InterloperNames {
    private InterloperNames() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final int IDS = 64;
    /** So many variables an object has, about. */
    private static final int FIELDS = 4;
    private static final int MANY_VARIABLES = 1 << 16;
    /** By number: the number that the object had while it was new. Old ones are overwritten. */
    private static final long[] BIRTHS = new long[1 << 16];

    /** A number for an object, or for that of a record; the log says of which class it is. */
    @DontInline
    static int newId(Object base, InterloperThread c) {
        if (c.nextId == c.lastId) {
            c.nextId = InterloperCounters.add(InterloperCounters.IDS, IDS) + 1;
            c.lastId = c.nextId + IDS;
            countVariables(c);
            if (c.nextId < 0) InterloperLog.stop("recording stopped: more objects were shared than the recorder can count");
        }
        int id = c.nextId++;
        if (base instanceof InterloperRecord) {
            InterloperRecord record = (InterloperRecord) base;
            c.variables += record.variables;
            if (c.variables > MANY_VARIABLES) countVariables(c);
            InterloperLog.append(c, InterloperLog.word(InterloperLog.OBJECT, 0, id), record.type);
        } else {
            if (InterloperLog.ON && base != null) InterloperDeaths.watch(base, id);
            c.variables += FIELDS;
            InterloperLog.append(c, InterloperLog.word(InterloperLog.OBJECT, 0, id), base == null ? 0 : classNumber(base.getClass()));
        }
        return id;
    }

    /** Large arrays are counted at once: see InterloperDeaths. */
    private static void countVariables(InterloperThread c) {
        InterloperCounters.add(InterloperCounters.VARIABLES, c.variables);
        c.variables = 0;
    }

    /** How many variables an object is counted for. */
    static int variablesOf(Object object) {
        return object.getClass().isArray() ? java.lang.reflect.Array.getLength(object) : FIELDS;
    }

    /** The number beside an object's first state word, or in its record; negative: a new object's, not in the log yet. */
    @DontInline
    static int idAt(Object object, long offset, InterloperThread c) {
        for (int fresh = 0; ; ) {
            int id = U.getIntVolatile(object, offset);
            if (id > 0) return id;
            if (fresh == 0) fresh = newId(object, c);
            if (id != 0) BIRTHS[fresh & BIRTHS.length - 1] = (long) fresh << 32 | id & 0xFFFFFFFFL;
            if (U.compareAndSetInt(object, offset, id, fresh)) return fresh;
            // An object that carries its number itself is watched under this one, too.
            if (object instanceof InterloperRecord && U.getInt(object, offset) > 0) InterloperDeaths.inVain(fresh);
        }
    }

    /** Where the instances of a class have their first state word; -1: nowhere. */
    static int offset(Class<?> of) {
        return laidOut(of).offset;
    }

    /** Where the instances of a class have their further state words, see InterloperOwnership.TWO; 0: nowhere. */
    static int further(Class<?> of) {
        return laidOut(of).further;
    }

    private static InterloperClass laidOut(Class<?> of) {
        InterloperClass record = InterloperMap.ofClass(of);
        if (record.offset == 0) {
            Class<?> root = InterloperNative.root(of);
            record.further = root == null ? 0 : furtherIn(root);
            U.storeFence();
            record.offset = root == null ? -1 : (int) U.objectFieldOffset(root, "$interloper$");
        }
        return record;
    }

    private static int furtherIn(Class<?> root) {
        String name = InterloperNative.groups(root);
        if (name == null) return 0;
        return (int) U.objectFieldOffset(root, name) + (name.indexOf('2') < 0 ? 0 : InterloperOwnership.TWO);
    }

    /** What instances of a class are called by in the log. */
    static int classNumber(Class<?> of) {
        InterloperClass record = InterloperMap.ofClass(of);
        if (record.number != 0) return record.number;
        synchronized (record) {
            if (record.number == 0) record.number = newClassNumber(of, false);
            return record.number;
        }
    }

    /** The same for the class as an object: one that is a lock, mostly. */
    static int classObjectNumber(Class<?> of) {
        InterloperClass record = InterloperMap.ofClass(of);
        synchronized (record) {
            if (record.objectNumber == 0) record.objectNumber = newClassNumber(of, true);
            return record.objectNumber;
        }
    }

    private static int newClassNumber(Class<?> of, boolean object) {
        int number = InterloperCounters.add(InterloperCounters.CLASSES, 1) + 1;
        InterloperNative.className(number, of, object);
        return number;
    }

    // ---- new objects have other numbers

    /**
     * Whether something that has the state of a new object was made by the running transaction, or outside of any since the last one. What others made before may be
     * known to other threads by plain accesses of theirs, and what this one does to it counts.
     */
    @ForceInline
    static boolean isJustBorn(InterloperThread c, int id) {
        return !InterloperLog.ON || isBornIn(c, id);
    }

    /** Births count down from below zero, and begin anew in the end; what others may know has another number. */
    @ForceInline
    static boolean isBornIn(InterloperThread owner, int birth) {
        return birth < owner.firstBirth && birth >= owner.nextBirth;
    }

    /** The number that an object had while it was new; 0: not known. */
    static int birthOf(int id) {
        long birth = BIRTHS[id & BIRTHS.length - 1];
        return (int) (birth >>> 32) == id ? (int) birth : 0;
    }
}
