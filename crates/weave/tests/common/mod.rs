//! What the tests of woven classes share: a probe that does nothing or checks how it is called.
#![allow(dead_code)]

#[path = "../../../jvm/tests/common/mod.rs"]
mod classes;

#[allow(unused_imports)]
pub use classes::{classes_in, jdks, run, skip, unpack};
use interloper_weave::{Config, Loaded, Weaver, Woven};
use std::path::{Path, PathBuf};
use std::process::Command;

/// All of them, or one in sixteen where tests have to be quick.
pub fn slice(classes: Vec<PathBuf>) -> Vec<PathBuf> {
    let step = if std::env::var_os("CI").is_some() { 16 } else { 1 };
    classes.into_iter().step_by(step).collect()
}

/// The methods of the probe by their parameters: context (C), object (O), class (K), int (I), boolean
/// (Z).
const PROBES: &[(&str, &str)] = &[
    ("OCI", "entered exiting waiting waited notifying locked unlocking readLocked readUnlocking"),
    ("OCI", "writeLocked writeUnlocking awaiting awaited acquiring releasing released signalled"),
    ("OICI", "acquiringSome"),
    ("OCI", "awaitingUnlessInterrupted arriving arrived"),
    ("ZOCI", "lockedIf readLockedIf writeLockedIf signalledIf"),
    ("OCI", "countingDown countedDown completing finding phaseArriving phaseMeeting"),
    ("OJCI", "unstamping restamping"),
    ("JOCI", "readStamped writeStamped glanced counted"),
    ("IOCI", "phasePassed"),
    ("OOCI", "exchanging exchanged invokedAll"),
    ("ZOCI", "validatedIf"),
    ("OO", "cloned views condition"),
    ("OCI", "read write atomicRead atomicWrite atomicUpdate atomicTry"),
    ("OCI>", "readFirst writeFirst"),
    ("OCII>", "readNext writeNext"),
    ("OCIII", "readLast writeLast"),
    ("KCI", "readStatic writeStatic"),
    ("OICI", "readElement writeElement readElementAgain writeElementAgain"),
    ("OCII>", "readSince writeSince"),
    ("KCII>", "readStaticSince"),
    ("OICIR>", "readElementSince writeElementSince readElementAgainSince writeElementAgainSince"),
    ("OICI", "atomicReadElement atomicWriteElement atomicUpdateElement atomicTryElement"),
    ("ZCI", "tried"),
    ("OOCI=", "updating"),
    ("OCI", "updated"),
    ("OICI", "updatedElement"),
    ("OOOCI=", "handleUpdating"),
    ("OOCI", "handleUpdated"),
    ("OOCI", "handleGet handleSet handleRead handleWrite handleUpdate handleTry"),
    ("ZOOCI", "handleTried"),
    ("OOICI", "handleGetElement handleSetElement handleReadElement handleWriteElement"),
    ("OOICI", "handleUpdateElement handleTryElement"),
    ("ZOOICI", "handleTriedElement"),
    ("OCI", "getting got putting"),
    ("T", "starting joined"),
    ("O", "submitted begins running done settled failed found either"),
    ("ZO", "asked"),
];

