//! What is said about woven classes, and what is put where in their bytes.
#![allow(clippy::unwrap_used)]

mod common;

use common::{compile, jdks, skip, weaver};
use interloper_jvm::{AccessFlags, ClassFile, Instruction};
use interloper_weave::message::SiteKind;
use interloper_weave::{Config, FIELD, Further, Loaded, Weaver, Woven};
use std::collections::HashSet;

const ACCOUNT: &str = "package a;
public class Account implements Shown {
    int balance; final int limit = 3; static volatile long total; long[] history = new long[9];
    int get() { return balance; }
    void add(int n) {
        balance += n;
        synchronized (this) {
            total++;
        }
        history[0] = n; }
    static synchronized void reset() { total = 0; }
    static class Savings extends Account { double rate; void raise() { rate++; } }
    native void gone();
}
interface Shown { default int shown() { return ((Account) this).balance; } }
";

/// The classes of [`ACCOUNT`]; none without a JDK.
fn account(name: &str) -> Option<Vec<u8>> {
    let jdk = jdks().into_iter().next()?;
    let folder = tempfile::tempdir().unwrap();
    let out = compile(&jdk, folder.path(), "Account", ACCOUNT);
    Some(std::fs::read(out.join(format!("a/{name}.class"))).unwrap())
}

fn woven(name: &str, config: &str, loaded: Loaded<'_>) -> Option<Woven> {
    let bytes = account(name)?;
    Some(weaver(config).weave(&bytes, loaded).unwrap())
}

fn has_field(woven: &Woven) -> bool {
    let class = ClassFile::parse(&woven.bytes).unwrap();
    class.fields.iter().any(|it| {
        let wanted = AccessFlags::PRIVATE.0 | AccessFlags::TRANSIENT.0 | AccessFlags::SYNTHETIC.0;
        class.member_name(it) == FIELD && it.access.0 == wanted
    })
}

#[test]
fn sites_have_owner_member_method_and_line() {
    let Some(woven) = woven("Account", "", Loaded::default()) else { return skip("no JDK") };
    let class = &woven.class;
    assert_eq!((&*class.name, &*class.super_name), ("a/Account", "java/lang/Object"));
    assert_eq!(class.source.as_deref(), Some("Account.java"));
    let add = class.methods.iter().find(|it| it.label == "a.Account.add").unwrap();
    assert_eq!((add.atomic, add.line), (true, 6));
    let sites: Vec<_> = class
        .sites
        .iter()
        .filter(|it| it.method == add.id)
        .map(|it| (it.kind, &*it.owner, &*it.member, it.is_static, it.line))
        .collect();
    let expected = [
        (SiteKind::Read, "a/Account", "balance", false, 6),
        (SiteKind::Write, "a/Account", "balance", false, 6),
        (SiteKind::Call, "", "monitorenter", false, 7),
        (SiteKind::Read, "a/Account", "total", true, 8),
        (SiteKind::Write, "a/Account", "total", true, 8),
        (SiteKind::Call, "", "monitorexit", false, 9),
        (SiteKind::Call, "", "monitorexit", false, 9),
        (SiteKind::Read, "a/Account", "history", false, 10),
        (SiteKind::ElementWrite, "", "", false, 10),
    ];
    assert_eq!(sites, expected);
    let ids: HashSet<u32> = class.sites.iter().map(|it| it.id).collect();
    assert_eq!(ids.len(), class.sites.len(), "numbers are given once");
    let fields: Vec<_> = class.fields.iter().map(|it| &*it.name).collect();
    assert_eq!(fields, ["balance", "limit", "total", "history"]);
    for trivial in ["a.Account.get", "a.Account.<init>"] {
        let method = class.methods.iter().find(|it| it.label == trivial).unwrap();
        assert!(!method.atomic, "{trivial}");
    }
}

#[test]
fn atomic_blocks_are_labelled_by_line() {
    let config = "atomic synchronized\nnot-atomic a.Account.reset\n";
    let Some(woven) = woven("Account", config, Loaded::default()) else { return skip("no JDK") };
    let atomic: Vec<_> =
        woven.class.methods.iter().filter(|it| it.atomic).map(|it| (&*it.label, it.line)).collect();
    assert_eq!(atomic, [("a.Account.add:7", 7)]);
}

#[test]
fn blocks_can_be_excluded_by_their_label() {
    let config = "atomic synchronized\nnot-atomic a.Account.add*\n";
    let Some(woven) = woven("Account", config, Loaded::default()) else { return skip("no JDK") };
    let atomic: Vec<_> = woven.class.methods.iter().filter(|it| it.atomic).collect();
    assert_eq!(atomic.len(), 1);
    assert_eq!(atomic[0].label, "a.Account.reset");
}

