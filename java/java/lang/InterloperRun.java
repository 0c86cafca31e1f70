package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Where a site goes through an array: the array's record, and the entry in the log that is about the elements accessed last. As long as
 * the next element is as far away as the one before, in the same block, and nothing has come into the log since that starts a new
 * region, a block or a chunk, the entry counts one more in place.
 *
 * The entry is in the log before others can take the array over, and counts up within the window of the access; so whoever has taken the
 * array finds the count as it is, and it does not change any more: to access the array again the thread has to take it back, which
 * shows in the array's state. In a loop that leaves the window open, only the next index is kept up to date, and the entry counts all of it
 * when the window is closed.
 */
public final class InterloperRun {
    private static final Unsafe U = Unsafe.getUnsafe();
    static final long ONE_MORE = 1L << 40;
    private static final int MOST = (1 << 12) - 1;
    /** What sites have that have used no array yet. */
    static final InterloperRun NOWHERE = new InterloperRun(-1);
    /** No number of closed windows. */
    private static final int NEVER = 2;
    /** No index. */
    private static final int NONE = Integer.MIN_VALUE;
    /** No number of blocks. */
    private static final int BOUND = -1;
    /** So many steps in a window make a site a steady one. */
    private static final int STEPS = 4;

    final int site;
    /** The array that the site used last; never null. */
    InterloperRecord record = InterloperRecord.NOTHING;
    /** The element after the last one, if the entry is to go on. */
    int next = NONE;
    int stride;
    /** How many elements it may still count. */
    int left;
    /** The entry's second word, and where it is. */
    long second, address;
    /** When it was written; with no depth at all if the thread is bound: then it goes on only as the last entry. */
    private int stretch, depth, state;
    private long end;
    /** In which window the site found the array held, by how many were closed before; and whether elements need not be told at all in it. */
    private int tick = NEVER;
    private boolean quiet;
    /** An element that was told of in that window, besides those that are counted. */
    private int toldOf = NONE;
    /**
     * Whether the entry stays behind, or is not even written, up to which element it counts, and where this is among those that stay
     * behind.
     */
    private boolean behind, later, write;
    private int counted, place;
    /** Of a page of elements, which of them the region has told of; for the same state of the array. */
    private int page = -1, pageRegion, pageState;
    private long told;
    /** Whether the site was seen to go several steps. */
    private boolean steady;

    InterloperRun(int site) {
        this.site = site;
    }

    /**
     * Has nothing happened since the entry was written that it must not go on after? The block that it is in was in
     * the log by then, so that its end is, too; but another one may have begun in it that is not in the log.
     */
    @ForceInline
    boolean goesOn(InterloperThread c, int word) {
        return stretch == c.stretch && depth == c.depth && state == word;
    }

    /** Counts an element in the entry, if it is the next one; or need not. */
    @ForceInline
    boolean counts(InterloperThread c, int index, int word) {
        if (!InterloperLog.ON) return true;
        if (next != index || !goesOn(c, word)) return false;
        next = index + stride;
        InterloperLog.put(address, second += ONE_MORE);
        if (--left == 0) end();
        return true;
    }

    /** Whether the region has told of this element, as far as is known here. */
    @ForceInline
    boolean isTold(InterloperThread c, int index, int word) {
        return (told >>> index & 1) != 0 && index >>> 6 == page && pageRegion == c.region && pageState == word;
    }

    void rememberPage(InterloperThread c, int index, int word, long told) {
        page = index >>> 6;
        pageRegion = c.region;
        pageState = word;
        this.told = told;
    }

    /**
     * In a loop that leaves the window open, where the site has the array at hand: whether there is no more to do about an element, but that it
     * is counted some time.
     */
    @ForceInline
    boolean isNext(InterloperThread c, int index) {
        if (!isHeld(c)) return false;
        if (!InterloperLog.ON) return true;
        if (next != index) return quiet || toldOf == index;
        next = index + stride;
        return true;
    }

    /** Whether the array is held in the open window by this site. */
    @ForceInline
    boolean isHeld(InterloperThread c) {
        return tick == c.tick;
    }

    /** The site has found the array held, and told of an element; and that its elements need not be told, perhaps. */
    void beHeld(InterloperThread c, int index, boolean quiet) {
        if (quiet) end(c);
        tick = c.tick;
        toldOf = index;
        this.quiet = quiet;
    }

    /** Whether the entry can go on with this element; then it stays behind until the window is closed. */
    boolean takesUp(InterloperThread c, int index) {
        if (next == index) {
            stayBehind(c);
            next = index + stride;
            return true;
        }
        if (behind && next != counted || !isSingle() || !extend(index)) return false;
        counted = next;
        stayBehind(c);
        return true;
    }

