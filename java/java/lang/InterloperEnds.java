package java.lang;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.FutureTask;
import jdk.internal.misc.Unsafe;

/** How tasks and futures have ended. Not by their methods, which a class of the program may have overridden. */
final class InterloperEnds {
    private InterloperEnds() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long STATE = U.objectFieldOffset(FutureTask.class, "state");
    private static final long STATUS = U.objectFieldOffset(ForkJoinTask.class, "status");
    private static final long RESULT = U.objectFieldOffset(CompletableFuture.class, "result");
    /** States of a {@code FutureTask}: an exception; this and above: it was cancelled. */
    private static final int EXCEPTIONAL = 3, CANCELLED = 4;
    /** Bits of the status of a {@code ForkJoinTask}: it is done, by an exception of its own. */
    private static final int THROWN = 1 << 31 | 1 << 17;
    /** What stands for an exception, or for null, in the result of a future. */
    private static final String INSTEAD = "java.util.concurrent.CompletableFuture$AltResult";

    static int stateOf(Object task) {
        return U.getIntVolatile(task, STATE);
    }

    static boolean isCancelled(Object task) {
        return stateOf(task) >= CANCELLED;
    }

    /** Of a {@code CompletableFuture}: null if it is not complete. */
    static Object resultOf(Object future) {
        return U.getReferenceVolatile(future, RESULT);
    }

    /** Where a function that depends on two futures has them; 0: not looked up yet. */
    private static volatile long first, second;

    static Object firstOf(Object function) {
        if (first == 0) first = U.objectFieldOffset(pairOf(function).getSuperclass(), "src");
        return U.getReferenceVolatile(function, first);
    }

    static Object secondOf(Object function) {
        if (second == 0) second = U.objectFieldOffset(pairOf(function), "snd");
        return U.getReferenceVolatile(function, second);
    }

    private static Class<?> pairOf(Object function) {
        Class<?> of = function.getClass();
        while (!of.getName().endsWith("$BiCompletion")) of = of.getSuperclass();
        return of;
    }

    /** Has it ended by an exception, and was not just cancelled? A future that is cancelled has ended by that. */
    static boolean hasFailed(Object task) {
        if (task instanceof FutureTask) return stateOf(task) == EXCEPTIONAL;
        if (task instanceof ForkJoinTask) return (U.getIntVolatile(task, STATUS) & THROWN) == THROWN;
        return task instanceof CompletableFuture && isException(resultOf(task));
    }

    private static boolean isException(Object result) {
        if (result == null || !result.getClass().getName().equals(INSTEAD)) return false;
        return U.getReference(result, U.objectFieldOffset(result.getClass(), "ex")) != null;
    }
}
