package java.lang;

/** The last two phases that somebody arrived in, and the last signals of them, see {@link InterloperSync}. */
final class InterloperPhases {
    private int last = -1, before = -1, lastSignal, signalBefore;

    /** Somebody arrives, and gives this signal. */
    void arrive(int phase, int signal) {
        if (phase != last) {
            before = last;
            signalBefore = lastSignal;
            last = phase;
        }
        lastSignal = signal;
    }

    /** The last signal of those who arrived up to this phase; 0: it is not known. */
    int upTo(int phase) {
        if (last >= 0 && phase >= last) return lastSignal;
        return before >= 0 && phase >= before ? signalBefore : 0;
    }
}
