// There are permits enough: who acquires one while another thread is about to release one does not come after that.
// expect: none
// options: --atomic SemaphoreFree.acquires,SemaphoreFree.releases

import java.util.concurrent.Semaphore;

class SemaphoreFree {
    static final int ROUNDS = 4_000, PERMITS = 5;
    final Semaphore permits = new Semaphore(PERMITS);
    int cell;

    /** The cell is written only if the permit of the other thread was not there yet. */
    void acquires() {
        permits.acquireUninterruptibly();
        if (permits.availablePermits() == PERMITS - 1) cell = 1;
    }

    int releases() {
        permits.release();
        return cell;
    }

    public static void main(String[] args) throws InterruptedException {
        SemaphoreFree[] all = new SemaphoreFree[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) all[i] = new SemaphoreFree();
        Round round = new Round();
        Other other = new Other(all, round);
        other.start();
        for (SemaphoreFree one : all) {
            round.meet();
            one.acquires();
        }
        other.join();
    }

    /** Both threads begin a round at the same time. */
    static class Round {
        private final java.util.concurrent.atomic.AtomicInteger arrived = new java.util.concurrent.atomic.AtomicInteger();

        void meet() {
            int number = (arrived.getAndIncrement() | 1) + 1;
            while (arrived.get() < number) Thread.onSpinWait();
        }
    }

    static class Other extends Thread {
        final SemaphoreFree[] all;
        final Round round;

        Other(SemaphoreFree[] all, Round round) {
            super("T2");
            this.all = all;
            this.round = round;
        }

        @Override
        public void run() {
            for (SemaphoreFree one : all) {
                round.meet();
                one.releases();
            }
        }
    }
}
