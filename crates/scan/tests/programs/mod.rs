//! Java programs, compiled by every compiler there is, and what the analysis says of them.

use interloper_scan::input::{InputLimits, read_input};
use interloper_scan::lower::{LowerOptions, Lowered, lower};
use interloper_scan::{Analysis, Explanation, Options, analyse};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiler, and its arguments before the source.
struct Compiler {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
}

/// The compilers of this machine, for files that end so.
fn compilers(ending: &str) -> Vec<Compiler> {
    let known: [(&'static str, &'static [&'static str]); 3] = [
        ("javac", &["-g", "-nowarn"]),
        ("ecj", &["-17", "-g", "-nowarn", "-proc:none"]),
        ("kotlinc", &["-nowarn"]),
    ];
    let mut found = vec![];
    for (name, arguments) in known {
        if (name == "kotlinc") != (ending == "kt") {
            continue;
        }
        let home = std::env::var_os("JAVA_HOME").map(|it| PathBuf::from(it).join("bin").join(name));
        let program = home.filter(|it| it.exists()).unwrap_or_else(|| PathBuf::from(name));
        if Command::new(&program).arg("-version").output().is_ok() {
            found.push(Compiler { name, program, arguments });
        } else {
            eprintln!("\n==== SKIPPED: no {name} under JAVA_HOME or on the search path ====\n");
        }
    }
    found
}

impl Compiler {
    fn compile(&self, source: &str, ending: &str, into: &Path) {
        let file = into.join(format!("Source.{ending}"));
        std::fs::write(&file, source).unwrap();
        let output = Command::new(&self.program)
            .args(self.arguments)
            .arg("-d")
            .arg(into)
            .arg(&file)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {told}\n{source}", self.name);
    }
}

/// A program, compiled.
pub struct Compiled {
    /// By whom.
    pub compiler: &'static str,
    pub lowered: Lowered,
}

/// A Java program, compiled by javac and by ecj, where there are any.
pub fn compiled(source: &str) -> Vec<Compiled> {
    compiled_as(source, "java")
}

/// A program in the language of this ending, compiled by all its compilers.
pub fn compiled_as(source: &str, ending: &str) -> Vec<Compiled> {
    let compile = |compiler: Compiler| {
        let folder = tempfile::tempdir().unwrap();
        compiler.compile(source, ending, folder.path());
        let input = read_input(&[folder.path().to_owned()], &[], InputLimits::default());
        let lowered =
            lower(&input.classes, LowerOptions { bound: Options::default().size_bound }, &|_| ());
        assert!(lowered.problems.is_empty(), "{}: {:?}", compiler.name, lowered.problems);
        Compiled { compiler: compiler.name, lowered }
    };
    compilers(ending).into_iter().map(compile).collect()
}

/// Asserts what is found, whoever compiled it. A place reads `Line.contains: point at first, second; this at held`, where `first`,
/// `second` and `held` are the comments `//first` at the ends of the lines.
#[track_caller]
pub fn assert_found(source: &str, options: &Options, expected: &[&str]) {
    for Compiled { compiler, lowered } in compiled(source) {
        assert_eq!(places(source, &lowered, options), expected, "{compiler}");
    }
}

/// The same with the default options.
#[track_caller]
pub fn assert_places(source: &str, expected: &[&str]) {
    assert_found(source, &Options::default(), expected);
}

/// What is found in a program.
pub fn places(source: &str, lowered: &Lowered, options: &Options) -> Vec<String> {
    let names = &lowered.program.names;
    let (callees, _) = lowered.hierarchy.callees(names, Some(options.callee_cap), true);
    let outcome = analyse(&lowered.program, &callees, options);
    let mark = |line: u32| {
        let line = source.lines().nth((line as usize).wrapping_sub(1)).unwrap_or("");
        line.rsplit_once("//").map_or("?", |(_, mark)| mark.trim()).to_owned()
    };
    let occurrences = outcome.warnings.iter().flat_map(|warning| &warning.occurrences);
    occurrences
        .map(|it| {
            let method = lowered.program.method_name(it.method);
            let method = method.split('(').next().unwrap_or_default();
            let witness = match it.witness == it.first_witness {
                true => it.witness.clone(),
                false => format!("{}, {}", it.first_witness, it.witness),
            };
            format!(
                "{method}: {witness} at {}, {}; {} at {}",
                mark(it.first.start().line),
                mark(it.second.start().line),
                it.context.lock,
                mark(it.context.place.line)
            )
        })
        .collect()
}

/// The facts of a method.
pub fn explained(lowered: &Lowered, method: &str) -> Explanation {
    let options = Options::default();
    let (callees, _) = lowered.hierarchy.callees(&lowered.program.names, None, true);
    let analysis = Analysis::new(&lowered.program, &callees, &options);
    let found = lowered.program.find_methods(method);
    assert_eq!(found.len(), 1, "{method}");
    analysis.explain(found[0])
}
