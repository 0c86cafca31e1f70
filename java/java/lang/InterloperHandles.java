package java.lang;

import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import jdk.internal.misc.Unsafe;

/**
 * Which variables are meant by variable handles and field updaters. There is no public way to ask, so the
 * handle's own fields are read; one that looks otherwise than expected (views of buffers, combinations of handles,
 * other JDKs) means nothing, and nothing is recorded.
 *
 * A place in the code learns the fields that it accesses when it meets them. It has numbers for some of them
 * (handles.rs in the weaver): its own, and then two for each field. The reader is told what they mean before they are used.
 */
final class InterloperHandles {
    private InterloperHandles() {}

    /** What a place does; the native part knows them by these numbers. */
    static final int GET = 0, SET = 1, READ = 2, WRITE = 3, UPDATE = 4, TRY = 5;

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long SITES = InterloperNative.settings(InterloperNative.SITES);
    private static final int ARRAY_CUTOFF = (int) InterloperNative.settings(InterloperNative.ARRAY_CUTOFF);
    /** So many fields can be told apart at one place, so many handles are remembered there. */
    private static final int MOST_FIELDS = 8, MOST_HANDLES = 32;

    /** What a handle means at a place. */
    static final class Meaning extends WeakReference<Object> {
        /** The class that declares the field, alive as long as the handle; null: an array's element, or nothing. */
        WeakReference<Class<?>> declaring;
        String name;
        boolean isStatic;
        /** The class of a static field may have to be initialised by the access. */
        boolean late;
        /** The first of the field's two sites at this place; 0: the handle means nothing here. */
        int site;
        Meaning next;

        Meaning(Object handle) {
            super(handle);
        }

        boolean isSameFieldAs(Meaning other) {
            return declaring == null || other.declaring == null ? declaring == other.declaring
                    : name == other.name && declaring.get() == other.declaring.get();
        }
    }

    /** By what the site table says of a place. */
    private static volatile Meaning[] places = new Meaning[64];
    private static int count;

    /** What the handle means here; null if nothing. */
    static Meaning of(Object handle, int place, int does) {
        int index = U.getIntAcquire(null, SITES + ((long) place << 3));
        int known = 0;
        for (Meaning m = index > 0 ? places[index] : null; m != null; m = m.next, known++)
            if (m.refersTo(handle)) return m.site == 0 ? null : m;
        if (handle == null || known >= MOST_HANDLES) return null;
        Meaning found = add(meaning(handle), place, does, location());
        return found.site == 0 ? null : found;
    }

    private static synchronized Meaning add(Meaning found, int place, int does, StackTraceElement at) {
        int index = U.getInt(SITES + ((long) place << 3));
        if (index == 0) {
            index = ++count;
            if (index == places.length) {
                Meaning[] longer = new Meaning[2 * index];
                System.arraycopy(places, 0, longer, 0, index);
                places = longer;
            }
        }
        int fields = 0;
        boolean told = found.site == 0;
        for (Meaning m = places[index]; m != null; m = m.next) {
            if (m.site == 0) continue;
            fields = Math.max(fields, (m.site - place + 1) / 2);
            if (!told && m.isSameFieldAs(found)) {
                found.site = m.site;
                told = true;
            }
        }
        if (!told) {
            found.site = fields < MOST_FIELDS ? place + 1 + 2 * fields : 0;
            if (found.site != 0) tell(found, does, at);
        }
        found.next = places[index];
        U.storeFence();
        places[index] = found;
        U.putIntRelease(null, SITES + ((long) place << 3), index);
        return found;
    }

    private static void tell(Meaning m, int does, StackTraceElement at) {
        String label = at == null ? "" : at.getClassName() + "." + at.getMethodName();
        String file = at == null ? null : at.getFileName();
        Class<?> declaring = m.declaring == null ? null : m.declaring.get();
        tell(m.site, does | (m.isStatic ? 8 : 0), declaring, m.name, label, file, at == null ? 0 : at.getLineNumber());
    }

