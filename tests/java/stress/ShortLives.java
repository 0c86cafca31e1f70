/**
 * A service that hands new objects to another thread for every request, under a block that does not end until all of them are served. In the end
 * one account is overdrawn, for sure.
 */
class ShortLives {
    private static final int REQUESTS = 1_000;
    private static int rounds;

    private final Request[] desk = new Request[REQUESTS];
    private volatile int turn;
    private long answers;

    public static void main(String[] args) throws InterruptedException {
        rounds = Integer.parseInt(args[0]);
        ShortLives service = new ShortLives();
        Thread client = new Thread(service::ask, "client");
        client.start();
        service.serve();
        client.join();
        System.out.println("answers: " + service.answers);
        Account account = new Account();
        Thread other = new Thread(account::interfere, "other");
        other.start();
        account.withdraw();
        other.join();
        System.out.println("balance: " + account.balance);
    }

    /** The block that does not end. */
    private void serve() {
        for (int round = 0; round < rounds; round++) {
            await(1);
            for (Request request : desk) answers += request.answer();
            turn = 0;
        }
    }

    private void ask() {
        for (int round = 0; round < rounds; round++) {
            await(0);
            for (int i = 0; i < REQUESTS; i++) desk[i] = new Request(round, i);
            turn = 1;
        }
    }

    private void await(int whose) {
        while (turn != whose) Thread.onSpinWait();
    }

    /** Some fields, an array and a lock. */
    private static final class Request {
        private int number;
        private int answer;
        private final int[] words = new int[4];

        Request(int round, int number) {
            this.number = round + number;
            words[number % 4] = round;
        }

        synchronized int answer() {
            for (int word : words) answer += word;
            answer += number;
            return answer;
        }
    }

    private static final class Account {
        private int balance = 100;
        private volatile int step;

        /** Another thread withdraws in the middle of it. */
        void withdraw() {
            int before = balance;
            step = 1;
            while (step != 2) Thread.onSpinWait();
            balance = before - 10;
        }

        void interfere() {
            while (step != 1) Thread.onSpinWait();
            balance -= 50;
            step = 2;
        }
    }
}
