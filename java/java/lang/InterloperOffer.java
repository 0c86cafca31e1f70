package java.lang;

/** What a thread gives to an exchanger, until the one who got it is told, see {@link InterloperSync}. */
final class InterloperOffer {
    final InterloperThread by;
    final Object item;
    /** The number of the signal. */
    final int signal;
    InterloperOffer next;

    InterloperOffer(InterloperThread by, Object item, int signal, InterloperOffer next) {
        this.by = by;
        this.item = item;
        this.signal = signal;
        this.next = next;
    }

    /** The offers from here on without this one. */
    InterloperOffer without(InterloperOffer gone) {
        if (this == gone) return next;
        for (InterloperOffer it = this; it.next != null; it = it.next) {
            if (it.next == gone) {
                it.next = gone.next;
                break;
            }
        }
        return this;
    }

    /** The thread's offer of this age: 0 is the last. */
    InterloperOffer of(InterloperThread c, int age) {
        for (InterloperOffer it = this; it != null; it = it.next) if (it.by == c && age-- == 0) return it;
        return null;
    }

    /** The only offer of this thing by others; null if there is none, or more than one. */
    InterloperOffer only(Object item, InterloperThread c) {
        InterloperOffer found = null;
        for (InterloperOffer it = this; it != null; it = it.next) {
            if (it.item != item || it.by == c) continue;
            if (found != null) return null;
            found = it;
        }
        return found;
    }
}
