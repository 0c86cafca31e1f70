//! What is to be instrumented, as the user has said it: a text of lines `key value`.

use crate::pattern::{MethodPattern, Pattern};
use std::fmt::{self, Write};
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::sync::LazyLock;
use thiserror::Error;

/// Build tools, test frameworks and what belongs to them, run-time libraries of languages: what they do
/// between themselves is not what is checked. An `include` wins over this list.
const DEFAULT_EXCLUSIONS: &[&str] = &[
    "com.google.inject.*",
    "com.intellij.*",
    "com.sun.*",
    "groovy.*",
    "io.quarkus.bootstrap.*",
    "jdk.*",
    "junit.*",
    "kotlin.*",
    "kotlinx.*",
    "net.bytebuddy.*",
    "org.apache.ant.*",
    "org.apache.groovy.*",
    "org.apache.logging.*",
    "org.apache.maven.*",
    "org.apache.tools.*",
    "org.assertj.*",
    "org.codehaus.classworlds.*",
    "org.codehaus.groovy.*",
    "org.codehaus.plexus.*",
    "org.eclipse.aether.*",
    "org.eclipse.sisu.*",
    "org.fusesource.jansi.*",
    "org.gradle.*",
    "org.hamcrest.*",
    "org.jacoco.*",
    "org.jetbrains.kotlin.*",
    "org.jline.*",
    "org.junit.*",
    "org.mockito.*",
    "org.objectweb.asm.*",
    "org.opentest4j.*",
    "org.scalatest.*",
    "org.slf4j.*",
    "org.testng.*",
    "scala.*",
    "sun.*",
    "worker.org.gradle.*",
];

/// What the probe itself is made of or runs on: probes in these would call themselves. Nothing wins
/// over this list.
const NEVER: &[&str] = &[
    "java.lang.Object",
    "java.lang.Class",
    "java.lang.ClassLoader",
    "java.lang.Module",
    "java.lang.String",
    "java.lang.StringLatin1",
    "java.lang.StringUTF16",
    "java.lang.System",
    "java.lang.Thread",
    "java.lang.ThreadGroup",
    "java.lang.ThreadLocal",
    "java.lang.VirtualThread",
    "java.lang.invoke.*",
    "java.lang.module.*",
    "java.lang.ref.*",
    // Calls of these are told by those who call, in a window.
    "java.util.concurrent.atomic.*",
    "java.util.concurrent.locks.*",
    "jdk.internal.*",
    "sun.invoke.*",
    "sun.misc.*",
];

/// Which blocks are taken to be atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Atomic {
    /// Every method that does not wait for other threads.
    #[default]
    Methods,
    /// What other classes can call, and whatever is synchronized.
    Public,
    /// Synchronized methods and blocks.
    Synchronized,
    /// None but those that are named or annotated.
    None,
}

/// Which elements of arrays are watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arrays {
    /// All.
    #[default]
    On,
    /// None.
    Off,
    /// Those with a smaller index than this.
    Below(u32),
}

/// What is to be instrumented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// These too, be they of the JDK or excluded by default.
    pub include: Vec<Pattern>,
    /// Never these.
    pub exclude: Vec<Pattern>,
    /// Of the application, these only; all if empty.
    pub only: Vec<Pattern>,
    /// Which blocks are atomic.
    pub atomic: Atomic,
    /// Full names, with dots, of annotations that make methods, or all methods of a class, atomic.
    pub atomic_annotations: Vec<String>,
    /// Methods that are atomic whatever [`Config::atomic`] says.
    pub atomic_methods: Vec<MethodPattern>,
    /// Methods and blocks that are not.
    pub not_atomic: Vec<MethodPattern>,
    /// Which elements of arrays are watched.
    pub arrays: Arrays,
    /// Whether events are logged; if not, the probes only find out which objects are shared.
    pub log: bool,
    /// Whether objects count as shared from their birth.
    pub all_accesses: bool,
    /// Whether an access that a block repeats is logged again after locks and signals.
    pub repetitions: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            include: vec![],
            exclude: vec![],
            only: vec![],
            atomic: Atomic::default(),
            atomic_annotations: vec![],
            atomic_methods: vec![],
            not_atomic: vec![],
            arrays: Arrays::default(),
            log: true,
            all_accesses: false,
            repetitions: true,
        }
    }
}

