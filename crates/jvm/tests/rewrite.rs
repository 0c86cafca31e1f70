//! The rewriter on real classes: without edits nothing changes; with code inserted everywhere classes
//! still link under full verification and methods are still compiled.
#![allow(clippy::unwrap_used)]

mod common;
mod filling;

use common::{classes_in, jdks, program, run, skip, unpack};
use filling::{Fill, LINKER, compile, fill_folder, filled, slice};
use interloper_jvm::rewrite::{ClassEdit, CodeEdit, LocalKind, NewMethod, Refusal, Snippet};
use interloper_jvm::{
    AccessFlags, ClassFile, Constant, Instruction, Local, Pc, PoolIndex, ValueKind,
};
use std::path::Path;
use std::process::Command;

#[test]
fn nothing_inserted_nothing_changed() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for jdk in jdks {
        let folder = tempfile::tempdir().unwrap();
        unpack(&jdk, folder.path());
        for path in slice(classes_in(folder.path())) {
            let bytes = std::fs::read(&path).unwrap();
            let class = ClassFile::parse(&bytes).unwrap();
            let mut edit = ClassEdit::new(&class);
            for method in 0..class.methods.len() {
                match edit.edit_code(method, &CodeEdit::new()) {
                    Ok(()) | Err(Refusal::NoCode) => {}
                    Err(refusal) => panic!("{}: {refusal}", path.display()),
                }
            }
            assert!(edit.finish() == bytes, "{} changed", path.display());
        }
    }
}

/// What inserted code calls in java.base; a class that the JVM finds before all others.
const TAKER: &str = r#"
    package java.lang;
    public class Taker { public static void take(String text, int number) {} }
"#;

fn compile_taker(jdk: &Path, folder: &Path, to: &Path) {
    let path = folder.join("Taker.java");
    std::fs::write(&path, TAKER).unwrap();
    let patch = format!("java.base={}", folder.display());
    let to = to.to_str().unwrap();
    run(jdk, "javac", &["--patch-module", &patch, "-d", to, path.to_str().unwrap()]);
}

fn java_base_links_filled(jdk: &Path, fill: Fill) {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    unpack(jdk, &old);
    let root = classes_in(&old)[0].clone();
    let root = root.ancestors().find(|it| it.join("java/lang/Object.class").exists());
    let root = root.unwrap().to_owned();
    let classes = slice(classes_in(&root));
    let (classes, refused) = fill_folder(&root, &new, &classes, fill);
    compile_taker(jdk, folder.path(), &new);
    let out = compile(jdk, folder.path(), "Linker", LINKER);
    let patch = format!("java.base={}", new.display());
    let args = ["--patch-module", &patch, "-Xverify:all", "-Xshare:off", "-cp"];
    let args = [&args[..], &[out.to_str().unwrap(), "Linker"]].concat();
    let printed = run(jdk, "java", &args);
    let home = jdk.display();
    println!("{home}: {fill:?}: {classes} classes, {refused} methods refused");
    assert!(printed.contains("failed 0"), "{home}: {printed}");
    assert!(refused < 40 + 10 * fill.padding, "{refused}");
}

#[test]
fn java_base_links_with_code_everywhere() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for jdk in jdks {
        // Enough to make jumps too long for their short forms, and a few methods too long altogether.
        for padding in [1, 24] {
            java_base_links_filled(&jdk, Fill { padding, taker: None });
        }
    }
}

#[test]
fn java_base_links_with_local_variables_everywhere() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for jdk in jdks {
        for padding in [1, 18] {
            java_base_links_filled(&jdk, Fill { padding, taker: Some("java/lang/Taker") });
        }
    }
}

