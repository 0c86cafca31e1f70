package java.lang;

import java.lang.ref.WeakReference;

/**
 * What the probe knows of one object that cannot carry it itself: arrays, JDK objects, locks, static
 * variables (one record a variable). Found through {@link InterloperMap}; the object may be collected.
 */
final class InterloperRecord extends WeakReference<Object> {
    /** Of no object. */
    static final InterloperRecord NOTHING = new InterloperRecord(null, 0, 0);

    /** The ownership word, see {@link InterloperOwnership}. */
    int state;
    /** In which of its owner's transactions a new array was made. */
    int madeIn;
    /** The object's number in the log. */
    final int id;
    /** The identity hash code, and the next record of the same bucket. */
    final int hash;
    InterloperRecord next;

    /** As a lock: who holds it and how often. Written by the holder only. */
    InterloperThread owner;
    int count;
    /** Where in which log it was released last; -1: nowhere. */
    int releaseSlot = -1;
    long releasePosition;
    /** Where in which log the last signal, arrival, fork or end was written; -1: nowhere. */
    int slot = -1;
    long position;
    /** How many signals there were, and how many of them a parked thread has consumed. */
    int signals, consumed;
    /** The lock of a condition, the read-write lock of a view. */
    InterloperRecord lock;
    /** As a thread: was it forked by a recorded start? Has its log ended? */
    boolean forked, ended;
    /** As a class: its number in the log, the offsets of its instances' state (-1: none) and of further words, its static variables. */
    int number, offset, further;
    InterloperRecord statics;
    /** As a static variable: the number of its name. */
    int field;

    InterloperRecord(Object object, int id, int hash) {
        super(object);
        this.id = id;
        this.hash = hash;
    }
}
