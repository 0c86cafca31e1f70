import java.util.ArrayDeque;

/** Objects and arrays that pass from thread to thread and are forgotten, far more of them than the heap can hold. */
class SmallHeap {
    private static final int ITEMS = 200_000;
    private static final ArrayDeque<Item> QUEUE = new ArrayDeque<>();
    private static long sum;

    public static void main(String[] args) throws InterruptedException {
        Thread[] takers = new Thread[2];
        for (int i = 0; i < takers.length; i++) {
            takers[i] = new Thread(SmallHeap::takeAll);
            takers[i].start();
        }
        for (int i = 0; i < ITEMS; i++) put(new Item(i));
        for (Thread taker : takers) put(null);
        for (Thread taker : takers) taker.join();
        System.out.println(sum);
    }

    private static void put(Item item) throws InterruptedException {
        synchronized (QUEUE) {
            while (QUEUE.size() > 100) QUEUE.wait();
            QUEUE.add(item == null ? Item.LAST : item);
            QUEUE.notifyAll();
        }
    }

    private static Item take() {
        synchronized (QUEUE) {
            while (QUEUE.isEmpty()) {
                try {
                    QUEUE.wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            QUEUE.notifyAll();
            return QUEUE.remove();
        }
    }

    private static void takeAll() {
        for (Item item = take(); item != Item.LAST; item = take()) {
            item.numbers[7] += item.number;
            synchronized (SmallHeap.class) {
                sum += item.numbers[7];
            }
        }
    }

    static class Item {
        static final Item LAST = new Item(-1);
        int number;
        final long[] numbers = new long[64];

        Item(int number) {
            this.number = number;
            numbers[7] = 1;
        }
    }
}
