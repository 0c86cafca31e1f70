//! Which probes are called, and in which order.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Stub, compile, java, jdks, skip, stub, weave, weaver};
use std::fmt::Write;

/// Name, configuration (of class `Main`), members of that class, code that is run with an object `m` of it,
/// and the probes that are called meanwhile.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// The class of a case; it is called as the case is.
fn class((name, _, members, body, _): &Case) -> String {
    let source = format!(
        "class Main {{
            int x, y; static int s; final int done = 1; int[] a = new int[3];
            static class Other {{ int n; static class Late {{ static int l = 5; }} }}
            {members}
            public static void main(String[] args) throws Exception {{
                Main m = new Main(); Sequences.from(); {body} Sequences.to();
            }}
        }}\n"
    );
    source.replace("Main", name)
}

/// The program that runs all cases.
fn program() -> String {
    let mut source = String::from(
        "public class Sequences {
            static void from() { System.out.println(\"from\"); }
            static void to() { System.out.println(\"to\"); }
            public static void main(String[] args) throws Exception {\n",
    );
    for (name, ..) in CASES {
        writeln!(source, "{name}.main(args);").unwrap();
    }
    source += "} }\n";
    CASES.iter().fold(source, |source, case| source + &class(case))
}

#[test]
fn the_probes_come_in_order() {
    let Some(jdk) = jdks().into_iter().next() else { return skip("no JDK") };
    let folder = tempfile::tempdir().unwrap();
    let out = compile(&jdk, folder.path(), "Sequences", &program());
    for (name, config, ..) in CASES {
        let weaver = weaver(&config.replace("Main", name));
        for path in common::classes_in(&out) {
            let file = path.file_stem().unwrap().to_str().unwrap().to_owned();
            if file.split('$').next() == Some(name) {
                let woven = weave(&weaver, &std::fs::read(&path).unwrap(), |it| it.contains('$'));
                assert_eq!(woven.skipped, [], "{name}");
                std::fs::write(path, woven.bytes).unwrap();
            }
        }
    }
    let patch = stub(&jdk, folder.path(), Stub::Checks);
    let printed = java(&jdk, &patch, &["-Dprint=true"], &out, "Sequences");
    let mut wrong = String::new();
    let mut parts = printed.split("from\n").skip(1);
    for (name, _, _, _, expected) in CASES {
        let (told, _) = parts.next().unwrap().split_once("to\n").unwrap();
        let told = told.lines().map(str::trim).collect::<Vec<_>>().join(", ");
        if told != *expected {
            writeln!(wrong, "{name}:\n    told {told}\n    not  {expected}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("accesses_share_a_window", "atomic none",
        "void f() { x = y + 1; s = x; }",
        "m.f();",
        "read, write, writeStatic, close"),
    ("a_field_is_told_once_in_a_window", "atomic none",
        "int f() { x = x + x; return x; }",
        "m.f();",
        "writeFirst, poll, writeLast, close"),
    ("references_are_calls", "atomic methods",
        "void f(java.util.concurrent.locks.Lock lock, java.util.concurrent.atomic.AtomicInteger n) {
            Runnable locks = lock::lock, unlocks = lock::unlock, add = n::incrementAndGet;
            locks.run(); add.run(); unlocks.run(); }",
        "m.f(new java.util.concurrent.locks.ReentrantLock(), new java.util.concurrent.atomic.AtomicInteger());",
        "begin, locked, atomicUpdate, close, unlocking, end"),
    ("references_that_can_be_serialized_are_not_seen", "atomic none",
        "interface Both extends Runnable, java.io.Serializable { }
         void f(java.util.concurrent.locks.Lock lock) { Both locks = lock::lock; locks.run(); }",
        "m.f(new java.util.concurrent.locks.ReentrantLock());",
        ""),
    ("whether_something_started_is_a_thread_is_asked_later", "atomic methods",
        "static class Job { void start() { } void join(int n) { } static void start(int n) { } }
         static class Worker extends Thread { void go() { start(); } }
         void f(Job j) { s = 1; x = 2; j.start(); } void g(Job j) { s = 1; x = 2; j.join(1); Job.start(1); } void h() { s = 1; x = 2; new Thread().start(); }",
        "Job j = new Job(); m.f(j); m.g(j); m.h(); new Worker().go();",
        "whether_something_started_is_a_thread_is_asked_later unless \
         whether_something_started_is_a_thread_is_asked_later$Job, begin, writeStatic, write, close, end, \
         begin, writeStatic, write, close, end, writeStatic, write, close, begin, end"),
    ("two_objects_take_turns", "atomic none",
        "static class V { int x, y; int dot(V o) { return x * o.x + y * o.y; } }",
        "new V().dot(new V());",
        "readFirst, readFirst, readLast, readLast, close"),
    ("small_methods_look_once", "atomic methods",
        "static class V { int x, y; void set() { x = 1; y = 2; } int dot(V o) { return x * o.x + y * o.y; } }",
        "V v = new V(); v.dot(v); System.setProperty(\"told\", \"true\"); v.dot(v); v.set(); System.clearProperty(\"told\");",
        "beginLeaf, readFirst, readFirst, readLast, readLast, closeLeaf, \
         readsTold, readsTold, beginTold, closeTold, writesTold, beginTold, closeTold"),
    ("small_methods_that_are_no_blocks_look_once", "atomic none",
        "static class V { int x, y; V twice() { return new V(x + x, y); } V(int a, int b) { x = a; y = b; } }",
        "V v = new V(1, 2); System.setProperty(\"told\", \"true\"); v.twice(); System.clearProperty(\"told\"); v.twice();",
        "readsTold, closeTold, readFirst, readLast, close"),
    ("what_comes_after_a_jump_has_its_probes", "atomic methods",
        "static class V { int x, y; void set() { x = 1; y = 2; }
            void f(V o) { int d = x - o.x + y - o.y; if (d > 0) return; x = d; } }",
        "V v = new V(), o = new V(); System.setProperty(\"told\", \"true\"); v.f(o); v.x = 1; v.f(o); System.clearProperty(\"told\");",
        "readsTold, readsTold, beginTold, write, closeLeaf, write, close, readsTold, readsTold, beginTold, closeTold"),
    ("others_are_let_in_before_what_was_read_is_written", "atomic methods",
        "static class V { int x, y; void set() { x = 1; y = 2; } void f() { int n = y; x = x + n; y = n; } }",
        "V v = new V(); System.setProperty(\"told\", \"true\"); v.f(); System.clearProperty(\"told\");",
        "writesTold, beginTold, poll, writeNext, poll, writeLast, closeLeaf"),
    ("no_object_is_seen_where_it_is_used", "atomic methods",
        "static class V { int x, y; void set() { x = 1; y = 2; } int dot(V o) { return x * o.x + y * o.y; } }
         static void print(Exception e) { System.out.println(e.getStackTrace()[0].getMethodName() + \" of \" + e.getStackTrace()[1].getMethodName()); }",
        "V v = new V(); System.setProperty(\"told\", \"true\"); try { v.dot(null); } catch (NullPointerException e) { print(e); } System.clearProperty(\"told\");",
        "readsTold, readsTold, beginTold, leave, caught, \
         begin, readStatic, close, readElement 0, close, readElement 1, close, dot of main, end"),
    ("what_may_throw_in_other_ways_has_all_its_probes", "atomic methods",
        "static class V { int x, y; void set() { x = 1; y = 2; } int f(V o) { return (x + o.x + y + o.y) / x; } }",
        "V v = new V(); v.set(); System.setProperty(\"told\", \"true\"); v.f(v); System.clearProperty(\"told\");",
        "beginLeaf, writeFirst, writeLast, closeLeaf, beginLeaf, readFirst, readFirst, readNext, readLast, readLast, closeLeaf"),
    ("what_is_given_away_is_looked_at_again", "atomic none",
        "volatile int v; void f() { x = 1; s = 2; y = 3; v = 4; x = 5; }",
        "m.f();",
        "write, writeStatic, write, write, write, close"),
    ("another_object_in_a_local_variable", "atomic none",
        "static class V { int x; int f(V o) { V a = this; int n = a.x; a = o; return n + a.x; } }",
        "new V().f(new V());",
        "read, read, close"),
    ("who_is_not_known_yet_is_not_told", "atomic methods",
        "static class A { int n, k; A(int i) { n = i; k = n + 1; } }",
        "new A(3);",
        ""),
    ("who_has_told_others_is_known", "atomic none",
        "static class A { static A last; int n, k; A() { n = 1; last = this; k = 2; } }",
        "new A();",
        "writeStatic, write, close"),
    ("all_accesses_are_told_from_birth", "atomic none\nall-accesses on",
        "static class A { int n, k; A() { n = 1; k = 2; } }",
        "new A();",
        "writeFirst, writeLast, close"),
    ("own_finals_are_read_in_a_window", "atomic none",
        "int f() { return x + done + y; }",
        "m.f();",
        "readFirst, readLast, close"),
    ("what_can_throw_leaves_the_window_open", "atomic none",
        "void f() { x = y / 3 * y; }",
        "m.f();",
        "read, write, close"),
    ("floats_divide_in_a_window", "atomic none",
        "double d; void f() { d = d / 3; }",
        "m.f();",
        "writeFirst, poll, writeLast, close"),
    ("a_jump_leaves_the_window_open", "atomic none",
        "void f() { if (x == 0) y++; }",
        "m.f();",
        "read, writeFirst, poll, writeLast, close"),
    ("a_call_closes_the_window_on_all_ways_to_it", "atomic none",
        "void f(int n) { if (n > 0) x = n; g(); if (n > 1) x = n; } void g() { }",
        "m.f(0); m.f(2);",
        "close, close, write, close, write, close"),
    ("a_loop_asks_whether_somebody_waits", "atomic none",
        "int f(int[] a) { int sum = 0; for (int i = 0; i < 2; i++) sum += a[i]; return sum; }",
        "m.f(m.a);",
        "read, close, readElementSince 0, poll, readElementSince 1, poll, close"),
    ("a_loop_that_calls_looks_again", "atomic none",
        "int f(int[] a) { int sum = 0; for (int i = 0; i < 2; i++) sum += g(a[i]); return sum; } static int g(int n) { return n; }",
        "m.f(m.a);",
        "read, close, readElement 0, close, readElement 1, close"),
    ("a_loop_through_objects_looks_at_each", "atomic none",
        "Main next; int f() { int n = 0; for (Main it = this; it != null; it = it.next) n += it.x; return n; }",
        "m.f();",
        "readFirst, readLast, poll, close"),
    ("elements_have_their_index", "atomic none",
        "void f() { a[2] += 1; }",
        "m.f();",
        "read, readElement 2, writeElement 2, close"),
    ("elements_of_one_array_in_a_window", "atomic none",
        "int f(int[] b, int i) { return b[i - 1] + b[i + 1] + b[i]; }", "m.f(new int[3], 1);",
        "readElement 0, readElementAgain 2, readElementAgain 1, close"),
    ("elements_of_arrays_by_turns", "atomic none",
        "int f(int[] b, int[] d) { return b[0] + d[0] + b[1]; }", "m.f(new int[3], new int[3]);",
        "readElement 0, readElement 0, readElement 1, close"),
    ("an_element_is_written_that_was_read", "atomic none",
        "void f(int[] b, int i) { b[i] = b[0]; b[2] = b[i]; }", "m.f(new int[3], 1);",
        "readElement 0, writeElement 1, writeElementAgain 2, close"),
    ("elements_can_be_off", "atomic none\narrays off",
        "void f() { a[2] += 1; }",
        "m.f();",
        "read, close"),
    ("own_finals_are_not_told", "atomic none",
        "int f() { return done + 1; }",
        "m.f();",
        ""),
    ("foreign_statics_are_initialised_outside", "atomic none",
        "void f() { x = y + Other.Late.l + x; }",
        "m.f();",
        "read, close, writeStatic, close, readStatic, writeFirst, poll, writeLast, close"),
    ("inherited_statics_may_be_foreign", "atomic none",
        "interface I { int C = Main.late(); } static int late() { return s; } static class A implements I { int n; void f() { n = n + C; } }",
        "new A().f();",
        "read, close, readStatic, close, readStatic, write, close"),
    ("atomic_methods_begin_and_end", "atomic methods",
        "int f() { return x + y; }",
        "m.f();",
        "beginLeaf, readFirst, readLast, closeLeaf"),
    ("one_access_needs_no_block", "atomic methods",
        "int f() { return x; }",
        "m.f();",
        "read, close"),
    ("a_loop_needs_a_block", "atomic methods",
        "void f() { for (int i = 0; i < 2; i++) x = i; }",
        "m.f();",
        "beginLeaf, writeSince, poll, writeSince, poll, closeLeaf"),
    ("calls_are_within_the_block", "atomic methods",
        "int f() { return g(); } int g() { return x + y; }",
        "m.f();",
        "begin, beginLeaf, readFirst, readLast, closeLeaf, end"),
    ("functions_of_the_jdk_leave_it_a_leaf", "atomic methods",
        "double f(String t) { return Math.sqrt(x) + t.length() + y; }",
        "m.f(String.valueOf(1));",
        "beginLeaf, read, close, read, closeLeaf"),
    ("unless_they_have_probes", "atomic methods\ninclude java.lang.Math",
        "double f() { return Math.sqrt(x) + y; }",
        "m.f();",
        "begin, read, close, read, end"),
    ("constructors_that_tell_nothing_do_so_too", "atomic methods",
        "static class V { int a, b; V(int a) { this.a = a; } V f() { return new V(a + b); } }",
        "new V(1).f();",
        "beginLeaf, readFirst, readLast, close, endLeaf"),
    ("constructors_that_look_at_others_do_not", "atomic methods",
        "static class V { int a, b; V(V o) { if (o != null) a = o.a + o.b; } V f() { return new V(this); } }",
        "new V(null).f();",
        "beginLeaf, endLeaf, begin, beginLeaf, readFirst, readLast, close, endLeaf, end"),
    ("calls_of_others_do_not", "atomic methods",
        "int f(Object o) { return x + o.hashCode() + y; }",
        "m.f(m);",
        "begin, read, close, read, end"),
    ("nor_do_monitors", "atomic methods",
        "int f() { synchronized (this) { return x; } } synchronized int g() { return y; }",
        "m.f(); m.g();",
        "begin, entered, read, close, exiting, end, begin, entered, read, close, exiting, end"),
    ("nor_do_classes_that_may_begin", "atomic methods",
        "int f() { return x + Other.Late.l; }",
        "m.f();",
        "begin, read, close, writeStatic, close, readStatic, end"),
    ("exceptions_end_the_block", "atomic methods",
        "void f(Other o) { x = o.n; }",
        "try { m.f(null); } catch (NullPointerException e) { }",
        "beginLeaf, read, leave, end, caught"),
    ("caught_exceptions_do_not", "atomic methods",
        "void f(Other o) { try { x = o.n; } catch (NullPointerException e) { y = 1; } }",
        "m.f(null);",
        "beginLeaf, read, caught, write, closeLeaf"),
    ("methods_that_wait_are_not_atomic", "atomic methods",
        "synchronized void f() throws Exception { x++; wait(1); y++; }",
        "m.f();",
        "entered, writeFirst, poll, writeLast, close, waiting, waited, writeFirst, poll, writeLast, close, exiting"),
    ("an_interrupted_wait_is_left", "atomic methods",
        "synchronized void f() throws Exception { wait(); }",
        "Thread.currentThread().interrupt(); try { m.f(); } catch (InterruptedException e) { }",
        "entered, waiting, leave, exiting, caught"),
    ("runnables_are_not_atomic", "atomic methods",
        "int f() { Runnable r = () -> { x++; y++; }; r.run(); return 0; }",
        "m.f();",
        "begin, writeFirst, poll, writeNext, writeNext, poll, writeLast, close, end"),
    ("other_lambdas_are", "atomic methods",
        "int f() { java.util.function.IntSupplier r = () -> x + y; return r.getAsInt(); }",
        "m.f();",
        "begin, beginLeaf, readFirst, readLast, closeLeaf, end"),
    ("synchronized_methods", "atomic synchronized",
        "synchronized int f() { return x; }",
        "m.f();",
        "begin, entered, read, close, exiting, end"),
    ("static_synchronized_methods", "atomic none",
        "static synchronized int f() { return s; }",
        "f();",
        "entered, readStatic, close, exiting"),
    ("synchronized_methods_end_by_exceptions", "atomic synchronized",
        "synchronized int f(Other o) { return o.n; }",
        "try { m.f(null); } catch (NullPointerException e) { }",
        "begin, entered, read, leave, exiting, end, caught"),
    ("synchronized_blocks", "atomic synchronized",
        "int f() { synchronized (this) { return x; } }",
        "m.f();",
        "beginBlock, entered, read, close, exiting, endBlock"),
    ("blocks_of_public_methods_are_part_of_them", "atomic public",
        "int f() { synchronized (this) { return x; } }",
        "m.f();",
        "begin, entered, read, close, exiting, end"),
    ("blocks_of_private_methods", "atomic public",
        "private int f() { synchronized (this) { return x; } }",
        "m.f();",
        "beginBlock, entered, read, close, exiting, endBlock"),
    ("exceptions_end_atomic_blocks_once", "atomic synchronized",
        "void f(Other o) { synchronized (this) { try { synchronized (a) { x = o.n; } } catch (NullPointerException e) { y = 2; } x = 1; } }",
        "m.f(null);",
        "beginBlock, entered, read, close, beginBlock, entered, read, caught, exiting, endBlock, caught, \
            write, write, close, exiting, endBlock"),
    ("a_block_without_object", "atomic synchronized",
        "void f(Object o) { synchronized (o) { x = 1; } }",
        "try { m.f(null); } catch (NullPointerException e) { }",
        "beginBlock, caught, caught"),
    ("constructors_that_fail_before_they_begin", "atomic methods",
        "static class A { int n; A(int k) { n = 5 / k; n++; } } static class B extends A { B() { super(0); n++; } }",
        "try { new B(); } catch (ArithmeticException e) { }",
        "begin, caught"),
    ("excluded_methods", "atomic methods\nnot-atomic Main.f",
        "int f() { return x + y; } int g() { return x + y; }",
        "m.f(); m.g();",
        "readFirst, readLast, close, beginLeaf, readFirst, readLast, closeLeaf"),
    ("named_methods", "atomic none\natomic-method Main.f(I)",
        "int f(int i) { return x + y; } int f() { return x + y; }",
        "m.f(1); m.f();",
        "beginLeaf, readFirst, readLast, closeLeaf, readFirst, readLast, close"),
    ("annotated_methods", "atomic none\natomic-annotation Main.Atomic",
        "@interface Atomic {} @Atomic int f() { return x + y; } @Atomic static class A { int n, k; int g() { return n + k; } }",
        "m.f(); new A().g();",
        "beginLeaf, readFirst, readLast, closeLeaf, beginLeaf, readFirst, readLast, closeLeaf"),
    ("locks", "atomic none",
        "java.util.concurrent.locks.Lock l = new java.util.concurrent.locks.ReentrantLock();
        void f() { l.lock(); l.unlock(); if (l.tryLock()) l.unlock(); }",
        "m.f();",
        "read, close, locked, read, close, unlocking, read, close, lockedIf true, read, close, unlocking"),
    ("read_write_locks", "atomic none",
        "void f(java.util.concurrent.locks.ReentrantReadWriteLock l) { l.readLock().lock(); l.readLock().unlock(); l.writeLock().tryLock(); }",
        "m.f(new java.util.concurrent.locks.ReentrantReadWriteLock());",
        "views, readLocked, views, readUnlocking, views, writeLockedIf true"),
    ("atomics", "atomic none",
        "void f(java.util.concurrent.atomic.AtomicInteger n) { n.get(); n.set(2); n.compareAndSet(3, 4); n.getAndUpdate(k -> k); }",
        "m.f(new java.util.concurrent.atomic.AtomicInteger());",
        "atomicRead, close, atomicWrite, close, atomicTry, tried false, close, updating, updated, close"),
    ("exchanges", "atomic none",
        "void f(java.util.concurrent.atomic.AtomicBoolean b, java.util.concurrent.atomic.AtomicLongArray n) {
            b.compareAndExchange(true, false); b.compareAndExchange(false, true); n.compareAndExchange(1, 0, 5); n.compareAndExchange(1, 0, 6);
        }",
        "m.f(new java.util.concurrent.atomic.AtomicBoolean(), new java.util.concurrent.atomic.AtomicLongArray(2));",
        "atomicTry, tried false, close, atomicTry, tried true, close, atomicTryElement 1, tried true, close, atomicTryElement 1, tried false, close"),
    ("atomic_elements", "atomic none",
        "void f(java.util.concurrent.atomic.AtomicLongArray n) { n.getAndAdd(1, 5L); n.compareAndSet(0, 3, 4); }",
        "m.f(new java.util.concurrent.atomic.AtomicLongArray(2));",
        "atomicUpdateElement 1, close, atomicTryElement 0, tried false, close"),
    ("fields_through_handles", "atomic none",
        "static final java.lang.invoke.VarHandle X = x();
        static java.lang.invoke.VarHandle x() {
            try { return java.lang.invoke.MethodHandles.lookup().findVarHandle(Main.class, \"x\", int.class); }
            catch (ReflectiveOperationException e) { throw new Error(e); }
        }
        void f() {
            X.set(this, 1); X.setVolatile(this, 2); int a = (int) X.get(this), b = (int) X.getAcquire(this);
            X.getAndAdd(this, 3); X.compareAndSet(this, 5, 6); X.compareAndExchange(this, 5, 7);
            int c = (int) X.compareAndExchange(this, 6, 8); Object d = X.compareAndExchange(this, 8, 9);
        }",
        "m.f();",
        "handleSet, close, handleWrite, close, handleGet, close, handleRead, close, handleUpdate, close, handleTry, handleTried true, close, handleTry, handleTried false, close, handleTry, handleTried true, close, handleTry, handleTried false, close"),
    ("statics_and_elements_through_handles", "atomic none",
        "static final java.lang.invoke.VarHandle S = s(), D = java.lang.invoke.MethodHandles.arrayElementVarHandle(double[].class);
        static java.lang.invoke.VarHandle s() {
            try { return java.lang.invoke.MethodHandles.lookup().findStaticVarHandle(Main.class, \"s\", int.class); }
            catch (ReflectiveOperationException e) { throw new Error(e); }
        }
        void f(double[] a) {
            S.setRelease(1); S.get(); boolean c = S.weakCompareAndSet(2, 3);
            D.set(a, 1, 2.5); double d = (double) D.compareAndExchange(a, 1, 2.5, 3.5); D.compareAndSet(a, 2, 1.5, 2.5);
        }",
        "m.f(new double[3]);",
        "handleWrite, close, handleGet, close, handleTry, handleTried false, close, handleSetElement 1, close, handleTryElement 1, handleTriedElement true 1, close, handleTryElement 2, handleTriedElement false 2, close"),
    ("field_updaters", "atomic none",
        "volatile int v;
        static final java.util.concurrent.atomic.AtomicIntegerFieldUpdater<Main> V =
            java.util.concurrent.atomic.AtomicIntegerFieldUpdater.newUpdater(Main.class, \"v\");
        void f() { V.get(this); V.lazySet(this, 1); V.compareAndSet(this, 1, 2); V.addAndGet(this, 3); V.updateAndGet(this, k -> k); }",
        "m.f();",
        "handleRead, close, handleWrite, close, handleTry, handleTried true, close, handleUpdate, close, handleUpdating, handleUpdated, close"),
    ("an_access_through_a_handle_fails", "atomic none",
        "void f(java.lang.invoke.VarHandle h) { h.set(this, 1); }",
        "try { m.f(null); } catch (NullPointerException e) { }",
        "handleSet, leave, caught"),
    ("subclasses", "atomic none",
        "static class L extends java.util.concurrent.locks.ReentrantLock { }
        static class N extends java.util.concurrent.atomic.AtomicLong { }
        static class R extends java.util.concurrent.atomic.AtomicReference<String> { }
        void f(L l, N n, R r) {
            l.lock(); if (l.tryLock()) l.unlock(); l.newCondition(); n.set(4); n.compareAndSet(5, 6); n.getAndIncrement(); r.get();
        }",
        "m.f(new L(), new N(), new R());",
        "locked, lockedIf true, unlocking, condition, atomicWrite, close, atomicTry, tried false, close, atomicUpdate, close, getting, got"),
    ("what_is_only_named_alike", "atomic none",
        "static class Door { int n; void lock() { n++; } int get() { return n; } boolean compareAndSet(int a, int b) { n = b; return true; } }
        void f(Door d) { d.lock(); d.get(); d.compareAndSet(1, 2); }",
        "m.f(new Door());",
        "writeFirst, poll, writeLast, close, locked, atomicRead, read, close, close, atomicTry, write, close, tried true, close"),
    ("a_missing_receiver", "atomic none",
        "void f(java.util.concurrent.atomic.AtomicInteger n) { n.get(); }",
        "try { m.f(null); } catch (NullPointerException e) { }",
        "atomicRead, leave, caught"),
    ("copies", "atomic none",
        "int[] f(int[] a) { return a.clone(); }",
        "m.f(new int[2]);",
        "cloned"),
    ("arrays_are_filled_while_they_are_made", "atomic none",
        "Object[] f(int n) { int[] b = new int[] {n, g(), n}; b[0] = 5; return new Object[] {b, new long[] {n}, new int[] {x}}; } int g() { return 4; }",
        "m.f(3);",
        "writeElement 0, close, read, close"),
    ("arrays_that_are_given_away_while_they_are_filled", "atomic none",
        "static int[] h(int[] a) { return a; } void f(int n) { int[] b; (b = new int[1])[0] = n; h(new int[1])[0] = n; }",
        "m.f(3);",
        "writeElement 0, close, writeElement 0, close"),
    ("filled_arrays_where_all_accesses_are_wanted", "atomic none\nall-accesses on",
        "int[] f(int n) { return new int[] {n}; }",
        "m.f(3);",
        "writeElement 0, close"),
    ("what_puts_into_a_collection", "atomic none",
        "void f(java.util.List<Object> l, java.util.ArrayList<Object> a) { l.add(this); l.get(0); a.add(this); }",
        "m.f(new java.util.ArrayList<>(), new java.util.ArrayList<>());",
        "putting"),
    ("futures", "atomic none",
        "void f(java.util.concurrent.CompletableFuture<String> c) throws Exception { c.complete(\"\"); c.get(); c.join(); }",
        "m.f(new java.util.concurrent.CompletableFuture<>());",
        "completing, signalled, signalled"),
    ("stamps", "atomic none",
        "void f(java.util.concurrent.locks.StampedLock l) throws Exception {
            long s = l.tryConvertToReadLock(l.writeLock()); l.unlockRead(s); s = l.tryOptimisticRead(); if (l.validate(s)) l.tryReadLock(1, java.util.concurrent.TimeUnit.SECONDS); l.asReadLock();
        }",
        "m.f(new java.util.concurrent.locks.StampedLock());",
        "writeStamped, restamping, readStamped, unstamping, glanced, validatedIf true, readStatic, close, readStamped, views"),
    ("meetings", "atomic none",
        "void f(java.util.concurrent.Phaser p, java.util.concurrent.Exchanger<String> e) throws Exception {
            p.arriveAndAwaitAdvance(); p.arrive(); p.awaitAdvance(1); e.exchange(\"\", 1, java.util.concurrent.TimeUnit.MILLISECONDS);
        }",
        "try { m.f(new java.util.concurrent.Phaser(1), new java.util.concurrent.Exchanger<>()); } catch (java.util.concurrent.TimeoutException e) { }",
        "phaseMeeting, phasePassed, phaseArriving, phasePassed, readStatic, close, exchanging, leave, caught"),
    ("parking", "atomic none",
        "void f() { java.util.concurrent.locks.LockSupport.unpark(Thread.currentThread()); java.util.concurrent.locks.LockSupport.park(); }",
        "m.f();",
        "releasing, released, signalled"),
];
