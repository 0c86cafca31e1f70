import java.util.SplittableRandom;
import schedule.Together;

/** Fields of two objects a round: plain, volatile, and of two words. */
class RacyFields {
    static final int THREADS = 4;
    static final int ROUNDS = 400;
    static final int VARIABLES = 8;
    static final First[] FIRSTS = new First[ROUNDS];
    static final Second[] SECONDS = new Second[ROUNDS];
    static final String[] NAMES = {"RacyFields$First#%.a", "RacyFields$First#%.b", "RacyFields$First#%.c", "RacyFields$First#%.d", "RacyFields$Second#%.a", "RacyFields$Second#%.b", "RacyFields$Second#%.c", "RacyFields$Second#%.d"};

    public static void main(String[] args) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            FIRSTS[round] = new First();
            SECONDS[round] = new Second();
        }
        Racer[] racers = new Racer[THREADS];
        Together together = new Together(THREADS);
        for (int i = 0; i < THREADS; i++) racers[i] = new Racer(i, together);
        for (Racer racer : racers) racer.start();
        for (Racer racer : racers) racer.join();
        for (Racer racer : racers) System.out.print(racer.notes);
    }

    static long read(First first, Second second, int variable) {
        switch (variable) {
            case 0: return first.a;
            case 1: return first.b;
            case 2: return first.c;
            case 3: return (long) first.d;
            case 4: return second.a;
            case 5: return second.b;
            case 6: return second.c;
            default: return (long) second.d;
        }
    }

    static void write(First first, Second second, int variable, int value) {
        switch (variable) {
            case 0: first.a = value; break;
            case 1: first.b = value; break;
            case 2: first.c = value; break;
            case 3: first.d = value; break;
            case 4: second.a = value; break;
            case 5: second.b = value; break;
            case 6: second.c = value; break;
            default: second.d = value; break;
        }
    }

    static class First {
        int a;
        volatile int b;
        long c;
        double d;
    }

    static class Second {
        int a;
        volatile int b;
        long c;
        double d;
    }

    static class Racer extends Thread {
        final StringBuilder notes = new StringBuilder();
        private final SplittableRandom random;
        private final Together together;
        private int next;

        Racer(int number, Together together) {
            super("R" + number);
            random = new SplittableRandom(number);
            this.together = together;
            next = (number + 1) * 1_000_000;
        }

        @Override
        public void run() {
            for (int round = 0; round < ROUNDS; round++) {
                together.meet(round + 1);
                int offset = random.nextInt(2);
                for (int i = 0; i < VARIABLES; i++) {
                    access(round, (i + offset) % VARIABLES, random.nextInt(3));
                }
            }
        }

        private void access(int round, int variable, int kind) {
            First first = FIRSTS[round];
            Second second = SECONDS[round];
            long seen = -1;
            if (kind != 1) seen = read(first, second, variable);
            if (kind != 0) write(first, second, variable, ++next);
            String name = NAMES[variable].replace("%", Integer.toString(round + 1));
            if (kind != 1) note("r", name, seen);
            if (kind != 0) note("w", name, next);
        }

        private void note(String op, String name, long value) {
            notes.append(getName()).append(' ').append(op).append(' ').append(name).append(' ').append(value).append('\n');
        }
    }
}
