//! Whole libraries with probes everywhere still link under full verification.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Stub, classes_in, compile, java, jdks, skip, slice, stub, unpack, weave, weaver};
use std::path::{Path, PathBuf};

/// The ways of finding atomic blocks that put probes into different places.
const WAYS: [&str; 3] = ["methods", "public", "synchronized"];

/// Links every class that is named in the file `-Dnames`, without initialising any.
const LINKER: &str = r#"
    import java.nio.file.*;
    public class Linker {
        public static void main(String[] args) throws Exception {
            int linked = 0, failed = 0, missing = 0;
            for (String name : Files.readAllLines(Path.of(System.getProperty("names")))) {
                try {
                    // Asking for the methods links the class.
                    Class.forName(name, false, Linker.class.getClassLoader()).getDeclaredMethods();
                    linked++;
                } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError e) {
                    System.out.println("FAILED " + name + ": " + e);
                    failed++;
                } catch (LinkageError | ClassNotFoundException | SecurityException e) {
                    // Something that this machine does not have.
                    missing++;
                }
            }
            System.out.println("linked " + linked + ", missing " + missing + ", failed " + failed);
        }
    }
"#;

struct Totals {
    classes: usize,
    skipped: Vec<(String, String)>,
}

/// Weaves the classes of one folder into another; writes down their names.
fn weave_all(root: &Path, into: &Path, names: &Path, way: &str) -> Totals {
    let weaver = weaver(&format!("include *\narrays on\natomic {way}\n"));
    let mut totals = Totals { classes: 0, skipped: vec![] };
    let mut list = String::new();
    for path in slice(classes_in(root)) {
        let inside = path.strip_prefix(root).unwrap();
        let name = inside.with_extension("").to_str().unwrap().replace('/', ".");
        // The JVM puts code of its own into the constructor of Object.
        if name.ends_with("module-info") || name == "java.lang.Object" || name.contains("META-INF")
        {
            continue;
        }
        // Superclasses do not matter for linking: every class gets the field.
        let woven = weave(&weaver, &std::fs::read(&path).unwrap(), |_| false);
        totals.classes += 1;
        totals.skipped.extend(woven.skipped);
        list += &format!("{name}\n");
        let path = into.join(inside);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, woven.bytes).unwrap();
    }
    std::fs::write(names, list).unwrap();
    totals
}

fn report(what: &str, way: &str, totals: &Totals, printed: &str) {
    let summary = printed.lines().last().unwrap_or_default();
    let Totals { classes, skipped } = totals;
    println!("{what}, {way}: {classes} classes, {} skips; {summary}", skipped.len());
    for (what, reason) in skipped.iter().filter(|it| !it.1.contains("too old")).take(20) {
        println!("    {what}: {reason}");
    }
    assert!(printed.contains("failed 0"), "{what}, {way}: {printed}");
}

#[test]
fn java_base_links_with_probes_everywhere() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for jdk in jdks {
        let folder = tempfile::tempdir().unwrap();
        unpack(&jdk, &folder.path().join("old"));
        let root = classes_in(&folder.path().join("old"))[0].clone();
        let root = root.ancestors().find(|it| it.join("java/lang/Object.class").exists());
        let root = root.unwrap().to_owned();
        let out = compile(&jdk, folder.path(), "Linker", LINKER);
        for way in WAYS {
            let patch = stub(&jdk, &folder.path().join(way), Stub::Nothing);
            let names = folder.path().join(format!("{way}.names"));
            let totals = weave_all(&root, &patch, &names, way);
            let named = format!("-Dnames={}", names.display());
            let printed = java(&jdk, &patch, &[&named], &out, "Linker");
            report(&jdk.display().to_string(), way, &totals, &printed);
            assert!(totals.skipped.len() < 60, "{}", totals.skipped.len());
        }
    }
}

/// Large jars of well-known programs, if this machine has them.
const JARS: &[&str] = &[
    "ant.jar",
    "batik-all.jar",
    "derby.jar",
    "groovy.jar",
    "h2.jar",
    "lucene8-core.jar",
    "tomcat10-catalina.jar",
    "tomcat10-coyote.jar",
    "xalan2.jar",
    "xercesImpl.jar",
];

#[test]
fn jars_link_with_probes_everywhere() {
    let present = JARS.iter().map(|it| Path::new("/usr/share/java").join(it));
    let present: Vec<PathBuf> = present.filter(|it| it.exists()).collect();
    let Some(jdk) = jdks().into_iter().next() else { return skip("no JDK") };
    if present.is_empty() {
        return skip("no jars in /usr/share/java");
    }
    let folder = tempfile::tempdir().unwrap();
    let out = compile(&jdk, folder.path(), "Linker", LINKER);
    let patch = stub(&jdk, folder.path(), Stub::Nothing);
    for jar in present {
        let name = jar.file_stem().unwrap().to_str().unwrap().to_owned();
        let old = folder.path().join("old").join(&name);
        unjar(&jdk, &jar, &old);
        for way in WAYS {
            let new = folder.path().join("new").join(&name).join(way);
            let names = folder.path().join(format!("{name}.{way}.names"));
            let totals = weave_all(&old, &new, &names, way);
            let named = format!("-Dnames={}", names.display());
            // What is not woven comes from the jar itself, and what that needs from its neighbours.
            let class_path =
                format!("{}:{}:{}:/usr/share/java/*", out.display(), new.display(), jar.display());
            let printed = java(&jdk, &patch, &[&named], Path::new(&class_path), "Linker");
            report(&name, way, &totals, &printed);
        }
    }
}

fn unjar(jdk: &Path, jar: &Path, into: &Path) {
    std::fs::create_dir_all(into).unwrap();
    let tool = jdk.join("bin/jar");
    let status = std::process::Command::new(tool).arg("xf").arg(jar).current_dir(into).status();
    assert!(status.unwrap().success());
}
