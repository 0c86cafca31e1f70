//! The methods that are added for method references.
#![allow(clippy::unwrap_used)]

mod common;

use common::{compile, jdks, skip, weaver};
use interloper_jvm::{AccessFlags, ClassFile};
use interloper_weave::bridges::{Bridges, is_bridge};
use interloper_weave::{Loaded, Woven};

const DOOR: &str = "package a;
import java.util.concurrent.locks.*;
public class Door {
    Runnable opens(Lock lock) {
        return lock::lock; }
    Runnable closes(Lock lock) { return lock::unlock; }
    Runnable again(Lock lock) { return lock::lock; }
    Runnable says(String text) { return text::length; }
}
";

/// References that have one bootstrap method, if the compiler names the class that declares the method.
const GATE: &str = "package a;
import java.util.concurrent.locks.*;
public class Gate {
    static class Own extends ReentrantLock { }
    Runnable opens(ReentrantLock lock) { return lock::lock; }
    Runnable opens(Own lock) { return lock::lock; }
}
";

/// [`DOOR`] woven; none without a JDK.
fn woven(bridges: Bridges<'_>) -> Option<Woven> {
    woven_from("Door", DOOR, bridges)
}

fn woven_from(name: &str, source: &str, bridges: Bridges<'_>) -> Option<Woven> {
    let jdk = jdks().into_iter().next()?;
    let folder = tempfile::tempdir().unwrap();
    let out = compile(&jdk, folder.path(), name, source);
    let bytes = std::fs::read(out.join(format!("a/{name}.class"))).unwrap();
    let loaded = Loaded { bridges, ..Loaded::default() };
    Some(weaver("atomic-method a.Door.*").weave(&bytes, loaded).unwrap())
}

/// Names and descriptors of the bridges in a woven class.
fn bridges(woven: &Woven) -> Vec<(String, String)> {
    let class = ClassFile::parse(&woven.bytes).unwrap();
    let made = AccessFlags::PRIVATE.0 | AccessFlags::STATIC.0 | AccessFlags::SYNTHETIC.0;
    let mut found = vec![];
    for method in &class.methods {
        let (name, descriptor) = (class.member_name(method), class.member_descriptor(method));
        if is_bridge(&name) {
            assert_eq!(method.access.0, made);
            found.push((name.into_owned(), descriptor.into_owned()));
        }
    }
    found
}

#[test]
fn a_call_that_is_referred_to_has_one_bridge() {
    let Some(woven) = woven(Bridges::Needed) else { return skip("no JDK") };
    let owner = "$interloper$interface:java:util:concurrent:locks:Lock";
    let descriptor = "(Ljava/util/concurrent/locks/Lock;)V";
    let expected = ["lock", "unlock"].map(|it| (format!("{owner}:{it}"), descriptor.to_owned()));
    assert_eq!(bridges(&woven), expected);
}

#[test]
fn receivers_of_different_classes_have_different_bridges() {
    let Some(woven) = woven_from("Gate", GATE, Bridges::Needed) else { return skip("no JDK") };
    let mut descriptors: Vec<_> = bridges(&woven).into_iter().map(|it| it.1).collect();
    descriptors.sort();
    assert_eq!(descriptors, ["(La/Gate$Own;)V", "(Ljava/util/concurrent/locks/ReentrantLock;)V"]);
}

#[test]
fn bridges_stand_where_the_first_reference_does_and_are_never_atomic() {
    let Some(woven) = woven(Bridges::Needed) else { return skip("no JDK") };
    let methods = woven.class.methods.iter();
    let bridges: Vec<_> = methods.filter(|it| it.label.contains("::")).collect();
    let told: Vec<_> = bridges.iter().map(|it| (&*it.label, it.atomic, it.line)).collect();
    assert_eq!(told, [("a.Door.Lock::lock", false, 5), ("a.Door.Lock::unlock", false, 6)]);
}

#[test]
fn a_class_in_the_jvm_keeps_the_bridges_that_it_has() {
    let Some(first) = woven(Bridges::Needed) else { return skip("no JDK") };
    let had = bridges(&first);
    assert_eq!(bridges(&woven(Bridges::Kept(&had)).unwrap()), had);
    assert_eq!(bridges(&woven(Bridges::Kept(&had[..1])).unwrap()), had[..1]);
    assert_eq!(bridges(&woven(Bridges::Kept(&[])).unwrap()), []);
    let other = ("$interloper$static:a:Gate:lift".to_owned(), "(IJ)D".to_owned());
    let others = [other.clone()];
    assert_eq!(bridges(&woven(Bridges::Kept(&others)).unwrap()), others);
}
