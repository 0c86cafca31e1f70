package java.lang;

import jdk.internal.vm.annotation.ForceInline;

/**
 * Accesses of one object that are made together, and that the running region has told of, all of them: by the first one's site and the
 * object's number, the region and the state of the object. What is forgotten is only told again.
 */
final class InterloperTogether {
    private InterloperTogether() {}

    @ForceInline
    static boolean areTold(InterloperThread c, int first, int id, int word) {
        long[] told = c.together;
        int i = place(first, id) << 1 & told.length - 2;
        return told[i] == key(first, id) && told[i + 1] == InterloperLog.when(c, word);
    }

    /** From now on they are, unless that cannot be seen by the state of the object. */
    static void tell(InterloperThread c, int first, int id, int word) {
        if (word == c.newWord || InterloperLog.isWanted(word)) return;
        long[] told = c.together;
        long key = key(first, id);
        int place = place(first, id), i = place << 1 & told.length - 2;
        if ((int) (told[i + 1] >>> 32) == c.region && told[i] != key && told[i] != 0 && ++c.crowdedTogether >= told.length) {
            told = more(c);
            i = place << 1 & told.length - 2;
        }
        told[i] = key;
        told[i + 1] = InterloperLog.when(c, word);
    }

    @ForceInline
    private static long key(int first, int id) {
        return (long) id << 32 | first;
    }

    /** Neighbours in memory are neighbours here. */
    @ForceInline
    private static int place(int first, int id) {
        return id + (first * 0x9E3779B1 >>> 12);
    }

    /** Something of this very region had to make room too often. */
    private static long[] more(InterloperThread c) {
        c.crowdedTogether = 0;
        return c.together = InterloperThread.larger(c.together, 2 * InterloperThread.LARGEST_FILTER);
    }
}
