//! Programs do the same woven as unwoven, and the probe is called by its rules: whatever happens in
//! them, no window is open where none may be, and blocks end that have begun.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Stub, compile, java, jdks, skip, stub, weave_folder, weaver};
use interloper_jvm::ExceptionHandler;
use std::fmt::Write;
use std::path::Path;

const EVERYTHING: &str = include_str!("programs/Everything.java");
const REFERENCES: &str = include_str!("programs/References.java");
const LOOPS: &str = include_str!("programs/Loops.java");

/// Runs a program unwoven and woven in all ways.
fn same_output(jdk: &Path, name: &str, source: &str) {
    let folder = tempfile::tempdir().unwrap();
    let out = compile(jdk, folder.path(), name, source);
    let none = folder.path().join("none");
    let expected = java(jdk, &none, &[], &out, name);
    assert!(expected.ends_with("end\n"), "{expected}");
    let checks = stub(jdk, &folder.path().join("checks"), Stub::Checks);
    for way in ["methods", "public", "synchronized", "none"] {
        let woven = folder.path().join(way);
        for woven in weave_folder(&out, &woven, &weaver(&format!("atomic {way}\n"))) {
            assert_eq!(woven.skipped, [], "{}", woven.class.name);
        }
        let printed = java(jdk, &checks, &[], &woven, name);
        assert_eq!(printed, expected, "{}, {way}", jdk.display());
    }
}

#[test]
fn a_program_with_everything_does_the_same() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for jdk in jdks {
        same_output(&jdk, "Everything", EVERYTHING);
    }
}

#[test]
fn loops_forget_what_does_not_hold_any_more() {
    let Some(jdk) = jdks().into_iter().next() else { return skip("no JDK") };
    same_output(&jdk, "Loops", LOOPS);
}

/// Compilers differ in which class a reference names.
#[test]
fn a_program_with_method_references_does_the_same() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for jdk in jdks {
        same_output(&jdk, "References", REFERENCES);
    }
}

