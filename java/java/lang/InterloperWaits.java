package java.lang;

import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.AbstractQueuedLongSynchronizer;
import java.util.concurrent.locks.AbstractQueuedSynchronizer.ConditionObject;
import jdk.internal.misc.Unsafe;

/**
 * What can be known about a wait for a monitor or for a condition: whether it will let go of the lock at all, and whether the lock is held again
 * after an exception. Not by methods that a class of the program may have overridden.
 */
final class InterloperWaits {
    private InterloperWaits() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long INTERRUPTED = U.objectFieldOffset(Thread.class, "interrupted");
    /** Read-write locks of newer versions have conditions of the second kind. */
    private static final Class<?> ONE = ConditionObject.class, OTHER = AbstractQueuedLongSynchronizer.ConditionObject.class;
    private static final long OF_ONE = U.objectFieldOffset(ONE, "this$0"), OF_OTHER = U.objectFieldOffset(OTHER, "this$0");
    private static final long OWNER = U.objectFieldOffset(AbstractOwnableSynchronizer.class, "exclusiveOwnerThread");

    /** If it is so when a thread begins to wait, it throws before it lets go of the lock. */
    static boolean isInterrupted() {
        return U.getBooleanVolatile(Thread.currentThread(), INTERRUPTED);
    }

    /** What other conditions do is for the program to say. */
    static boolean isOfJdk(Object condition) {
        return condition.getClass() == ONE || condition.getClass() == OTHER;
    }

    /** Of a condition of the JDK: is its lock this thread's? */
    static boolean holdsLockOf(Object condition) {
        Object synchronizer = U.getReference(condition, condition.getClass() == ONE ? OF_ONE : OF_OTHER);
        return U.getReference(synchronizer, OWNER) == Thread.currentThread();
    }

    /** Is what this thread has waited for, a monitor or the lock of a condition of the JDK, its own? */
    static boolean holds(Object waited) {
        return isOfJdk(waited) && holdsLockOf(waited) || Thread.holdsLock(waited);
    }
}
