//! The paper's examples and programs in the manner of its findings, from source through the compilers to warnings.
#![allow(clippy::unwrap_used)]

mod programs;

use interloper_scan::Options;
use programs::{Compiled, assert_found, assert_places, compiled, compiled_as, explained, places};

/// Figure 1 with this body of `contains`, whose first line locks `this`.
fn line(body: &str) -> String {
    format!(
        "class Line {{
  Location start, end; Location[] endpoints; Location[] point0; double[] r;
  synchronized boolean contains(Location point, Location[] points, boolean b) {{
{body}
  }}
}}
class Location {{
  double x, y;
  synchronized double distanceTo(Location p) {{
    return Math.sqrt(Math.pow(p.x - x, 2) + Math.pow(p.y - y, 2));
  }}
}}"
    )
}

const FIGURE_1: &str = "
    double r1 = point.distanceTo(start); //first
    double r2 = point.distanceTo(end); //second
    double c = start.distanceTo(end);
    return r1 + r2 <= 1.001 * c;";

#[test]
fn figure_1() {
    let source = line(FIGURE_1);
    for Compiled { compiler, lowered } in compiled(&source) {
        let found = places(&source, &lowered, &Options::default());
        assert_eq!(found.len(), 1, "{compiler}: {found:?}");
        assert!(found[0].starts_with("Line.contains: point at first, second; this"), "{found:?}");
    }
}

#[test]
fn figure_1_repaired() {
    assert_places(
        &line(
            "double r1, r2;
    synchronized (point) {
      r1 = point.distanceTo(start);
      r2 = point.distanceTo(end);
    }
    return r1 + r2 <= 1.001 * start.distanceTo(end);",
        ),
        &[],
    );
}

#[test]
fn a_loop_over_endpoints_locks_one_point_twice() {
    let source = line(
        "for (int i = 0; i < 2; i++) { //held
      r[i] = point.distanceTo(endpoints[i]); //loop
    }
    return r[0] + r[1] <= 1.001;",
    );
    assert_places(&source, &["Line.contains: point at loop, loop; this at held"]);
}

#[test]
fn a_loop_over_points_locks_each_once() {
    let source = line(
        "for (int i = 0; i < 2; i++) {
      r[i] = points[i].distanceTo(endpoints[i]);
    }
    return r[0] + r[1] <= 1.001;",
    );
    assert_places(&source, &[]);
}

#[test]
fn one_branch_or_the_other_locks_once() {
    let source = line(
        "double r;
    if (b) r = point.distanceTo(start);
    else r = point.distanceTo(end);
    return r < 1;",
    );
    assert_places(&source, &[]);
}

/// Figure 4: A and B are locks that all methods can name.
const FIGURE_4: &str = "
class C {
  static final Object A = new Object(), B = new Object();
  void m1() { synchronized (A) { m2(); } } //m1
  void m2() {
    m3(); //first
    m4(); //second
  }
  void m3() { synchronized (A) { m5(); } }
  void m4() { synchronized (A) { m5(); } }
  void m5() { synchronized (B) { } }
}";

#[test]
fn figure_4_is_reported() {
    assert_places(FIGURE_4, &["C.m2: C.B at first, second; C.A at m1"]);
}

#[test]
fn figure_5_has_exactly_the_papers_sets() {
    const A: &str = "C.A";
    const B: &str = "C.B";
    type Locks = &'static [&'static str];
    // method, locks acquired after propagation, locks acquired twice, the same after propagation
    let rows: [(&str, Locks, Locks, Locks); 5] = [
        ("C.m1", &[A, B], &[], &[B]),
        ("C.m2", &[A, B], &[A, B], &[A, B]),
        ("C.m3", &[A, B], &[], &[]),
        ("C.m4", &[A, B], &[], &[]),
        ("C.m5", &[B], &[], &[]),
    ];
    for Compiled { compiler, lowered } in compiled(FIGURE_4) {
        for (method, held, twice, propagated) in rows {
            let facts = explained(&lowered, method);
            assert_eq!(facts.locks_held, held, "{compiler} {method}");
            assert_eq!(facts.exit.twice, twice, "{compiler} {method}");
            // the block of m1 confirms what it is handed: there B is in P
            let both = [facts.final_twice, facts.final_pattern].concat();
            assert_eq!(both, propagated, "{compiler} {method}");
        }
        assert_eq!(explained(&lowered, "C.m1").final_pattern, [B], "{compiler}");
        assert!(explained(&lowered, "C.m2").final_pattern.is_empty(), "{compiler}");
    }
}