/// A line that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {text}: {problem}")]
pub struct ConfigError {
    /// Its number, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Config {
    /// Reads a text of lines `key value`. Empty lines and what follows a `#` do not count.
    pub fn parse(text: &str) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        for (number, line) in text.lines().enumerate() {
            let said = line.split('#').next().unwrap_or_default().trim();
            if said.is_empty() {
                continue;
            }
            let (key, value) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
            config.set(key, value.trim()).map_err(|problem| ConfigError {
                line: number + 1,
                text: line.to_owned(),
                problem,
            })?;
        }
        Ok(config)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let pattern = || Pattern::parse(value).ok_or(format!("`{value}` is no pattern of classes"));
        let method = || MethodPattern::parse(value).ok_or(format!("`{value}` names no method"));
        match key {
            "include" => self.include.push(pattern()?),
            "exclude" => self.exclude.push(pattern()?),
            "only" => self.only.push(pattern()?),
            "atomic" => self.atomic = value.parse()?,
            "atomic-annotation" if value.is_empty() => return Err("no annotation".to_owned()),
            "atomic-annotation" => self.atomic_annotations.push(value.replace('/', ".")),
            "atomic-method" => self.atomic_methods.push(method()?),
            "not-atomic" => self.not_atomic.push(method()?),
            "arrays" => self.arrays = value.parse()?,
            "log" => self.log = switch(value)?,
            "all-accesses" => self.all_accesses = switch(value)?,
            "repetitions" => self.repetitions = switch(value)?,
            _ => return Err(format!("there is no setting `{key}`")),
        }
        Ok(())
    }

    /// The text that [`Config::parse`] reads as this.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |key: &str, value: &dyn fmt::Display| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{key} {value}");
        };
        self.include.iter().for_each(|it| line("include", it));
        self.exclude.iter().for_each(|it| line("exclude", it));
        self.only.iter().for_each(|it| line("only", it));
        line("atomic", &self.atomic);
        self.atomic_annotations.iter().for_each(|it| line("atomic-annotation", it));
        self.atomic_methods.iter().for_each(|it| line("atomic-method", it));
        self.not_atomic.iter().for_each(|it| line("not-atomic", it));
        line("arrays", &self.arrays);
        line("log", &if self.log { "on" } else { "off" });
        line("all-accesses", &if self.all_accesses { "on" } else { "off" });
        line("repetitions", &if self.repetitions { "on" } else { "off" });
        text
    }

    /// Whether a class is to be instrumented.
    ///
    /// `exclude` wins over `include`, and that over everything else. What is foreign, like classes of the JDK, needs an
    /// `include`; well-known build tools and test frameworks are left out without one.
    pub fn wants(&self, class_name: &str, foreign: bool) -> bool {
        let among = |patterns: &[Pattern]| patterns.iter().any(|it| it.matches(class_name));
        if among(&self.exclude) || is_of_the_probe(class_name) || listed(&NEVER_LIST, class_name) {
            return false;
        }
        if among(&self.include) {
            return true;
        }
        let ours = !foreign && !listed(&DEFAULT_LIST, class_name);
        ours && (self.only.is_empty() || among(&self.only))
    }
}

static NEVER_LIST: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(NEVER));
static DEFAULT_LIST: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(DEFAULT_EXCLUSIONS));

/// The patterns of a list in which all are well formed.
fn patterns(list: &[&str]) -> Vec<Pattern> {
    list.iter().filter_map(|it| Pattern::parse(it)).collect()
}

fn listed(list: &[Pattern], class_name: &str) -> bool {
    list.iter().any(|it| it.matches(class_name))
}

/// The probe and its helpers.
fn is_of_the_probe(class_name: &str) -> bool {
    ["java/lang/Interloper", "java.lang.Interloper"].iter().any(|it| class_name.starts_with(it))
}