/// Monitors in all the ways that confuse compilers.
const MONITORS: &str = r#"
    public class Monitors {
        int n; final Object a = new Object(), b = new Object();
        synchronized int method(int i) { return n += i; }
        static synchronized int fixed(int i) { return i * 3; }
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
            catch (IllegalStateException e) { return fixed(i); }
            finally { n++; }
        }
        public static void main(String[] args) {
            Monitors m = new Monitors();
            long sum = 0;
            for (int i = 0; i < 60000; i++) sum += m.table(i) + fixed(i) + m.loop(3);
            System.out.println("sum " + sum);
        }
    }
"#;

#[test]
fn methods_with_monitors_are_still_compiled() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for jdk in jdks {
        for taker in [None, Some("Taker")] {
            monitors_are_compiled(&jdk, Fill { padding: 3, taker });
        }
    }
}

/// What inserted code calls in programs: the local variables must have their values.
const STRICT_TAKER: &str = r#"
    public class Taker {
        static void take(String text, int number) {
            if (text != "text" || number != 7) throw new Error(text + number);
        }
    }
"#;

fn monitors_are_compiled(jdk: &Path, fill: Fill) {
    let folder = tempfile::tempdir().unwrap();
    let out = compile(jdk, folder.path(), "Monitors", MONITORS);
    compile(jdk, folder.path(), "Taker", STRICT_TAKER);
    let class_path = out.to_str().unwrap();
    let wanted = run(jdk, "java", &["-cp", class_path, "Monitors"]);
    let path = out.join("Monitors.class");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, filled(&bytes, fill).0).unwrap();
    let args = ["-Xverify:all", "-Xbatch", "-XX:+PrintCompilation", "-cp", class_path];
    let output = Command::new(jdk.join("bin/java")).args(args).arg("Monitors").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains(wanted.trim()), "{wanted} {printed}");
    // (`made not entrant` is how the JVM speaks of code that a better version replaces.)
    let bad = |line: &&str| {
        line.contains("Monitors::")
            && (line.contains("COMPILE SKIPPED") || line.contains("not compilable"))
    };
    let bad: Vec<&str> = printed.lines().filter(bad).collect();
    assert!(bad.is_empty(), "{}: {bad:?}", jdk.display());
    for method in ["method", "block", "nested", "loop", "table", "fixed"] {
        let at = format!("Monitors::{method} ");
        let levels: Vec<&str> = printed
            .lines()
            .filter(|line| line.contains(&at))
            .flat_map(|line| line.split_whitespace())
            .filter(|word| ["3", "4"].contains(word))
            .collect();
        // Some are soon part of their callers.
        let highest = if ["fixed", "loop", "method"].contains(&method) { "3" } else { "4" };
        assert!(levels.contains(&highest), "{method} was not compiled: {printed}");
    }
}

/// The program runs to the same result with code everywhere and with a field more.
#[test]
fn fields_and_constants_can_be_added() {
    let Some(classes) = program() else { return skip("no JDK") };
    let bytes = &classes.iter().find(|it| it.0 == "Program.class").unwrap().1;
    let class = ClassFile::parse(bytes).unwrap();
    let mut edit = ClassEdit::new(&class);
    let known = edit.constants().class("java/lang/Runnable").unwrap();
    assert_eq!(class.pool.class_name(known).unwrap(), "java/lang/Runnable", "is used again");
    let first = edit.constants().method("a/B", "m\u{1f600}", "()V").unwrap();
    assert_eq!(edit.constants().method("a/B", "m\u{1f600}", "()V").unwrap(), first);
    edit.add_field(AccessFlags::VOLATILE, "state", "J").unwrap();
    let bytes = edit.finish();
    let class = ClassFile::parse(&bytes).unwrap();
    let field = class.fields.last().unwrap();
    assert_eq!((class.member_name(field), field.access), ("state".into(), AccessFlags::VOLATILE));
    let method = class.pool.method(first).unwrap();
    assert_eq!((&*method.class, &*method.name), ("a/B", "m\u{1f600}"));
}

