//! `interloper scan`: class files in; findings, messages and exit codes out.

use crate::common::{Outcome, Scratch, command, interloper, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Figure 1 of the paper, in a package, with a second pattern beside.
const LINE: &str = "package geo;
public class Line {
  Location start, end;
  synchronized boolean contains(Location point) {
    double r1 = point.distanceTo(start);
    double r2 = point.distanceTo(end);
    return r1 + r2 <= 1.001;
  }
}
class Location {
  double x, y;
  synchronized double distanceTo(Location p) { return p.x - x; }
}
";

/// Two global locks.
const GLOBAL: &str = "package geo;
@interface Fine {}
class Global {
  static final Object A = new Object(), B = new Object();
  void m() { synchronized (A) { n(); n(); } }
  void n() { synchronized (B) { } }
}
";

/// Nothing wrong.
const CLEAN: &str = "package geo; class Clean { synchronized void m() { } }";

fn tool(name: &str, arguments: &[&str], folder: &Path) -> bool {
    let home = std::env::var_os("JAVA_HOME").map(|it| Path::new(&it).join("bin").join(name));
    let program = home.filter(|it| it.exists()).unwrap_or_else(|| name.into());
    match Command::new(program).args(arguments).current_dir(folder).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            true
        }
        Err(_) => {
            eprintln!("\n==== SKIPPED: no {name} under JAVA_HOME or on the search path ====\n");
            false
        }
    }
}

/// Compiles sources into `classes` of the folder, each from `src/geo`; `None` without a JDK.
fn compiled(sources: &[(&str, &str)]) -> Option<Scratch> {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path().join("src/geo")).unwrap();
    let mut arguments = vec!["-g", "-nowarn", "-d", "classes"];
    let files: Vec<String> = sources.iter().map(|(name, _)| format!("src/geo/{name}")).collect();
    for ((_, text), file) in sources.iter().zip(&files) {
        scratch.file(file, text);
        arguments.push(file);
    }
    tool("javac", &arguments, scratch.path()).then_some(scratch)
}

/// The same, and a jar `app.jar` of it.
fn jar(sources: &[(&str, &str)]) -> Option<Scratch> {
    let scratch = compiled(sources)?;
    let made = tool("jar", &["-c", "-f", "app.jar", "-C", "classes", "."], scratch.path());
    made.then_some(scratch)
}

/// Runs a scan in the folder.
fn scan(scratch: &Scratch, arguments: &[&str]) -> Outcome {
    let mut command = command(&[&["scan"], arguments].concat());
    command.current_dir(scratch.path());
    run(command)
}

#[test]
fn figure_1_in_words() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["app.jar"]).exits(1);
    let expected = "\
possible: Line.contains locks point twice while it holds this                                 [scan]
  │ Line.java:5   Line.contains locks this, and holds it all the while
  │ Line.java:5   Line.contains calls Location.distanceTo
  │ Line.java:12    ① Location.distanceTo locks this, which is point, and releases it
  │ Line.java:6   Line.contains calls Location.distanceTo
  │ Line.java:12    ② Location.distanceTo locks this, which is point, again
  │
  = between the two, another thread can lock point and change what it protects: what was read or
    done the first time may no longer hold the second time
  = usually mended by holding the lock for the whole block: hold point over both in Line.contains
  = fingerprint ";
    assert!(outcome.stdout.starts_with(expected), "{}", outcome.stdout);
    let end = "\napp.jar: 2 classes, 4 methods with code\n  scan  1 finding\n";
    assert!(outcome.stdout.ends_with(end), "{}", outcome.stdout);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn source_lines_are_shown() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["app.jar", "--source-path", "src"]).exits(1);
    for line in ["geo/Line.java:5", "double r1 = point.distanceTo(start);", "② Location.distanceTo"]
    {
        assert!(outcome.stdout.contains(line), "{line}: {}", outcome.stdout);
    }
    let outcome = scan(&scratch, &["app.jar", "--source-path", "nowhere"]).exits(2);
    assert!(outcome.stderr.contains("nowhere: there is no such folder"), "{outcome:?}");
}

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

