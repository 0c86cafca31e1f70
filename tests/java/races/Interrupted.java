// Who waits has the lock again when an interrupt ends the wait, or has never let go of it: there is no race.
// expect: none

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import schedule.Schedule;

class Interrupted {
    interface Wait {
        void begin(Condition condition) throws InterruptedException;
    }

    static class Cell {
        int value;
    }

    static void condition(Lock lock, Wait wait, boolean early) {
        Condition condition = lock.newCondition();
        Cell cell = new Cell();
        Thread waits = new Thread(() -> {
            lock.lock();
            try {
                cell.value++;
                Schedule.turn(1);
                Schedule.pass();
                if (early) Thread.currentThread().interrupt();
                end(wait, condition);
                cell.value++;
            } finally {
                lock.unlock();
            }
        });
        Schedule.run(waits, new Thread(() -> {
            Schedule.turn(2);
            lock.lock();
            cell.value++;
            waits.interrupt();
            lock.unlock();
            Schedule.end(waits);
        }), new Thread(() -> {
            Schedule.turn(3);
            lock.lock();
            cell.value++;
            lock.unlock();
        }));
    }

    private static void end(Wait wait, Condition condition) {
        try {
            wait.begin(condition);
        } catch (InterruptedException e) {
            return;
        }
        throw new AssertionError();
    }

    static void monitor(boolean early) {
        Object monitor = new Object();
        Cell cell = new Cell();
        Thread waits = new Thread(() -> {
            synchronized (monitor) {
                cell.value++;
                Schedule.turn(1);
                Schedule.pass();
                if (early) Thread.currentThread().interrupt();
                try {
                    monitor.wait();
                    throw new AssertionError();
                } catch (InterruptedException e) {
                    cell.value++;
                }
            }
        });
        Schedule.run(waits, new Thread(() -> {
            Schedule.turn(2);
            synchronized (monitor) {
                cell.value++;
                waits.interrupt();
            }
            Schedule.end(waits);
        }), new Thread(() -> {
            Schedule.turn(3);
            synchronized (monitor) {
                cell.value++;
            }
        }));
    }

    public static void main(String[] args) {
        Wait[] waits = {
            Condition::await,
            it -> it.await(),
            it -> it.await(30, TimeUnit.SECONDS),
            it -> it.awaitNanos(30_000_000_000L),
            it -> it.awaitUntil(new Date(System.currentTimeMillis() + 30_000)),
        };
        for (boolean early : new boolean[] {false, true}) {
            for (Wait wait : waits) {
                condition(new ReentrantLock(), wait, early);
                condition(new ReentrantReadWriteLock().writeLock(), wait, early);
            }
            monitor(early);
        }
    }
}
