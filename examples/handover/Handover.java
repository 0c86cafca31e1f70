/** Two threads take turns with a counter. No lock, and correct: a volatile flag says whose turn it is. */
class Handover {
    private static final int ROUNDS = 1_000;
    private volatile int turn;
    private int counter;

    /** One step, because nobody else touches the counter before the last line hands it over. */
    void increment(int next) {
        int before = counter;
        counter = before + 1;
        turn = next;
    }

    public static void main(String[] args) throws InterruptedException {
        Handover shared = new Handover();
        Player first = new Player(shared, 0, 1);
        Player second = new Player(shared, 1, 0);
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("counted to " + shared.counter);
    }

    /** Waits for its turn, increments, and hands over. */
    static class Player extends Thread {
        private final Handover shared;
        private final int me;
        private final int next;

        Player(Handover shared, int me, int next) {
            super("player " + me);
            this.shared = shared;
            this.me = me;
            this.next = next;
        }

        @Override
        public void run() {
            for (int i = 0; i < ROUNDS; i++) {
                while (shared.turn != me) {
                    Thread.yield();
                }
                shared.increment(next);
            }
        }
    }
}
