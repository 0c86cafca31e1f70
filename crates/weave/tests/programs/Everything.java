// Something of everything that probes are put around. Prints what comes out of it.
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;

public class Everything {
    boolean z; byte b; char c; short s; int i; long j; float f; double d; String text; int[] array;
    static boolean sz; static byte sb; static char sc; static short ss; static int si; static long sj;
    static float sf; static double sd; static String st = "static"; static volatile long sv;
    private int hidden = 3;
    final int fixed;

    Everything() { this(7); hidden++; }
    Everything(int n) { fixed = n; i = n; }
    Everything(boolean fail, int n) { super(); fixed = fail ? n / (n - n) : n; }

    static class Base {
        int base = 1;
        Base(int n) { if (n < 0) throw new IllegalArgumentException("base " + n); base += n; virtual(); }
        void virtual() { base++; }
    }
    static class Derived extends Base {
        int derived = 5;
        Derived(int n) { super(new int[] { n, n + 1 }[n > 100 ? 0 : 1] - 1); derived += base; }
        Derived(String text) { this(text == null ? -1 : new Derived(text.length()).derived); }
        @Override void virtual() { derived += 2; base += derived; }
    }
    class Inner {
        int own = hidden;
        int peek() { return own + hidden++ + Everything.this.i; }
        class Deeper { int look() { return own += hidden; } }
    }
    static class Lazy {
        static final Object LOCK = new Object();
        static int value; static long wide;
        static { synchronized (LOCK) { value = 11; wide = 12L; } say("lazy"); }
    }
    enum Color { RED { int n() { return ordinal() + 1; } }, GREEN; int count; int n() { return count += 2; } }
    record Point(int x, long y) { Point { if (x < 0) throw new IllegalArgumentException(); } long sum() { return x + y; } }
    interface Shape { int SIDES = "abc".length(); default int sides() { return SIDES + size(); } int size(); static int two(Shape s) { return s.sides() * 2; } }
    static class Copied implements Cloneable { int n = 4; int[] more = { 1, 2 };
        public Copied clone() { try { Copied c = (Copied) super.clone(); c.more = more.clone(); return c; } catch (CloneNotSupportedException e) { throw new Error(e); } } }

    static void say(Object o) { System.out.println(o); }

    void kinds() {
        z = !z; b += 3; c += 'a'; s -= 2; i *= 3; j += 1L << 40; f += 1.5f; d = d * 2 + 0.25; text = text + "x"; i++; j--;
        sz |= true; sb++; sc = (char) (sc + 65); ss += 9; si = si++ + ++si; sj -= 5; sf /= 2; sd = sj; st += "y"; sv += 3;
        say(z + " " + b + " " + c + " " + s + " " + i + " " + j + " " + f + " " + d + " " + text);
        say(sz + " " + sb + " " + sc + " " + ss + " " + si + " " + sj + " " + sf + " " + sd + " " + st + " " + sv);
        say(Lazy.value + Lazy.wide);
        Lazy.wide += 2; say(Lazy.wide++);
    }

    static void arrays() {
        boolean[] z = new boolean[2]; byte[] b = { 1, 2 }; char[] c = { 'a', 'b' }; short[] s = { 1, 2 }; int[] i = { 1, 2 };
        long[] j = { 1, 2 }; float[] f = { 1, 2 }; double[] d = { 1, 2 }; String[] t = { "p", "q" }; int[][] n = { { 1 }, { 2, 3 } };
        int k = 0;
        z[k] = !z[1]; b[k] += b[1]; c[k++] += 2; s[k] <<= 3; i[k--]++; j[k] += j[1] * 5; f[1] -= f[k]; d[k] += d[1] = 7.5; t[k] += t[1];
        n[1][1] += n[0][0]++; long old = j[1]++; double pre = ++d[1];
        say(z[0] + " " + b[0] + " " + c[0] + " " + s[1] + " " + i[1] + " " + j[0] + " " + f[1] + " " + d[0] + " " + t[0] + " " + n[1][1] + n[0][0] + old + pre);
    }

    int caught(int what) {
        Everything nobody = null; Object[] strings = new String[1]; int[] none = null;
        try {
            switch (what) {
                case 0: return nobody.i;
                case 1: nobody.j = 5; break;
                case 2: return array[what];
                case 3: array = new int[1]; array[i + 5] = 3; break;
                case 4: strings[0] = i; break;
                case 5: return i / (i - i);
                case 6: return ((String) (Object) this).length();
                case 7: new Derived(-1); break;
                case 8: new Derived((String) null); break;
                case 9: new Everything(true, 5); break;
                case 10: synchronized (nobody) { i++; } break;
                case 11: synchronized (this) { i++; throw new IllegalStateException("in block"); }
                case 12: thrower(2); break;
                case 13: none[0]++; break;
                case 14: return i + (int) j + nobody.i;
                case 15: locked(true); break;
                case 16: return new int[-1 - what + i * 0].length;
                case 17: synchronized (this) { synchronized (st) { i += none[0]; } }
            }
            return -what;
        } catch (NullPointerException e) { i++; return 1; }
        catch (ArithmeticException | ClassCastException e) { return 2; }
        catch (RuntimeException e) { say(e.getClass().getName()); return 3; }
        finally { i += 10; }
    }

