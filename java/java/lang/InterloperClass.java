package java.lang;

/** What is known of a class as a class (as a lock it has a record like any object). */
final class InterloperClass extends InterloperRecord {
    /** The numbers in the log for what its instances are, and for what it is itself; 0: none yet. */
    int number, objectNumber;
    /** Where its instances have their state (-1: nowhere, 0: not looked up yet), and further words. */
    int offset, further;
    /** Its static variables. */
    InterloperStatics.Variable statics;

    InterloperClass(Class<?> named, int hash) {
        super(named, 0, hash);
    }
}
