package java.lang;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/**
 * What woven code calls around calls of the JDK: one line each, so that what the weaver knows of is to be seen at a glance. See {@link InterloperProbe}.
 */
public final class InterloperCalls {
    private InterloperCalls() {}

    // ---- synchronization, see InterloperSync

    public static void entered(Object o, InterloperThread c, int site) { InterloperSync.entered(o, c, site); }
    public static void exiting(Object o, InterloperThread c, int site) { InterloperSync.exiting(o, c, site); }
    public static void waiting(Object o, InterloperThread c, int site) { InterloperSync.waiting(o, c, site); }
    public static void waited(Object o, InterloperThread c, int site) { InterloperSync.waited(o, c, site); }
    public static void notifying(Object o, InterloperThread c, int site) { InterloperSync.notifying(o, c, site); }
    public static void locked(Object o, InterloperThread c, int site) { if (o != null) InterloperSync.locked(o, c, site); }
    public static void lockedIf(boolean got, Object o, InterloperThread c, int site) { if (got && o != null) InterloperSync.locked(o, c, site); }
    public static void unlocking(Object o, InterloperThread c, int site) { InterloperSync.unlocking(o, c, site); }
    public static void views(Object lock, Object view) { InterloperSync.views(lock, view); }
    public static void condition(Object lock, Object condition) { InterloperSync.condition(lock, condition); }
    public static void readLocked(Object o, InterloperThread c, int site) { InterloperSync.readLocked(o, c, site); }
    public static void readLockedIf(boolean got, Object o, InterloperThread c, int site) { if (got) InterloperSync.readLocked(o, c, site); }
    public static void readUnlocking(Object o, InterloperThread c, int site) { InterloperSync.readUnlocking(o, c, site); }
    public static void writeLocked(Object o, InterloperThread c, int site) { InterloperSync.writeLocked(o, c, site); }
    public static void writeLockedIf(boolean got, Object o, InterloperThread c, int site) { if (got) InterloperSync.writeLocked(o, c, site); }
    public static void writeUnlocking(Object o, InterloperThread c, int site) { InterloperSync.writeUnlocking(o, c, site); }
    public static void awaiting(Object o, InterloperThread c, int site) { InterloperSync.awaiting(o, c, site); }
    public static void awaitingUnlessInterrupted(Object o, InterloperThread c, int site) { InterloperSync.awaitingUnlessInterrupted(o, c, site); }
    public static void awaited(Object o, InterloperThread c, int site) { InterloperSync.awaited(o, c, site); }
    public static void acquiring(Object o, InterloperThread c, int site) { InterloperSync.acquiring(o, 1, c, site); }
    public static void acquiringSome(Object o, int permits, InterloperThread c, int site) { InterloperSync.acquiring(o, permits, c, site); }
    public static void releasing(Object o, InterloperThread c, int site) { InterloperSync.releasing(o, c, site); }
    public static void released(Object o, InterloperThread c, int site) { InterloperSync.released(o, c, site); }
    public static void signalled(Object o, InterloperThread c, int site) { if (o != null) InterloperSync.signalled(o, c, site); }
    public static void signalledIf(boolean got, Object o, InterloperThread c, int site) {
        if (!got) InterloperSync.notAcquired(c);
        else if (o != null) InterloperSync.signalled(o, c, site);
    }
    public static void unstamping(Object o, long stamp, InterloperThread c, int site) { InterloperSync.unstamping((StampedLock) o, stamp, c, site); }
    public static void restamping(Object o, long stamp, InterloperThread c, int site) { InterloperSync.restamping((StampedLock) o, stamp, c, site); }
    public static void readStamped(long stamp, Object o, InterloperThread c, int site) { InterloperSync.readStamped((StampedLock) o, stamp, c, site); }
    public static void writeStamped(long stamp, Object o, InterloperThread c, int site) { InterloperSync.writeStamped((StampedLock) o, stamp, c, site); }
    public static void glanced(long stamp, Object o, InterloperThread c, int site) { InterloperSync.glanced((StampedLock) o, stamp, c, site); }
    public static void validatedIf(boolean valid, Object o, InterloperThread c, int site) { if (valid) InterloperSync.validated(o, c, site); }
    public static void countingDown(Object o, InterloperThread c, int site) { InterloperSync.countingDown(o, c, site); }
    public static void countedDown(Object o, InterloperThread c, int site) { InterloperSync.settled(c); }
    public static void counted(long left, Object o, InterloperThread c, int site) { if (left == 0 && o != null) InterloperSync.signalled(o, c, site); }
    public static void completing(Object o, InterloperThread c, int site) { InterloperSync.completing(o, c, site); }
    public static void finding(Object o, InterloperThread c, int site) { InterloperSync.found(o, c, site); }
    public static void invokedAll(Object tasks, Object o, InterloperThread c, int site) { InterloperSync.invokedAll(tasks, c, site); }
    public static void exchanging(Object o, Object item, InterloperThread c, int site) { InterloperSync.exchanging(o, item, c, site); }
    public static void exchanged(Object got, Object o, InterloperThread c, int site) { InterloperSync.exchanged(got, o, c, site); }
    public static void phaseArriving(Object o, InterloperThread c, int site) { InterloperSync.phaseArriving((Phaser) o, c, site); }
    public static void phaseMeeting(Object o, InterloperThread c, int site) {
        InterloperSync.phaseArriving((Phaser) o, c, site);
        InterloperSync.arriving(o, c, site);
    }
    public static void phasePassed(int next, Object o, InterloperThread c, int site) { if (o != null) InterloperSync.phasePassed(next, (Phaser) o, c, site); }
    public static void arriving(Object o, InterloperThread c, int site) { InterloperSync.barrierArriving(o, c, site); }
    public static void arrived(Object o, InterloperThread c, int site) { if (o != null) InterloperSync.arrived(o, c, site); }