/// Section 4.4: `m` holds x and calls `n`, which acquires and releases y twice.
const SECOND_EXTENSION: &str = "
class C {
  void m(Object x, Object y) {
    synchronized (x) { //held
      n(y);
    }
  }
  void n(Object y) {
    synchronized (y) { } //first
    synchronized (y) { } //second
  }
}";

#[test]
fn a_potential_witness_finds_its_context_in_a_caller() {
    assert_places(SECOND_EXTENSION, &["C.n: y at first, second; x at held"]);
    for Compiled { compiler, lowered } in compiled(SECOND_EXTENSION) {
        let (m, n) = (explained(&lowered, "C.m"), explained(&lowered, "C.n"));
        assert_eq!(m.exit.to_string(), "⟨{x, y}, ∅, ∅⟩", "{compiler}");
        assert_eq!(n.exit.to_string(), "⟨{y}, {y}, ∅⟩", "{compiler}");
        assert_eq!((m.final_pattern, n.final_twice), (vec!["y".to_owned()], vec!["y".to_owned()]));
    }
}

#[test]
fn a_reentrant_witness_is_none() {
    assert_places(&SECOND_EXTENSION.replace("n(y);", "n(x);"), &[]);
    assert_places(
        "class C { void m(Object x) { synchronized (x) { synchronized (x) { } synchronized (x) { } } } }",
        &[],
    );
}

#[test]
fn a_caller_that_holds_the_witness_does_not_excuse_the_callee() {
    let caller = "
class Caller {
  boolean ask(Line line, Location p) {
    synchronized (p) { return line.contains(p, null, true); }
  }
}";
    let source = line(FIGURE_1) + caller;
    for Compiled { compiler, lowered } in compiled(&source) {
        let found = places(&source, &lowered, &Options::default());
        assert_eq!(found.len(), 1, "{compiler}: {found:?}");
        assert!(found[0].starts_with("Line.contains: point at first, second"), "{found:?}");
    }
}

const TWO_LOCKS: &str = "
class C {
  Object a, b, c;
  void m() {
    synchronized (a) { //held
      synchronized (b) { } //first
      synchronized (c) { } //second
    }
  }
}";

#[test]
fn the_variant_takes_two_different_witnesses() {
    let variant = Options { variant: true, ..Options::default() };
    assert_places(TWO_LOCKS, &[]);
    let found = ["C.m: this.b, this.c at first, second; this.a at held"];
    assert_found(TWO_LOCKS, &variant, &found);
    assert_found(&TWO_LOCKS.replace("(c)", "(a)"), &variant, &[]);
}

#[test]
fn explicit_locks_are_locks() {
    let source = "
import java.util.concurrent.locks.*;
class C {
  final Lock a = new ReentrantLock(), b = new ReentrantLock();
  int x;
  void m() {
    a.lock(); //held
    try {
      int y = get(); //first
      b.lock(); //second
      try { x = y + 1; } finally { b.unlock(); }
    } finally { a.unlock(); }
  }
  int get() {
    b.lock();
    try { return x; } finally { b.unlock(); }
  }
}";
    assert_places(source, &["C.m: this.b at first, second; this.a at held"]);
}

