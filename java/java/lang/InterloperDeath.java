package java.lang;

import java.lang.ref.PhantomReference;

/**
 * Notices that an object is dead, see {@link InterloperDeaths}. A phantom, because finalizers may still use objects that weak references
 * have let go of.
 */
class InterloperDeath extends PhantomReference<Object> {
    /** The object's number in the log, to be told when it is dead; not above 0: it has none. */
    int id;
    /** The one that was added before. */
    InterloperDeath added;

    InterloperDeath(Object object, int id) {
        super(object, null);
        this.id = id;
    }
}