const TASKS: &str = "package a;
public class Tasks {
    int n;
    @interface Whole { }
    Runnable lambda() { return () -> { n++; n++; }; }
    Runnable[] references() { return new Runnable[] { this::loop, this::pay, this::twice, this::both }; }
    java.util.function.Supplier<Object> other() { return this::both; }
    private void loop() { n++; n++; }
    private void loop(int i) { n++; n++; }
    void pay() { n++; n++; }
    void pay(int i) { n++; n++; twice(); }
    private void twice() { n++; n++; }
    private Object both() { n++; return n++; }
    @Whole void whole() { n++; n++; }
}
";

/// The methods of [`TASKS`] that are atomic, and what of the configuration was met; none without a JDK.
fn tasks(config: &str) -> Option<(Vec<String>, Vec<String>)> {
    let jdk = jdks().into_iter().next()?;
    let folder = tempfile::tempdir().unwrap();
    let out = compile(&jdk, folder.path(), "Tasks", TASKS);
    let bytes = std::fs::read(out.join("a/Tasks.class")).unwrap();
    let weaver = weaver(config);
    let woven = weaver.weave(&bytes, Loaded::default()).unwrap();
    let methods = woven.class.methods.into_iter().filter(|it| it.atomic);
    let name = |label: String| label.trim_start_matches("a.Tasks.").to_owned();
    Some((methods.map(|it| name(it.label)).collect(), weaver.newly_met()))
}

#[test]
fn what_is_in_place_of_run_is_not_atomic_but_what_is_also_called_is() {
    let Some((atomic, _)) = tasks("") else { return skip("no JDK") };
    let expected = ["loop", "pay", "pay", "twice", "both", "whole"];
    let made = ["<init>", "lambda", "references", "other"];
    let atomic: Vec<&str> = atomic.iter().map(|it| &**it).filter(|it| !made.contains(it)).collect();
    assert_eq!(atomic, expected, "of the two methods `loop` one is in place of run");
}

#[test]
fn names_that_are_met_are_told() {
    let config = "atomic none\natomic-annotation Whole\natomic-annotation b.Whole\n\
                  atomic-method a.Tasks.pay(I)V\natomic-method a.Tasks.sell\n\
                  atomic-method a.Tasks.<clinit>\nnot-atomic a.Tasks.pay(I)V\nnot-atomic a.Tasks.w\n";
    let Some((atomic, met)) = tasks(config) else { return skip("no JDK") };
    assert_eq!(atomic, ["whole"]);
    let expected =
        ["atomic-annotation Whole", "atomic-method a.Tasks.pay(I)V", "not-atomic a.Tasks.pay(I)V"];
    assert_eq!(met, expected);
}

#[test]
fn the_field_is_added_once_a_hierarchy() {
    if jdks().is_empty() {
        return skip("no JDK");
    }
    let first = Loaded::default();
    let below = Loaded { super_instrumented: true, ..first };
    let again = Loaded { retransformed: true, ..first };
    assert!(has_field(&woven("Account", "", first).unwrap()));
    assert!(!has_field(&woven("Account", "", again).unwrap()));
    assert!(has_field(&woven("Account$Savings", "", first).unwrap()));
    assert!(!has_field(&woven("Account$Savings", "", below).unwrap()));
    assert!(!has_field(&woven("Shown", "", first).unwrap()));
    assert_eq!(
        woven("Shown", "", first).unwrap().class.sites.len(),
        1,
        "but its methods are woven"
    );
}

/// In order: not looked at, not looked at, moved, pushed, told nothing of.
const BODY: &str = "package a;
class Body {
    final int id = 1; static int count; double x, y, fx, fy; int mass; String name;
    Body() { x = y = fx = fy = 1; mass = 2; }
    void move() { x += fx; y += fy; }
    void clear() { fx = 0; fy = 0; }
    void pull(Body other) { fx += other.x; }
    void rename(String name) { this.name = name; }
}
class Bean {
    int a, b;
    void setA(int a) { this.a = a; }
    void setB(int b) { this.b = b; }
}
";

