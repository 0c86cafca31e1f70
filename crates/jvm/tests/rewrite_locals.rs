//! Local variables that an edit adds: they have their value wherever code can be inserted, in exception
//! handlers too.
#![allow(clippy::unwrap_used)]

mod common;
mod filling;

use common::{classes_in, jdks, run, skip};
use filling::{Fill, LINKER, compile, fill_folder, slice};
use interloper_jvm::rewrite::{ClassEdit, CodeEdit, LocalKind, Refusal, Snippet};
use interloper_jvm::{ClassFile, Local, Pc};
use std::collections::BTreeSet;
use std::path::Path;

/// Exceptions that arrive in handlers of all kinds.
const CATCHES: &str = r#"
    public class Catches {
        static int arrived, left;
        public static void arrives(Thread thread, int n) { check(thread, n); arrived++; }
        public static void leaves(Thread thread, int n) { check(thread, n); left++; }
        static void check(Thread thread, int n) {
            if (thread != Thread.currentThread() || n != 1000) throw new Error();
        }
    }
"#;

const PROGRAM: &str = r#"
    public class Program {
        long wide = 5;
        Program(int i) { this(i > 2 ? "much" : null, i); }
        Program(String s, long l) { wide = s == null ? l : s.length() / (l - 3); }
        static int caught(int i) {
            try { return 12 / i; }
            catch (ArithmeticException e) { long last = i; return (int) last - 1; }
        }
        int locked(Object o, double d) {
            synchronized (o) { return o.hashCode() / (int) d; }
        }
        static int loop(int i) {
            do { try { i -= 12 / (i - 3); } finally { if (i > 3) i--; } } while (i > 3);
            return i;
        }
        public static void main(String[] args) {
            int sum = caught(3) + caught(0) + loop(9);
            try { new Program(2).locked("a", 0); } catch (ArithmeticException e) { sum += 100; }
            try { new Program(3); } catch (ArithmeticException e) { sum += 1000; }
            System.out.println("sum " + sum);
            System.out.println(Catches.arrived + " arrived, " + Catches.left + " left");
        }
    }
"#;

/// Code before the first instruction of every handler, and where exceptions leave.
fn watched(bytes: &[u8]) -> Vec<u8> {
    let class = ClassFile::parse(bytes).unwrap();
    let mut whole = ClassEdit::new(&class);
    for (method, member) in class.methods.iter().enumerate() {
        let code = class.code(member).unwrap().unwrap();
        let mut edit = CodeEdit::for_code(&code);
        let thread = edit.add_local(LocalKind::Reference("java/lang/Thread".into()));
        let number = edit.add_local(LocalKind::Int);
        let constants = whole.constants();
        let current = "()Ljava/lang/Thread;";
        let current = constants.method("java/lang/Thread", "currentThread", current).unwrap();
        let mut call = |name: &str| {
            let method = constants.method("Catches", name, "(Ljava/lang/Thread;I)V").unwrap();
            Snippet::new().load_reference(thread).load_int(number).invoke_static(method)
        };
        let (arrives, leaves) = (call("arrives"), call("leaves"));
        let entry = Snippet::new().invoke_static(current).store_reference(thread);
        edit.at_entry(entry.push_int(1000, || unreachable!()).store_int(number));
        edit.need_stack(2);
        for handler in &code.handlers {
            edit.before(handler.handler, arrives.clone());
        }
        if class.member_name(member) != "<init>" {
            edit.on_exception(Pc(0), leaves.throw());
        }
        whole.edit_code(method, &edit).unwrap();
    }
    whole.finish()
}

#[test]
fn handlers_begin_with_what_is_inserted_before_them() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for jdk in jdks {
        let folder = tempfile::tempdir().unwrap();
        let sources = folder.path().join("out");
        compile(&jdk, folder.path(), "Catches", CATCHES);
        let path = folder.path().join("Program.java");
        std::fs::write(&path, PROGRAM).unwrap();
        let out = sources.to_str().unwrap();
        run(&jdk, "javac", &["-g", "-cp", out, "-d", out, path.to_str().unwrap()]);
        let java = ["-Xverify:all", "-cp", out, "Program"];
        let wanted = run(&jdk, "java", &java).lines().next().unwrap().to_owned();
        let path = sources.join("Program.class");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, watched(&bytes)).unwrap();
        let printed = run(&jdk, "java", &java);
        assert!(printed.starts_with(&wanted), "{wanted} {printed}");
        // Into `caught`, out of the lock, twice into `main`; the loop ends well.
        assert!(printed.contains("4 arrived, 1 left"), "{printed}");
    }
}

