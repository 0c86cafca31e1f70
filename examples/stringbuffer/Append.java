/** One thread appends a buffer to its own, another makes that buffer long and short: an error in the JDK itself. */
class Append {
    private static final int TRIES = 5_000;
    private static final String WORD = "interloper".repeat(1_000);

    public static void main(String[] args) {
        StringBuffer shared = new StringBuffer();
        new Changer(shared).start();
        while (shared.length() == 0) Thread.onSpinWait();
        int torn = 0;
        for (int i = 0; i < TRIES; i++) {
            if (!copied(shared)) torn++;
        }
        System.out.println(torn + " of " + TRIES + " copies are neither empty nor the word");
    }

    /** Whether a copy is the buffer's content at some time. */
    private static boolean copied(StringBuffer shared) {
        StringBuffer mine = new StringBuffer();
        try {
            mine.append(shared);
        } catch (IndexOutOfBoundsException e) {
            return false;
        }
        String copy = mine.toString();
        return copy.isEmpty() || copy.equals(WORD);
    }

    /** Puts the word into the buffer and takes it out again, as long as the program runs. */
    static class Changer extends Thread {
        private final StringBuffer shared;

        Changer(StringBuffer shared) {
            super("changer");
            this.shared = shared;
            setDaemon(true);
        }

        @Override
        public void run() {
            while (true) {
                shared.append(WORD);
                shared.setLength(0);
            }
        }
    }
}
