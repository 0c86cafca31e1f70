//! Real programs run to their correct result, multi-threaded, with all methods atomic and arrays on: see `tests/java/real`.

use crate::common::{Classes, interloper, jdks, programs, run};
use std::path::{Path, PathBuf};

/// Where Debian keeps jars.
const JARS: &str = "/usr/share/java";

/// The jars whose names, without a version, are these; `None` and a note if one is missing.
fn jars(package: &str, names: &[&str]) -> Option<Vec<PathBuf>> {
    let jar = |name: &&str| {
        let exact = Path::new(JARS).join(format!("{name}.jar"));
        if exact.exists() {
            return Some(exact);
        }
        let versioned = |path: &PathBuf| {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let rest = file.strip_prefix(*name).and_then(|rest| rest.strip_prefix(['-', '.']));
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        std::fs::read_dir(JARS).ok()?.flatten().map(|entry| entry.path()).find(versioned)
    };
    let found: Option<Vec<PathBuf>> = names.iter().map(jar).collect();
    if found.is_none() {
        eprintln!("note: skipped, because a jar is missing; Debian's package is {package}");
    }
    found
}

/// Runs a program under the agent on every JDK; it prints this line.
#[track_caller]
fn prints(jars: &[PathBuf], source: &str, java: &[&str], line: &str) {
    for jdk in jdks() {
        let classes = Classes::compile(&jdk, &[programs().join("real").join(source)], jars);
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report");
        let mut command = interloper(&["run", "--atomic", "methods", "--output"]);
        command.arg(&report).arg("--").arg(jdk.java());
        command.args(["-cp", &classes.path()]).args(java).current_dir(folder.path());
        run(command).was_checked().prints(line);
    }
}

#[test]
fn h2() {
    let Some(jars) = jars("libh2-java", &["h2"]) else { return };
    let java = ["Sql", "jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1"];
    prints(&jars, "Sql.java", &java, "transfers: 300, sum: 2000, moves: 600");
}

#[test]
fn derby() {
    let Some(jars) = jars("libderby-java", &["derby"]) else { return };
    let java = ["Sql", "jdbc:derby:memory:bank;create=true"];
    prints(&jars, "Sql.java", &java, "transfers: 300, sum: 2000, moves: 600");
}

#[test]
fn xalan() {
    let names = ["xalan2", "serializer", "xercesImpl", "xml-apis"];
    let Some(jars) = jars("libxalan2-java", &names) else { return };
    prints(&jars, "Transform.java", &["Transform"], "same: true, sum: -4482046020");
}

#[test]
fn lucene() {
    let names = ["lucene-core-8", "lucene-analyzers-common-8"];
    let Some(jars) = jars("liblucene8-java", &names) else { return };
    prints(&jars, "Search.java", &["Search"], "documents: 600, hits: 600 600 600");
}

#[test]
fn tomcat() {
    let names = [
        "annotations-api",
        "api",
        "catalina",
        "coyote",
        "el-api",
        "jaspic-api",
        "jni",
        "jsp-api",
        "juli",
        "servlet-api",
        "util",
        "util-scan",
    ];
    let names = names.map(|name| format!("tomcat10-{name}"));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let Some(jars) = jars("libtomcat10-java", &names) else { return };
    prints(&jars, "Serve.java", &["Serve"], "answered: 90, counted: 180");
}

#[test]
fn junit() {
    let names = [
        "junit-jupiter-api",
        "junit-jupiter-engine",
        "junit-platform-commons",
        "junit-platform-engine",
        "junit-platform-launcher",
        "junit-platform-console",
        "junit-platform-reporting",
        "opentest4j",
        "apiguardian-api",
        "univocity-parsers",
        "picocli",
    ];
    let Some(jars) = jars("junit5", &names) else { return };
    let java = [
        "org.junit.platform.console.ConsoleLauncher",
        "--select-class",
        "SuiteTest",
        "--disable-banner",
        "--details",
        "summary",
        "--config",
        "junit.jupiter.execution.parallel.enabled=true",
    ];
    prints(&jars, "SuiteTest.java", &java, "[        24 tests successful      ]");
}

/// Maven has libraries of its own, which are not what is checked.
#[test]
fn what_maven_brings_is_left_alone() {
    if std::process::Command::new("mvn").arg("-v").output().is_err() {
        eprintln!("note: skipped, because there is no mvn");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = interloper(&["run", "--output"]);
    command.arg(folder.path().join("report")).args(["--", "mvn", "-v"]);
    run(command).exits(3);
}
