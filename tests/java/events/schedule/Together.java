package schedule;

import java.util.concurrent.atomic.AtomicInteger;

/** Lets threads start a round at nearly the same instant. Excluded from recording, like the other class of this package. */
public final class Together {
    private final int threads;
    private final AtomicInteger arrived = new AtomicInteger();

    public Together(int threads) {
        this.threads = threads;
    }

    /** Waits until all threads have come to this round; rounds count from 1. */
    public void meet(int round) {
        arrived.incrementAndGet();
        for (int spins = 0; arrived.get() < round * threads; spins++) {
            if (spins > 1_000) Thread.yield();
            else Thread.onSpinWait();
        }
    }
}