    /** Where the running probe was called; null if the JVM does not say. */
    private static StackTraceElement location() {
        for (StackTraceElement frame : new Throwable().getStackTrace())
            if (!frame.getClassName().startsWith("java.lang.Interloper")) return frame;
        return null;
    }

    // ---- what a handle means

    private static Meaning meaning(Object handle) {
        Meaning m = new Meaning(handle);
        try {
            Object bare = handle;
            if (handle.getClass().getName().equals("java.lang.invoke.LazyInitializingVarHandle")) {
                bare = U.getReference(handle, U.objectFieldOffset(handle.getClass(), "target"));
                m.late = true;
            }
            if (bare instanceof VarHandle) ofHandle(bare, m);
            else ofUpdater(bare, m);
        } catch (InternalError e) {
            // There is no such field in this JDK: the handle means nothing.
            m.site = 0;
        }
        return m;
    }

    /** The nested classes of VarHandleInts and the like; those of views have other names. */
    private static void ofHandle(Object handle, Meaning m) {
        Class<?> of = handle.getClass();
        String name = of.getName();
        if (!name.startsWith("java.lang.invoke.VarHandle")) return;
        if (name.endsWith("$Array")) {
            m.site = -1;
        } else if (name.endsWith("$FieldInstanceReadOnly") || name.endsWith("$FieldInstanceReadWrite")) {
            if (name.endsWith("Write")) of = of.getSuperclass();
            Object receiver = U.getReference(handle, U.objectFieldOffset(of, "receiverType"));
            field((Class<?>) receiver, U.getLong(handle, U.objectFieldOffset(of, "fieldOffset")), m);
        } else if (name.endsWith("$FieldStaticReadOnly") || name.endsWith("$FieldStaticReadWrite")) {
            if (name.endsWith("Write")) of = of.getSuperclass();
            m.isStatic = true;
            Object base = U.getReference(handle, U.objectFieldOffset(of, "base"));
            long offset = U.getLong(handle, U.objectFieldOffset(of, "fieldOffset"));
            if (base instanceof Class) field((Class<?>) base, offset, m);
        }
    }

    private static void ofUpdater(Object updater, Meaning m) {
        Class<?> of = updater.getClass();
        if (!of.getName().startsWith("java.util.concurrent.atomic.")) return;
        Object holder = U.getReference(updater, U.objectFieldOffset(of, "tclass"));
        field((Class<?>) holder, U.getLong(updater, U.objectFieldOffset(of, "offset")), m);
    }

    /** Looks for the field at this offset, in the class and upwards. */
    private static void field(Class<?> from, long offset, Meaning m) {
        for (Class<?> c = from; c != null; c = m.isStatic ? null : c.getSuperclass()) {
            String names = fieldNames(c, m.isStatic);
            for (int start = 0, end; names != null && start < names.length(); start = end + 1) {
                end = names.indexOf('\n', start);
                String name = names.substring(start, end).intern();
                if (U.objectFieldOffset(c, name) != offset) continue;
                m.declaring = new WeakReference<>(c);
                m.name = name;
                m.site = -1;
                return;
            }
        }
    }

    // ---- accesses

    /**
     * The class whose field is meant; null if it is none of this object. Where there is no object the handle stands
     * for it. Whatever does not fit is for the call to complain about.
     */
    private static Class<?> fieldOf(Meaning m, Object handle, Object o) {
        if (m == null || m.declaring == null) return null;
        Class<?> declaring = m.declaring.get();
        if (!m.isStatic) return declaring.isInstance(o) ? declaring : null;
        if (m.late) {
            // Before the window opens.
            U.ensureClassInitialized(declaring);
            m.late = false;
        }
        return o == handle ? declaring : null;
    }