fn switch(value: &str) -> Result<bool, String> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{value}` is neither on nor off")),
    }
}

impl FromStr for Atomic {
    type Err = String;

    fn from_str(text: &str) -> Result<Atomic, String> {
        match text {
            "methods" => Ok(Atomic::Methods),
            "public" => Ok(Atomic::Public),
            "synchronized" => Ok(Atomic::Synchronized),
            "none" => Ok(Atomic::None),
            _ => Err(format!("`{text}` is none of methods, public, synchronized, none")),
        }
    }
}

impl fmt::Display for Atomic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Atomic::Methods => "methods",
            Atomic::Public => "public",
            Atomic::Synchronized => "synchronized",
            Atomic::None => "none",
        })
    }
}

impl FromStr for Arrays {
    type Err = String;

    fn from_str(text: &str) -> Result<Arrays, String> {
        match text {
            "on" => Ok(Arrays::On),
            "off" => Ok(Arrays::Off),
            _ => {
                text.parse().map(Arrays::Below).map_err(|error: ParseIntError| match error.kind() {
                    IntErrorKind::PosOverflow => {
                        format!("`{text}` is too large: {} is the most", u32::MAX)
                    }
                    _ => format!("`{text}` is neither on nor off nor a number"),
                })
            }
        }
    }
}

impl fmt::Display for Arrays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arrays::On => f.write_str("on"),
            Arrays::Off => f.write_str("off"),
            Arrays::Below(end) => write!(f, "{end}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
include java.util.*
exclude com.acme.Generated
only com.acme.*
atomic public
atomic-annotation com.acme.Atomic
atomic-method com.acme.Account.withdraw
not-atomic com.acme.Bank.*
arrays 64
log off
all-accesses on
repetitions off
";

    #[test]
    fn what_is_written_is_read_again() {
        let config = Config::parse(TEXT).unwrap();
        assert_eq!(config.to_text(), TEXT);
        assert_eq!(config.arrays, Arrays::Below(64));
        assert!(!config.log && config.all_accesses && !config.repetitions);
        assert_eq!(Config::parse(&Config::default().to_text()), Ok(Config::default()));
    }

    #[test]
    fn comments_and_spaces_do_not_count() {
        let config = Config::parse("\n  # all\n  arrays   off  # none\n").unwrap();
        assert_eq!(config, Config { arrays: Arrays::Off, ..Config::default() });
    }

    #[test]
    fn a_wrong_line_is_named() {
        let wrong = [
            "color red",
            "arrays some",
            "include a b",
            "atomic most",
            "log",
            "atomic-method x",
            "atomic-annotation",
        ];
        for text in wrong {
            let error = Config::parse(&format!("log on\n{text}\n")).unwrap_err();
            assert_eq!((error.line, &*error.text), (2, text), "{error}");
        }
    }

    #[test]
    fn a_number_that_is_too_large_is_told_the_limit() {
        let error = Config::parse("arrays 4294967296\n").unwrap_err();
        assert_eq!(error.problem, "`4294967296` is too large: 4294967295 is the most");
        let error = Config::parse("arrays -1\n").unwrap_err();
        assert_eq!(error.problem, "`-1` is neither on nor off nor a number");
    }

    #[test]
    fn exclude_wins_over_include_and_include_over_the_defaults() {
        let config = Config::parse("include org.junit.*\nexclude org.junit.rules.*\n").unwrap();
        assert!(config.wants("org/junit/Test", false));
        assert!(!config.wants("org/junit/rules/Rule", false));
        assert!(!config.wants("org/testng/Test", false));
        assert!(config.wants("com/acme/Account", false));
        assert!(!config.wants("java/util/Vector", true));
    }

    #[test]
    fn only_restricts_the_application_but_not_what_is_included() {
        let config = Config::parse("include java.util.*\nonly com.acme.*\n").unwrap();
        assert!(config.wants("com/acme/Account", false));
        assert!(!config.wants("com/other/Account", false));
        assert!(config.wants("java/util/Vector", true));
        assert!(!config.wants("java/net/Socket", true));
    }

    #[test]
    fn the_probe_is_never_instrumented() {
        let config = Config::parse("include *\n").unwrap();
        assert!(!config.wants("java/lang/InterloperMap", true));
        assert!(!config.wants("java/util/concurrent/atomic/AtomicInteger", true));
        assert!(!config.wants("java/lang/Object", true));
        assert!(config.wants("java/lang/StringBuilder", true));
    }

    #[test]
    fn the_lists_are_patterns() {
        for text in DEFAULT_EXCLUSIONS.iter().chain(NEVER) {
            assert!(Pattern::parse(text).is_some(), "{text}");
        }
    }
}
