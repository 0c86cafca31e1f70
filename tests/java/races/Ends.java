// Who finds that a latch is open or that a task has ended, by whatever way, comes after that: there is no race.
// expect: none

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.TimeUnit;
import schedule.Schedule;

class Ends {
    interface Action {
        void run(Cell cell) throws Exception;
    }

    static class Cell {
        int value;
    }

    static class Gate extends CountDownLatch {
        Gate() {
            super(1);
        }
    }

    /** Thrown on purpose. */
    static class Failure extends RuntimeException {}

    static Thread performs(int turn, Action action, Cell cell) {
        return new Thread(() -> {
            Schedule.turn(turn);
            try {
                action.run(cell);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** One after the other, which nothing tells but what they do. */
    static void inTurn(Action first, Action second) {
        Cell cell = new Cell();
        Schedule.run(performs(1, first, cell), performs(2, second, cell));
    }

    static void latches() {
        CountDownLatch latch = new CountDownLatch(1);
        Gate gate = new Gate();
        inTurn(cell -> {
            cell.value = 1;
            latch.countDown();
            cell.value = 2;
            gate.countDown();
        }, cell -> {
            if (latch.getCount() == 0 && gate.getCount() == 0) cell.value++;
        });
    }

    static Object fail(Cell cell) {
        cell.value++;
        throw new Failure();
    }

    /** Nothing but what comes out tells that the task has ended. */
    static void caught(Cell cell, Callable<?> ending) throws Exception {
        try {
            ending.call();
        } catch (ExecutionException | CompletionException | Failure e) {
            cell.value++;
            return;
        }
        throw new AssertionError();
    }

    static void tasks() throws Exception {
        for (ExecutorService pool : new ExecutorService[] {Executors.newFixedThreadPool(1), new ForkJoinPool(1)}) {
            Cell cell = new Cell();
            Future<?> one = pool.submit(() -> fail(cell));
            caught(cell, one::get);
            Future<?> other = pool.submit(() -> fail(cell));
            caught(cell, () -> other.get(30, TimeUnit.SECONDS));
            pool.shutdown();
        }
        Cell cell = new Cell();
        ForkJoinPool pool = new ForkJoinPool(1);
        caught(cell, () -> pool.submit(new Fails(cell)).join());
        caught(cell, () -> pool.invoke(new Fails(cell)));
        pool.shutdown();
    }

    static class Fails extends RecursiveAction {
        final Cell cell;

        Fails(Cell cell) {
            this.cell = cell;
        }

        @Override
        protected void compute() {
            fail(cell);
        }
    }

    static void failed() {
        failedAfter(CompletableFuture::join);
        failedAfter(it -> it.join());
        failedAfter(it -> it.get());
        failedAfter(it -> it.get(30, TimeUnit.SECONDS));
        failedAfter(it -> it.getNow(null));
    }

    interface Ending {
        Object of(CompletableFuture<Object> future) throws Exception;
    }

    static void failedAfter(Ending ending) {
        CompletableFuture<Object> future = new CompletableFuture<>();
        inTurn(cell -> {
            cell.value = 1;
            future.completeExceptionally(new Failure());
        }, cell -> caught(cell, () -> ending.of(future)));
        CompletableFuture<Object> asked = new CompletableFuture<>();
        inTurn(cell -> {
            cell.value = 1;
            asked.completeExceptionally(new Failure());
        }, cell -> {
            if (asked.isCompletedExceptionally()) cell.value++;
        });
    }

    interface Dependent {
        void on(CompletableFuture<Object> one, CompletableFuture<Object> other, Runnable rest);
    }

    /** What depends on a future that is complete already runs at once. */
    static void complete() {
        Dependent[] dependents = {
            (one, other, rest) -> one.handle((value, failure) -> run(rest)),
            (one, other, rest) -> one.whenComplete((value, failure) -> rest.run()),
            (one, other, rest) -> one.thenCompose(value -> CompletableFuture.completedFuture(run(rest))),
            (one, other, rest) -> one.thenCombine(other, (a, b) -> run(rest)),
            (one, other, rest) -> other.thenAcceptBoth(one, (a, b) -> rest.run()),
            (one, other, rest) -> other.runAfterBoth(one, rest),
            (one, other, rest) -> one.applyToEither(other, value -> run(rest)),
        };
        for (Dependent dependent : dependents) {
            CompletableFuture<Object> one = new CompletableFuture<>(), other = new CompletableFuture<>();
            inTurn(cell -> {
                cell.value = 1;
                other.complete("");
                cell.value = 2;
                one.complete("");
            }, cell -> dependent.on(one, other, () -> cell.value++));
        }
        CompletableFuture<Object> future = new CompletableFuture<>();
        inTurn(cell -> {
            cell.value = 1;
            future.completeExceptionally(new Failure());
        }, cell -> future.exceptionally(failure -> cell.value++));
    }

    static Object run(Runnable rest) {
        rest.run();
        return "";
    }

    /** The threads of a scope have ended when it is joined; by reflection, as not all versions have it. */
    static void scopes() throws Exception {
        Class<?> scopes, joiners;
        Method open;
        try {
            scopes = Class.forName("java.util.concurrent.StructuredTaskScope");
            joiners = Class.forName("java.util.concurrent.StructuredTaskScope$Joiner");
            open = scopes.getMethod("open", joiners);
        } catch (ClassNotFoundException | NoSuchMethodException e) {
            return;
        }
        Cell cell = new Cell();
        Object scope = open.invoke(null, joiners.getMethod("awaitAll").invoke(null));
        Method fork = scopes.getMethod("fork", Callable.class);
        fork.invoke(scope, (Callable<Object>) () -> cell.value++);
        scopes.getMethod("join").invoke(scope);
        cell.value++;
        ((AutoCloseable) scope).close();
    }

    public static void main(String[] args) throws Exception {
        latches();
        tasks();
        failed();
        complete();
        scopes();
    }
}