    static void access(Object handle, Object o, InterloperThread c, int place, int does) {
        Meaning m = of(handle, place, does);
        Class<?> declaring = fieldOf(m, handle, o);
        if (declaring == null) return;
        boolean write = does == SET || does == WRITE || does == UPDATE;
        if (does == WRITE || does == UPDATE) InterloperOwnership.shows(c);
        if (m.isStatic) {
            if (write) InterloperFields.writeStatic(declaring, c, m.site);
            else InterloperFields.readStatic(declaring, c, m.site);
        } else {
            if (write) InterloperFields.write(o, c, m.site);
            else InterloperFields.read(o, c, m.site);
        }
    }

    static void accessElement(Object handle, Object array, int index, InterloperThread c, int place, int does) {
        Meaning m = of(handle, place, does);
        if (m == null || !isElement(m, array, index)) return;
        boolean write = does == SET || does == WRITE || does == UPDATE;
        if (does == WRITE || does == UPDATE) InterloperOwnership.shows(c);
        if (write) InterloperElements.writeElement(array, index, c, m.site);
        else InterloperElements.readElement(array, index, c, m.site);
    }

    private static boolean isElement(Meaning m, Object array, int index) {
        return m.declaring == null && array != null && array.getClass().isArray()
                && index >= 0 && index < ARRAY_CUTOFF;
    }

    /** Before an update by a function of the program: what is called in its place. */
    static Object updating(Object updater, Object o, Object function, InterloperThread c, int place) {
        Meaning m = of(updater, place, UPDATE);
        return fieldOf(m, updater, o) == null ? function : InterloperUpdate.of(function, c, o, m.site, true);
    }

    /** After it. The window is open since the function has ended, unless something went wrong. */
    static void updated(Object updater, Object o, InterloperThread c, int place) {
        Meaning m = of(updater, place, UPDATE);
        if (fieldOf(m, updater, o) == null) return;
        if (c.open == 0) access(updater, o, c, place, UPDATE);
        else InterloperFields.tell(o, c, m.site, m.site);
    }

    /** Before what may fail to write: the variable is this thread's until the window is closed. */
    static void attempt(Object handle, Object o, InterloperThread c, int place) {
        Meaning m = of(handle, place, TRY);
        Class<?> declaring = fieldOf(m, handle, o);
        if (declaring == null) return;
        InterloperOwnership.shows(c);
        if (m.isStatic) InterloperFields.hold(InterloperStatics.of(declaring, c, m.site), c);
        else InterloperFields.hold(o, c, m.site);
    }

    static void attempted(boolean wrote, Object handle, Object o, InterloperThread c, int place) {
        Meaning m = of(handle, place, TRY);
        Class<?> declaring = fieldOf(m, handle, o);
        if (declaring == null) return;
        int site = wrote ? m.site + 1 : m.site;
        if (m.isStatic) InterloperFields.tell(InterloperStatics.of(declaring, c, m.site), c, site);
        else InterloperFields.tell(o, c, m.site, site);
    }

    static void attemptElement(Object handle, Object array, int index, InterloperThread c, int place) {
        Meaning m = of(handle, place, TRY);
        if (m == null || !isElement(m, array, index)) return;
        InterloperOwnership.shows(c);
        InterloperFields.hold(InterloperMap.of(array, c, m.site), c);
    }

    static void attemptedElement(boolean wrote, Object handle, Object array, int index, InterloperThread c, int place) {
        Meaning m = of(handle, place, TRY);
        if (m == null || !isElement(m, array, index)) return;
        InterloperElements.tellElement(InterloperMap.of(array, c, m.site), index, c, wrote ? m.site + 1 : m.site, wrote);
    }

    // ---- what is asked of the native part

    /** The names of the fields that a class itself declares, static ones or others, each with a line end; null if unknown. */
    private static native String fieldNames(Class<?> of, boolean isStatic);

    /** Tells the reader what a site is, and the next one if the place tries to write. */
    private static native void tell(int site, int does, Class<?> declaring, String name, String label, String file, int line);
}
