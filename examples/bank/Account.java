/** A shared account. Every access is synchronized, there is no data race, and money still gets lost. */
class Account {
    private int balance;

    Account(int balance) {
        this.balance = balance;
    }

    /** Meant to be one step: look whether there is enough, then take it. */
    boolean withdraw(int amount) {
        int before;
        synchronized (this) { before = balance; }
        if (before < amount) return false;
        synchronized (this) { balance = before - amount; }
        return true;
    }

    public static void main(String[] args) throws InterruptedException {
        Account account = new Account(60_000);
        Customer alice = new Customer("alice", account, 1);
        Customer bob = new Customer("bob", account, 2);
        alice.start();
        bob.start();
        alice.join();
        bob.join();
        System.out.println("60000 = " + (alice.got + bob.got) + " paid out + " + account.balance + " left?");
    }

    /** Withdraws twenty thousand times; the other keeps step. */
    static class Customer extends Thread {
        private static final java.util.concurrent.CyclicBarrier BOTH = new java.util.concurrent.CyclicBarrier(2);
        private final Account account;
        private final int amount;
        int got;

        Customer(String name, Account account, int amount) {
            super(name);
            this.account = account;
            this.amount = amount;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < 20_000; i++) {
                    if (i % 2_000 == 0) BOTH.await();
                    if (account.withdraw(amount)) got += amount;
                }
            } catch (InterruptedException | java.util.concurrent.BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
