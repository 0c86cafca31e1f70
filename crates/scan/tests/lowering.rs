//! Programs compiled by javac, and the intermediate form they become.
#![allow(clippy::unwrap_used)]

mod javac;

use interloper_scan::ir::Action;
use interloper_scan::lower::Lowered;
use javac::{assert_text, has_javac, lowered, text};

/// A class `A` with fields to lock and these members, compiled with names of local variables.
fn class(members: &str) -> Lowered {
    lowered(&source(members), &["-g"])
}

fn source(members: &str) -> String {
    format!(
        "import java.util.concurrent.locks.*;
        class A {{
            Object lock = new Object(); A next; A[] items; int k; static Object global;
            final ReentrantLock mutex = new ReentrantLock();
            final ReadWriteLock rw = new ReentrantReadWriteLock();
            void work(int x) {{}}
            {members}
        }}"
    )
}

#[test]
fn synchronized_methods() {
    if !has_javac() {
        return;
    }
    let program = class(
        "synchronized void a(A p) { p.work(1); }
        static synchronized void b() { b(); }
        synchronized void c() { }
        synchronized native void d();",
    );
    let expected = "
        region 1 in 0: synchronized this, line 7
        block 0 in 0: -> 1
        block 1 in 1: 7: virtual p A.work(1); -> exit";
    assert_text(&program, "A.a", expected);
    let expected = "
        region 1 in 0: synchronized A.class, line 8
        block 0 in 0: -> 1
        block 1 in 1: 8: static * A.b(); -> exit";
    assert_text(&program, "A.b", expected);
    // the second one has no code
    for (method, line) in [("A.c", 9), ("A.d", 0)] {
        let expected = format!(
            "
            region 1 in 0: synchronized this, line {line}
            block 0 in 0: -> 1
            block 1 in 1: -> exit"
        );
        assert_text(&program, method, &expected);
    }
    assert_eq!(program.counts.synchronized_methods, 4);
}

#[test]
fn blocks_on_fields_this_statics_and_classes() {
    if !has_javac() {
        return;
    }
    let program = class(
        "void a() { synchronized (lock) { work(1); } }
        void b() { synchronized (this) { work(2); } work(3); }
        void c() { synchronized (A.class) { synchronized (global) { work(4); } } }",
    );
    // the handler that exits the monitor is part of the block: 2
    let expected = "
        region 1 in 0: monitor this.lock, line 7
        block 0 in 0: -> 1
        block 1 in 1: 7: virtual this A.work(1); -> 4 !> 2
        block 2 in 1: -> 3
        block 3 in 0: -> exit
        block 4 in 0: -> exit";
    assert_text(&program, "A.a", expected);
    let expected = "
        region 1 in 0: monitor this, line 8
        block 0 in 0: -> 1
        block 1 in 1: 8: virtual this A.work(2); -> 4 !> 2
        block 2 in 1: -> 3
        block 3 in 0: -> exit
        block 4 in 0: 8: virtual this A.work(3); -> exit";
    assert_text(&program, "A.b", expected);
    let text = text(&program, "A.c");
    assert!(text.starts_with(
        "region 1 in 0: monitor A.class, line 9\nregion 2 in 1: monitor A.global, line 9\n"
    ));
}

#[test]
fn array_elements_by_variable_and_constant() {
    if !has_javac() {
        return;
    }
    let program = class(
        "void a(int i) {
            synchronized (items[i]) { work(i); }
            i++;
            synchronized (items[i]) { }
            synchronized (items[0]) { }
            items[2] = null;
        }",
    );
    let expected = "
        region 1 in 0: monitor this.items[i], line 8
        region 2 in 0: monitor this.items[i], line 10
        region 3 in 0: monitor this.items[0], line 11
        block 0 in 0: -> 1
        block 1 in 1: 8: virtual this A.work(i); -> 4 !> 2
        block 2 in 1: -> 3
        block 3 in 0: -> exit
        block 4 in 0: 9: i = _; -> 5
        block 5 in 2: -> 8 !> 6
        block 6 in 2: -> 7
        block 7 in 0: -> exit
        block 8 in 0: -> 9
        block 9 in 3: -> 12 !> 10
        block 10 in 3: -> 11
        block 11 in 0: -> exit
        block 12 in 0: 12: this.items[2] = _; -> exit";
    assert_text(&program, "A.a", expected);
    // the argument and the variable that was changed are not the same lock
    let method = program.program.method(program.program.find_methods("A.a")[0]);
    assert_ne!(method.regions()[1].lock, method.regions()[2].lock);
}