/// The probes make jumps over most of the method too long for their short forms.
#[test]
fn long_methods_do_the_same() {
    let Some(jdk) = jdks().into_iter().next() else { return skip("no JDK") };
    let mut source = String::from(
        "public class Long { static long[] a = new long[4]; int i; static long s;\n
         long m(int n) { for (int k = 0; k < n; k++) { if (k % 2 == 0) { \n",
    );
    for i in 0..350 {
        // A long jump needs a place on its way where it can be taken up.
        let leave = if i % 50 == 0 { " if (s == 77) return 1;" } else { "" };
        writeln!(source, "a[{}] += i; i += (int) a[(i & 1) + 1] + {i}; s ^= i;{leave}", i % 4)
            .unwrap();
    }
    source += "} else { i--; } } return s + a[1]; }
        public static void main(String[] x) { System.out.println(new Long().m(5)); System.out.println(\"end\"); } }";
    same_output(&jdk, "Long", &source);
}

/// Monitors in all the ways that confuse compilers.
const MONITORS: &str = r#"
    public class Monitors {
        int n; final Object a = new Object(), b = new Object();
        synchronized int method(int i) { return n += i; }
        int block(int i) { synchronized (a) { n += i; return n; } }
        int nested(int i) {
            synchronized (a) {
                synchronized (b) { if (i % 3 == 0) return n; n += i; }
                if (i % 5 == 0) throw new IllegalStateException();
            }
            return n;
        }
        int loop(int i) {
            int sum = 0;
            while (i-- > 0) { synchronized (this) { sum += n; if (sum < 0) continue; } }
            return sum;
        }
        int table(int i) {
            try { switch (i % 4) { case 0: return block(i); case 1: return nested(i); case 2: return loop(i % 9); default: return method(i); } }
            catch (IllegalStateException e) { return i; }
            finally { n++; }
        }
        public static void main(String[] args) {
            Monitors m = new Monitors();
            long sum = 0;
            for (int i = 0; i < 60000; i++) sum += m.table(i) + m.loop(3);
            System.out.println("sum " + sum);
        }
    }
"#;

/// A method that cleans up.
const CLEANUP: &str = r#"
    public class Cleanup {
        int n;
        int work(int i) {
            try { if (i % 7 == 0) throw new IllegalStateException(); return n += i; }
            catch (IllegalStateException e) { return check(i); }
            finally { n++; }
        }
        int guarded(int i) {
            synchronized (this) {
                try { return check(i) + n; }
                catch (IllegalArgumentException e) { return check(i + 1); }
                finally { n++; }
            }
        }
        int check(int i) { if (i % 14 == 0) throw new IllegalArgumentException(); return i; }
        public static void main(String[] args) {
            Cleanup it = new Cleanup();
            long sum = 0;
            for (int i = 0; i < 60000; i++) {
                try { sum += it.work(i) + it.guarded(i); } catch (IllegalArgumentException e) { sum++; }
            }
            System.out.println("sum " + sum + it.n);
        }
    }
"#;

/// Makes the last `finally` of a method cover its own first instruction, too, as older compilers do.
fn cover_first_instruction(class: &Path, method: &str) {
    let mut bytes = std::fs::read(class).unwrap();
    let parsed = interloper_jvm::ClassFile::parse(&bytes).unwrap();
    let mut methods = parsed.methods.iter();
    let member = methods.find(|it| parsed.member_name(it) == method).unwrap();
    let code = parsed.code(member).unwrap().unwrap();
    let body = parsed.body(member, &code).unwrap();
    let finally = |it: &&ExceptionHandler| it.catch_type.is_none() && it.start < it.handler;
    let last = code.handlers.iter().rfind(finally).unwrap();
    let behind = body.instructions[body.index_at(last.handler).unwrap() + 1].pc;
    let entry = |end: u16| {
        let halves = [last.start.0, end, last.handler.0, 0];
        halves.iter().flat_map(|half| half.to_be_bytes()).collect::<Vec<u8>>()
    };
    let (old, new) = (entry(last.end.0), entry(behind.0));
    let at = bytes.windows(old.len()).position(|it| it == old).unwrap();
    bytes[at..at + new.len()].copy_from_slice(&new);
    std::fs::write(class, bytes).unwrap();
}

#[test]
fn woven_methods_with_handlers_that_cover_themselves_are_still_compiled() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for jdk in jdks {
        let folder = tempfile::tempdir().unwrap();
        let out = compile(&jdk, folder.path(), "Cleanup", CLEANUP);
        cover_first_instruction(&out.join("Cleanup.class"), "work");
        let woven = folder.path().join("woven");
        weave_folder(&out, &woven, &weaver("atomic methods\n"));
        let patch = stub(&jdk, folder.path(), Stub::Nothing);
        let expected = java(&jdk, &patch, &[], &out, "Cleanup");
        let called = "-XX:CompileCommand=dontinline,java.lang.Interloper*::*";
        let options = ["-Xverify:all", "-Xbatch", "-XX:+PrintCompilation", called];
        let printed = java(&jdk, &patch, &options, &woven, "Cleanup");
        assert!(printed.contains(expected.trim()), "{expected} {printed}");
        assert!(!printed.contains("COMPILE SKIPPED"), "{}: {printed}", jdk.display());
    }
}

/// Compilers refuse methods in which monitors and exception handlers do not fit together.
#[test]
fn woven_methods_with_monitors_are_still_compiled() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for (jdk, way) in jdks.iter().flat_map(|jdk| ["methods", "synchronized"].map(|way| (jdk, way)))
    {
        let folder = tempfile::tempdir().unwrap();
        let out = compile(jdk, folder.path(), "Monitors", MONITORS);
        let woven = folder.path().join("woven");
        weave_folder(&out, &woven, &weaver(&format!("atomic {way}\n")));
        let patch = stub(jdk, folder.path(), Stub::Nothing);
        let options =
            ["-Xbatch", "-XX:+PrintCompilation", "-XX:CompileCommand=dontinline,Monitors::*"];
        let printed = java(jdk, &patch, &options, &woven, "Monitors");
        let ours = || printed.lines().filter(|it| it.contains("Monitors::"));
        let refused =
            |line: &&str| line.contains("COMPILE SKIPPED") || line.contains("not compilable");
        let refused: Vec<&str> = ours().filter(refused).collect();
        assert!(refused.is_empty(), "{}, {way}: {refused:?}", jdk.display());
        for method in ["block", "nested", "table", "method"] {
            let name = format!("Monitors::{method} ");
            let best =
                ours().any(|it| it.contains(&name) && it.split_whitespace().any(|it| it == "4"));
            assert!(best, "{}, {way}: {method} is not fully compiled: {printed}", jdk.display());
        }
    }
}