/// A program in which a call site is led to a method that was added.
const REFERENCES: &str = r#"
    public class References {
        static void old() { System.out.println("old"); }
        void other() { System.out.println("other"); }
        public static void main(String[] args) {
            Runnable first = References::old;
            java.util.concurrent.Callable<Long> second = System::nanoTime;
            first.run();
            System.out.println("end");
            Runnable other = new References()::other;
            other.run();
        }
    }
"#;

#[test]
fn call_sites_can_be_led_to_added_methods() {
    let Some(jdk) = jdks().into_iter().next() else { return skip("no JDK") };
    let folder = tempfile::tempdir().unwrap();
    let out = compile(&jdk, folder.path(), "References", REFERENCES);
    let path = out.join("References.class");
    let bytes = std::fs::read(&path).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let mut edit = ClassEdit::new(&class);
    let finish = edit.constants().method("java/lang/Thread", "dumpStack", "()V").unwrap();
    let method = NewMethod {
        access: AccessFlags(AccessFlags::PRIVATE.0 | AccessFlags::STATIC.0),
        name: "added: by hand",
        descriptor: "()V",
        code: Snippet::new().invoke_static(finish).return_from_method(None),
        max_stack: 0,
        max_locals: 0,
        line: 77,
    };
    edit.add_method(&method).unwrap();
    let added = edit.constants().method("References", method.name, "()V").unwrap();
    let handle = edit.constants().static_handle(added).unwrap();
    let site = class
        .pool
        .constants()
        .iter()
        .position(|it| matches!(it, Constant::InvokeDynamic { bootstrap: 0, .. }));
    let site = PoolIndex(site.unwrap() as u16);
    assert_eq!(edit.set_bootstrap_argument(site, 3, handle), Err(Refusal::NoBootstrap));
    assert_eq!(edit.set_bootstrap_argument(PoolIndex(0), 1, handle), Err(Refusal::NoBootstrap));
    edit.set_bootstrap_argument(site, 1, handle).unwrap();
    std::fs::write(&path, edit.finish()).unwrap();
    let mut java = Command::new(jdk.join("bin/java"));
    let output = java.args(["-Xverify:all", "-cp"]).arg(out).arg("References").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "end\nother\n");
    let stack = String::from_utf8_lossy(&output.stderr);
    assert!(stack.contains("References.added: by hand(References.java:77)"), "{stack}");
}

const GUARDED: &str = r#"
    public class Guarded {
        int half(int n, double factor) {
            for (int i = 0; i < n; i++) if (factor * i > 4) return i;
            return n / 2;
        }
        public static void main(String[] args) {
            Guarded g = new Guarded();
            System.out.println(g.half(0, 1) + " " + g.half(4, 1) + " " + g.half(9, 1));
            for (var method : Guarded.class.getDeclaredMethods()) {
                if (method.isSynthetic()) System.out.println(method);
            }
        }
    }
"#;

#[test]
fn a_guard_leads_round_the_body() {
    let Some(jdk) = jdks().into_iter().next() else { return skip("no JDK") };
    let folder = tempfile::tempdir().unwrap();
    let out = compile(&jdk, folder.path(), "Guarded", GUARDED);
    let path = out.join("Guarded.class");
    let bytes = std::fs::read(&path).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let index = class.methods.iter().position(|it| class.member_name(it) == "half").unwrap();
    let code = class.code(&class.methods[index]).unwrap().unwrap();
    let mut edit = ClassEdit::new(&class);
    let private = AccessFlags(AccessFlags::PRIVATE.0 | AccessFlags::SYNTHETIC.0);
    edit.copy_method(index, private, "copy").unwrap();
    let copy = edit.constants().method("Guarded", "copy", "(ID)I").unwrap();
    let mut guarded = CodeEdit::for_code(&code);
    let own = guarded.add_local(LocalKind::Int);
    guarded.at_entry(Snippet::new().load_int(Local(1)).store_int(own));
    let condition = Snippet::new().load_int(own);
    // The copy goes as far as to what is more than four, the body to the end.
    let none = || PoolIndex(0);
    let then = Snippet::new().push_int(3, none).store_int(Local(1));
    let otherwise = Snippet::new().load_reference(Local(0)).push_int(9, none);
    let otherwise = otherwise.load(ValueKind::Double, Local(2)).invoke_special(copy);
    let otherwise = otherwise.return_from_method(Some(ValueKind::Int));
    guarded.guard(vec![condition.clone(), condition], then, otherwise);
    guarded.on_exception(Pc(0), Snippet::new().throw());
    guarded.need_stack(4);
    edit.edit_code(index, &guarded).unwrap();
    std::fs::write(&path, edit.finish()).unwrap();
    let args = ["-Xverify:all", "-cp", out.to_str().unwrap(), "Guarded"];
    let printed = run(&jdk, "java", &args);
    assert_eq!(printed, "5 1 1\nprivate int Guarded.copy(int,double)\n");
}

