package java.lang;

/**
 * Elements that the running region has logged, page by page: array, page and what was done; when; a bit for each element; the same for those that earlier
 * regions have logged under the same state of the array.
 */
final class InterloperPages {
    private InterloperPages() {}

    /** As InterloperTold.news. */
    static int news(InterloperThread c, int id, int index, boolean write, int word) {
        long[] pages = c.pages;
        int page = page(index, write);
        long key = (long) id << 32 | page, bit = 1L << index, when = InterloperLog.when(c, word);
        int place = pagePlace(id, page), i = place & pages.length - 4;
        if (pages[i] == key && (int) pages[i + 1] == word) {
            if (pages[i + 1] != when) {
                pages[i + 3] |= pages[i + 2];
                pages[i + 2] = 0;
                pages[i + 1] = when;
            }
            long mask = pages[i + 2];
            pages[i + 2] = mask | bit;
            if ((mask & bit) != 0) return InterloperTold.TOLD;
            return (pages[i + 3] & bit) != 0 ? InterloperTold.TOLD_BEFORE : InterloperTold.NEWS;
        }
        if ((int) (pages[i + 1] >>> 32) == c.region && pages[i] != key && pages[i] != 0 && ++c.crowdedPages >= pages.length) pages = morePages(c);
        i = place & pages.length - 4;
        pages[i] = key;
        pages[i + 1] = when;
        pages[i + 2] = bit;
        pages[i + 3] = 0;
        return InterloperTold.NEWS;
    }

    /** Whether the region has told of an element of the array that a site has at hand. */
    static boolean isTold(InterloperThread c, InterloperRun run, int index, boolean write) {
        long[] pages = c.pages;
        int id = run.record.id, page = page(index, write), i = pagePlace(id, page) & pages.length - 4;
        return (pages[i + 2] >>> index & 1) != 0 && pages[i] == ((long) id << 32 | page) && pages[i + 1] == InterloperLog.when(c, run.record.state);
    }

    /** The same; the run remembers the page by itself. */
    static boolean isNewsOf(InterloperThread c, InterloperRun run, int index, boolean write, int word) {
        boolean news = news(c, run.record.id, index, write, word) != InterloperTold.TOLD;
        long[] pages = c.pages;
        run.rememberPage(c, index, word, pages[(pagePlace(run.record.id, page(index, write)) & pages.length - 4) + 2]);
        return news;
    }

    private static int page(int index, boolean write) {
        return index >>> 6 | (write ? 1 << 26 : 0);
    }

    private static int pagePlace(int id, int page) {
        return id * 0x9E3779B1 + page + (page >>> 16) << 2;
    }

    /** Too many of this very region had to make room. What is forgotten is only told again. */
    private static long[] morePages(InterloperThread c) {
        c.crowdedPages = 0;
        return c.pages = InterloperThread.larger(c.pages, 4 * InterloperThread.MOST_PAGES);
    }
}
