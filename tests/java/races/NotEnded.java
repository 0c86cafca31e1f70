// Who has not found that a latch is open or that a future has ended does not come after that, even if it is so by then.
// expect: violation NotEnded$Cell#1.value
// expect: violation NotEnded$Cell#2.value

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import schedule.Schedule;

class NotEnded {
    static class Cell {
        int value;
    }

    static final Cell FIRST = new Cell(), SECOND = new Cell();
    static final CountDownLatch LATCH = new CountDownLatch(1);
    static final CompletableFuture<Object> FUTURE = new CompletableFuture<>();

    static boolean timesOut() {
        try {
            FUTURE.get(1, TimeUnit.MILLISECONDS);
            return false;
        } catch (TimeoutException e) {
            return true;
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        Schedule.run(new Thread(() -> {
            Schedule.turn(1);
            boolean closed = LATCH.getCount() == 1, runs = timesOut();
            Schedule.turn(3);
            if (closed) FIRST.value++;
            if (runs) SECOND.value++;
        }), new Thread(() -> {
            Schedule.turn(2);
            FIRST.value++;
            LATCH.countDown();
            SECOND.value++;
            FUTURE.completeExceptionally(new IllegalStateException());
        }));
    }
}
