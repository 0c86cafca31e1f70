//! Lowering of damaged classes, and by different numbers of threads.
#![allow(clippy::unwrap_used)]

mod javac;

use interloper_scan::input::ClassInput;
use interloper_scan::lower::{LowerOptions, Lowered, Problem, lower, pretty};
use javac::{classes, has_javac};

const SOURCE: &str = "
    import java.util.concurrent.locks.*;
    class A implements Runnable {
        Object lock = new Object(); A next; A[] items; long big; static double d;
        final Lock mutex = new ReentrantLock();
        public void run() { synchronized (lock) { items[(int) big] = next; next.run(); } }
        int b(A p, int[] is, long l, double x) {
            for (int i = 0; i < is.length; i++) {
                mutex.lock();
                try {
                    synchronized (p.items[i]) { if (is[i] > l) return i; p.b(this, is, l + 1, x * 2); }
                } catch (RuntimeException e) { p = p.next; } finally { mutex.unlock(); }
            }
            switch (is[0]) { case 1: d += l; break; case 7: big++; default: synchronized (this) { p.run(); } }
            Runnable r = () -> p().run();
            r.run();
            return (int) (l << 3) + (p instanceof Runnable ? 1 : 0);
        }
        static synchronized A p() { return new A(); }
    }
    class B extends A { public void run() { super.run(); } }";

const OPTIONS: LowerOptions = LowerOptions { bound: 5 };

fn everything(lowered: &Lowered) -> String {
    let names = &lowered.program.names;
    let method = |it| names.method_name(it);
    lowered.program.methods.iter().map(|it| method(it.name) + "\n" + &pretty(it, names)).collect()
}

#[test]
fn damaged_classes_are_problems_and_nothing_worse() {
    if !has_javac() {
        return;
    }
    let input = classes(SOURCE, &["-g"]);
    let whole = &input.classes[0].bytes;
    let mut problems = 0;
    for at in 8..whole.len() {
        for change in [1, 0x10, 0xff] {
            let mut damaged = ClassInput { origin: at.to_string(), bytes: whole.clone() };
            damaged.bytes[at] ^= change;
            let lowered = lower(&[damaged], OPTIONS, &|_| ());
            problems += lowered.problems.len();
            lowered.hierarchy.callees(&lowered.program.names, None, true);
            everything(&lowered);
        }
    }
    assert!(problems > 500, "{problems}");
}

#[test]
fn a_broken_method_does_not_take_the_class_with_it() {
    if !has_javac() {
        return;
    }
    let mut input = classes(SOURCE, &["-g"]);
    let bytes = &mut input.classes[0].bytes;
    // the only `iinc 5 by 1` (in the loop of b) becomes something that pops an empty stack
    let at = bytes.windows(3).position(|it| it[0] == 0x84 && it[2] == 1).unwrap();
    bytes[at..at + 3].copy_from_slice(&[0x57, 0x57, 0x57]);
    let lowered = lower(&input.classes, OPTIONS, &|_| ());
    assert!(matches!(lowered.problems[..], [Problem::Method(_)]), "{:?}", lowered.problems);
    assert_eq!(
        lowered.problems[0].to_string(),
        "class A, method b(LA;[IJD)I: the operand stack does not fit the instructions"
    );
    let run = lowered.program.find_methods("A.run");
    assert_eq!(lowered.program.method(run[0]).regions().len(), 2);
    let b = lowered.program.find_methods("A.b");
    assert_eq!(lowered.program.method(b[0]).regions().len(), 1);
}

#[test]
fn any_number_of_threads_makes_the_same() {
    if !has_javac() {
        return;
    }
    // enough classes for several parts, each with names that others have and names of its own
    let source: String = (0..400)
        .map(|it| {
            let next = (it * 7 + 1) % 400;
            format!(
                "class C{it} {{ C{next} f{it}; static Object s;
                    synchronized void m(C{next} p) {{ synchronized (p.f{next}) {{ f{it}.m(null); }} }}
                    static void n() {{ synchronized (C{next}.s) {{ new C{next}().m(null); }} }} }}"
            )
        })
        .collect();
    let many = classes(&source, &["-g"]).classes;
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let lowered = pool.install(|| lower(&many, OPTIONS, &|_| ()));
        (everything(&lowered), lowered.counts, lowered.problems.len())
    };
    assert_eq!(with(1), with(3));
}
