import java.util.SplittableRandom;
import schedule.Together;

/**
 * Fields of two objects by turns, over and over in one block: what was told of them holds until another thread has had them. A write leaves
 * the thread's number; each thread notes the others' numbers that it read, without repetitions.
 */
class RacyTogether {
    static final int THREADS = 3;
    static final int ROUNDS = 60;
    static final int TIMES = 1_000;
    static final Left[] LEFTS = new Left[ROUNDS];
    static final Right[] RIGHTS = new Right[ROUNDS];

    public static void main(String[] args) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            LEFTS[round] = new Left();
            RIGHTS[round] = new Right();
        }
        Racer[] racers = new Racer[THREADS];
        Together together = new Together(THREADS);
        for (int i = 0; i < THREADS; i++) racers[i] = new Racer(i + 1, together);
        for (Racer racer : racers) racer.start();
        for (Racer racer : racers) racer.join();
        for (Racer racer : racers) System.out.print(racer.notes);
    }

    static class Node {
        int x, y, z;

        /** All of both, by turns. */
        void look(Node other, Racer racer) {
            int a = x, b = other.x, c = y, d = other.y, e = z, f = other.z;
            racer.saw(0, a, c, e);
            racer.saw(3, b, d, f);
        }

        /** Reads and writes of one, and the other in between. */
        void mark(Node other, Racer racer, int number) {
            int a = x;
            x = number;
            int d = other.y;
            int c = y;
            y = number;
            other.z = number;
            int e = z;
            racer.saw(0, a, c, e);
            racer.saw(3, -1, d, -1);
        }

        /** Writes alone. */
        void put(int number) {
            x = number;
            z = number;
        }
    }

    static class Left extends Node {}

    static class Right extends Node {}

    static class Racer extends Thread {
        private static final String[] NAMES = {"Left#%.x", "Left#%.y", "Left#%.z", "Right#%.x", "Right#%.y", "Right#%.z"};
        final StringBuilder notes = new StringBuilder();
        private final int number;
        private final SplittableRandom random;
        private final Together together;
        /** By variable: what was read in this round, without repetitions, and whether Left and Right have changed places. */
        private final StringBuilder[] seen = new StringBuilder[NAMES.length];
        private final int[] last = new int[NAMES.length];
        private int turned;

        Racer(int number, Together together) {
            super("R" + number);
            this.number = number;
            random = new SplittableRandom(number);
            this.together = together;
        }

        @Override
        public void run() {
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < NAMES.length; i++) {
                    seen[i] = new StringBuilder();
                    last[i] = -1;
                }
                int first = random.nextInt(), second = random.nextInt();
                together.meet(round + 1);
                work(LEFTS[round], RIGHTS[round], first, second);
                for (int i = 0; i < NAMES.length; i++) note(i, round);
            }
        }

        /** One atomic block. */
        private void work(Node left, Node right, int first, int second) {
            for (int i = 0; i < TIMES; i++) {
                turned = (second >>> i & 1) == 0 ? 0 : 3;
                Node one = turned == 0 ? left : right, other = turned == 0 ? right : left;
                switch ((first >>> i) + i % 17 & 15) {
                    case 0 -> one.mark(other, this, number);
                    case 1 -> one.put(number);
                    default -> one.look(other, this);
                }
            }
        }

        void saw(int from, int x, int y, int z) {
            saw((from + turned) % 6, x);
            saw((from + turned) % 6 + 1, y);
            saw((from + turned) % 6 + 2, z);
        }

        private void saw(int variable, int value) {
            if (value < 0 || value == number || value == last[variable]) return;
            last[variable] = value;
            seen[variable].append(value);
        }

        private void note(int variable, int round) {
            if (seen[variable].length() == 0) return;
            String name = "RacyTogether$" + NAMES[variable].replace("%", Integer.toString(round + 1));
            notes.append(getName()).append(" r ").append(name).append(' ').append(seen[variable]).append('\n');
        }
    }
}
