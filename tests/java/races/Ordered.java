// Everything here is ordered by what the threads do: there is no race. The second of each pair of threads goes last.
// expect: none

import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicMarkableReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import schedule.Schedule;

class Ordered {
    interface Action {
        void run(Cell cell) throws Exception;
    }

    static class Cell {
        int value;
    }

    static void perform(Action action, Cell cell) {
        try {
            action.run(cell);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** One after the other, which nothing tells but what they do. */
    static void inTurn(Action first, Action second) {
        Cell cell = new Cell();
        Thread one = new Thread(() -> {
            Schedule.turn(1);
            perform(first, cell);
        });
        Thread two = new Thread(() -> {
            Schedule.turn(2);
            perform(second, cell);
        });
        Schedule.run(one, two);
    }

    static void atOnce(Action first, Action second) {
        Cell cell = new Cell();
        Schedule.run(new Thread(() -> perform(first, cell)), new Thread(() -> perform(second, cell)));
    }

    static void locked(Lock first, Lock second) {
        inTurn(cell -> under(first, cell), cell -> under(second, cell));
    }

    static void under(Lock lock, Cell cell) {
        boolean reads = lock.getClass().getName().contains("Read");
        lock.lock();
        if (reads) Schedule.use(cell.value);
        else cell.value++;
        lock.unlock();
    }

    static void readWriteLocks() {
        ReadWriteLock[] locks = {new ReentrantReadWriteLock(), new ReentrantReadWriteLock(true), new StampedLock().asReadWriteLock()};
        for (ReadWriteLock lock : locks) {
            locked(lock.readLock(), lock.writeLock());
            locked(lock.writeLock(), lock.readLock());
            locked(lock.writeLock(), lock.writeLock());
        }
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        inTurn(cell -> {
            lock.readLock().lock();
            lock.readLock().lock();
            lock.readLock().unlock();
            Schedule.use(cell.value);
            lock.readLock().unlock();
        }, cell -> {
            if (!lock.writeLock().tryLock()) throw new AssertionError();
            cell.value = 1;
            lock.readLock().lock();
            lock.writeLock().unlock();
            lock.readLock().unlock();
        });
        Condition changed = lock.writeLock().newCondition();
        atOnce(cell -> {
            lock.writeLock().lock();
            while (cell.value == 0) changed.await();
            cell.value++;
            lock.writeLock().unlock();
        }, cell -> {
            lock.writeLock().lock();
            cell.value++;
            changed.signal();
            lock.writeLock().unlock();
        });
    }

    static void stampedLocks() {
        StampedLock lock = new StampedLock();
        Action write = cell -> {
            long stamp = lock.tryWriteLock();
            cell.value++;
            lock.unlockWrite(stamp);
        };
        Action read = cell -> {
            long stamp = lock.tryReadLock(1, TimeUnit.SECONDS);
            Schedule.use(cell.value);
            lock.unlock(stamp);
        };
        Action glance = cell -> {
            long stamp = lock.tryOptimisticRead();
            Schedule.use(cell.value);
            if (!lock.validate(stamp)) throw new AssertionError();
        };
        Action convert = cell -> {
            long stamp = lock.tryConvertToWriteLock(lock.readLock());
            cell.value++;
            stamp = lock.tryConvertToReadLock(stamp);
            Schedule.use(cell.value);
            lock.unlockRead(stamp);
        };
        Action view = cell -> under(lock.asReadLock(), cell);
        for (Action other : List.of(write, read, glance, convert, view)) {
            inTurn(write, other);
            inTurn(other, write);
            inTurn(convert, other);
            inTurn(other, convert);
        }
    }

    static void meetings() {
        CountDownLatch latch = new CountDownLatch(1);
        inTurn(cell -> {
            cell.value = 1;
            latch.countDown();
        }, cell -> {
            latch.await();
            cell.value = 2;
        });
        Semaphore semaphore = new Semaphore(0);
        inTurn(cell -> {
            cell.value = 1;
            semaphore.release();
        }, cell -> {
            if (!semaphore.tryAcquire()) throw new AssertionError();
            cell.value = 2;
        });
        Phaser phaser = new Phaser(2);
        atOnce(cell -> {
            cell.value = 1;
            phaser.arrive();
        }, cell -> {
            phaser.arriveAndAwaitAdvance();
            cell.value = 2;
        });
        Phaser other = new Phaser(1);
        inTurn(cell -> {
            cell.value = 1;
            other.arriveAndAwaitAdvance();
        }, cell -> {
            other.awaitAdvance(0);
            cell.value = 2;
        });
        Exchanger<String> exchanger = new Exchanger<>();
        atOnce(cell -> {
            cell.value = 1;
            exchanger.exchange("a");
            exchanger.exchange("c");
        }, cell -> {
            exchanger.exchange("b");
            cell.value = 2;
            exchanger.exchange("d");
        });
        Cell of = new Cell();
        CyclicBarrier barrier = new CyclicBarrier(2, () -> of.value++);
        Action meet = cell -> {
            meet(barrier);
            Schedule.use(of.value);
            meet(barrier);
        };
        atOnce(meet, meet);
        AtomicMarkableReference<Cell> reference = new AtomicMarkableReference<>(null, false);
        inTurn(cell -> {
            cell.value = 1;
            reference.set(cell, true);
        }, cell -> {
            if (reference.isMarked()) cell.value = 2;
        });
    }

    static void meet(CyclicBarrier barrier) throws InterruptedException {
        try {
            barrier.await();
        } catch (BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    static void tasks() throws Exception {
        Cell cell = new Cell();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        cell.value++;
        pool.invokeAll(List.of(() -> cell.value++));
        cell.value++;
        pool.invokeAny(List.of(() -> cell.value++));
        cell.value++;
        Future<?> future = pool.submit(() -> cell.value++);
        while (!future.isDone()) Thread.onSpinWait();
        cell.value++;
        CompletableFuture<Void> started = CompletableFuture.runAsync(() -> cell.value++, pool);
        while (!started.isDone()) Thread.onSpinWait();
        cell.value++;
        pool.execute(() -> cell.value++);
        pool.shutdown();
        if (!pool.awaitTermination(30, TimeUnit.SECONDS)) throw new AssertionError();
        cell.value++;
        ForkJoinPool forks = new ForkJoinPool(2);
        forks.invoke(new RecursiveAction() {
            @Override
            protected void compute() {
                Cell left = new Cell(), right = new Cell();
                invokeAll(new Increment(left), new Increment(right));
                cell.value += left.value + right.value;
            }
        });
        cell.value++;
        forks.execute(() -> cell.value++);
        forks.shutdown();
        if (!forks.awaitTermination(30, TimeUnit.SECONDS)) throw new AssertionError();
        Schedule.use(cell.value);
    }

    static class Increment extends RecursiveAction {
        final Cell cell;

        Increment(Cell cell) {
            this.cell = cell;
        }

        @Override
        protected void compute() {
            cell.value++;
        }
    }

    public static void main(String[] args) throws Exception {
        readWriteLocks();
        stampedLocks();
        meetings();
        tasks();
    }
}
