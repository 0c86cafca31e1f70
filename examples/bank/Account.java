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
        Account account = new Account(100);
        Thread alice = new Thread(() -> account.withdraw(60), "alice");
        Thread bob = new Thread(() -> account.withdraw(70), "bob");
        alice.start();
        bob.start();
        alice.join();
        bob.join();
        System.out.println("left: " + account.balance);
    }
}
