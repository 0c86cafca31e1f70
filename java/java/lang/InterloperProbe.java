package java.lang;

import jdk.internal.misc.InnocuousThread;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What woven code calls where methods and blocks begin and end, and around windows; and the hooks in classes of the JDK. What it calls for accesses
 * is in {@link InterloperFields}, {@link InterloperTogether}, {@link InterloperElements}, {@link InterloperAtomics} and {@link InterloperMade}, for calls in {@link InterloperCalls}.
 *
 * The fast paths are compiled into their callers, whose code must stay small, or it is not compiled into their own callers any more: so what is
 * rare is always called.
 */
public final class InterloperProbe {
    private InterloperProbe() {}

    private static final Unsafe U = Unsafe.getUnsafe();

    @ForceInline
    public static InterloperThread here() {
        return InterloperThreads.here();
    }

    @ForceInline
    public static int begin(InterloperThread c, int method) {
        if (!InterloperLog.ON) return count(c);
        int depth = c.depth;
        int[] labels = c.labels;
        // An exception at a bad moment may have left a block in the log that has ended.
        if (depth == 0 || depth >= labels.length || c.logged > depth) return beginRarely(c, method);
        labels[depth] = method;
        c.blocks++;
        c.setDepth(depth + 1);
        return depth;
    }

    @DontInline
    private static int beginRarely(InterloperThread c, int method) {
        int depth = c.depth;
        if (depth >= c.labels.length) c.labels = InterloperThreads.copy(c.labels, 2 * depth);
        c.labels[depth] = method;
        if (c.logged > depth) InterloperLog.ended(c, depth);
        if (depth == 0) {
            c.newRegion();
            c.regionsLeft = InterloperThread.REGIONS;
            c.beginBirths();
            c.forgetMade();
            c.making = false;
        }
        c.blocks++;
        c.setDepth(depth + 1);
        return depth;
    }

    /** Without a log, there are no transactions. */
    @ForceInline
    private static int count(InterloperThread c) {
        c.blocks++;
        return 0;
    }

    /**
     * A block in which no other probes are met than its own: its sites know that they are in it, and it is
     * nowhere but in the log, if at all (InterloperLog.catchUp). As a transaction it begins and ends like any other.
     */
    @ForceInline
    public static int beginLeaf(InterloperThread c, int method) {
        if (!InterloperLog.ON) return count(c);
        int depth = c.depth;
        if (depth == 0 || c.logged > depth) return beginLeafRarely(c, method);
        c.blocks++;
        return depth;
    }

    @DontInline
    private static int beginLeafRarely(InterloperThread c, int method) {
        int depth = c.depth;
        if (depth == 0) return beginRarely(c, method);
        InterloperLog.ended(c, depth);
        c.blocks++;
        return depth;
    }

    @ForceInline
    public static void endLeaf(InterloperThread c, int saved) {
        if (InterloperLog.ON && (saved == 0 || c.logged > saved)) endLeafRarely(c, saved);
    }

    /** The same, where a window may be open. */
    @ForceInline
    public static void closeLeaf(InterloperThread c, int saved) {
        if (InterloperLog.ON && (saved == 0 || c.logged > saved || c.behinds != 0)) endLeafRarely(c, saved);
        else InterloperOwnership.closeCounted(c);
    }

    @DontInline
    private static void endLeafRarely(InterloperThread c, int saved) {
        // What is still to be counted may be the first that the leaf has in the log.
        close(c);
        if (saved == 0 || c.logged > saved) end(c, saved);
    }

    // ---- what small methods look at once, see guards.rs in the weaver

    /** Whether a leaf that tells nothing has nothing to do for its block, either. */
    @ForceInline
    public static boolean isPlain(InterloperThread c) {
        return !InterloperLog.ON || c.depth != 0 && c.logged <= c.depth;
    }

    @ForceInline
    public static void beginTold(InterloperThread c) {
        c.blocks++;
    }

    /** Where the window has told nothing, so that nothing is left to be counted. */
    @ForceInline
    public static void closeTold(InterloperThread c) {
        InterloperOwnership.closeCounted(c);
    }

    /** What {@link InterloperTogether#readFirst} gives, where there is nothing to do. */
    @ForceInline
    public static int since(InterloperThread c) {
        return c.tick;
    }

    public static int depth(InterloperThread c) {
        return c.depth;
    }

    /** Closes the window, too. */
    @ForceInline
    public static void end(InterloperThread c, int saved) {
        close(c);
        if (!InterloperLog.ON) return;
        c.setDepth(saved);
        if (saved == 0 || c.logged > saved) endRarely(c, saved);
    }

    /** A call: what comes first in it (see {@link InterloperOwnership#ends}) must not be moved before the depth is written. */
    @DontInline
    private static void endRarely(InterloperThread c, int saved) {
        if (saved == 0) {
            InterloperOwnership.ends(c);
            c.newRegion();
            c.making = false;
            c.bound = true;
            if (U.getIntOpaque(c, InterloperThread.TOUCHING) != 0 || c.touches != 0) InterloperLog.awaitTouches(c);
        }
        if (c.logged > saved) InterloperLog.ended(c, saved);
    }

    @DontInline
    public static void caught(InterloperThread c, int saved) {
        if (c.meets != null || c.announced != null || c.waitsFor != null) leave(c);
        if (c.depth > saved) end(c, saved);
        else close(c);
    }

    @DontInline
    public static void leave(InterloperThread c) {
        close(c);
        if (c.meets != null) InterloperSync.failed(c);
        if (c.waitsFor != null) InterloperSync.waitEnded(c);
        InterloperSync.settled(c);
    }

    public static void beginBlock(InterloperThread c, int method) {
        begin(c, method);
    }

    public static void endBlock(InterloperThread c) {
        if (c.depth > 0) end(c, c.depth - 1);
    }

    @ForceInline
    public static void close(InterloperThread c) {
        InterloperOwnership.close(c);
    }

    /** In a loop that goes round with a window that may be open. */
    @ForceInline
    public static void poll(InterloperThread c) {
        if (c.asked != c.answered) InterloperOwnership.answer(c);
    }

    // ---- hooks in JDK classes

    public static void starting(Thread t) { InterloperThreads.starting(t); }
    public static void joined(Thread t) { InterloperThreads.joined(t); }
    /**
     * The JVM's own threads among others wake virtual threads that wait for a monitor, one of ours perhaps: they must not wait for it
     * themselves.
     */
    public static void submitted(Object task) {
        if (!(Thread.currentThread() instanceof InnocuousThread)) InterloperSync.submitted(task, here());
    }
    /** A task begins, because it was submitted. */
    public static void begins(Object task) { InterloperSync.begins(task, here()); }
    /** A function is called of whichever of two futures is complete. */
    public static void either(Object function) { InterloperSync.either(function, here()); }
    public static void running(Object task) { InterloperSync.running(task, here()); }
    public static void done(Object task) { InterloperSync.done(task, here()); }
    public static void settled(Object task) { InterloperSync.settled(here()); }
    /** Something has said whether it is done: then its end comes before. */
    public static void asked(boolean done, Object task) { if (done) InterloperSync.foundDone(task, here(), 0); }
    public static void failed(Object task) { InterloperSync.foundFailed(task, here()); }
    public static void found(Object stage) { InterloperSync.found(stage, here(), 0); }
    public static void exit() { InterloperThreads.exit(); }
    public static void shutdown() { InterloperThreads.shutdown(); }
}
