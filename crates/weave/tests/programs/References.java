// References to methods that get probes, of all the kinds that there are. Prints what comes out of them.
import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;

public class References {
    static class MyLock extends ReentrantLock {
        Runnable own() { return this::lock; }
        Runnable ofSuper() { return super::unlock; }
        Supplier<Thread> owner() { return this::getOwner; }
    }
    static class Named { String get() { return "named"; } Object lock() { return "door"; } private void hidden() { say("hidden"); } void signal() { } }
    static class Own<T> implements Supplier<T> { T value; Own(T value) { this.value = value; } public T get() { return value; } }
    interface Held {
        Lock lock();
        default Runnable locking() { return lock()::lock; }
        static Consumer<Lock> unlocking() { return Lock::unlock; }
    }
    interface SerializableRun extends Runnable, Serializable { }
    enum Way implements IntSupplier { UP(new AtomicInteger(5)::incrementAndGet), DOWN(new AtomicInteger(5)::decrementAndGet);
        final IntSupplier way; Way(IntSupplier way) { this.way = way; } public int getAsInt() { return way.getAsInt(); } }

    static void say(Object o) { System.out.println(o); }

    static void locks() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Runnable locks = lock::lock, unlocks = lock::unlock;
        locks.run(); say(lock.isHeldByCurrentThread()); unlocks.run(); say(lock.isLocked());
        try { unlocks.run(); } catch (IllegalMonitorStateException e) { say("not held"); }
        Consumer<Lock> unbound = Lock::lock; unbound.accept(lock); Held.unlocking().accept(lock); say(lock.isLocked());
        Predicate<ReentrantLock> tries = ReentrantLock::tryLock; say(tries.test(lock)); lock.unlock();
        MyLock mine = new MyLock();
        Runnable both = mine::lock, back = mine::unlock; both.run(); mine.own().run(); say(mine.getHoldCount());
        say(mine.owner().get() == Thread.currentThread());
        mine.ofSuper().run(); back.run(); say(mine.isLocked());
        Held held = () -> lock; held.locking().run(); say(lock.getHoldCount()); lock.unlock();
        ReadWriteLock rw = new ReentrantReadWriteLock(); Supplier<Lock> read = rw::readLock; read.get().lock(); read.get().unlock();
        ReentrantLock none = null; Lock nobody = null;
        try { Runnable r = none::lock; say(r); } catch (NullPointerException e) { say("null"); }
        try { unbound.accept(nobody); } catch (NullPointerException e) { say("null later"); }
        Object monitor = new Object(); Runnable wakes = monitor::notifyAll; synchronized (monitor) { wakes.run(); }
    }

    static void atomics() {
        AtomicInteger count = new AtomicInteger(); IntSupplier next = count::incrementAndGet; say(next.getAsInt());
        Supplier<Integer> boxed = count::get; say(boxed.get()); Supplier<Object> object = count::get; say(object.get());
        IntConsumer set = count::set; set.accept(41); Runnable dropped = count::getAndIncrement; dropped.run(); say(count);
        ToIntFunction<AtomicInteger> reads = AtomicInteger::get; ToLongFunction<AtomicInteger> wide = AtomicInteger::get; say(reads.applyAsInt(count) + wide.applyAsLong(count));
        IntBinaryOperator swap = new AtomicIntegerArray(new int[] { 4, 5 })::getAndSet; say(swap.applyAsInt(1, 8));
        AtomicLong sum = new AtomicLong(); LongStream.range(0, 10).forEach(sum::addAndGet); IntStream.range(0, 4).forEach(sum::addAndGet); say(sum);
        Map<Long, Long> map = new TreeMap<>(); map.computeIfAbsent(7L, sum::addAndGet); say(map);
        AtomicReference<String> text = new AtomicReference<>("a"); UnaryOperator<String> old = text::getAndSet; say(old.apply("b") + text);
        BiPredicate<String, String> replaces = text::compareAndSet; say(replaces.test("b", "c") + " " + text + replaces.test("b", "c"));
        BinaryOperator<Long> accumulate = (x, y) -> sum.accumulateAndGet(x + y, Long::sum); say(accumulate.apply(1L, 2L));
        Function<LongUnaryOperator, Long> update = sum::updateAndGet; say(update.apply(x -> x * 2));
        say(Way.UP.getAsInt() + " " + Way.DOWN.getAsInt());
    }

    static void others() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        CountDownLatch latch = new CountDownLatch(2); pool.submit(latch::countDown); pool.execute(latch::countDown);
        Callable<Boolean> waits = () -> latch.await(9, TimeUnit.SECONDS); say(waits.call());
        BlockingQueue<String> queue = new LinkedBlockingQueue<>(); Stream.of("x", "y").forEach(queue::add); Callable<String> takes = queue::take; say(takes.call() + queue);
        Set<String> seen = ConcurrentHashMap.newKeySet(); say(Stream.of("p", "q", "p").filter(seen::add).collect(Collectors.toList()));
        List<Future<Integer>> results = pool.invokeAll(List.of(() -> 1, () -> 2)); Future<Integer> one = results.get(0); Callable<Integer> get = one::get; say(get.call());
        CompletableFuture<String> done = new CompletableFuture<>(); pool.submit(() -> Optional.of("done").map(done::complete)); say(Stream.of(done).map(CompletableFuture::join).collect(Collectors.toList()));
        Consumer<Thread> unparks = LockSupport::unpark; unparks.accept(Thread.currentThread()); Runnable parks = LockSupport::park; parks.run();
        ToLongFunction<Long> millis = TimeUnit.SECONDS::toMillis; say(millis.applyAsLong(3L));
        Supplier<ConcurrentHashMap<String, String>> makes = ConcurrentHashMap::new; say(makes.get());
        Function<Object[], List<Object>> list = Arrays::asList; say(list.apply(new Object[] { 1, 2 })); Supplier<int[]> copies = new int[] { 1, 2 }::clone; say(copies.get().length);
        Named named = new Named(); Supplier<String> name = named::get; Supplier<Object> door = named::lock; say(name.get() + door.get()); Runnable hidden = named::hidden; hidden.run();
        Own<String> own = new Own<>("own"); Supplier<String> gets = own::get; say(gets.get()); say(Stream.of(own).map(Own::get).findFirst().get());
        pool.shutdown();
    }

    static void serialized() throws Exception {
        SerializableRun run = new ReentrantLock()::lock; ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(run);
        ((Runnable) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject()).run(); say("again");
        Runnable marked = (Runnable & Cloneable) new AtomicInteger()::incrementAndGet; marked.run(); say(marked instanceof Cloneable);
    }

    public static void main(String[] args) throws Exception {
        locks(); atomics(); others(); serialized(); say("end");
    }
}