    int thrower(int deep) {
        try { if (deep == 0) { int k = i; throw new UnsupportedOperationException("deep " + k % 1); } return thrower(deep - 1); }
        finally { i++; }
    }

    synchronized int locked(boolean fail) { i++; if (fail) throw new IllegalStateException("locked"); return i; }
    static synchronized int lockedClass(int n) { si += n; return si; }

    int nested(int n) {
        int sum = 0;
        for (int k = 0; k < 4; k++) {
            synchronized (this) {
                sum += i;
                if (k == n) continue;
                try {
                    synchronized (st) { if (k == n + 1) throw new IllegalArgumentException(); sum += hidden; if (k == 3) break; }
                } catch (IllegalArgumentException e) {
                    synchronized (Lazy.LOCK) { sum += 100; i++; }
                    if (n == 2) return sum;
                }
                hidden++;
            }
        }
        return sum;
    }

    static String table(String word, int n) {
        switch (word) { case "one": sj++; break; case "two": sj += 2; case "three": sj += 3; break; default: sj--; }
        switch (n) { case 1000000: return "million" + sj; case -1: si++; break; case 3: case 4: case 5: si += n; }
        return word + sj + (n > 3 ? si : sj);
    }

    static void functions() throws Exception {
        Everything e = new Everything();
        Supplier<Integer> get = () -> e.i + e.hidden; Runnable run = () -> { e.i++; sj++; }; IntUnaryOperator op = e::nested;
        run.run(); say(get.get() + " " + op.applyAsInt(1)); Shape shape = () -> e.i; say(Shape.two(shape));
        say(Color.RED.n() + Color.GREEN.n() + Color.valueOf("GREEN").n()); say(new Point(3, 4).sum() + " " + new Point(1, 2));
        Inner inner = e.new Inner(); Inner.Deeper deeper = inner.new Deeper(); say(inner.peek() + " " + deeper.look() + " " + inner.own);
        Copied copied = new Copied(); Copied copy = copied.clone(); copy.more[0] = 9; say(copied.more[0] + " " + copy.more[0] + copy.n);
        say(new Derived(3).derived + " " + new Derived("four").base);
        List<String> list = new ArrayList<>(List.of("b", "a")); list.sort(Comparator.naturalOrder()); for (String s : list) say(s);
    }

    static void atomics() {
        AtomicInteger n = new AtomicInteger(3); AtomicLong l = new AtomicLong(4); AtomicBoolean z = new AtomicBoolean(); AtomicReference<String> r = new AtomicReference<>("r");
        AtomicIntegerArray ia = new AtomicIntegerArray(3); AtomicLongArray la = new AtomicLongArray(2); AtomicReferenceArray<String> ra = new AtomicReferenceArray<>(2);
        say(n.incrementAndGet() + n.getAndAdd(5) + n.get()); say(n.compareAndSet(9, 1) + " " + n.compareAndSet(8, 2)); n.set(4);
        say(l.addAndGet(1L << 33) + " " + l.updateAndGet(x -> x + si) + " " + l.accumulateAndGet(3, Long::sum) + " " + l.intValue()); l.lazySet(2);
        say(z.getAndSet(true) + " " + z.weakCompareAndSetVolatile(true, false)); say(r.getAndUpdate(x -> x + "s") + r.get() + r.compareAndExchange("rs", "t"));
        ia.set(1, 5); say(ia.getAndIncrement(1) + ia.get(1) + " " + ia.compareAndSet(1, 6, 7) + ia.updateAndGet(1, x -> x * 2));
        la.set(0, 1L << 40); say(la.getAndAdd(0, 2L) + " " + la.compareAndSet(0, 3L, 4L) + la.get(0)); ra.set(0, "e"); say(ra.getAndSet(0, "f") + ra.get(0));
    }