/// What both probes answer alike.
const BOTH: &str = "
    public static boolean same(int a, int b) { return a == b; }
    public static boolean same(long a, long b) { return a == b; }
    public static boolean same(float a, float b) { return a == b; }
    public static boolean same(double a, double b) { return a == b; }
    public static boolean same(Object a, Object b) { return a == b; }
    public static InterloperRun nowhere() { return new InterloperRun(2); }
    public static void leaving(Throwable exception) { }
    public static Object only(Object o, int guard) {
        String name = o == null ? \"\" : o.getClass().getSuperclass().getName();
        return name.startsWith(\"java.util.concurrent.\") ? o : null;
    }
";

/// The probe's methods that are not in [`PROBES`], which do nothing.
const NOTHING: &str = "
    static final InterloperThread ONE = new InterloperThread();
    public static InterloperThread here() { return ONE; }
    public static int begin(InterloperThread c, int m) { return 0; }
    public static int beginLeaf(InterloperThread c, int m) { return 0; }
    public static void endLeaf(InterloperThread c, int s) { }
    public static void closeLeaf(InterloperThread c, int s) { }
    public static int depth(InterloperThread c) { return 0; }
    public static boolean isPlain(InterloperThread c) { return true; }
    public static boolean readTold(Object o, InterloperThread c, int s) { return true; }
    public static boolean writeTold(Object o, InterloperThread c, int s) { return false; }
    public static boolean readsTold(Object o, InterloperThread c, int s) { return true; }
    public static boolean writesTold(Object o, InterloperThread c, int s) { return false; }
    public static int since(InterloperThread c) { return 0; }
    public static void beginTold(InterloperThread c) { }
    public static void closeTold(InterloperThread c) { }
    public static void end(InterloperThread c, int s) { }
    public static void caught(InterloperThread c, int s) { }
    public static void leave(InterloperThread c) { }
    public static void close(InterloperThread c) { }
    public static void poll(InterloperThread c) { }
    public static void beginBlock(InterloperThread c, int m) { }
    public static void endBlock(InterloperThread c) { }
    public static void made(Object o, InterloperThread c, int s) { }
    public static void madeArray(Object o, InterloperThread c) { }
    public static void handingOver(InterloperThread c) { }
    public static void finish() { }
";

/// The same, with the rules checked and, if asked for, every call printed.
const CHECKS: &str = "
    static final ThreadLocal<InterloperThread> CONTEXTS = new ThreadLocal<>();
    static final boolean PRINT = Boolean.getBoolean(\"print\");
    static void told(String what) { if (PRINT) System.out.println(\"  \" + what); }
    static void rule(boolean kept, String what) {
        if (!kept) {
            new Error(what).printStackTrace(System.out);
            Runtime.getRuntime().halt(3);
        }
    }
    static void closed(InterloperThread c, String what) { rule(!c.open, \"window open at \" + what); }
    public static InterloperThread here() {
        InterloperThread c = CONTEXTS.get();
        if (c == null) CONTEXTS.set(c = new InterloperThread());
        closed(c, \"here\");
        return c;
    }
    public static int begin(InterloperThread c, int m) { return begun(c, \"begin\"); }
    public static int beginLeaf(InterloperThread c, int m) { begun(c, \"beginLeaf\"); c.leaf = true; return c.depth - 1; }
    static int begun(InterloperThread c, String what) {
        closed(c, what); told(what); rule(!c.leaf, \"in a leaf\"); c.told = false; return c.depth++;
    }
    public static boolean isPlain(InterloperThread c) { closed(c, \"isPlain\"); return true; }
    public static boolean readTold(Object o, InterloperThread c, int s) { return look(o, c, s, \"readTold\"); }
    public static boolean writeTold(Object o, InterloperThread c, int s) { return look(o, c, s, \"writeTold\"); }
    public static boolean readsTold(Object o, InterloperThread c, int s) { return look(o, c, s, \"readsTold\"); }
    public static boolean writesTold(Object o, InterloperThread c, int s) { return look(o, c, s, \"writesTold\"); }
    static boolean look(Object o, InterloperThread c, int site, String what) {
        // Those of the sequences say themselves whether there is nothing to do.
        boolean nothing = o == null || (PRINT ? Boolean.getBoolean(\"told\") : c.polls++ % 4 != 3);
        if (nothing) {
            told(what); c.open = true; c.known.put(o, o); c.bySite.put(site, o);
        } else {
            c.close();
        }
        return nothing;
    }
    public static int since(InterloperThread c) { rule(c.open, \"since\"); return c.tick; }
    public static void beginTold(InterloperThread c) {
        rule(c.open && !c.leaf, \"beginTold\"); told(\"beginTold\"); c.told = true;
    }
    public static void closeTold(InterloperThread c) { told(\"closeTold\"); c.close(); }
    public static void made(Object o, InterloperThread c, int s) { closed(c, \"made\"); }
    public static void madeArray(Object o, InterloperThread c) { closed(c, \"madeArray\"); }
    public static void handingOver(InterloperThread c) { closed(c, \"handingOver\"); }
    public static int depth(InterloperThread c) { closed(c, \"depth\"); return c.depth; }
    public static void end(InterloperThread c, int s) { c.close(); ended(c, \"end\", s); }
    public static void closeLeaf(InterloperThread c, int s) {
        c.close(); rule(c.leaf || c.told, \"no leaf\"); ended(c, \"closeLeaf\", s);
    }
    public static void endLeaf(InterloperThread c, int s) { rule(c.leaf || c.told, \"no leaf\"); ended(c, \"endLeaf\", s); }
    static void ended(InterloperThread c, String what, int s) {
        closed(c, what); told(what);
        if (c.told) { c.told = false; rule(c.depth == s, \"depth of what was told\"); return; }
        rule(c.depth > s, \"depth \" + c.depth + \" at end of \" + s); c.depth = s; c.leaf = false;
    }
    public static void caught(InterloperThread c, int s) {
        told(\"caught\"); rule(c.depth >= s, \"depth too low\"); c.close(); c.depth = s;
    }
    public static void leave(InterloperThread c) { told(\"leave\"); c.close(); }
    public static void close(InterloperThread c) {
        if (!c.open && c.skipped > 0) c.skipped--;
        told(\"close\"); c.close();
    }
    public static void poll(InterloperThread c) { told(\"poll\"); if (c.polls++ % 3 == 2) c.close(); }
    static int since(Object o, InterloperThread c, int site, int since, boolean bySite) {
        rule(since == 2 || since % 4 == 0, \"no number of windows\");
        if (since == c.tick) {
            rule(c.open, \"closed since\");
            rule(bySite ? c.bySite.get(site) == o : c.known.containsKey(o), \"another object since\");
        }
        c.open = true;
        c.bySite.put(site, o);
        c.known.put(o, o);
        return c.tick;
    }
    static int first(Object o, InterloperThread c, int site) {
        // Some have to take their object over.
        if (c.polls++ % 3 == 2) c.close();
        c.open = true;
        c.bySite.put(site, o);
        c.known.put(o, o);
        return c.tick | c.polls % 2;
    }
    static int next(Object o, InterloperThread c, int site, int since) {
        if (since != 2 && (since & -4) == c.tick) {
            rule(c.open, \"closed since the first\");
            rule(c.known.containsKey(o), \"another object than the first\");
            return since;
        }
        c.open = true;
        c.known.put(o, o);
        return c.tick | 3;
    }
    static void last(Object o, InterloperThread c, int site, int since, int first) {
        if (next(o, c, site, since) == c.tick) rule(c.bySite.get(first) == o, \"another first one\");
    }
    public static void finish() {
        InterloperThread c = here();
        rule(c.depth == 0, \"depth \" + c.depth + \" in the end\");
    }
    public static void beginBlock(InterloperThread c, int m) { begun(c, \"beginBlock\"); }
    public static void endBlock(InterloperThread c) {
        closed(c, \"endBlock\"); told(\"endBlock\"); rule(c.depth > 0, \"depth\"); c.depth--;
    }
";

/// Begins blocks that may turn out not to be atomic; it asks nobody else, and prints what it was told.
const STARTS: &str = "package java.lang;
public class InterloperStarts {
    public static int begin(InterloperThread c, int m, Class<?> of, String names) {
        if (Boolean.getBoolean(\"print\")) System.out.println(\"  \" + of.getName() + \" unless \" + names);
        return InterloperProbe.begin(c, m);
    }
}
";

/// Which probe.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stub {
    /// Does nothing.
    Nothing,
    /// Stops the JVM if a rule is broken; prints all calls with `-Dprint=true`.
    Checks,
}

fn method(stub: Stub, name: &str, parameters: &str) -> String {
    let mut list = vec![];
    for (i, parameter) in parameters.chars().enumerate() {
        list.push(match parameter {
            'C' => "InterloperThread c".to_owned(),
            'O' => format!("Object o{i}"),
            'K' => format!("Class<?> k{i}"),
            'T' => format!("Thread t{i}"),
            'Z' => "boolean z".to_owned(),
            'J' => format!("long j{i}"),
            'R' => format!("InterloperRun r{i}"),
            '>' | '=' => continue,
            _ => format!("int i{i}"),
        });
    }
    let since = parameters.ends_with('>');
    let body = match stub {
        Stub::Nothing if parameters.contains('R') => "return nowhere();".to_owned(),
        Stub::Nothing if since => "return 2;".to_owned(),
        Stub::Nothing if parameters.ends_with('=') => same(parameters),
        Stub::Nothing => String::new(),
        Stub::Checks => checks(name, parameters),
    };
    let result = match parameters {
        _ if parameters.contains('R') => "InterloperRun",
        _ if since => "int",
        _ if parameters.ends_with('=') => "Object",
        _ => "void",
    };
    format!("    public static {result} {name}({}) {{ {body} }}\n", list.join(", "))
}

/// The result of a probe that may give another function than it is given, its last object.
fn same(parameters: &str) -> String {
    format!("return o{};", parameters.rfind('O').unwrap_or_default())
}

fn checks(name: &str, parameters: &str) -> String {
    let context = if parameters.contains('C') { "" } else { "InterloperThread c = here(); " };
    if ["O", "T", "ZO"].contains(&parameters) {
        // Called in the middle of the JDK: as little as possible is done.
        let condition = if parameters.starts_with('Z') { " && z" } else { "" };
        return format!(
            "if (VM.isBooted() && Boolean.getBoolean(\"hooks\"){condition}) System.out.println(\"  {name}\");"
        );
    }
    let mut body = format!("{context}told(\"{name}\"");
    if parameters.contains('Z') {
        body += " + \" \" + z";
    }
    if name.contains("Element") {
        let index = parameters.find('I').unwrap_or_default();
        body += &format!(" + \" \" + i{index}");
    }
    body += "); ";
    match name.strip_prefix("read").or(name.strip_prefix("write")) {
        Some("First") => return body + "return first(o0, c, i2);",
        Some("Next") => return body + "return next(o0, c, i2, i3);",
        Some("Last") => return body + "last(o0, c, i2, i3, i4);",
        _ => {}
    }
    if let Some(parameters) = parameters.strip_suffix('>') {
        let object = if parameters.starts_with('K') { "k0" } else { "o0" };
        let (site, since) = (parameters.len() - 2, parameters.len() - 1);
        if name.contains("Element") {
            let since = format!("since({object}, c, i{site}, r{since}.since, true)");
            return format!("{body}return new InterloperRun({since});");
        }
        return format!("{body}return since({object}, c, i{site}, i{since}, false);");
    }
    if parameters.ends_with('=') {
        return format!("{body}closed(c, \"{name}\"); {}", same(parameters));
    }
    let opens = ["read", "write"].iter().any(|it| {
        name.strip_prefix(it).is_some_and(|rest| ["", "Static", "Element"].contains(&rest))
    });
    let through_handle = name.strip_prefix("handle").is_some_and(|it| !it.starts_with("Tried"));
    match name {
        "tried" => body += "rule(c.open || c.skipped > 0, \"tried\");",
        _ if name.ends_with("Again") => {
            body += &format!("rule(c.open, \"{name}\");");
        }
        "handleTried" | "handleTriedElement" => body += "rule(c.open, \"tried\");",
        _ if name.starts_with("atomic") => {
            body += "if (o0 == null) c.skipped++; else c.open = true;"
        }
        _ if opens || through_handle || name.starts_with("updated") => body += "c.open = true;",
        _ => body += &format!("closed(c, \"{name}\"); "),
    }
    if ["entered", "exiting", "waiting", "waited", "notifying"].contains(&name) {
        body += "rule(o0 == null || Thread.holdsLock(o0) || Boolean.getBoolean(\"sloppy\"), \"not held\");";
    }
    body
}

/// Compiles a probe; the folder to patch java.base with.
pub fn stub(jdk: &Path, folder: &Path, stub: Stub) -> PathBuf {
    let source = folder.join("stub/java/lang");
    std::fs::create_dir_all(&source).unwrap();
    let mut probe = String::from(
        "package java.lang;\nimport jdk.internal.misc.VM;\npublic class InterloperProbe {\n",
    );
    probe += BOTH;
    probe += if stub == Stub::Nothing { NOTHING } else { CHECKS };
    for (parameters, names) in PROBES {
        for name in names.split(' ') {
            probe += &method(stub, name, parameters);
        }
    }
    probe += "}\n";
    let thread = "package java.lang;
        public class InterloperThread {
            boolean open, leaf, told; int skipped, depth, tick, polls;
            final java.util.IdentityHashMap<Object, Object> known = new java.util.IdentityHashMap<>();
            final java.util.HashMap<Integer, Object> bySite = new java.util.HashMap<>();
            void close() { open = false; tick += 4; known.clear(); bySite.clear(); }
        }\n";
    let array_run = "package java.lang;
        public class InterloperRun { final int since; InterloperRun(int since) { this.since = since; } }\n";
    std::fs::write(source.join("InterloperRun.java"), array_run).unwrap();
    std::fs::write(source.join("InterloperProbe.java"), probe).unwrap();
    // Static methods are found in superclasses, too.
    let others =
        ["Fields", "Together", "Elements", "Made", "Atomics", "Calls", "Copies"].map(|it| {
            let source = source.join(format!("Interloper{it}.java"));
            let class = format!("public class Interloper{it} extends InterloperProbe {{ }}");
            std::fs::write(&source, format!("package java.lang;\n{class}\n")).unwrap();
            source
        });
    std::fs::write(source.join("InterloperThread.java"), thread).unwrap();
    std::fs::write(source.join("InterloperStarts.java"), STARTS).unwrap();
    let out = folder.join("patch");
    let patch = format!("java.base={}", folder.join("stub").display());
    let files =
        ["Probe", "Thread", "Starts", "Run"].map(|it| source.join(format!("Interloper{it}.java")));
    let files: Vec<_> = files.iter().chain(&others).map(|it| it.to_str().unwrap()).collect();
    let args = ["--patch-module", &patch, "-nowarn", "-d", out.to_str().unwrap()];
    run(jdk, "javac", &[&args[..], &files].concat());
    out
}

/// Compiles a source file with this name.
pub fn compile(jdk: &Path, folder: &Path, name: &str, source: &str) -> PathBuf {
    let path = folder.join(format!("{name}.java"));
    std::fs::write(&path, source).unwrap();
    let out = folder.join("out");
    run(jdk, "javac", &["-g", "-d", out.to_str().unwrap(), path.to_str().unwrap()]);
    out
}

/// A weaver with this configuration.
pub fn weaver(config: &str) -> Weaver {
    Weaver::new(Config::parse(config).unwrap())
}

/// Weaves all classes of a folder into another. The superclasses of classes are taken to be
/// instrumented if they are in the same folder.
pub fn weave_folder(folder: &Path, into: &Path, weaver: &Weaver) -> Vec<Woven> {
    let weave = |path: PathBuf| {
        let bytes = std::fs::read(&path).unwrap();
        let inside = |class: &str| folder.join(format!("{class}.class")).exists();
        let woven = weave(weaver, &bytes, inside);
        let path = into.join(path.strip_prefix(folder).unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &woven.bytes).unwrap();
        woven
    };
    classes_in(folder).into_iter().map(weave).collect()
}

/// Weaves a class that is loaded for the first time.
pub fn weave(weaver: &Weaver, bytes: &[u8], instrumented: impl Fn(&str) -> bool) -> Woven {
    let class = interloper_jvm::ClassFile::parse(bytes).unwrap();
    let super_instrumented = class.super_name().is_some_and(|name| instrumented(&name));
    let loaded = Loaded { super_instrumented, ..Loaded::default() };
    weaver.weave(bytes, loaded).unwrap_or_else(|error| panic!("{}: {error}", class.name))
}

/// Runs a class with a patched java.base and full verification; what it prints.
pub fn java(jdk: &Path, patch: &Path, options: &[&str], class_path: &Path, main: &str) -> String {
    let patch = format!("java.base={}", patch.display());
    let mut command = Command::new(jdk.join("bin/java"));
    command.args(["--patch-module", &patch, "-Xverify:all", "-Xshare:off"]).args(options);
    command.arg("-cp").arg(class_path).arg(main);
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {printed}\n{errors}", jdk.display());
    printed
}