    // ---- accesses through handles, see InterloperHandles

    public static void handleGet(Object h, Object o, InterloperThread c, int site) { InterloperHandles.access(h, o, c, site, InterloperHandles.GET); }
    public static void handleSet(Object h, Object o, InterloperThread c, int site) { InterloperHandles.access(h, o, c, site, InterloperHandles.SET); }
    public static void handleRead(Object h, Object o, InterloperThread c, int site) { InterloperHandles.access(h, o, c, site, InterloperHandles.READ); }
    public static void handleWrite(Object h, Object o, InterloperThread c, int site) { InterloperHandles.access(h, o, c, site, InterloperHandles.WRITE); }
    public static void handleUpdate(Object h, Object o, InterloperThread c, int site) { InterloperHandles.access(h, o, c, site, InterloperHandles.UPDATE); }
    public static void handleTry(Object h, Object o, InterloperThread c, int site) { InterloperHandles.attempt(h, o, c, site); }
    public static void handleTried(boolean wrote, Object h, Object o, InterloperThread c, int site) { InterloperHandles.attempted(wrote, h, o, c, site); }
    public static void handleGetElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.accessElement(h, o, i, c, site, InterloperHandles.GET); }
    public static void handleSetElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.accessElement(h, o, i, c, site, InterloperHandles.SET); }
    public static void handleReadElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.accessElement(h, o, i, c, site, InterloperHandles.READ); }
    public static void handleWriteElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.accessElement(h, o, i, c, site, InterloperHandles.WRITE); }
    public static Object handleUpdating(Object h, Object o, Object function, InterloperThread c, int site) { return InterloperHandles.updating(h, o, function, c, site); }
    public static void handleUpdated(Object h, Object o, InterloperThread c, int site) { InterloperHandles.updated(h, o, c, site); }
    public static void handleUpdateElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.accessElement(h, o, i, c, site, InterloperHandles.UPDATE); }
    public static void handleTryElement(Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.attemptElement(h, o, i, c, site); }
    public static void handleTriedElement(boolean wrote, Object h, Object o, int i, InterloperThread c, int site) { InterloperHandles.attemptedElement(wrote, h, o, i, c, site); }

    public static boolean same(int a, int b) { return a == b; }
    public static boolean same(long a, long b) { return a == b; }
    public static boolean same(float a, float b) { return Float.floatToRawIntBits(a) == Float.floatToRawIntBits(b); }
    public static boolean same(double a, double b) { return Double.doubleToRawLongBits(a) == Double.doubleToRawLongBits(b); }
    public static boolean same(Object a, Object b) { return a == b; }

    // ---- calls through classes that may extend those of the JDK, by the numbers of subclasses.rs in the weaver

    /** The object if it is what the call takes it for, else null: then nothing is recorded. */
    public static Object only(Object o, int guard) {
        boolean is = switch (guard) {
            case 1 -> o instanceof ReentrantLock || o instanceof ReentrantReadWriteLock.ReadLock
                    || o instanceof ReentrantReadWriteLock.WriteLock;
            case 2 -> o instanceof ReentrantReadWriteLock;
            case 3 -> o instanceof Semaphore;
            case 4 -> o instanceof CountDownLatch;
            case 5 -> o instanceof CyclicBarrier;
            case 6 -> o instanceof Phaser;
            case 7 -> o instanceof Future;
            case 8 -> o instanceof CompletableFuture;
            case 9 -> o instanceof AtomicInteger;
            case 10 -> o instanceof AtomicLong;
            case 11 -> o instanceof AtomicBoolean;
            case 12 -> o instanceof AtomicReference;
            default -> false;
        };
        return is ? o : null;
    }

    /** Around a call of get(), which may read an atomic reference or wait for a future: the latter's site is the next. */
    public static void getting(Object o, InterloperThread c, int site) {
        if (o instanceof AtomicReference) InterloperAtomics.atomicRead(o, c, site);
    }

    public static void got(Object o, InterloperThread c, int site) {
        if (o instanceof AtomicReference) InterloperProbe.close(c);
        else if (o instanceof Future) InterloperSync.signalled(o, c, site + 1);
    }
}
