package java.lang;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinTask;

/**
 * Blocks of methods that call <code>start</code> or <code>join</code> of a class of the program: they are atomic unless that
 * class is a thread's, or a task's. Nobody knows when the method is woven, as the class is mostly not loaded by then, so it is
 * asked when the method first begins. The class is loaded for that (not initialised): a little earlier than the method itself
 * would, or although it takes another way.
 */
public final class InterloperStarts {
    private InterloperStarts() {}

    private static final byte ATOMIC = 1, NOT_ATOMIC = 2;
    /** By method. */
    private static volatile byte[] known = new byte[256];

    /** Begins the block of a method of this class, unless one of the named classes is a thread's or a task's. */
    public static int begin(InterloperThread c, int method, Class<?> of, String names) {
        byte[] known = InterloperStarts.known;
        byte is = method < known.length ? known[method] : 0;
        if (is == 0) is = decide(c, method, of, names);
        // Ending a block that did not begin changes nothing.
        return is == NOT_ATOMIC ? c.depth : InterloperProbe.begin(c, method);
    }

    private static byte decide(InterloperThread c, int method, Class<?> of, String names) {
        // A class loader of the program has such methods, too.
        if (c.deciding) return ATOMIC;
        c.deciding = true;
        try {
            byte is = anyIsJoined(of.getClassLoader(), names) ? NOT_ATOMIC : ATOMIC;
            remember(method, is);
            return is;
        } catch (Throwable noMemoryOrStack) {
            return ATOMIC;
        } finally {
            c.deciding = false;
        }
    }

    private static boolean anyIsJoined(ClassLoader loader, String names) {
        for (int from = 0, to; from < names.length(); from = to + 1) {
            to = names.indexOf(' ', from);
            if (to < 0) to = names.length();
            if (isJoined(loader, names.substring(from, to))) return true;
        }
        return false;
    }

    private static boolean isJoined(ClassLoader loader, String name) {
        try {
            Class<?> named = Class.forName(name, false, loader);
            return Thread.class.isAssignableFrom(named) || ForkJoinTask.class.isAssignableFrom(named) || CompletableFuture.class.isAssignableFrom(named);
        } catch (ClassNotFoundException | LinkageError | RuntimeException none) {
            // Then there is no object of it that could be started.
            return false;
        }
    }

    private static synchronized void remember(int method, byte is) {
        byte[] known = InterloperStarts.known;
        if (method >= known.length) {
            byte[] longer = new byte[Math.max(method + 1, 2 * known.length)];
            System.arraycopy(known, 0, longer, 0, known.length);
            known = longer;
        }
        known[method] = is;
        InterloperStarts.known = known;
    }
}
