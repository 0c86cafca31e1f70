import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * What `interloper doctor` runs: an account that two threads use. `broken`: a deposit comes between the two accesses of a
 * withdrawal, always. `correct`: the same in turns. Which comes when is agreed on by way of queues, inside which
 * nothing is watched.
 *
 * Rebuild: javac --release 17 -g Canary.java
 */
public final class Canary extends Thread {
    private static final BlockingQueue<String> asked = new ArrayBlockingQueue<>(1);
    private static final BlockingQueue<String> answered = new ArrayBlockingQueue<>(1);
    private int balance = 100;

    public static void main(String[] args) throws InterruptedException {
        Canary canary = new Canary();
        canary.start();
        if (args[0].equals("broken")) {
            canary.withdraw(30);
        } else {
            canary.withdrawAtOnce(30);
            letTheOtherGo();
        }
        canary.join();
        if (canary.balance != (args[0].equals("broken") ? 70 : 120)) {
            throw new AssertionError("balance " + canary.balance);
        }
    }

    @Override
    public void run() {
        try {
            asked.take();
            deposit(50);
            answered.put("done");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void withdraw(int amount) throws InterruptedException {
        int seen = balance;
        letTheOtherGo();
        balance = seen - amount;
    }

    private synchronized void withdrawAtOnce(int amount) {
        balance = balance - amount;
    }

    private synchronized void deposit(int amount) {
        balance = balance + amount;
    }

    private static void letTheOtherGo() throws InterruptedException {
        asked.put("go");
        answered.take();
    }
}