    static void synchronizers() throws Exception {
        ReentrantLock lock = new ReentrantLock(); Condition condition = lock.newCondition(); ReadWriteLock rw = new ReentrantReadWriteLock(); Lock view = rw.readLock();
        lock.lock(); try { si++; say(condition.await(1, TimeUnit.MILLISECONDS)); say(condition.awaitNanos(1000L) <= 1000L); condition.signalAll(); } finally { lock.unlock(); }
        say(lock.tryLock() + " " + lock.tryLock(1, TimeUnit.SECONDS)); lock.unlock(); lock.unlock();
        view.lock(); view.unlock(); rw.writeLock().lock(); rw.writeLock().unlock();
        ReentrantReadWriteLock direct = new ReentrantReadWriteLock(); direct.readLock().lock(); direct.readLock().unlock(); say(direct.writeLock().tryLock()); direct.writeLock().unlock();
        Semaphore semaphore = new Semaphore(1); semaphore.acquire(); say(semaphore.tryAcquire(1, TimeUnit.MILLISECONDS)); semaphore.release(); semaphore.release(2); semaphore.acquire(2);
        CountDownLatch latch = new CountDownLatch(2); say(latch.await(1, TimeUnit.MILLISECONDS)); latch.countDown(); latch.countDown(); latch.await();
        CyclicBarrier barrier = new CyclicBarrier(1); say(barrier.await()); Phaser phaser = new Phaser(1); say(phaser.arriveAndAwaitAdvance()); phaser.arrive();
        Thread.currentThread().interrupt(); try { new CountDownLatch(1).await(); } catch (InterruptedException e) { say("latch interrupted"); }
        LockSupport.unpark(Thread.currentThread()); LockSupport.park(); LockSupport.unpark(Thread.currentThread()); LockSupport.parkNanos("blocker", 5L);
        StampedLock stamped = new StampedLock(); long stamp = stamped.writeLock(); stamped.unlockWrite(stamp);
        stamp = stamped.tryConvertToReadLock(stamped.tryWriteLock()); say(stamped.validate(stamp)); stamped.unlock(stamp); say(stamped.tryReadLock(1, TimeUnit.SECONDS) != 0); say(stamped.tryWriteLock());
        try { stamped.unlockWrite(1); } catch (IllegalMonitorStateException e) { say("not held"); }
        Lock stampedView = stamped.asReadWriteLock().readLock(); say(stampedView.tryLock()); stampedView.unlock(); say(stamped.validate(stamped.tryOptimisticRead()));
        try { new Exchanger<String>().exchange("x", 1, TimeUnit.MILLISECONDS); } catch (TimeoutException e) { say("nobody"); }
        try { new CyclicBarrier(2).await(1, TimeUnit.MILLISECONDS); } catch (TimeoutException | BrokenBarrierException e) { say("nobody"); }
        say(phaser.awaitAdvance(0) > 0); say(phaser.arriveAndDeregister());
        java.util.concurrent.atomic.AtomicStampedReference<String> stampedReference = new java.util.concurrent.atomic.AtomicStampedReference<>("s", 1); say(stampedReference.compareAndSet("s", "t", 1, 2) + stampedReference.getReference());
        ExecutorService executor = Executors.newFixedThreadPool(1); say(executor.invokeAll(java.util.List.of(() -> 5)).get(0).get()); executor.shutdown();
        CompletableFuture<String> future = new CompletableFuture<>(); future.complete("c"); say(future.get() + future.join()); FutureTask<Integer> task = new FutureTask<>(() -> si % 2); task.run(); say(task.get(1, TimeUnit.SECONDS) >= 0);
    }

    static class Box { private Object content; boolean wasInterrupted;
        synchronized void put(Object o) throws InterruptedException { while (content != null) wait(); content = o; notifyAll(); }
        synchronized Object take() throws InterruptedException { while (content == null) wait(100, 5); Object o = content; content = null; notify(); return o; }
        void interrupted() { synchronized (this) { try { wait(); } catch (InterruptedException e) { wasInterrupted = true; } content = "after"; } }
        synchronized void thrown() throws InterruptedException { wait(); } }

    static void threads() throws Exception {
        Box box = new Box(); int[] sum = new int[1];
        Thread producer = new Thread(() -> { try { for (int k = 0; k < 20; k++) box.put(k); } catch (InterruptedException e) { } });
        Thread consumer = new Thread(() -> { try { for (int k = 0; k < 20; k++) sum[0] += (Integer) box.take(); } catch (InterruptedException e) { } });
        producer.start(); consumer.start(); producer.join(); consumer.join(); say(sum[0]);
        Thread.currentThread().interrupt(); box.interrupted(); say(box.wasInterrupted + " " + box.content);
        Thread.currentThread().interrupt(); try { box.thrown(); } catch (InterruptedException e) { say("thrown"); }
        ExecutorService pool = Executors.newFixedThreadPool(2); List<Future<Integer>> futures = new ArrayList<>();
        for (int k = 0; k < 10; k++) { int n = k; futures.add(pool.submit(() -> { synchronized (sum) { return sum[0] += n; } })); }
        int last = 0; for (Future<Integer> future : futures) last = Math.max(last, future.get()); say(last); pool.shutdown();
        Thread failing = new Thread(() -> { Everything e = new Everything(); e.caught(12); e.array[3]++; }); failing.setUncaughtExceptionHandler((t, e) -> say(e.getClass())); failing.start(); failing.join();
    }

    public static void main(String[] args) throws Exception {
        Everything e = new Everything();
        e.kinds(); e.kinds(); arrays();
        for (int what = 0; what < 18; what++) say(what + ": " + e.caught(what) + " " + e.i);
        say(e.locked(false) + " " + lockedClass(4)); for (int n = 0; n < 4; n++) say(e.nested(n) + " " + e.i);
        for (String word : new String[] { "one", "two", "three", "four" }) say(table(word, word.length()) + table(word, 1000000) + table(word, -1));
        functions(); atomics(); synchronizers(); threads();
        try { Object probe = Class.forName("java.lang.InterloperProbe").getMethod("finish").invoke(null); } catch (ClassNotFoundException none) { }
        say("end");
    }
}
