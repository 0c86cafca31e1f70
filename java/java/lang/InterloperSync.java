package java.lang;

import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

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
            if (isUnshared(o, c)) return;
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
        InterloperOwnership.shows(c);
    }

    static void exiting(Object o, InterloperThread c, int site) {
        InterloperOwnership.close(c);
        InterloperRecord record = InterloperMap.cached(o, c, site);
        if (record == null) {
            if (isUnshared(o, c)) return;
            record = InterloperMap.of(o, c, site);
        }
        InterloperLock r = record.lock(c);
        // The object was unshared when its lock was taken: it is held all the same.
        if (r.owner != c) acquire(r, c, site, 1);
        if (--r.count == 0) release(r, c, site, InterloperLog.RELEASE);
    }

    // ---- java.util.concurrent.locks.Lock: what is none of the JDK's is no lock by itself, but what its methods do is seen

    private static final int OTHER = 0, MUTEX = 1, READ = 2, WRITE = 3;

    private static int kind(Object lock) {
        if (lock instanceof ReentrantLock) return MUTEX;
        if (lock instanceof ReentrantReadWriteLock.ReadLock) return READ;
        if (lock instanceof ReentrantReadWriteLock.WriteLock) return WRITE;
        String name = lock.getClass().getName();
        if (name.equals("java.util.concurrent.locks.StampedLock$ReadLockView")) return READ;
        if (name.equals("java.util.concurrent.locks.StampedLock$WriteLockView")) return WRITE;
        return OTHER;
    }

    static void locked(Object o, InterloperThread c, int site) {
        switch (kind(o)) {
            case READ: readLocked(o, c, site); break;
            case WRITE: writeLocked(o, c, site); break;
            case MUTEX:
                if (mayOverride(o)) ownLocked((ReentrantLock) o, c, site);
                else acquire(InterloperMap.lock(o, c, site), c, site, 1);
                break;
            default:
        }
    }

    static void unlocking(Object o, InterloperThread c, int site) {
        if (o == null) return;
        switch (kind(o)) {
            case READ: readUnlocking(o, c, site); break;
            case WRITE: writeUnlocking(o, c, site); break;
            case MUTEX: mutexUnlocking(o, c, site); break;
            default:
        }
    }

    private static void mutexUnlocking(Object o, InterloperThread c, int site) {
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
        if (o == null || InterloperWaits.isInterrupted()) return;
        InterloperLock r = InterloperMap.lock(o, c, site);
        // The object was unshared when its lock was taken: whoever gets it from now on is not alone any more.
        if (r.owner != c && Thread.holdsLock(o)) acquire(r, c, site, 1);
        letGo(r, o, c, site);
    }

    private static void letGo(InterloperLock r, Object waited, InterloperThread c, int site) {
        if (r.owner != c) return;
        c.waitCount = r.count;
        c.waitFor(r, waited, site);
        release(r, c, site, InterloperLog.WAIT);
    }

    static void waited(Object o, InterloperThread c, int site) {
        takeUp(InterloperMap.lock(o, c, site), c, site);
    }

    private static void takeUp(InterloperLock r, InterloperThread c, int site) {
        if (c.waitsFor != r) return;
        c.waitFor(null, null, 0);
        if (r.readWrite) await(r, c, site);
        else acquire(r, c, site, c.waitCount);
    }

    /** An exception has come out of a wait: the lock has been taken again before. */
    static void waitEnded(InterloperThread c) {
        // A condition of the program may still be about to wait.
        if (c.waitsOn == null) return;
        if (InterloperWaits.holds(c.waitsOn)) takeUp(c.waitsFor, c, c.waitsAt);
        else c.waitFor(null, null, 0);
    }

    static void notifying(Object o, InterloperThread c, int site) {
        if (o == null) return;
        InterloperLock r = InterloperMap.lock(o, c, site);
        if (r.owner == c) InterloperLog.event(c, InterloperLog.NOTIFY, site, r.id);
    }

    // ---- conditions, and the two views of a read-write lock

    /** A view is one of its lock for ever; a class of the program that hands on another's view is not that lock. */
    static void views(Object lock, Object view) {
        if (lock == null || view == null) return;
        if (!(lock instanceof ReentrantReadWriteLock || lock instanceof StampedLock)
                && !lock.getClass().getName().equals("java.util.concurrent.locks.StampedLock$ReadWriteLockView")) return;
        InterloperThread c = InterloperThreads.here();
        InterloperLock whole = lockOf(lock, c, 0), part = InterloperMap.lock(view, c);
        if (part != whole) part.whole = whole;
    }

    static void condition(Object lock, Object condition) {
        if (condition == null || lock == null) return;
        int kind = kind(lock);
        if (kind != MUTEX && kind != WRITE) return;
        InterloperThread c = InterloperThreads.here();
        InterloperLock whole = kind == WRITE ? lockOf(lock, c, 0) : InterloperMap.lock(lock, c);
        whole.readWrite = kind == WRITE;
        InterloperMap.lock(condition, c).whole = whole;
    }

    private static InterloperLock lockOf(Object part, InterloperThread c, int site) {
        InterloperLock lock = InterloperMap.lock(part, c, site);
        return lock.whole != null ? lock.whole : lock;
    }

    static void awaiting(Object condition, InterloperThread c, int site) {
        if (condition == null) return;
        boolean known = InterloperWaits.isOfJdk(condition);
        if (known && !InterloperWaits.holdsLockOf(condition)) return;
        InterloperLock r = lockOf(condition, c, site);
        Object waited = known ? condition : null;
        if (!r.readWrite) {
            letGo(r, waited, c, site);
            return;
        }
        c.waitFor(r, waited, site);
        signal(r, c, site, 0);
    }

    /** The same for a wait that an interrupt can end, or not even let begin. */
    static void awaitingUnlessInterrupted(Object condition, InterloperThread c, int site) {
        if (condition == null || InterloperWaits.isOfJdk(condition) && InterloperWaits.isInterrupted()) return;
        awaiting(condition, c, site);
    }

    static void awaited(Object condition, InterloperThread c, int site) {
        if (condition != null) takeUp(lockOf(condition, c, site), c, site);
    }

    /** A reader comes after the writers before it, a writer after everybody before it. */
    static void readLocked(Object view, InterloperThread c, int site) {
        if (view != null) awaitAlone(lockOf(view, c, site), c, site);
    }

    static void writeLocked(Object view, InterloperThread c, int site) {
        if (view != null) await(lockOf(view, c, site), c, site);
    }

    static void readUnlocking(Object view, InterloperThread c, int site) {
        if (view != null) signal(lockOf(view, c, site), c, site, SHARED);
    }

    static void writeUnlocking(Object view, InterloperThread c, int site) {
        if (view == null) return;
        if (view instanceof ReentrantReadWriteLock.WriteLock && !((ReentrantReadWriteLock.WriteLock) view).isHeldByCurrentThread()) return;
        signal(lockOf(view, c, site), c, site, 0);
    }

    // ---- locks that are held by stamps

    /** Before a call that gives up what the stamp stands for. It fails if the stamp is not valid: then nobody comes after it. */
    static void unstamping(StampedLock lock, long stamp, InterloperThread c, int site) {
        if (lock == null || !lock.validate(stamp)) return;
        if (StampedLock.isWriteLockStamp(stamp)) signal(InterloperMap.lock(lock, c, site), c, site, 0);
        else if (StampedLock.isReadLockStamp(stamp) && lock.isReadLocked()) signal(InterloperMap.lock(lock, c, site), c, site, SHARED);
    }

    /** Before a writer becomes a reader. */
    static void restamping(StampedLock lock, long stamp, InterloperThread c, int site) {
        if (StampedLock.isWriteLockStamp(stamp)) unstamping(lock, stamp, c, site);
    }

    static void readStamped(StampedLock lock, long stamp, InterloperThread c, int site) {
        if (stamp != 0) awaitAlone(InterloperMap.lock(lock, c, site), c, site);
    }

    static void writeStamped(StampedLock lock, long stamp, InterloperThread c, int site) {
        if (stamp != 0) await(InterloperMap.lock(lock, c, site), c, site);
    }

    /** An optimistic read has begun. If the stamp is valid still, then all writers that have given a signal have gone before. */
    static void glanced(StampedLock lock, long stamp, InterloperThread c, int site) {
        if (stamp == 0) return;
        InterloperLock r = InterloperMap.lock(lock, c, site);
        synchronized (r) {
            if (lock.validate(stamp)) awaitAlone(r, c, site);
        }
    }

    /** A stamp was valid: writers that come from now on come after it, as no writer was there. */
    static void validated(Object lock, InterloperThread c, int site) {
        signal(InterloperMap.lock(lock, c, site), c, site, SHARED);
    }

    // ---- pure order: semaphores, latches, tasks, futures

    /** With the number of a signal: it is for those who want the object alone, or, of a task, run it; and for one signal, not all up to it. */
    private static final long SHARED = 1L << 32, ONE = 1L << 33;

    private static void signal(InterloperLock r, InterloperThread c, int site, long shared) {
        synchronized (r) {
            r.follow(c);
            int number = number(r);
            if (shared == 0) {
                r.aloneBefore = r.lastAlone;
                r.lastAlone = number;
            }
            InterloperLog.event(c, InterloperLog.SIGNAL, site, r.id, number | shared);
            r.leave(c);
            InterloperOwnership.shows(c);
        }
    }

    private static int number(InterloperLock r) {
        if (r.signals == Integer.MAX_VALUE) InterloperLog.stop("recording stopped: one object gave more signals than the recorder can count");
        else r.signals++;
        return r.signals;
    }

    private static void await(InterloperLock r, InterloperThread c, int site) {
        synchronized (r) {
            if (r.signals != 0) await(r, c, site, r.signals);
        }
    }

    /** Only for signals of those who had it alone. */
    private static void awaitAlone(InterloperLock r, InterloperThread c, int site) {
        synchronized (r) {
            if (r.lastAlone != 0) await(r, c, site, r.lastAlone | SHARED);
        }
    }

    private static void await(InterloperLock r, InterloperThread c, int site, long number) {
        r.follow(c);
        InterloperLog.event(c, InterloperLog.AWAIT, site, r.id, number);
    }

    static void signalling(Object o, InterloperThread c, int site) {
        if (o != null) signal(InterloperMap.lock(o, c, site), c, site, 0);
    }

    /** A task runs, or has been waited for by who has submitted it. */
    static void running(Object task, InterloperThread c) {
        if (task != null) await(InterloperMap.lock(task, c), c, 0);
    }

    /** Null stands for the thread itself: it was parked, and takes up what it was given once. Who waits for a task waits for its end, not for its submissions. */
    static void signalled(Object o, InterloperThread c, int site) {
        InterloperLock r = o == null ? InterloperMap.lock(c.thread, c) : InterloperMap.lock(o, c, site);
        int permits = 1;
        if (c.acquires == r) {
            permits = c.permits;
            if (takesEarlier(r, c, site)) return;
        }
        if (o instanceof Future) {
            awaitAlone(r, c, site);
            return;
        }
        awaitReleases(r, permits);
        synchronized (r) {
            if (r.signals == 0 || o == null && r.signals == r.consumed) return;
            if (o == null) r.consumed = r.signals;
            await(r, c, site, r.signals);
        }
    }

    // ---- tasks: one that was submitted several times, and has not begun as often, may begin because of any of these, or one may have been refused: then nothing is said

    static void submitted(Object task, InterloperThread c) {
        if (task == null) return;
        InterloperLock r = InterloperMap.lock(task, c);
        synchronized (r) {
            signal(r, c, 0, SHARED);
            r.submission = r.signals;
            if (r.submissions++ > 0) r.unclear = true;
        }
    }

    static void begins(Object task, InterloperThread c) {
        if (task == null) return;
        InterloperLock r = InterloperMap.lock(task, c);
        synchronized (r) {
            if (r.submissions == 0) return;
            if (!r.unclear) await(r, c, 0, r.submission | ONE);
            if (--r.submissions == 0) r.unclear = false;
        }
    }

    // ---- permits: whether a call has given one, others know as soon as it has, so it is told after the call; until then it is announced

    /** Nanoseconds; no call takes so long that gives a permit. */
    private static final long LONG = 1_000_000_000;

    /**
     * Before permits are taken. If so many are free, and nobody else is about to take or to give any, then none that is given later is waited for.
     */
    static void acquiring(Object o, int permits, InterloperThread c, int site) {
        notAcquired(c);
        if (o == null || o.getClass() != Semaphore.class) return;
        InterloperLock r = InterloperMap.lock(o, c, site);
        synchronized (r) {
            boolean free = r.announced == 0 && r.acquiring == 0 && ((Semaphore) o).availablePermits() >= permits;
            r.acquiring++;
            c.acquires = r;
            c.permits = permits;
            c.acquisition = ++r.acquisitions;
            c.acquiresAfter = free ? r.signals : -1;
        }
    }

    /** None was got, or an exception came out of the call before. */
    static void notAcquired(InterloperThread c) {
        InterloperLock r = c.acquires;
        if (r == null) return;
        c.acquires = null;
        synchronized (r) {
            r.acquiring--;
        }
    }

    /** Whether it is the permits that were free; and nobody else has begun to take any, who may have got those. */
    private static boolean takesEarlier(InterloperLock r, InterloperThread c, int site) {
        synchronized (r) {
            notAcquired(c);
            if (c.acquiresAfter < 0 || r.acquisitions != c.acquisition) return false;
            if (c.acquiresAfter > 0) await(r, c, site, c.acquiresAfter);
            return true;
        }
    }

    /** A thread that has not been started, or has ended, gets no permit. */
    private static boolean takesNone(Object o) {
        return o instanceof Thread && !((Thread) o).isAlive();
    }

    /** Before a permit is given, of a semaphore or to a thread. */
    static void releasing(Object o, InterloperThread c, int site) {
        if (o == null || takesNone(o)) return;
        InterloperOwnership.shows(c);
        // If one is under way in another, which a class of the program may do, then it is not waited for.
        if (c.announced != null) return;
        InterloperLock r = InterloperMap.lock(o, c, site);
        int free = o.getClass() == Semaphore.class ? ((Semaphore) o).availablePermits() : 0;
        synchronized (r) {
            r.free = o instanceof Thread ? r.signals - r.consumed : free;
            r.begun++;
            r.announced++;
            c.announced = r;
        }
    }

    static void released(Object o, InterloperThread c, int site) {
        if (o != null && !takesNone(o)) signal(InterloperMap.lock(o, c, site), c, site, 0);
        settled(c);
    }

    /**
     * Somebody has got permits. If there were not as many when the last call began that is under way to give one, then some are taken to be
     * of those: who has given them will say so. Else they may be any, and nothing is said about them.
     */
    private static void awaitReleases(InterloperLock r, int permits) {
        int begun;
        synchronized (r) {
            begun = r.begun;
            if (begun == 0 || r.announced == 0 || r.free >= permits) return;
        }
        long since = System.nanoTime();
        for (int tries = 0; tries < PATIENCE || System.nanoTime() - since < LONG; tries++) {
            synchronized (r) {
                if (r.begun - r.announced - begun >= 0) return;
            }
            if ((tries & 63) == 63) Thread.yield();
            else Thread.onSpinWait();
        }
    }

    // ---- what can be done so many times only: who does it once more has done nothing. Those who are about to are counted, as it is not
    // known who of them will be first; who comes when they are enough waits until they have done it.

    private static final int PATIENCE = 1 << 12;

    static void countingDown(Object latch, InterloperThread c, int site) {
        if (latch != null) announce(InterloperMap.lock(latch, c, site), latch, c, site);
    }

    private static void announce(InterloperLock r, Object o, InterloperThread c, int site) {
        // If one is under way in another, which a class of the program may do, then it is not waited for.
        boolean counts = c.announced == null;
        for (int tries = 0; tries < PATIENCE; tries++) {
            synchronized (r) {
                long left = o instanceof CountDownLatch ? ((CountDownLatch) o).getCount() : isComplete(o) ? 0 : 1;
                if (left == 0) return;
                if (left > r.announced || !counts) {
                    if (counts) {
                        r.announced++;
                        c.announced = r;
                    }
                    signal(r, c, site, 0);
                    return;
                }
            }
            if ((tries & 63) == 63) Thread.yield();
            else Thread.onSpinWait();
        }
    }

    /** What was announced is done, or has failed. */
    static void settled(InterloperThread c) {
        InterloperLock r = c.announced;
        if (r == null) return;
        c.announced = null;
        synchronized (r) {
            r.announced--;
        }
    }

    /** Before a call that may complete a future: whether it does is known inside. */
    static void completing(Object task, InterloperThread c, int site) {
        c.completes = task;
        c.completesAt = site;
    }

    static void done(Object task, InterloperThread c) {
        if (task == null) return;
        int site = 0;
        if (c.completes == task) {
            site = c.completesAt;
            c.completes = null;
        }
        if (task instanceof CompletableFuture) announce(InterloperMap.lock(task, c, site), task, c, site);
        else if (!isComplete(task)) signalling(task, c, site);
    }

    /** Something has said that it is done. Of a task that was cancelled it is not known whether it has come to its end. */
    static void foundDone(Object task, InterloperThread c, int site) {
        if (!(task instanceof FutureTask) || !InterloperEnds.isCancelled(task)) signalled(task, c, site);
    }

    /** Something is about to tell how it ended. If it has failed, it throws, and nothing more is told of it. */
    static void foundFailed(Object task, InterloperThread c) {
        if (InterloperEnds.hasFailed(task)) signalled(task, c, 0);
    }

    /** The result of a future was looked at, if its class is the JDK's: others may stand for something else. */
    static void found(Object stage, InterloperThread c, int site) {
        if (stage != null && stage.getClass() == CompletableFuture.class && isComplete(stage)) signalled(stage, c, site);
    }

    /** Of two futures the first is looked at first. */
    static void either(Object function, InterloperThread c) {
        Object first = InterloperEnds.firstOf(function), second = InterloperEnds.secondOf(function);
        if (first != null && isComplete(first)) signalled(first, c, 0);
        else if (second != null && isComplete(second)) signalled(second, c, 0);
    }

    /** Not by its methods, which a class of the program may have overridden. */
    private static boolean isComplete(Object task) {
        if (task instanceof ForkJoinTask) return false;
        if (task instanceof FutureTask) return InterloperEnds.stateOf(task) != 0;
        return task instanceof CompletableFuture && InterloperEnds.resultOf(task) != null;
    }

    /** All tasks of a list are done. */
    static void invokedAll(Object tasks, InterloperThread c, int site) {
        if (tasks == null || tasks.getClass() != ArrayList.class) return;
        ArrayList<?> list = (ArrayList<?>) tasks;
        for (int i = 0; i < list.size(); i++) if (list.get(i) != null) foundDone(list.get(i), c, site);
    }

    // ---- exchangers: who gets a thing comes after who gave it, as long as it is clear who that was

    static void exchanging(Object exchanger, Object item, InterloperThread c, int site) {
        if (exchanger == null) return;
        InterloperLock r = InterloperMap.lock(exchanger, c, site);
        synchronized (r) {
            signal(r, c, site, 0);
            r.offers = new InterloperOffer(c, item, r.signals, r.offers);
            // The one before may have been taken by somebody who is not told yet; of those before that, nobody will know.
            InterloperOffer old = r.offers.of(c, 2);
            if (old != null) r.offers = r.offers.without(old);
        }
        c.meets = r;
    }

    static void exchanged(Object got, Object exchanger, InterloperThread c, int site) {
        if (exchanger == null) return;
        c.meets = null;
        InterloperLock r = InterloperMap.lock(exchanger, c, site);
        synchronized (r) {
            InterloperOffer taken = r.offers == null ? null : r.offers.only(got, c);
            if (taken == null) return;
            r.offers = r.offers.without(taken);
            await(r, c, site, taken.signal | ONE);
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
            InterloperOwnership.shows(c);
            c.meetsSince = r.lastAlone;
        }
    }

    /** The last to arrive gives a signal when it lets the others go, after what it has done for all. */
    static void barrierArriving(Object o, InterloperThread c, int site) {
        arriving(o, c, site);
        if (o != null) c.meets = InterloperMap.lock(o, c, site);
    }

    static void arrived(Object o, InterloperThread c, int site) {
        c.meets = null;
        InterloperLock r = InterloperMap.lock(o, c, site);
        synchronized (r) {
            r.follow(c);
            // If there was a round after that, then which signal was this one's is not known.
            if (r.lastAlone != c.meetsSince && r.aloneBefore == c.meetsSince) await(r, c, site, r.lastAlone | ONE);
        }
    }

    /** A meeting has failed: nothing that was given is taken, and who arrives from now on belongs to another round. */
    static void failed(InterloperThread c) {
        InterloperLock r = c.meets;
        c.meets = null;
        synchronized (r) {
            InterloperOffer own = r.offers == null ? null : r.offers.of(c, 0);
            if (own != null) r.offers = r.offers.without(own);
            else signal(r, c, 0, SHARED);
        }
    }

    // ---- phasers: who goes on comes after all who arrived in the phases before

    /** Those of a tree advance together. */
    static void phaseArriving(Phaser phaser, InterloperThread c, int site) {
        if (phaser == null) return;
        // Who is not awaited does not arrive: the call throws.
        if (phaser.getUnarrivedParties() == 0) return;
        Phaser root = phaser.getRoot();
        InterloperLock r = InterloperMap.lock(root, c, site);
        synchronized (r) {
            int phase = root.getPhase();
            if (phase < 0) return;
            signal(r, c, site, 0);
            if (r.phases == null) r.phases = new InterloperPhases();
            r.phases.arrive(phase, r.signals);
        }
    }

    /** The phase is the one that comes next, with another sign if the phaser has ended. */
    static void phasePassed(int next, Phaser phaser, InterloperThread c, int site) {
        // Who asks for a phase that is none is given it back at once.
        if (next < 0 && !phaser.isTerminated()) return;
        InterloperLock r = InterloperMap.lock(phaser.getRoot(), c, site);
        int passed = (next & Integer.MAX_VALUE) - 1;
        synchronized (r) {
            int last = r.phases == null ? 0 : r.phases.upTo(passed);
            if (last != 0) await(r, c, site, last);
        }
    }
}