/// Arbaro: progress is looked at and then set, each under its lock, not both.
#[test]
fn progress_is_checked_then_set() {
    let source = "
class Progress {
  private int max, now;
  synchronized int getProgress() { return now; }
  synchronized void setProgress(int value) { now = value; }
}
class Generator {
  Progress progress; int done;
  synchronized void step(int total) {
    done++; //held
    int percent = 100 * done / total;
    if (percent > progress.getProgress() + 1) { //check
      progress.setProgress(percent); //set
    }
  }
}";
    let found = ["Generator.step: this.progress at check, set; this at held"];
    for Compiled { compiler, lowered } in compiled(source) {
        let places = places(source, &lowered, &Options::default());
        assert_eq!(places.len(), 1, "{compiler}: {places:?}");
        assert!(places[0].starts_with(&found[0][..found[0].len() - 4]), "{compiler}: {places:?}");
    }
}

/// TVSchedulerPro: the size of a list is read under its lock, then the list is traversed.
#[test]
fn a_list_is_measured_then_traversed() {
    let source = "
class Devices {
  private final Object[] all = new Object[8]; private int size;
  synchronized int size() { return size; }
  synchronized Object get(int i) { return all[i]; }
  synchronized void remove() { size--; }
}
class Scheduler {
  Devices devices;
  int active() {
    int found = 0;
    synchronized (this) { //held
      int size = devices.size(); //size
      for (int i = 0; i < size; i++) {
        if (devices.get(i) != null) found++; //get
      }
    }
    return found;
  }
}";
    assert_places(source, &["Scheduler.active: this.devices at size, get; this at held"]);
}

/// TVSchedulerPro: a property that is not there is given its default.
#[test]
fn a_property_gets_its_default() {
    let source = "
import java.util.HashMap;
class Store {
  private final HashMap<String, String> map = new HashMap<>();
  synchronized String getProperty(String key) { return map.get(key); }
  synchronized void setProperty(String key, String value) { map.put(key, value); }
}
class Server {
  private static final Server instance = new Server();
  private final Store store = new Store();
  String property(String key, String otherwise) {
    synchronized (instance) { //held
      String value = store.getProperty(key); //get
      if (value == null) {
        store.setProperty(key, otherwise); //set
        value = otherwise;
      }
      return value;
    }
  }
}";
    assert_places(source, &["Server.property: this.store at get, set; Server.instance at held"]);
}

/// Risk: a battle is closed, then the game, each under the game's lock.
#[test]
fn two_closings() {
    let source = "
class Game {
  boolean battle, open;
  synchronized void closeBattle() { battle = false; }
  synchronized void close() { open = false; }
}
class Client {
  private final Object connection = new Object();
  private Game game;
  void kicked() {
    synchronized (connection) { //held
      cleanUp();
    }
  }
  private void cleanUp() {
    game.closeBattle(); //battle
    game.close(); //game
  }
}";
    assert_places(source, &["Client.cleanUp: this.game at battle, game; this.connection at held"]);
}

/// ObjectDraw: two boxes intersect; only one of them is locked.
#[test]
fn bounding_boxes() {
    let source = "
class Box {
  private double x, y, width, height;
  synchronized double left() { return x; }
  synchronized double right() { return x + width; }
  synchronized boolean overlaps(Box other) {
    boolean apart = other.left() > right() //left
      || other.right() < left(); //right
    return !apart;
  }
}";
    for Compiled { compiler, lowered } in compiled(source) {
        let found = places(source, &lowered, &Options::default());
        assert_eq!(found.len(), 1, "{compiler}: {found:?}");
        assert!(found[0].starts_with("Box.overlaps: other at left, right; this"), "{found:?}");
    }
}

/// The same in Kotlin, whose `synchronized` is a function that the compiler takes apart.
#[test]
fn kotlin() {
    let source = "
class Progress { var now = 0
  @Synchronized fun get(): Int = now
  @Synchronized fun set(value: Int) { now = value }
}
class Generator(val progress: Progress, val lock: Any) {
  fun step(percent: Int) {
    synchronized(lock) { //held
      if (percent > progress.get() + 1) //check
        progress.set(percent) //set
    }
  }
}";
    for Compiled { compiler, lowered } in compiled_as(source, "kt") {
        let found = places(source, &lowered, &Options::default());
        assert_eq!(found.len(), 1, "{compiler}: {found:?}");
        assert!(found[0].starts_with("Generator.step: this.progress at check, set"), "{found:?}");
    }
}
