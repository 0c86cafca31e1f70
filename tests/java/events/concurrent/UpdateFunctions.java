// An update by a function is there for others as soon as it is made, and not later: who sees it comes after it. Functions may fail, and update
// other variables meanwhile.
// expect: none
// options: --atomic UpdateFunctions.publish,UpdateFunctions.take

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

class UpdateFunctions {
    static final AtomicIntegerFieldUpdater<UpdateFunctions> FIELD = AtomicIntegerFieldUpdater.newUpdater(UpdateFunctions.class, "field");
    static final AtomicLongFieldUpdater<UpdateFunctions> LONG = AtomicLongFieldUpdater.newUpdater(UpdateFunctions.class, "longField");
    static final int KINDS = 8;
    final AtomicInteger number = new AtomicInteger(), inner = new AtomicInteger();
    final AtomicLong longNumber = new AtomicLong();
    final AtomicReference<String> reference = new AtomicReference<>("");
    final AtomicIntegerArray array = new AtomicIntegerArray(3);
    final AtomicReferenceArray<String> references = new AtomicReferenceArray<>(new String[] {"", "", ""});
    volatile int field;
    volatile long longField;
    int data;

    void publish(int kind) {
        data = 7;
        switch (kind) {
            case 0: number.updateAndGet(it -> it + 1); break;
            case 1: longNumber.accumulateAndGet(3, (it, more) -> it + more); break;
            case 2: reference.getAndUpdate(it -> it + "x"); break;
            case 3: array.getAndAccumulate(2, 4, Integer::sum); break;
            case 4: references.accumulateAndGet(1, "y", String::concat); break;
            case 5: FIELD.updateAndGet(this, it -> it + inner.updateAndGet(more -> more + 1)); break;
            case 6: LONG.getAndAccumulate(this, 2, Long::sum); break;
            default: fail(); number.updateAndGet(it -> it + 1);
        }
    }

    void fail() {
        try {
            number.updateAndGet(it -> it / (it - it));
        } catch (ArithmeticException e) {
            return;
        }
        throw new IllegalStateException();
    }

    int take(int kind) {
        return isThere(kind) ? data : -1;
    }

    boolean isThere(int kind) {
        switch (kind) {
            case 1: return longNumber.get() != 0;
            case 2: return !reference.get().isEmpty();
            case 3: return array.get(2) != 0;
            case 4: return !references.get(1).isEmpty();
            case 5: return FIELD.get(this) != 0;
            case 6: return LONG.get(this) != 0;
            default: return number.get() != 0;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        UpdateFunctions[] all = new UpdateFunctions[4000];
        for (int i = 0; i < all.length; i++) all[i] = new UpdateFunctions();
        Taker taker = new Taker(all);
        taker.start();
        for (int i = 0; i < all.length; i++) {
            all[i].publish(i % KINDS);
            for (int spin = 0; spin < 300; spin++) Thread.onSpinWait();
        }
        taker.join();
    }

    static class Taker extends Thread {
        final UpdateFunctions[] all;

        Taker(UpdateFunctions[] all) {
            super("T2");
            this.all = all;
        }

        @Override
        public void run() {
            for (int i = 0; i < all.length; i++) {
                int taken = -1;
                while (taken < 0) taken = all[i].take(i % KINDS);
                if (taken != 7) throw new IllegalStateException();
            }
        }
    }
}
