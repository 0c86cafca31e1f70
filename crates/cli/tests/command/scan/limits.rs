//! Options that show more or less.

use super::{LINE, compiled, scan};

#[test]
fn the_variant_and_the_bound() {
    let source = "package geo; class C { Object a, b; Object[] c; C next;
        void m() { synchronized (a) { synchronized (b) { } synchronized (next) { } } }
        void n() { synchronized (a) { synchronized (next.next.a) { } synchronized (next.next.a) { } } } }";
    let Some(scratch) = compiled(&[("C.java", source)]) else { return };
    let findings = |arguments: &[&str]| {
        let json = scan(&scratch, &[&["classes", "-f", "json"], arguments].concat()).json();
        json["runs"][0]["engines"][0]["findings"].as_array().unwrap().len()
    };
    assert_eq!(findings(&[]), 1);
    assert_eq!(findings(&["--variant"]), 2);
    assert_eq!(findings(&["--bound", "3"]), 0);
    scan(&scratch, &["classes", "--bound", "0"]).exits(2);
}

/// How many findings there are in a program, and the notes on it.
fn findings_of(source: &str, arguments: &[&str]) -> Option<(usize, String)> {
    let scratch = compiled(&[("C.java", source)])?;
    let json = scan(&scratch, &[&["classes", "-f", "json"], arguments].concat()).json();
    let run = &json["runs"][0];
    let findings = run["engines"][0]["findings"].as_array().unwrap().len();
    Some((findings, run["notes"].to_string()))
}

#[test]
fn long_chains_are_left_out() {
    let source = "package geo; class C { Object lock;
        synchronized void m(C c) { c.a(); c.a(); }
        void a() { b(); } void b() { c(); } void c() { d(); }
        void d() { synchronized (lock) { } } }";
    let Some((findings, notes)) = findings_of(source, &[]) else { return };
    assert_eq!(findings, 0);
    assert!(notes.contains("1 place left out that more than 3 calls lead to"), "{notes}");
    assert_eq!(findings_of(source, &["--depth", "4"]).unwrap().0, 1);
}

#[test]
fn locks_that_may_be_the_one_that_is_held_are_shown_if_asked_for() {
    let source = "package geo; class C { Object lock; D d = new D(this);
        void m() { synchronized (lock) { d.n(); d.n(); } }
        void k() { synchronized (lock) { } } }
        class D { C parent; D(C c) { parent = c; } void n() { parent.k(); } }";
    let Some((findings, notes)) = findings_of(source, &[]) else { return };
    assert_eq!(findings, 0);
    assert!(notes.contains("--aliases shows them"), "{notes}");
    assert_eq!(findings_of(source, &["--aliases"]).unwrap().0, 1);
}

#[test]
fn calls_on_types_that_are_not_scanned_are_followed_if_asked_for() {
    let source = "package geo; class C implements Runnable {
        public synchronized void run() { }
        synchronized void m(Runnable r) { r.run(); r.run(); } }";
    let Some((findings, _)) = findings_of(source, &[]) else { return };
    assert_eq!(findings, 0);
    assert_eq!(findings_of(source, &["--callbacks"]).unwrap().0, 1);
}

#[test]
fn a_lock_that_may_be_the_one_that_is_held_is_left_out() {
    let handed_on = "package geo; class C { final Object mutex = this; D d = new D(this);
        void m() { synchronized (mutex) { d.n(); d.n(); } } }
        class D { final Object mutex; D(C c) { mutex = c.mutex; }
        void n() { synchronized (mutex) { } } }";
    let back = "package geo; class C { Object lock; D d = new D(this);
        void m() { synchronized (lock) { d.n(); d.n(); } }
        void k() { synchronized (lock) { } } }
        class D { C parent; D(C c) { parent = c; } void n() { parent.k(); } }";
    for source in [handed_on, back] {
        let Some((findings, notes)) = findings_of(source, &[]) else { return };
        assert_eq!(findings, 0, "{source}");
        assert!(notes.contains("left out where the lock may be the one that is held"), "{notes}");
    }
    // one step leads to another object
    let next = "package geo; class C { Object lock; C next;
        void m() { synchronized (lock) { next.k(); next.k(); } }
        void k() { synchronized (lock) { } } }";
    assert_eq!(findings_of(next, &[]).unwrap().0, 1);
}

/// A loop tells handlers, of which one kind logs under a static lock.
const HANDLERS: &str = "package geo;
    interface Handler { void handle(); }
    class Loud implements Handler { public void handle() { Log.write(); } }
    class Quiet implements Handler { public void handle() { } }
    class Log { static synchronized void write() { } }
    class C { java.util.List<Handler> all;
        synchronized void tell() { for (Handler h : all) { h.handle(); } } }";

#[test]
fn a_loop_need_not_meet_two_objects_that_lock() {
    let Some((findings, notes)) = findings_of(HANDLERS, &[]) else { return };
    assert_eq!(findings, 0);
    assert!(notes.contains("1 place left out where a loop would have to meet"), "{notes}");
    assert_eq!(findings_of(HANDLERS, &["--unlikely"]).unwrap().0, 1);
    let other = [
        // whichever two it meets, they lock
        ("handle() { }", "handle() { Log.write(); }"),
        // the same object each time
        ("for (Handler h : all) {", "Handler h = all.get(0); while (h != null) {"),
        // twice, each time
        ("h.handle();", "h.handle(); h.handle();"),
    ];
    for (from, to) in other {
        assert_eq!(findings_of(&HANDLERS.replacen(from, to, 1), &[]).unwrap().0, 1, "{to}");
    }
}

#[test]
fn a_call_that_comes_to_itself_is_left_out() {
    let source = "package geo; class C { static boolean ready; static Object[] locks;
        static Object lock(int at) { synchronized (C.class) { return locks[at]; } }
        static Object get(int at, Object maker) { synchronized (lock(at)) {
            if (ready) { return locks; }
            ready = true; return get(at, maker); } } }";
    let Some((findings, notes)) = findings_of(source, &[]) else { return };
    assert_eq!(findings, 0, "{notes}");
    assert!(
        notes.contains("1 place left out where a call would have to come to itself"),
        "{notes}"
    );
    assert_eq!(findings_of(source, &["--unlikely"]).unwrap().0, 1);
}

#[test]
fn classes_can_be_filtered() {
    let Some(scratch) = compiled(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["classes", "--filter", "geo.Location"]).exits(0);
    assert!(outcome.stdout.contains("1 place left out"), "{}", outcome.stdout);
    scan(&scratch, &["classes", "--filter", "geo.Location", "--all"]).exits(1);
}