/// The classes of a jar, filled, with the jar itself behind them.
fn jar_links_filled(jdk: &Path, jar: &Path, fill: Fill) {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    for folder in [&old, &new] {
        std::fs::create_dir(folder).unwrap();
    }
    let jar_tool = std::process::Command::new(jdk.join("bin/jar"))
        .args(["xf", jar.to_str().unwrap()])
        .current_dir(&old)
        .status();
    assert!(jar_tool.unwrap().success());
    let mut classes = slice(classes_in(&old));
    classes.retain(|path| !path.starts_with(old.join("META-INF")));
    let (count, refused) = fill_folder(&old, &new, &classes, fill);
    let out = compile(jdk, folder.path(), "Linker", LINKER);
    let link = |first: &Path| {
        let path = [first, &old, &out].map(|it| it.to_str().unwrap()).join(":");
        let of = new.to_str().unwrap();
        run(jdk, "java", &["-Xverify:all", "-cp", &path, "Linker", of])
    };
    let failures = |printed: &str| -> BTreeSet<String> {
        let failed = printed.lines().filter_map(|line| line.strip_prefix("FAILED "));
        failed.map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect()
    };
    let printed = link(&new);
    let summary = printed.lines().last().unwrap_or_default();
    println!("{}: {count} classes, {refused} methods refused, {summary}", jar.display());
    assert!(refused < 40, "{refused}");
    // What cannot be linked for want of the right libraries failed before, too.
    let failed = failures(&printed);
    let before = if failed.is_empty() { failed.clone() } else { failures(&link(&old)) };
    assert_eq!(failed, before, "{}: {printed}", jar.display());
}

/// Compilers other than `javac`, and classes from before there were stack maps.
#[test]
fn jars_link_with_local_variables_everywhere() {
    let jdks = jdks();
    let Some(jdk) = jdks.first() else { return skip("no JDK") };
    let names = ["guava", "batik-all", "groovy-2.4.21", "derby", "itext5", "kotlin-stdlib-1.3.31"];
    let jars = names.map(|name| Path::new("/usr/share/java").join(format!("{name}.jar")));
    let mut found = jars.iter().filter(|jar| jar.exists()).peekable();
    if found.peek().is_none() {
        return skip("no jars");
    }
    for jar in found {
        jar_links_filled(jdk, jar, Fill { padding: 1, taker: Some("Taker") });
    }
}

#[test]
fn slots_are_counted_from_the_end_of_the_methods() {
    let bytes = common::class_with(&[0x00, 0xb1], &[]);
    let class = ClassFile::parse(&bytes).unwrap();
    let code = class.code(&class.methods[0]).unwrap().unwrap();
    let max_locals = |edit: &CodeEdit| {
        let mut whole = ClassEdit::new(&class);
        whole.edit_code(0, edit)?;
        let bytes = whole.finish();
        let class = ClassFile::parse(&bytes).unwrap();
        Ok(class.code(&class.methods[0]).unwrap().unwrap().max_locals)
    };
    let mut edit = CodeEdit::for_code(&code);
    assert_eq!(edit.add_local(LocalKind::Int), Local(9));
    assert_eq!(edit.temporaries(4), Local(10));
    assert_eq!(edit.add_local(LocalKind::Int), Local(14));
    assert_eq!(max_locals(&edit), Ok(15));
    edit.temporaries(u16::MAX - 15);
    assert_eq!(max_locals(&edit), Ok(u16::MAX));
    edit.temporaries(1);
    assert_eq!(max_locals(&edit), Err(Refusal::TooManySlots(65_536)));
    let mut edit = CodeEdit::new();
    edit.temporaries(1);
    assert_eq!(max_locals(&edit), Err(Refusal::OtherCode));
}
