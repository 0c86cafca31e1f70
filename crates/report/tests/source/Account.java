package com.acme;

/** An account whose methods are each synchronized, and whose use is not atomic all the same. */
class Account {
    private int balance;

    synchronized int balance() { return balance; }
    synchronized void set(int amount) { balance = amount; }

    boolean withdraw(int amount) {
        int before = balance();
        if (before < amount) {
            return false;
        }
        set(before - amount);
        return true;
    }

	void deposit(int amount) {
		set(balance() + amount);	// tabs, as some write them
	}
}