#[test]
fn nested_blocks() {
    if !has_javac() {
        return;
    }
    let program = class(
        "void a(A p) { synchronized (p) { synchronized (p.lock) { p.work(1); } p.work(2); } }",
    );
    let expected = "
        region 1 in 0: monitor p, line 7
        region 2 in 1: monitor p.lock, line 7
        block 0 in 0: -> 1
        block 1 in 1: -> 2 !> 6
        block 2 in 2: 7: virtual p A.work(1); -> 5 !> 3
        block 3 in 2: -> 4
        block 4 in 1: !> 6
        block 5 in 1: 7: virtual p A.work(2); -> 8 !> 6
        block 6 in 1: -> 7
        block 7 in 0: -> exit
        block 8 in 0: -> exit";
    assert_text(&program, "A.a", expected);
    assert_eq!(program.counts.unstructured, 0);
}

#[test]
fn early_returns_breaks_and_continues() {
    if !has_javac() {
        return;
    }
    let program = class(
        "int a(A p) { synchronized (p) { if (p.k > 3) return 1; p.work(2); } return p.k; }
        void b(A p) {
            for (int i = 0; i < 3; i++) {
                synchronized (p) {
                    if (p.k == 1) break;
                    if (p.k == 2) continue;
                    p.work(i);
                }
                p.work(9);
            }
        }",
    );
    let expected = "
        region 1 in 0: monitor p, line 7
        block 0 in 0: -> 1
        block 1 in 1: -> 2 4 !> 5
        block 2 in 1: -> 3 !> 5
        block 3 in 0: -> exit
        block 4 in 1: 7: virtual p A.work(2); -> 7 !> 5
        block 5 in 1: -> 6
        block 6 in 0: -> exit
        block 7 in 0: -> exit";
    assert_text(&program, "A.a", expected);
    let expected = "
        region 1 in 0: monitor p, line 10
        block 0 in 0: 9: i = _; -> 1
        block 1 in 0: -> 2 12
        block 2 in 0: -> 3
        block 3 in 1: -> 4 5 !> 8
        block 4 in 1: -> 12 !> 8
        block 5 in 1: -> 6 7 !> 8
        block 6 in 1: -> 11 !> 8
        block 7 in 1: 13: virtual p A.work(i); -> 10 !> 8
        block 8 in 1: -> 9
        block 9 in 0: -> exit
        block 10 in 0: 15: virtual p A.work(9); -> 11
        block 11 in 0: 9: i = _; -> 1
        block 12 in 0: -> exit";
    assert_text(&program, "A.b", expected);
    assert_eq!(program.counts.unstructured, 0);
}

#[test]
fn exceptions_leave_blocks_for_their_handlers() {
    if !has_javac() {
        return;
    }
    let program = class(
        "void a(A p) {
            try { synchronized (p) { p.work(1); } }
            catch (RuntimeException e) { work(4); }
            finally { work(5); }
        }
        void b(A p) { synchronized (p) { try { p.work(1); } catch (Error e) { throw e; } } }",
    );
    let expected = "
        region 1 in 0: monitor p, line 8
        block 0 in 0: -> 1
        block 1 in 1: 8: virtual p A.work(1); -> 4 !> 2
        block 2 in 1: -> 3
        block 3 in 0: !> 5 7
        block 4 in 0: 10: virtual this A.work(5); -> 8
        block 5 in 0: 9: virtual this A.work(4); -> 6 !> 7
        block 6 in 0: 10: virtual this A.work(5); -> 8
        block 7 in 0: 10: virtual this A.work(5); -> exit
        block 8 in 0: -> exit";
    assert_text(&program, "A.a", expected);
    // what the inner handler throws is caught by the monitor's
    let expected = "
        region 1 in 0: monitor p, line 12
        block 0 in 0: -> 1
        block 1 in 1: 12: virtual p A.work(1); -> 3 !> 2 4
        block 2 in 1: !> 4
        block 3 in 1: -> 6 !> 4
        block 4 in 1: -> 5
        block 5 in 0: -> exit
        block 6 in 0: -> exit";
    assert_text(&program, "A.b", expected);
}

#[test]
fn loops_name_what_changes_in_them_anew() {
    if !has_javac() {
        return;
    }
    let program = class(
        "void a(A p) { while (p != null) { synchronized (p) { p.work(1); } p = p.next; } }
        void b() { for (int i = 0; i < items.length; i++) { A it = items[i]; it.work(i); } }",
    );
    let expected = "
        region 1 in 0: monitor p, line 7
        block 0 in 0: -> 1
        block 1 in 0: -> 2 7
        block 2 in 0: -> 3
        block 3 in 1: 7: virtual p A.work(1); -> 6 !> 4
        block 4 in 1: -> 5
        block 5 in 0: -> exit
        block 6 in 0: 7: p = _; -> 1
        block 7 in 0: -> exit";
    assert_text(&program, "A.a", expected);
    let expected = "
        block 0 in 0: 8: i = _; -> 1
        block 1 in 0: -> 2 3
        block 2 in 0: 8: virtual this.items[i] A.work(i); 8: i = _; -> 1
        block 3 in 0: -> exit";
    assert_text(&program, "A.b", expected);
}

