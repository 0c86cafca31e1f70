package java.lang;

/**
 * Stretches of elements that the running region has logged: by array and what was done to which of its elements, in even steps, the
 * region and the state of the array, and the first and the last of them.
 */
final class InterloperStretches {
    private InterloperStretches() {}

    /** Whether the region has told of all these elements. */
    static boolean isTold(InterloperThread c, int id, boolean write, int first, int last, int stride, int word) {
        long[] told = c.stretches;
        int kind = kind(first, stride, write), i = place(told, id, kind);
        if (told[i] != key(id, kind) || told[i + 1] != InterloperLog.when(c, word)) return false;
        return Math.min(first, last) >= (int) (told[i + 2] >>> 32) && Math.max(first, last) <= (int) told[i + 2];
    }

    /** From now on it has. */
    static void tell(InterloperThread c, int id, boolean write, int first, int last, int stride, int word) {
        long[] told = c.stretches;
        int step = Math.abs(stride), from = Math.min(first, last), to = Math.max(first, last);
        int kind = kind(first, stride, write), i = place(told, id, kind);
        long key = key(id, kind), when = InterloperLog.when(c, word);
        if ((int) (told[i + 1] >>> 32) == c.region && told[i] != key && told[i] != 0 && ++c.crowdedStretches >= told.length / 4) {
            told = more(c);
            i = place(told, id, kind);
        }
        int knownFrom = (int) (told[i + 2] >>> 32), knownTo = (int) told[i + 2];
        if (told[i] == key && told[i + 1] == when && from <= knownTo + step && to >= knownFrom - step) {
            from = Math.min(from, knownFrom);
            to = Math.max(to, knownTo);
        }
        told[i] = key;
        told[i + 1] = when;
        told[i + 2] = (long) from << 32 | to;
    }

    /** What was done to which elements, apart from the first and the last. */
    private static int kind(int first, int stride, boolean write) {
        int step = Math.abs(stride);
        return (step == 1 ? 0 : first % step) << 9 | step << 1 | (write ? 1 : 0);
    }

    private static long key(int id, int kind) {
        return (long) id << 32 | kind;
    }

    private static int place(long[] told, int id, int kind) {
        return (id * 0x9E3779B1 + kind * 0x61C9 >>> 8) << 2 & told.length - 4;
    }

    /** Something of this very region had to make room too often. What is forgotten is only told again. */
    private static long[] more(InterloperThread c) {
        c.crowdedStretches = 0;
        return c.stretches = InterloperThread.larger(c.stretches, 4 * InterloperThread.MOST_STRETCHES);
    }
}
