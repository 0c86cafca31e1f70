package java.lang;

import jdk.internal.misc.Unsafe;

/** Hides from stack traces that a method has gone on in a copy of itself. */
public final class InterloperCopies {
    private InterloperCopies() {}

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long NAME = U.objectFieldOffset(StackTraceElement.class, "methodName");
    /** What the names of copies begin with (copies.rs in the weaver). */
    private static final String PREFIX = "$interloper$copy:";

    /** An exception leaves a copy: it has come from there, or from a constructor that was called there. The frame below is the method's own. */
    public static void leaving(Throwable exception) {
        try {
            StackTraceElement[] trace = exception.getStackTrace();
            for (int i = 0; i + 1 < trace.length; i++) {
                String name = trace[i].getMethodName();
                if (!name.startsWith(PREFIX)) continue;
                U.putReference(trace[i], NAME, name.substring(PREFIX.length()));
                StackTraceElement[] rest = new StackTraceElement[trace.length - 1];
                System.arraycopy(trace, 0, rest, 0, i + 1);
                System.arraycopy(trace, i + 2, rest, i + 1, rest.length - i - 1);
                exception.setStackTrace(rest);
                return;
            }
        } catch (Throwable noMemoryOrStack) {
            // It shows one frame more.
        }
    }
}
