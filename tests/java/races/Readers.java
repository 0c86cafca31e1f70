// Readers of a read-write lock are not ordered, be it by the lock itself or by a view: these write where they may only read.
// expect: violation Readers$Cell#1.value

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import schedule.Schedule;

class Readers {
    static class Cell {
        int value;
    }

    static void inTurn(Lock lock) {
        Cell cell = new Cell();
        Schedule.run(new Thread(() -> change(1, lock, cell)), new Thread(() -> change(2, lock, cell)));
    }

    static void change(int turn, Lock lock, Cell cell) {
        Schedule.turn(turn);
        lock.lock();
        cell.value = turn;
        lock.unlock();
    }

    public static void main(String[] args) {
        inTurn(new ReentrantReadWriteLock().readLock());
        inTurn(new StampedLock().asReadLock());
    }
}