#[test]
fn global_witnesses() {
    let Some(scratch) = compiled(&[("Global.java", GLOBAL)]) else { return };
    let json = scan(&scratch, &["classes", "-f", "json"]).exits(1).json();
    let finding = &json["runs"][0]["engines"][0]["findings"][0];
    assert_eq!(finding["subject"], "geo.Global.B");
    assert_eq!(finding["pattern"]["scope"], "program");
    assert_eq!(finding["pattern"]["places"][0]["context"]["lock"], "geo.Global.A");
}

#[test]
fn json_tells_all_of_it() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let json = scan(&scratch, &["app.jar", "--format", "json"]).exits(1).json();
    let run = &json["runs"][0];
    assert_eq!((&run["scanned"]["classes"], &run["scanned"]["methods"]), (&2.into(), &4.into()));
    let engine = &run["engines"][0];
    assert_eq!((&engine["engine"], &engine["judges"]), (&"scan".into(), &"pattern".into()));
    assert_eq!((&engine["verdict"], &engine["violations"]), (&"violation".into(), &1.into()));
    let finding = &engine["findings"][0];
    assert_eq!(finding["kind"], "pattern");
    assert_eq!(finding["certainty"], "possible");
    assert_eq!(finding["subject"], "point in geo.Line.contains(Location)");
    assert_eq!(finding["steps"].as_array().unwrap().len(), 5);
    assert_eq!(finding["steps"][4]["op"], "acq(this)");
    assert!(finding.get("baseline").is_none() && finding.get("suppressed").is_none());
    let place = &finding["pattern"]["places"][0];
    assert_eq!((&place["witness"], &place["context"]["lock"]), (&"point".into(), &"this".into()));
    assert_eq!(place["second"]["calls"][0]["at"], "geo/Line.java:6");
    assert_eq!(place["second"]["site"]["method"], "geo.Location.distanceTo(Location)");
}

#[test]
fn sarif_has_a_flow_for_each_place() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let sarif = scan(&scratch, &["app.jar", "-f", "sarif", "--source-path", "src"]).exits(1).json();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "interloper/pattern");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/geo/Line.java");
    assert_eq!(place["region"]["startLine"], 6);
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow.as_array().unwrap().len(), 5);
    assert_eq!((&flow[4]["nestingLevel"], &flow[3]["nestingLevel"]), (&1.into(), &0.into()));
    assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 5);
    assert_eq!(result["suppressions"], serde_json::json!([]));
    assert!(result.get("baselineState").is_none());
}

#[test]
fn dot_draws_the_calls() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let dot = scan(&scratch, &["app.jar", "-f", "dot"]).exits(1).stdout;
    for part in ["digraph", "Line.contains\\nholds this", "2: calls", "witness [label=\"point\""] {
        assert!(dot.contains(part), "{part}: {dot}");
    }
}

#[test]
fn explain_prints_the_facts() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["app.jar", "--explain", "Line.contains"]).exits(0);
    for line in ["geo.Line.contains(Location)\n", "LOCKSHELD = {point, this}", "FINAL_P = {point}"]
    {
        assert!(outcome.stdout.contains(line), "{line}: {}", outcome.stdout);
    }
    let outcome = scan(&scratch, &["app.jar", "--explain", "Nowhere.m"]).exits(2);
    assert!(outcome.stderr.contains("--explain Nowhere.m: there is no such method"), "{outcome:?}");
    scan(&scratch, &["app.jar", "--explain", "Line.contains", "-f", "json"]).exits(2);
}

#[test]
fn the_variant_and_the_bound() {
    let source = "package geo; class C { Object a, b; Object[] c; C next;
        void m() { synchronized (a) { synchronized (b) { } synchronized (next) { } } }
        void n() { synchronized (a) { synchronized (next.next.a) { } synchronized (next.next.a) { } } } }";
    let Some(scratch) = compiled(&[("C.java", source)]) else { return };
    let findings = |arguments: &[&str]| {
        let json = scan(&scratch, &[&["classes", "-f", "json"], arguments].concat()).json();
        json["runs"][0]["engines"][0]["findings"].as_array().unwrap().len()
    };
    assert_eq!(findings(&[]), 1);
    assert_eq!(findings(&["--variant"]), 2);
    assert_eq!(findings(&["--bound", "3"]), 0);
    scan(&scratch, &["classes", "--bound", "0"]).exits(2);
}

