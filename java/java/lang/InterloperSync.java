package java.lang;

import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Locks, signals and barriers. What the program's own synchronization orders needs no ownership: who
 * lets go writes into the record where its log was, who comes next writes an edge to there.
 */
final class InterloperSync {
    private InterloperSync() {}

    // ---- locks with one holder: the record is the holder's

    static void entered(Object o, InterloperThread c, int site) {
        InterloperRecord record = InterloperMap.cached(o, c, site);
        if (record == null) {
            if (isUnshared(o, c)) {
                InterloperAlone.unsharedLock(c, o, site);
                return;
            }
            record = InterloperMap.of(o, c, site);
        }
        acquire(record.lock(c), c, site, 1);
    }

    /** Has only this thread ever used the object? Then its lock orders nothing. */
    private static boolean isUnshared(Object o, InterloperThread c) {
        if (o instanceof Class) return false;
        int offset = InterloperNames.offset(o.getClass());
        return offset > 0 && InterloperOwnership.isUnshared(o, offset, c);
    }

    private static void acquire(InterloperLock r, InterloperThread c, int site, int count) {
        if (r.owner == c) {
            r.count += count;
            return;
        }
        r.owner = c;
        r.count = count;
        InterloperLog.edge(c, r.releaseSlot, r.releasePosition);
        InterloperLog.event(c, InterloperLog.ACQUIRE, site, r.id);
    }

    private static void release(InterloperLock r, InterloperThread c, int site, int tag) {
        InterloperLog.event(c, tag, site, r.id);
        r.releaseSlot = c.slot;
        r.releasePosition = c.position;
        r.owner = null;
        InterloperOwnership.handOver(c);
    }

    static void exiting(Object o, InterloperThread c, int site) {
        InterloperOwnership.close(c);
        InterloperRecord record = InterloperMap.cached(o, c, site);
        if (record == null) {
            if (isUnshared(o, c)) return;
            record = InterloperMap.of(o, c, site);
        }
        InterloperLock r = record.lock(c);
        // The object was unshared when its lock was taken, or an exception has ended a wait: it is held all the same.
        if (r.owner != c) acquire(r, c, site, c.waitsFor == r ? c.waitCount : 1);
        if (--r.count == 0) release(r, c, site, InterloperLog.RELEASE);
    }

    /** A lock known only as a {@code Lock} may be a view of a read-write lock, whose sites are the next two. */
    static void locked(Object o, InterloperThread c, int site) {
        if (o instanceof ReentrantReadWriteLock.ReadLock) viewLocked(o, c, site + 1);
        else if (o instanceof ReentrantReadWriteLock.WriteLock) viewLocked(o, c, site + 2);
        else if (mayOverride(o)) ownLocked((ReentrantLock) o, c, site);
        else acquire(InterloperMap.lock(o, c, site), c, site, 1);
    }

    static void unlocking(Object o, InterloperThread c, int site) {
        if (o == null) return;
        if (o instanceof ReentrantReadWriteLock.ReadLock) {
            viewUnlocking(o, c, site + 1);
            return;
        }
        if (o instanceof ReentrantReadWriteLock.WriteLock) {
            viewUnlocking(o, c, site + 2);
            return;
        }
        InterloperLock r = InterloperMap.lock(o, c, site);
        if (r.owner != c) return;
        if (mayOverride(o)) r.count = ((ReentrantLock) o).getHoldCount();
        if (--r.count == 0) release(r, c, site, InterloperLog.RELEASE);
    }

    /** A class of the program may lock by other methods of its own, which are told, too, or not at all. */
    private static boolean mayOverride(Object lock) {
        return lock instanceof ReentrantLock && lock.getClass() != ReentrantLock.class;
    }

    /** How often such a lock is held is for itself to say. */
    private static void ownLocked(ReentrantLock lock, InterloperThread c, int site) {
        int held = lock.getHoldCount();
        if (held == 0) return;
        InterloperLock r = InterloperMap.lock(lock, c, site);
        if (r.owner == c) r.count = held;
        else acquire(r, c, site, held);
    }