#[test]
fn explicit_locks() {
    if !has_javac() {
        return;
    }
    let program = class(
        "void a() { mutex.lock(); try { work(1); } finally { mutex.unlock(); } }
        void b() {
            final Lock l = mutex;
            l.lock();
            try { if (k > 1) return; work(1); } finally { l.unlock(); }
        }
        void c() throws Exception {
            try { mutex.lockInterruptibly(); work(1); } finally { mutex.unlock(); }
        }
        void d() {
            rw.readLock().lock();
            try { work(1); } finally { rw.readLock().unlock(); }
            rw.writeLock().lock();
            try { work(2); } finally { rw.writeLock().unlock(); }
        }",
    );
    let expected = "
        region 1 in 0: lock this.mutex, line 7
        block 0 in 0: -> 1
        block 1 in 1: 7: virtual this A.work(1); -> 2 !> 3
        block 2 in 1: -> 4
        block 3 in 1: -> exit
        block 4 in 0: -> exit";
    assert_text(&program, "A.a", expected);
    let expected = "
        region 1 in 0: lock this.mutex, line 10
        block 0 in 0: -> 1
        block 1 in 1: -> 2 3
        block 2 in 1: -> exit
        block 3 in 1: 11: virtual this A.work(1); -> 4 !> 5
        block 4 in 1: -> 6
        block 5 in 1: -> exit
        block 6 in 0: -> exit";
    assert_text(&program, "A.b", expected);
    let expected = "
        region 1 in 0: lock this.mutex, line 14
        block 0 in 0: -> 4
        block 1 in 1: -> 3
        block 2 in 1: -> exit
        block 3 in 0: -> exit
        block 4 in 1: 14: virtual this A.work(1); -> 1 !> 2";
    assert_text(&program, "A.c", expected);
    let expected = "
        region 1 in 0: lock this.rw.readLock(), line 17
        region 2 in 0: lock this.rw.writeLock(), line 19
        block 0 in 0: -> 1
        block 1 in 1: 18: virtual this A.work(1); -> 2 !> 3
        block 2 in 1: -> 4
        block 3 in 1: -> exit
        block 4 in 0: -> 5
        block 5 in 2: 20: virtual this A.work(2); -> 6 !> 7
        block 6 in 2: -> 8
        block 7 in 2: -> exit
        block 8 in 0: -> exit";
    assert_text(&program, "A.d", expected);
    assert_eq!((program.counts.explicit_locks, program.counts.unstructured), (5, 0));
}

#[test]
fn locks_that_do_not_nest_are_counted() {
    if !has_javac() {
        return;
    }
    // held on return; released without having been taken; hand over hand
    let program = class(
        "void a() { mutex.lock(); work(1); }
        void b() { work(1); mutex.unlock(); }
        void c(A p) {
            mutex.lock();
            work(1);
            p.mutex.lock();
            work(2);
            mutex.unlock();
            work(3);
            p.mutex.unlock();
        }",
    );
    let expected = "block 0 in 0: 7: virtual this A.work(1); -> exit";
    assert_text(&program, "A.a", expected);
    let expected = "block 0 in 0: 8: virtual this A.work(1); -> exit";
    assert_text(&program, "A.b", expected);
    // rather too little held than too much: nothing at all after the first release
    let expected = "
        region 1 in 0: lock this.mutex, line 10
        region 2 in 1: lock p.mutex, line 12
        block 0 in 0: -> 1
        block 1 in 1: 11: virtual this A.work(1); -> 2
        block 2 in 2: 13: virtual this A.work(2); -> 3
        block 3 in 0: 15: virtual this A.work(3); -> exit";
    assert_text(&program, "A.c", expected);
    assert_eq!((program.counts.unstructured, program.counts.unstructured_methods), (4, 3));
}

#[test]
fn lambdas_are_methods_of_their_own() {
    if !has_javac() {
        return;
    }
    let program =
        class("void a() { Runnable r = () -> { synchronized (lock) { work(1); } }; r.run(); }");
    let expected = "
        block 0 in 0: 7: r = _; 7: interface r java.lang.Runnable.run(); -> exit";
    assert_text(&program, "A.a", expected);
    let lambda = text(&program, "A.lambda$a$0");
    assert!(lambda.starts_with("region 1 in 0: monitor this.lock, line 7\n"), "{lambda}");
}