/// The fields that were added to a class of [`BODY`], with their types; none without a JDK.
fn added(name: &str, further: Further<'_>) -> Option<Vec<(String, String)>> {
    let jdk = jdks().into_iter().next()?;
    let folder = tempfile::tempdir().unwrap();
    let out = compile(&jdk, folder.path(), "Body", BODY);
    let bytes = std::fs::read(out.join(format!("a/{name}.class"))).unwrap();
    let loaded = Loaded { further, ..Loaded::default() };
    let woven = weaver("").weave(&bytes, loaded).unwrap();
    let class = ClassFile::parse(&woven.bytes).unwrap();
    let fields = class
        .fields
        .iter()
        .map(|it| (class.member_name(it).into_owned(), class.member_descriptor(it).into_owned()));
    Some(fields.filter(|(name, _)| name.starts_with(FIELD)).collect())
}

#[test]
fn fields_that_are_written_together_are_a_group() {
    let Some(body) = added("Body", Further::Suggested) else { return skip("no JDK") };
    let expected = [(FIELD, "J"), ("$interloper$00001122", "J")];
    assert_eq!(body, expected.map(|(name, kind)| (name.to_owned(), kind.to_owned())));
}

#[test]
fn fields_with_a_setter_each_are_one_group() {
    let Some(bean) = added("Bean", Further::Suggested) else { return skip("no JDK") };
    assert_eq!(bean, [(FIELD.to_owned(), "J".to_owned())]);
}

#[test]
fn a_class_keeps_the_groups_that_it_has() {
    let Some(none) = added("Body", Further::Kept(None)) else { return skip("no JDK") };
    assert_eq!(none.len(), 1);
    let kept = added("Body", Further::Kept(Some("$interloper$00000011"))).unwrap();
    assert_eq!(kept[1], ("$interloper$00000011".to_owned(), "I".to_owned()));
}

#[test]
fn classes_before_java_5_say_what_they_cannot_tell() {
    let Some(mut bytes) = account("Account") else { return skip("no JDK") };
    bytes[7] = 48;
    let woven = weaver("").weave(&bytes, Loaded::default()).unwrap();
    assert!(woven.class.sites.iter().all(|it| !it.is_static));
    let about = |label: &str| woven.skipped.iter().filter(|it| it.0 == label).count();
    assert_eq!((about("a.Account.add"), about("a.Account.reset")), (1, 2));
}

#[test]
fn a_method_that_would_be_too_long_is_named_and_left_alone() {
    let Some(jdk) = jdks().into_iter().next() else { return skip("no JDK") };
    let folder = tempfile::tempdir().unwrap();
    let body = "a[0]++; ".repeat(5000);
    let source = format!(
        "class Long {{ static int[] a; int b; void m() {{ {body} }} int n() {{ return b++; }} }}"
    );
    let out = compile(&jdk, folder.path(), "Long", &source);
    let bytes = std::fs::read(out.join("Long.class")).unwrap();
    let woven = weaver("").weave(&bytes, Loaded::default()).unwrap();
    assert_eq!(woven.skipped.len(), 1);
    assert_eq!(woven.skipped[0].0, "Long.m");
    let known: Vec<u32> = woven.class.methods.iter().map(|it| it.id).collect();
    assert!(woven.class.sites.iter().all(|it| known.contains(&it.method)));
    // The constructor, and reading and writing of `b`.
    assert_eq!(woven.class.sites.len(), 3);
}

/// The calls of the probe in a method, as (instruction before, probe).
#[test]
fn probes_stand_directly_before_accesses() {
    let Some(woven) = woven("Account", "", Loaded::default()) else { return skip("no JDK") };
    let class = ClassFile::parse(&woven.bytes).unwrap();
    let method = class.methods.iter().find(|it| class.member_name(it) == "get").unwrap();
    let code = class.code(method).unwrap().unwrap();
    let body = class.body(method, &code).unwrap();
    let said: Vec<String> = body
        .instructions
        .iter()
        .filter_map(|it| match it.instruction {
            Instruction::Invoke(_, index) => Some(class.pool.method(index).unwrap().name.into()),
            Instruction::GetField(_) => Some("getfield".to_owned()),
            Instruction::Return(_) => Some("return".to_owned()),
            Instruction::Throw => Some("throw".to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(said, ["here", "read", "getfield", "close", "return", "leave", "throw"]);
}

#[test]
fn threads_can_weave_at_the_same_time() {
    let Some(bytes) = account("Account") else { return skip("no JDK") };
    let weaver = Weaver::new(Config::default());
    let weave = || weaver.weave(&bytes, Loaded::default()).unwrap().class.sites;
    let sites: Vec<u32> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(weave)).collect();
        threads.into_iter().flat_map(|it| it.join().unwrap()).map(|it| it.id).collect()
    });
    assert_eq!(sites.iter().collect::<HashSet<_>>().len(), sites.len());
}
