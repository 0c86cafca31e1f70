//! What is read, and what cannot be.

use super::{GLOBAL, LINE, compiled, jar, scan, tool};
use crate::common::Scratch;
use std::fs;

#[test]
fn folders_class_files_and_several_inputs() {
    let Some(scratch) = compiled(&[("Line.java", LINE), ("Global.java", GLOBAL)]) else { return };
    assert_eq!(
        scan(&scratch, &["classes", "-f", "json"]).exits(1).json()["runs"][0]["scanned"]["classes"],
        4
    );
    // without Location, nobody knows that it locks
    scan(&scratch, &["classes/geo/Line.class"]).exits(0);
    let both = ["classes/geo/Line.class", "classes/geo/Location.class"];
    let outcome = scan(&scratch, &both).exits(1);
    assert!(
        outcome.stdout.contains("classes/geo/Line.class, classes/geo/Location.class: 2 classes")
    );
}

/// A JDK of a single class: a whole one takes long.
fn small_jdk(scratch: &Scratch) {
    let source = "package java.util; public class Vector<E> {
        public synchronized int size() { return 0; }
        public synchronized E remove(int i) { return null; }
        synchronized void own(Vector<E> other) { other.size(); other.size(); } }";
    fs::create_dir_all(scratch.path().join("jdk/jmods")).unwrap();
    scratch.file("jdk/Vector.java", source);
    let into = "base/classes";
    let arguments = ["-g", "--patch-module", "java.base=jdk", "-d", into, "jdk/Vector.java"];
    tool("javac", &arguments, scratch.path());
    tool("jar", &["-c", "-f", "base.jar", "-C", "base", "."], scratch.path());
    // a module of a JDK is four bytes and an archive
    let module = [b"JM\x01\x00".to_vec(), scratch.read("base.jar")].concat();
    scratch.file("jdk/jmods/java.base.jmod", module);
}

#[test]
fn a_jdk_is_followed_but_not_judged() {
    let source = "package geo; import java.util.Vector; class V { Vector<String> list;
        synchronized void m() { if (list.size() > 0) list.remove(0); } }";
    let Some(scratch) = compiled(&[("V.java", source)]) else { return };
    small_jdk(&scratch);
    scan(&scratch, &["classes"]).exits(0);
    let outcome = scan(&scratch, &["classes", "--jdk=jdk"]).exits(0);
    assert!(outcome.stdout.contains("Vector, StringBuffer"), "{}", outcome.stdout);
    let outcome = scan(&scratch, &["classes", "--jdk=jdk", "--all", "-f", "json"]).exits(1);
    let json = outcome.json();
    let findings = json["runs"][0]["engines"][0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{}", outcome.stdout);
    assert_eq!(findings[0]["subject"], "this.list in geo.V");
    // alone, the JDK is what is scanned
    let outcome = scan(&scratch, &["--jdk=jdk", "--all"]).exits(1);
    assert!(outcome.stdout.contains("Vector.own locks other twice"), "{}", outcome.stdout);
    let outcome = scan(&scratch, &["classes", "--jdk=src"]).exits(2);
    assert!(outcome.stderr.contains("src: not a JDK"), "{outcome:?}");
}

#[test]
fn bad_input_is_named_and_the_rest_is_scanned() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let whole = scratch.read("app.jar");
    scratch.file("text.jar", "this is no jar");
    scratch.file("cut.jar", &whole[..whole.len() / 2]);
    fs::create_dir(scratch.path().join("corrupt")).unwrap();
    scratch.file("corrupt/A.class", b"\xca\xfe\xba\xbe\x00\x00\x00\x34\x00\x05");
    for bad in ["text.jar", "cut.jar", "corrupt", "nowhere.jar", "src/geo/Line.java"] {
        let outcome = scan(&scratch, &[bad, "app.jar"]).exits(2);
        let named = outcome.stderr.lines().any(|it| it.starts_with(&format!("error: {bad}")));
        assert!(named && outcome.stderr.contains("; skipped"), "{bad}: {outcome:?}");
        assert!(outcome.stdout.starts_with("possible: Line.contains"), "{bad}: {outcome:?}");
        scan(&scratch, &[bad]).exits(2);
    }
}

#[cfg(unix)]
#[test]
fn files_that_may_not_be_read_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let path = scratch.path().join("app.jar");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        // whoever runs this may read everything
        return;
    }
    let outcome = scan(&scratch, &["app.jar", "classes"]).exits(2);
    assert!(outcome.stderr.contains("error: app.jar: "), "{outcome:?}");
}

#[test]
fn where_there_is_nothing_to_scan_that_is_told() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path().join("empty")).unwrap();
    let outcome = scan(&scratch, &["empty"]).exits(3);
    assert!(outcome.stderr.contains("nothing was scanned"), "{outcome:?}");
    assert!(outcome.stdout.contains("nothing was scanned"), "{outcome:?}");
    let outcome = scan(&scratch, &[]).exits(2);
    assert!(outcome.stderr.contains("nothing to scan"), "{outcome:?}");
}

#[test]
fn jars_in_jars_are_read() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    for (outer, inner) in [("app.war", "WEB-INF/lib"), ("boot.jar", "BOOT-INF/lib")] {
        let folder = scratch.path().join(format!("in-{outer}"));
        fs::create_dir_all(folder.join(inner)).unwrap();
        fs::copy(scratch.path().join("app.jar"), folder.join(inner).join("geo.jar")).unwrap();
        let from = format!("in-{outer}");
        tool("jar", &["-c", "-0", "-f", outer, "-C", &from, "."], scratch.path());
        let outcome = scan(&scratch, &[outer]).exits(1);
        assert!(outcome.stdout.starts_with("possible: Line.contains"), "{}", outcome.stdout);
    }
    // classes of the application itself lie below WEB-INF/classes
    let folder = scratch.path().join("own/WEB-INF");
    fs::create_dir_all(&folder).unwrap();
    fs::rename(scratch.path().join("classes"), folder.join("classes")).unwrap();
    tool("jar", &["-c", "-f", "own.war", "-C", "own", "."], scratch.path());
    scan(&scratch, &["own.war"]).exits(1);
}

#[test]
fn duplicates_and_multi_release_jars_are_noted() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["app.jar", "classes"]).exits(1);
    assert!(outcome.stdout.contains("2 classes are there more than once"), "{}", outcome.stdout);
    assert_eq!(outcome.stderr, "");
    // the newer release is repaired
    let fixed =
        "synchronized (point) { return point.distanceTo(start) + point.distanceTo(end) < 1; }";
    let fixed = LINE.replace("double r1 = point.distanceTo(start);", fixed);
    let fixed = fixed.replace("double r2 = point.distanceTo(end);", "");
    let fixed = fixed.replace("return r1 + r2 <= 1.001;", "");
    scratch.file("src/geo/Line.java", fixed);
    tool("javac", &["-g", "-d", "newer", "src/geo/Line.java"], scratch.path());
    let arguments =
        ["-c", "-f", "multi.jar", "-C", "classes", ".", "--release", "11", "-C", "newer", "."];
    tool("jar", &arguments, scratch.path());
    let outcome = scan(&scratch, &["multi.jar"]).exits(0);
    assert!(outcome.stdout.contains("multi.jar is a multi-release jar"), "{}", outcome.stdout);
}