    /** The site is expected to go on as before: what it accesses is told when the window is closed. */
    void beginLater(InterloperThread c, int index, int word, boolean write) {
        end(c);
        this.write = write;
        state = word;
        stretch = c.stretch;
        depth = c.depth;
        next = index;
        stayBehind(c);
        next = index + stride;
        later = true;
    }

    /** An element that was told of before: what comes next is counted with the entry only if that goes on. */
    void passOver(InterloperThread c, int word) {
        if (goesOn(c, word)) stayBehind(c);
        else end(c);
    }

    boolean isSteady() {
        return steady;
    }

    private void stayBehind(InterloperThread c) {
        if (behind || next == NONE) return;
        behind = true;
        counted = next;
        place = c.behinds++;
        c.behind[place] = this;
    }

    /** Counts what was accessed in the open window. */
    void catchUp(InterloperThread c) {
        // A step below the first element was the last: there is none.
        if (next - stride < 0) next -= stride;
        steady = Math.abs(next - counted) >= STEPS * Math.abs(stride);
        int first = counted;
        if (later && InterloperStretches.isTold(c, record.id, write, first, next - stride, stride, state)) counted = next;
        boolean tells = later && next != counted;
        countInPlace();
        while (next != counted) {
            int more = Math.min(stepsTo(next) - 1, MOST);
            long entry = counted | (stride & 0xFFL) << 32 | more * ONE_MORE;
            InterloperLog.elements(c, site, record.id, entry);
            counted += (more + 1) * stride;
            second = entry;
            address = (c.position - 1 << 3) + c.bias;
            stretch = c.stretch;
            left = MOST - more;
        }
        if (tells) InterloperStretches.tell(c, record.id, write, first, next - stride, stride, state);
        InterloperRun last = c.behind[--c.behinds];
        c.behind[place] = last;
        last.place = place;
        behind = later = false;
        if (left == 0) end();
    }

    /** How many elements are not counted before this one. Most sites go by one. */
    private int stepsTo(int index) {
        return stride == 1 ? index - counted : (index - counted) / stride;
    }

    private void countInPlace() {
        int more = left == 0 ? 0 : Math.min(stepsTo(next), left);
        if (more == 0) return;
        counted += more * stride;
        left -= more;
        InterloperLog.put(address, second += more * ONE_MORE);
    }

    /** The chunk is full: what is not counted by now needs another entry. */
    void leave() {
        countInPlace();
        left = 0;
    }

    /** Whether the entry can go on with this element though the thread is bound: nothing has come into the log since. */
    boolean goesOnBound(InterloperThread c, int index, int word) {
        if (end != c.position || depth != BOUND || state != word || left == 0) return false;
        if (isSingle()) return extend(index);
        if (next != index) return false;
        next = index + stride;
        InterloperLog.put(address, second += ONE_MORE);
        left--;
        return true;
    }

    /** A new entry of one element, the last in the log. */
    void begin(InterloperThread c, int index, int word) {
        state = word;
        stretch = c.stretch;
        depth = c.depth == 0 && c.bound ? BOUND : c.depth;
        end = c.position;
        address = (c.position - 1 << 3) + c.bias;
        second = index;
        next = NONE;
        left = MOST;
    }

    /** Is this the state of an array that was made just now, and nobody else knows? */
    @ForceInline
    boolean isOwn(InterloperThread c, int word) {
        return word == c.mayUseNew && InterloperNames.isJustBorn(c, record.id);
    }

    /** Is the entry about one element as yet? */
    boolean isSingle() {
        return left == MOST;
    }

    /** A second element: it says how far the others have to be. (If it is the first one again, the entry says it already.) */
    boolean extend(int index) {
        int distance = index - (int) second;
        if (distance == 0) return true;
        if (distance != (byte) distance) return false;
        stride = distance;
        second = (int) second | ONE_MORE | (distance & 0xFFL) << 32;
        InterloperLog.put(address, second);
        next = index + distance;
        left--;
        return true;
    }

    /** The entry does not go on. */
    private void end() {
        next = NONE;
        left = 0;
    }

    void end(InterloperThread c) {
        if (behind) catchUp(c);
        end();
    }

    /** Another site needs the place: the reader knows one for all of them that have it. */
    void rest(InterloperThread c) {
        if (this == NOWHERE) return;
        end(c);
        tick = NEVER;
    }

    /** The site uses another array now. */
    void turnTo(InterloperThread c, InterloperRecord record) {
        rest(c);
        page = -1;
        this.record = record;
    }
}