/// A jump over more than 32 KB: a conditional one takes an island.
#[test]
fn far_jumps_take_islands() {
    // iconst_0; ifne END; goto BACK…; nops; return
    let mut code = vec![0x03, 0x9a, 0, 0];
    code.extend([0x00; 300]);
    code.extend([0xb1]); // return: an island can stand behind it
    code.extend([0x00; 300]);
    code.extend([0xa7, 0, 0]); // goto the beginning
    let end = code.len();
    code.extend([0xb1]);
    let offset = (end - 1) as i16;
    code[2..4].copy_from_slice(&offset.to_be_bytes());
    let back = end - 3;
    code[back + 1..back + 3].copy_from_slice(&(-(back as i16)).to_be_bytes());
    // Version 49 needs no frames.
    let mut bytes = common::class_with(&code, &[]);
    bytes[7] = 49;
    let class = ClassFile::parse(&bytes).unwrap();
    let long = (0..100).fold(Snippet::new(), |snippet, _| snippet.nop());
    let mut edit = CodeEdit::new();
    for pc in (4..600).filter(|pc| *pc != 304) {
        edit.before(Pc(pc), long.clone());
    }
    let mut whole = ClassEdit::new(&class);
    whole.edit_code(0, &edit).unwrap();
    let bytes = whole.finish();
    let class = ClassFile::parse(&bytes).unwrap();
    let method = &class.methods[0];
    let code = class.code(method).unwrap().unwrap();
    assert!(code.bytecode.len() > 59_000);
    let body = class.body(method, &code).unwrap();
    let at = |pc: Pc| body.instructions[body.index_at(pc).unwrap()].instruction;
    let Instruction::IfZero(_, island) = body.instructions[1].instruction else { panic!() };
    let Instruction::Goto(target) = at(island) else { panic!("no island at {island:?}") };
    assert_eq!(at(target), Instruction::Return(None));
    assert_eq!(usize::from(target.0), code.bytecode.len() - 1);
    let last = body.instructions[body.instructions.len() - 2].instruction;
    assert_eq!(last, Instruction::Goto(Pc(0)), "the way back is long, too");
}

/// What does not fit is refused, and the rest of the class is not touched by it.
#[test]
fn methods_that_grow_too_long_are_refused() {
    let bytes = common::class_with(&[0x00, 0xb1], &[]);
    let class = ClassFile::parse(&bytes).unwrap();
    let mut edit = CodeEdit::new();
    edit.before(Pc(1), (0..70_000).fold(Snippet::new(), |snippet, _| snippet.nop()));
    let mut whole = ClassEdit::new(&class);
    assert_eq!(whole.edit_code(0, &edit), Err(Refusal::TooLong(70_002)));
    let mut edit = CodeEdit::new();
    edit.before(Pc(7), Snippet::new().nop());
    assert_eq!(whole.edit_code(0, &edit), Err(Refusal::NoInstruction(7)));
    assert_eq!(whole.edit_code(3, &CodeEdit::new()), Err(Refusal::NoCode));
    assert_eq!(whole.finish(), bytes);
}
