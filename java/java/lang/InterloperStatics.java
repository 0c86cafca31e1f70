package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/** Static variables: one record each, found by site. */
final class InterloperStatics {
    private InterloperStatics() {}

    static final class Variable extends InterloperRecord {
        /** The number of its name; its place among all. */
        final int field, place;
        /** The next one of its class. */
        final Variable following;

        private Variable(int id, int field, int place, Variable following) {
            super(null, id, 0);
            this.field = field;
            this.place = place;
            this.following = following;
        }
    }

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long SITES = InterloperNative.settings(InterloperNative.SITES);
    private static final int IGNORED = -2;
    private static final int FINAL = 0x10;

    /** Records by what the site table says of a site. */
    private static volatile Variable[] all = new Variable[256];
    private static int count;

    /** The variable that this site names; null if it is not to be looked at. */
    @ForceInline
    static InterloperRecord of(Class<?> owner, InterloperThread c, int site) {
        int index = U.getInt(SITES + ((long) site << 3));
        if (index > 0) return all[index];
        return index == 0 ? resolve(owner, c, site) : null;
    }

    @DontInline
    private static InterloperRecord resolve(Class<?> owner, InterloperThread c, int site) {
        // Nobody waits with the window open.
        InterloperOwnership.close(c);
        return find(owner, c, site);
    }

    private static synchronized InterloperRecord find(Class<?> owner, InterloperThread c, int site) {
        Class<?> declaring = InterloperNative.declaring(null, owner, site);
        if (declaring == null) declaring = owner;
        int flags = InterloperNative.flags(declaring, site);
        if (flags != -1 && (flags & FINAL) != 0) {
            U.putInt(SITES + ((long) site << 3), IGNORED);
            return null;
        }
        int field = InterloperNative.fieldNumber(site);
        InterloperClass ofClass = InterloperMap.ofClass(declaring);
        Variable found = ofClass.statics;
        while (found != null && found.field != field) found = found.following;
        if (found == null) found = add(ofClass, field, c);
        U.storeFence();
        U.putInt(SITES + ((long) site << 3), found.place);
        return found;
    }

    private static Variable add(InterloperClass ofClass, int field, InterloperThread c) {
        Variable added = new Variable(InterloperNames.newId(null, c), field, ++count, ofClass.statics);
        // Nobody has it to himself: a class is everybody's.
        added.state = c.ownWrite | c.hold;
        ofClass.statics = added;
        if (count == all.length) {
            Variable[] longer = new Variable[2 * count];
            System.arraycopy(all, 0, longer, 0, count);
            all = longer;
        }
        all[count] = added;
        return added;
    }
}
