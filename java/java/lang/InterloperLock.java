package java.lang;

/** What is known of an object as a lock, a signal, a barrier, a task or a thread, see {@link InterloperSync}. */
final class InterloperLock {
    /** The object's number in the log. */
    final int id;
    /** Who holds it and how often. Written by the holder only. */
    InterloperThread owner;
    int count;
    /** Where in which log it was released last; -1: nowhere. */
    int releaseSlot = -1;
    long releasePosition;
    /** Where in which log the last signal, arrival, fork or end was written; -1: nowhere. */
    int slot = -1;
    long position;
    /** How many signals there were, the last two that are not shared, and how many of them a parked thread has consumed. */
    int signals, lastAlone, aloneBefore, consumed;
    /** As a latch or a future: how many threads are about to count it down, or to complete it; of a semaphore or a thread, to give it a permit. */
    int announced;
    /** How many calls have begun to give it one, and how many permits there were when the last of them did. */
    int begun, free;
    /** As a task: how often it was submitted and has not begun yet, the signal of the last time, and whether it may begin because of another. */
    int submissions, submission;
    boolean unclear;
    /** As a semaphore: how many threads are about to acquire permits, and how often one has been. */
    int acquiring, acquisitions;
    /** The lock of a condition, the read-write lock of a view. */
    InterloperLock whole;
    /** Is it a read-write lock? Then it is not held, but gives signals. */
    boolean readWrite;
    /** As an exchanger: what was offered and is not known to be taken. */
    InterloperOffer offers;
    /** As a phaser. */
    InterloperPhases phases;
    /** As a thread: was it forked by a recorded start? Has its log ended? */
    boolean forked, ended;

    InterloperLock(int id) {
        this.id = id;
    }

    /** An edge to where it was left last. */
    void follow(InterloperThread c) {
        InterloperLog.edge(c, slot, position);
    }

    /** Whoever follows comes after what the thread has in its log by now. */
    void leave(InterloperThread c) {
        slot = c.slot;
        position = c.position;
    }
}
