//! What the tests of class files share: JDKs, compiled programs, classes made by hand.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The JDKs on this machine that have a compiler.
pub fn jdks() -> Vec<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .chain(installed.map(|it| it.path()))
        .filter_map(|it| it.canonicalize().ok())
        .filter(|it| it.join("bin/javac").exists())
        .collect();
    homes.sort();
    homes.dedup();
    homes
}

/// Says, so that it cannot be overlooked, that a test did nothing.
pub fn skip(why: &str) {
    eprintln!("\n==== SKIPPED: {why} ====\n");
}

/// Runs a command of a JDK; panics with its messages if it fails.
pub fn run(jdk: &Path, tool: &str, arguments: &[&str]) -> String {
    let output = Command::new(jdk.join("bin").join(tool)).args(arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {arguments:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Unpacks java.base of a JDK, from its jmod or from its run-time image.
pub fn unpack(jdk: &Path, into: &Path) {
    let jmod = jdk.join("jmods/java.base.jmod");
    let into = into.to_str().unwrap();
    if jmod.exists() {
        run(jdk, "jmod", &["extract", "--dir", into, jmod.to_str().unwrap()]);
    } else {
        let image = jdk.join("lib/modules");
        let include = "--include=regex:/java\\.base/.*";
        run(jdk, "jimage", &["extract", "--dir", into, include, image.to_str().unwrap()]);
    }
}

/// The class files in a folder and the folders in it, in order.
pub fn classes_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "class") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A program with something of everything that makes class files hard to read.
pub const PROGRAM: &str = r#"
    import java.util.*;
    import java.util.function.*;
    @Deprecated
    public class Program<T extends Comparable<T>> implements Runnable {
        static final long LONG = 1L << 40;
        static final String ODD = "zero \0, pair \uD83D\uDE00, half \uD800";
        private volatile int[] field = { 1, 2, 3 };
        @SuppressWarnings("unchecked") @Deprecated
        public synchronized void run() {
            synchronized (field) {
                for (int i = 0; i < field.length; i++) {
                    if (field[i] == 2) return;
                }
            }
            try { field[0] = Integer.parseInt(ODD); }
            catch (NumberFormatException | ArrayStoreException e) { throw e; }
            finally { field = new int[4]; }
        }
        static double table(int i, Object o) {
            switch (i) {
                case 1: return 1.5;
                case 2: return 2.5f;
                case 1000000: return LONG;
                case -5: return o instanceof String s ? s.length() : o.hashCode();
            }
            switch (i) { case 10: case 11: case 12: case 13: i++; break; default: i += 70000; }
            int[][][] deep = new int[i][i][];
            Supplier<String> lambda = () -> "x" + deep.length;
            return lambda.get().length() % 7;
        }
        record Point(int x, long y) {}
        sealed interface Shape permits Circle {}
        record Circle(double r) implements Shape {}
        enum Color { RED, GREEN }
    }
"#;

/// Compiles [`PROGRAM`] with debugging information; none if there is no JDK.
pub fn program() -> Option<Vec<(String, Vec<u8>)>> {
    let jdk = jdks().into_iter().next()?;
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Program.java");
    std::fs::write(&source, PROGRAM).unwrap();
    let out = folder.path().join("out");
    run(&jdk, "javac", &["-g", "-d", out.to_str().unwrap(), source.to_str().unwrap()]);
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    };
    Some(classes_in(&out).into_iter().map(read).collect())
}

/// A class `A` with one method `m()V` with this code and exception table (start, end, handler,
/// whether it catches everything).
pub fn class_with(bytecode: &[u8], handlers: &[(u16, u16, u16, bool)]) -> Vec<u8> {
    let mut class = Vec::new();
    class.extend(0xcafe_babe_u32.to_be_bytes());
    class.extend([0, 0, 0, 52, 0, 7]);
    for text in ["A", "m", "()V", "Code"] {
        class.push(1);
        class.extend((text.len() as u16).to_be_bytes());
        class.extend(text.as_bytes());
    }
    class.extend([7, 0, 1, 7, 0, 1]); // 5, 6: class A
    class.extend([0, 0x20, 0, 5, 0, 0, 0, 0, 0, 0]); // access, this, super, interfaces, fields
    class.extend([0, 1, 0, 8, 0, 2, 0, 3, 0, 1, 0, 4]); // methods, access, name, type, attributes
    let length = 12 + bytecode.len() + 8 * handlers.len();
    class.extend((length as u32).to_be_bytes());
    class.extend([0, 9, 0, 9]);
    class.extend((bytecode.len() as u32).to_be_bytes());
    class.extend(bytecode);
    class.extend((handlers.len() as u16).to_be_bytes());
    for (start, end, handler, all) in handlers {
        let catch_type = if *all { 0 } else { 5 };
        class.extend([*start, *end, *handler, catch_type].iter().flat_map(|it| it.to_be_bytes()));
    }
    class.extend([0, 0, 0, 0]); // attributes of the code, of the class
    class
}
