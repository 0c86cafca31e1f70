//! Classes with code at every place where the rewriter can insert some, and whether they link.
#![allow(dead_code)]

use crate::common::run;
use interloper_jvm::rewrite::{ClassEdit, CodeEdit, LocalKind, Refusal, Snippet};
use interloper_jvm::{ClassFile, Instruction, Local, Pc};
use std::path::{Path, PathBuf};

/// All of them, or one in sixteen where tests have to be quick.
pub fn slice(classes: Vec<PathBuf>) -> Vec<PathBuf> {
    let step = if std::env::var_os("CI").is_some() { 16 } else { 1 };
    classes.into_iter().step_by(step).collect()
}

/// What is put everywhere.
#[derive(Debug, Clone, Copy)]
pub struct Fill {
    /// So many bytes that do nothing at each place, more or less.
    pub padding: usize,
    /// A class with a static method `take(String, int)`, to be called everywhere with local variables
    /// of the edit.
    pub taker: Option<&'static str>,
}

/// The local variables of an edit that are used everywhere.
struct Locals {
    text: Local,
    number: Local,
    /// Two slots.
    temporary: Local,
}

impl Locals {
    fn add(edit: &mut CodeEdit) -> Locals {
        let text = edit.add_local(LocalKind::Reference("java/lang/String".into()));
        // Frames have to pass over the temporaries.
        let temporary = edit.temporaries(2);
        Locals { text, number: edit.add_local(LocalKind::Int), temporary }
    }
}

fn nothing(bytes: usize) -> Snippet {
    let pad = (0..bytes).fold(Snippet::new(), |snippet, _| snippet.nop());
    pad.push_int(3, || unreachable!()).pop()
}

/// Code before and after every instruction and around every method.
fn everywhere(whole: &mut ClassEdit<'_>, method: usize, fill: Fill) -> Option<CodeEdit> {
    let class = whole.class();
    let member = &class.methods[method];
    let code = class.code(member).unwrap()?;
    let body = class.body(member, &code).unwrap();
    let mut edit = CodeEdit::for_code(&code);
    let mut entry = nothing(1);
    let mut used = None;
    if let Some(taker) = fill.taker {
        let locals = Locals::add(&mut edit);
        let constants = whole.constants();
        let take = constants.method(taker, "take", "(Ljava/lang/String;I)V").unwrap();
        entry = entry.load_constant(constants.string("text").unwrap());
        entry = entry.store_reference(locals.text).push_int(7, || unreachable!());
        entry = entry.store_int(locals.number);
        used = Some((locals, take));
    }
    let using = |snippet: Snippet| match &used {
        Some((Locals { text, number, .. }, take)) => {
            snippet.load_reference(*text).load_int(*number).invoke_static(*take)
        }
        None => snippet,
    };
    edit.need_stack(2);
    edit.at_entry(entry);
    let padding = fill.padding;
    for (i, located) in body.instructions.iter().enumerate() {
        let mut before = using(nothing((i * 7 + padding) % (padding + 1)));
        if let (Instruction::Return(Some(kind)), Some((locals, _))) = (located.instruction, &used) {
            before = before.store(kind, locals.temporary).load(kind, locals.temporary);
        }
        edit.before(located.pc, before);
        if located.instruction.falls_through() {
            edit.after(located.pc, using(nothing(padding / 2)));
        }
    }
    if class.member_name(member) != "<init>" {
        edit.on_exception(Pc(0), using(Snippet::new()).throw());
    }
    Some(edit)
}

/// The class with code everywhere; and how many methods did not take it.
pub fn filled(bytes: &[u8], fill: Fill) -> (Vec<u8>, usize) {
    let class = ClassFile::parse(bytes).unwrap();
    let mut edit = ClassEdit::new(&class);
    let mut refused = 0;
    for method in 0..class.methods.len() {
        let Some(code_edit) = everywhere(&mut edit, method, fill) else { continue };
        match edit.edit_code(method, &code_edit) {
            Ok(()) => {}
            Err(Refusal::TooLong(_) | Refusal::Jump(_)) => refused += 1,
            Err(refusal) => panic!("{}: {refusal}", class.name),
        }
    }
    (edit.finish(), refused)
}

/// Fills the classes of a folder, writes them into another; how many classes, how many methods
/// refused.
pub fn fill_folder(from: &Path, to: &Path, classes: &[PathBuf], fill: Fill) -> (usize, usize) {
    let (mut count, mut methods_refused) = (0, 0);
    for path in classes {
        let inside = path.strip_prefix(from).unwrap();
        // The JVM puts code of its own into the constructor of Object.
        let kept = ["module-info.class", "java/lang/Object.class"];
        if kept.iter().any(|it| inside.ends_with(it)) {
            continue;
        }
        let (bytes, refused) = filled(&std::fs::read(path).unwrap(), fill);
        methods_refused += refused;
        count += 1;
        let path = to.join(inside);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    (count, methods_refused)
}

/// Links every class of a folder, or of java.base, without initialising any.
pub const LINKER: &str = r#"
    import java.net.URI;
    import java.nio.file.*;
    import java.util.*;
    public class Linker {
        public static void main(String[] args) throws Exception {
            int linked = 0, failed = 0;
            boolean own = args.length > 0;
            Path base = own ? Paths.get(args[0])
                : FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
            ClassLoader loader = own ? Linker.class.getClassLoader() : null;
            List<Path> files = new ArrayList<>();
            try (var walk = Files.walk(base)) { walk.forEach(files::add); }
            for (Path file : files) {
                String name = base.relativize(file).toString();
                if (!name.endsWith(".class") || name.equals("module-info.class")) continue;
                name = name.substring(0, name.length() - 6).replace('/', '.');
                try {
                    // Asking for the methods links the class.
                    Class.forName(name, false, loader).getDeclaredMethods();
                    linked++;
                } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError e) {
                    System.out.println("FAILED " + name + ": " + e);
                    failed++;
                } catch (LinkageError | ClassNotFoundException | SecurityException e) {
                    // Something that this machine does not have.
                }
            }
            System.out.println("linked " + linked + ", failed " + failed);
        }
    }
"#;

/// Compiles one class; where it is then.
pub fn compile(jdk: &Path, folder: &Path, name: &str, source: &str) -> PathBuf {
    let path = folder.join(format!("{name}.java"));
    std::fs::write(&path, source).unwrap();
    let out = folder.join("out");
    run(jdk, "javac", &["-g", "-d", out.to_str().unwrap(), path.to_str().unwrap()]);
    out
}