#[test]
fn switches() {
    if !has_javac() {
        return;
    }
    let program = class(
        "void a(int i, A p) {
            switch (i) {
                case 1: synchronized (p) { p.work(1); } break;
                case 2: p.work(2);
                default: work(3);
            }
        }",
    );
    let expected = "
        region 1 in 0: monitor p, line 9
        block 0 in 0: -> 1 5 6
        block 1 in 0: -> 2
        block 2 in 1: 9: virtual p A.work(1); -> 7 !> 3
        block 3 in 1: -> 4
        block 4 in 0: -> exit
        block 5 in 0: 10: virtual p A.work(2); -> 6
        block 6 in 0: 11: virtual this A.work(3); -> 7
        block 7 in 0: -> exit";
    assert_text(&program, "A.a", expected);
}

#[test]
fn what_has_no_name_is_a_star() {
    if !has_javac() {
        return;
    }
    let program = class(
        "A get() { return this; }
        void a(boolean b, A p) { synchronized (b ? p : next) { (b ? p : next).work(2); } }
        void b() { synchronized (get()) { get().next.work(get().k); } }
        void c(A p) { synchronized (p.next.next.next.next.next) { } }",
    );
    let a = text(&program, "A.a");
    assert!(a.starts_with("region 1 in 0: monitor *, line 8\n"), "{a}");
    assert!(a.contains("virtual * A.work(2);"), "{a}");
    let b = text(&program, "A.b");
    assert!(b.starts_with("region 1 in 0: monitor *, line 9\n"), "{b}");
    assert!(b.contains("virtual * A.work(*);"), "{b}");
    let c = text(&program, "A.c");
    assert!(c.starts_with("region 1 in 0: monitor *, line 10\n"), "beyond the bound of 5: {c}");
}

#[test]
fn copies_name_the_original_until_it_changes() {
    if !has_javac() {
        return;
    }
    let program = class(
        "void a(A p) {
            A q = p.next;
            q.work(1);
            A r = q;
            r.work(2);
            p.next = null;
            q.work(3);
            q = r;
            q.work(4);
        }",
    );
    let expected = "
        block 0 in 0: 8: q = _; 9: virtual p.next A.work(1); 10: r = _; 11: virtual p.next A.work(2); \
        12: p.next = _; 13: virtual q A.work(3); 14: q = _; 15: virtual r A.work(4); -> exit";
    assert_text(&program, "A.a", expected);
}

#[test]
fn objects_of_known_class_need_no_hierarchy() {
    if !has_javac() {
        return;
    }
    let program = class(
        "static class B extends A { void work(int x) { } }
        void a(boolean b) {
            A a = new A();
            a.work(1);
            if (b) a = new B();
            a.work(2);
            new B().work(3);
        }",
    );
    let a = text(&program, "A.a");
    assert!(a.contains("special a A.work(1);"), "{a}");
    assert!(a.contains("virtual a A.work(2);"), "{a}");
    assert!(a.contains("special * A$B.work(3);"), "{a}");
    let (callees, _) = program.hierarchy.callees(&program.program.names, None, true);
    let method = program.program.method(program.program.find_methods("A.a")[0]);
    let targets = |line: u32| {
        let call = method.stmts().iter().find_map(|it| match it.action {
            Action::Call(id) if it.line == line => Some(method.call(id).dispatch),
            _ => None,
        });
        callees.of(call.unwrap()).len()
    };
    assert_eq!((targets(10), targets(12)), (1, 2));
}

#[test]
fn without_names_of_variables_there_are_slots() {
    if !has_javac() {
        return;
    }
    let source =
        source("void a(A p) { for (A q = p; q != null; q = q.next) q.work(1); p.work(2); }");
    let program = lowered(&source, &["-g:none"]);
    let expected = "
        block 0 in 0: 0: local2 = _; -> 1
        block 1 in 0: -> 2 3
        block 2 in 0: 0: virtual local2 A.work(1); 0: local2 = _; -> 1
        block 3 in 0: 0: virtual local1 A.work(2); -> exit";
    assert_text(&program, "A.a", expected);
}

#[test]
fn private_fields_of_outer_classes_are_read_through_accessors() {
    if !has_javac() {
        return;
    }
    let members = "private Object hidden; private static Object secret;
        class Inner { void a() { synchronized (hidden) { synchronized (secret) { work(1); } } } }";
    let nested = class(members);
    let old = lowered(&source(members), &["-g", "--release", "8", "-Xlint:-options"]);
    for program in [nested, old] {
        let a = text(&program, "A$Inner.a");
        assert!(a.starts_with(
            "region 1 in 0: monitor this.this$0.hidden, line 8\nregion 2 in 1: monitor A.secret, line 8\n"
        ), "{a}");
    }
}

#[test]
fn inherited_static_fields_have_one_name() {
    if !has_javac() {
        return;
    }
    let program = class(
        "static class B extends A { }
        void a() { synchronized (B.global) { } synchronized (A.global) { } }",
    );
    let method = program.program.method(program.program.find_methods("A.a")[0]);
    assert_eq!(method.regions()[1].lock, method.regions()[2].lock);
}
