package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/** Static variables: one record each, found by site. */
final class InterloperStatics {
    private InterloperStatics() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long SITES = InterloperNative.settings(InterloperNative.SITES);
    private static final int IGNORED = -2;
    private static final int FINAL = 0x10;

    /** Records by what the site table says of a site. */
    private static volatile InterloperRecord[] all = new InterloperRecord[256];
    private static int count;

    /** The variable that this site names; null if it is not to be looked at. */
    @ForceInline
    static InterloperRecord of(Class<?> owner, InterloperThread c, int site) {
        int index = U.getInt(SITES + ((long) site << 3));
        if (index > 0) return all[index];
        return index == 0 ? resolve(owner, c, site) : null;
    }

    @DontInline
    private static synchronized InterloperRecord resolve(Class<?> owner, InterloperThread c, int site) {
        Class<?> declaring = InterloperNative.declaring(null, owner, site);
        if (declaring == null) declaring = owner;
        int flags = InterloperNative.flags(declaring, site);
        if (flags != -1 && (flags & FINAL) != 0) {
            U.putInt(SITES + ((long) site << 3), IGNORED);
            return null;
        }
        int field = InterloperNative.fieldNumber(site);
        InterloperRecord ofClass = InterloperMap.ofClass(declaring);
        InterloperRecord r = ofClass.statics;
        while (r != null && r.field != field) r = r.next;
        if (r == null) r = add(ofClass, field, c);
        U.storeFence();
        U.putInt(SITES + ((long) site << 3), r.number);
        return r;
    }

    private static InterloperRecord add(InterloperRecord ofClass, int field, InterloperThread c) {
        InterloperRecord r = new InterloperRecord(null, InterloperLog.newId(null, c), 0);
        // Nobody has it to himself: a class is everybody's.
        r.state = c.ownWrite | c.hold;
        r.field = field;
        r.number = ++count;
        r.next = ofClass.statics;
        ofClass.statics = r;
        if (count == all.length) {
            InterloperRecord[] longer = new InterloperRecord[2 * count];
            System.arraycopy(all, 0, longer, 0, count);
            all = longer;
        }
        all[r.number] = r;
        return r;
    }
}