    static void waiting(Object o, InterloperThread c, int site) {
        if (o != null) letGo(InterloperMap.lock(o, c, site), c, site);
    }

    private static void letGo(InterloperLock r, InterloperThread c, int site) {
        if (r.owner != c) return;
        c.waitsFor = r;
        c.waitCount = r.count;
        release(r, c, site, InterloperLog.WAIT);
    }

    static void waited(Object o, InterloperThread c, int site) {
        takeUp(InterloperMap.lock(o, c, site), c, site);
    }

    private static void takeUp(InterloperLock r, InterloperThread c, int site) {
        if (c.waitsFor != r) return;
        c.waitsFor = null;
        acquire(r, c, site, c.waitCount);
    }

    static void notifying(Object o, InterloperThread c, int site) {
        if (o == null) return;
        InterloperLock r = InterloperMap.lock(o, c, site);
        if (r.owner == c) InterloperLog.event(c, InterloperLog.NOTIFY, site, r.id);
    }

    // ---- conditions, and the two views of a read-write lock

    static void belongs(Object part, Object lock) {
        if (part == null || lock == null) return;
        InterloperThread c = InterloperThreads.here();
        InterloperMap.lock(part, c).whole = InterloperMap.lock(lock, c);
    }

    private static InterloperLock lockOf(Object part, InterloperThread c, int site) {
        InterloperLock lock = InterloperMap.lock(part, c, site);
        return lock.whole != null ? lock.whole : lock;
    }

    static void awaiting(Object condition, InterloperThread c, int site) {
        if (condition != null) letGo(lockOf(condition, c, site), c, site);
    }

    static void awaited(Object condition, InterloperThread c, int site) {
        takeUp(lockOf(condition, c, site), c, site);
    }

    /** As a volatile variable that readers read and writers write: the site says which. */
    static void viewLocked(Object view, InterloperThread c, int site) {
        InterloperLock r = lockOf(view, c, site);
        synchronized (r) {
            r.follow(c);
            InterloperLog.event(c, InterloperLog.ACCESS, site, r.id);
        }
    }

    static void viewUnlocking(Object view, InterloperThread c, int site) {
        if (view == null) return;
        InterloperLock r = lockOf(view, c, site);
        synchronized (r) {
            r.follow(c);
            InterloperLog.event(c, InterloperLog.ACCESS, site, r.id);
            r.leave(c);
            InterloperOwnership.handOver(c);
        }
    }

    // ---- pure order: semaphores, latches, tasks, futures

    static void signalling(Object o, InterloperThread c, int site) {
        if (o == null) return;
        InterloperLock r = InterloperMap.lock(o, c, site);
        synchronized (r) {
            r.follow(c);
            InterloperLog.event(c, InterloperLog.SIGNAL, site, r.id, ++r.signals);
            r.leave(c);
            InterloperOwnership.handOver(c);
        }
    }

    /** Null stands for the thread itself: it was parked, and takes up what it was given once. */
    static void signalled(Object o, InterloperThread c, int site) {
        InterloperLock r = o == null ? InterloperMap.lock(c.thread, c) : InterloperMap.lock(o, c, site);
        synchronized (r) {
            if (r.signals == 0 || o == null && r.signals == r.consumed) return;
            if (o == null) r.consumed = r.signals;
            r.follow(c);
            InterloperLog.event(c, InterloperLog.AWAIT, site, r.id, r.signals);
        }
    }

    // ---- barriers

    static void arriving(Object o, InterloperThread c, int site) {
        if (o == null) return;
        InterloperLock r = InterloperMap.lock(o, c, site);
        synchronized (r) {
            r.follow(c);
            InterloperLog.event(c, InterloperLog.BARRIER, site, r.id);
            r.leave(c);
            InterloperOwnership.handOver(c);
        }
    }

    static void arrived(Object o, InterloperThread c, int site) {
        InterloperLock r = InterloperMap.lock(o, c, site);
        synchronized (r) {
            r.follow(c);
        }
    }
}