#[test]
fn classes_can_be_filtered() {
    let Some(scratch) = compiled(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["classes", "--filter", "geo.Location"]).exits(0);
    assert!(outcome.stdout.contains("1 place left out"), "{}", outcome.stdout);
    scan(&scratch, &["classes", "--filter", "geo.Location", "--all"]).exits(1);
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
fn a_baseline_hides_what_is_known() {
    let Some(scratch) = compiled(&[("Line.java", LINE), ("Global.java", GLOBAL)]) else { return };
    let outcome = scan(&scratch, &["classes", "--write-baseline", "base.json"]).exits(0);
    assert!(outcome.stdout.contains("not shown: 2 findings known from the baseline"));
    let baseline = String::from_utf8(scratch.read("base.json")).unwrap();
    assert!(baseline.contains("\"interloper-baseline/1\"") && baseline.contains("geo.Global.B"));
    // lines move, and it is still known
    let moved = LINE.replace("  Location start", "\n\n  // more\n  Location start");
    scratch.file("src/geo/Line.java", &moved);
    tool("javac", &["-g", "-d", "classes", "src/geo/Line.java"], scratch.path());
    scan(&scratch, &["classes", "--baseline", "base.json"]).exits(0);
    // a third call is a new place of a known finding
    let more = LINE.replace("return r1", "point.distanceTo(end); return r1");
    scratch.file("src/geo/Line.java", &more);
    tool("javac", &["-g", "-d", "classes", "src/geo/Line.java"], scratch.path());
    let outcome = scan(&scratch, &["classes", "--baseline", "base.json"]).exits(1);
    assert!(outcome.stdout.contains("[scan, updated]"), "{}", outcome.stdout);
    let sarif = scan(&scratch, &["classes", "--baseline", "base.json", "-f", "sarif"]).json();
    let states = sarif["runs"][0]["results"].as_array().unwrap().iter();
    let states: Vec<_> = states.map(|it| it["baselineState"].as_str().unwrap()).collect();
    assert_eq!(states.iter().filter(|it| **it == "unchanged").count(), 1, "{states:?}");
    assert_eq!(states.iter().filter(|it| **it == "updated").count(), 1, "{states:?}");
    // what is gone is told
    fs::remove_file(scratch.path().join("classes/geo/Global.class")).unwrap();
    let outcome = scan(&scratch, &["classes", "--baseline", "base.json"]).exits(1);
    assert!(outcome.stdout.contains("no longer found: geo.Global.B"), "{}", outcome.stdout);
}

#[test]
fn bad_baselines_are_refused() {
    let scratch = Scratch::new();
    for (text, says) in [
        ("{}", "not a baseline: missing field `schema`"),
        ("{\"schema\": \"interloper-baseline/9\"}", "interloper-baseline/9"),
        ("[", "not a baseline"),
    ] {
        scratch.file("base.json", text);
        let outcome = scan(&scratch, &[".", "--baseline", "base.json"]).exits(2);
        assert!(outcome.stderr.contains(says), "{outcome:?}");
    }
    scan(&scratch, &[".", "--baseline", "nowhere.json"]).exits(2);
}

#[test]
fn suppression_by_list_entry_and_annotation() {
    let annotated = GLOBAL.replace("void m()", "@Fine void m()");
    let Some(scratch) = compiled(&[("Line.java", LINE), ("Global.java", &annotated)]) else {
        return;
    };
    let outcome = scan(&scratch, &["classes", "--suppress", "geo.Line.contains"]).exits(1);
    assert!(outcome.stdout.contains("not shown: 1 finding suppressed"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("Line.contains"), "{}", outcome.stdout);
    let all = ["classes", "--suppress", "geo.Line", "--suppress-annotation", "Fine"];
    scan(&scratch, &all).exits(0);
    scratch.file("list.txt", "# ours\ngeo.Line.*  # drawn by one thread\nother.Code\n");
    let listed = ["classes", "--suppressions", "list.txt", "--suppress-annotation", "geo.Fine"];
    let outcome = scan(&scratch, &listed).exits(0);
    assert!(outcome.stdout.contains("suppresses nothing: other.Code"), "{}", outcome.stdout);
    let sarif = scan(&scratch, &[&listed[..], &["-f", "sarif"]].concat()).exits(0).json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let suppressions: Vec<_> = results.iter().map(|it| it["suppressions"][0].clone()).collect();
    let has = |kind: &str, reason: &str| {
        suppressions.iter().any(|it| it["kind"] == kind && it["justification"] == reason)
    };
    assert!(has("external", "geo.Line.*: drawn by one thread"), "{suppressions:?}");
    assert!(has("inSource", "@geo.Fine"), "{suppressions:?}");
    let outcome = scan(&scratch, &["classes", "--suppress", "*"]).exits(2);
    assert!(outcome.stderr.contains("this would suppress everything"), "{outcome:?}");
}

#[test]
fn suppression_by_fingerprint() {
    let Some(scratch) = compiled(&[("Line.java", LINE)]) else { return };
    let json = scan(&scratch, &["classes", "-f", "json"]).exits(1).json();
    let finding = &json["runs"][0]["engines"][0]["findings"][0];
    for fingerprint in [&finding["fingerprint"], &finding["pattern"]["places"][0]["fingerprint"]] {
        scan(&scratch, &["classes", "--suppress", fingerprint.as_str().unwrap()]).exits(0);
    }
}

#[test]
fn settings_stand_in_a_file() {
    let Some(scratch) = compiled(&[("Line.java", LINE)]) else { return };
    scratch.file("interloper.toml", "[scan]\npaths = [\"classes\"]\nformat = \"json\"\n");
    let json = scan(&scratch, &[]).exits(1).json();
    assert_eq!(json["runs"][0]["input"], "classes");
    let text = scan(&scratch, &["-f", "text"]).exits(1).stdout;
    assert!(text.starts_with("possible: "), "{text}");
    scratch.file("interloper.toml", "[scan]\nsuppress = [\"geo.Line\"]\n");
    scan(&scratch, &["classes"]).exits(0);
    scratch.file("interloper.toml", "[scan]\nfilter = [\"geo.Location\"]\n");
    scan(&scratch, &["classes"]).exits(0);
    scratch.file("interloper.toml", "[scan]\nvariant = true\nfiltre = []\n");
    let outcome = scan(&scratch, &["classes"]).exits(2);
    for says in ["interloper.toml: ", "line 3", "unknown field `filtre`"] {
        assert!(outcome.stderr.contains(says), "{says}: {outcome:?}");
    }
    scratch.file("other.toml", "[scan]\nsuppress = [\"geo.Line\"]\n");
    scan(&scratch, &["classes", "--config", "other.toml"]).exits(0);
    scan(&scratch, &["classes", "--config", "nowhere.toml"]).exits(2);
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
fn nothing_found_is_told_with_what_that_is_worth() {
    let Some(scratch) = compiled(&[("Clean.java", CLEAN)]) else { return };
    let outcome = scan(&scratch, &["classes"]).exits(0);
    assert!(outcome.stdout.contains("no pattern found"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("neither sound nor complete"), "{}", outcome.stdout);
}

#[test]
fn the_output_does_not_depend_on_the_number_of_threads() {
    let Some(scratch) = compiled(&[("Line.java", LINE), ("Global.java", GLOBAL)]) else { return };
    for format in ["text", "json", "sarif"] {
        let with = |jobs| scan(&scratch, &["classes", "-f", format, "--jobs", jobs, "--stats"]);
        assert_eq!(with("1").exits(1).stdout, with("2").exits(1).stdout);
    }
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

#[test]
fn the_report_goes_where_it_should() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["app.jar", "-f", "sarif", "-o", "out.sarif"]).exits(1);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""));
    assert!(scratch.read("out.sarif").starts_with(b"{"));
    scan(&scratch, &["app.jar", "-o", "app.jar"]).exits(2);
    scan(&scratch, &["app.jar", "--write-baseline", "app.jar"]).exits(2);
    let help = interloper(&["scan", "--help"]).exits(0).stdout;
    assert!(help.contains("interloper.toml"), "{help}");
}
