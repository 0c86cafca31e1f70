//! What is to be done with a program: the command line, and the section `[run]` of `interloper.toml` under it.

use super::args::{Instrumentation, Program};
use crate::args::{ALL_ENGINES, Engines, Format, Style};
use crate::failure::Failure;
use crate::settings::{self, FILE};
use clap::ValueEnum;
use interloper_weave::Config;
use serde::de::{Error, IgnoredAny, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long JVMs that outlive the program are watched.
const LINGER: u64 = 5;

/// The section `[run]`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Section {
    #[serde(deserialize_with = "settings::texts")]
    instrument: Vec<String>,
    #[serde(deserialize_with = "settings::texts")]
    exclude: Vec<String>,
    #[serde(deserialize_with = "settings::texts")]
    only: Vec<String>,
    #[serde(deserialize_with = "settings::some_texts")]
    atomic: Option<Vec<String>>,
    #[serde(deserialize_with = "settings::texts")]
    not_atomic: Vec<String>,
    #[serde(deserialize_with = "settings::texts")]
    spec: Vec<PathBuf>,
    arrays: Option<Arrays>,
    all_accesses: bool,
    linger: Option<u64>,
    #[serde(deserialize_with = "settings::texts")]
    engine: Vec<String>,
    blocks: Option<String>,
    #[serde(deserialize_with = "settings::texts")]
    without: Vec<String>,
    limit: Option<u64>,
    format: Option<String>,
    output: Option<PathBuf>,
    #[serde(deserialize_with = "settings::texts")]
    source_path: Vec<PathBuf>,
    stats: bool,
    full: bool,
    runs: Option<u32>,
    /// The file that it stands in, if the user named one.
    #[serde(skip)]
    file: Option<PathBuf>,
}

/// `arrays = true`, `arrays = 64` or `arrays = "off"`, as the word for the command line.
struct Arrays(String);

impl<'de> Deserialize<'de> for Arrays {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Arrays, D::Error> {
        struct Expected;
        impl Visitor<'_> for Expected {
            type Value = Arrays;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "true, false, \"on\", \"off\" or a number from 0 to {}", u32::MAX)
            }

            fn visit_bool<E: Error>(self, wanted: bool) -> Result<Arrays, E> {
                Ok(Arrays(if wanted { "on" } else { "off" }.to_string()))
            }

            fn visit_i64<E: Error>(self, end: i64) -> Result<Arrays, E> {
                let wrong = |_| E::invalid_value(Unexpected::Signed(end), &self);
                u32::try_from(end).map(|end| Arrays(end.to_string())).map_err(wrong)
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Arrays, E> {
                Ok(Arrays(word.to_string()))
            }
        }
        from.deserialize_any(Expected)
    }
}

impl Section {
    /// Of the file that the user means.
    pub fn read(program: &Program) -> Result<Section, Failure> {
        let settings = settings::read::<IgnoredAny, Section>(program.config.as_deref())?;
        Ok(Section { file: program.config.clone(), ..settings.run })
    }

    /// How long JVMs that outlive the program are watched.
    pub fn linger(&self, program: &Program) -> Duration {
        Duration::from_secs(program.linger.or(self.linger).unwrap_or(LINGER))
    }

    /// How many runs without anything new end a refinement, if that is set.
    pub fn runs(&self, given: Option<u32>) -> Option<u32> {
        given.or(self.runs)
    }

    /// What the agent is told.
    pub fn instrumentation(&self, args: &Instrumentation) -> Result<Config, Failure> {
        let mut lines = Lines::default();
        let both = |file: &[String], given: &[String]| [file, given].concat();
        lines.all("instrument", "include", &both(&self.instrument, &args.instrument))?;
        lines.all("exclude", "exclude", &both(&self.exclude, &args.exclude))?;
        lines.all("only", "only", &both(&self.only, &args.only))?;
        let given = Some(&args.atomic).filter(|given| !given.is_empty());
        if let Some(wanted) = given.or(self.atomic.as_ref()) {
            lines.atomic(wanted)?;
        }
        lines.all("not-atomic", "not-atomic", &both(&self.not_atomic, &args.not_atomic))?;
        for path in self.spec.iter().chain(&args.spec) {
            lines.spec(path)?;
        }
        let arrays = args.arrays.clone().or(self.arrays.as_ref().map(|it| it.0.clone()));
        lines.all("arrays", "arrays", arrays.as_slice())?;
        if args.all_accesses || self.all_accesses {
            lines.text += "all-accesses on\n";
        }
        if args.no_log {
            lines.text += "log off\n";
        }
        // each line was read before
        Config::parse(&lines.text).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// Which engines run.
    pub fn engines(&self, args: &Engines) -> Result<Engines, Failure> {
        let engine = if args.engine.is_empty() { &self.engine } else { &args.engine };
        let known = |name: &str| name == ALL_ENGINES || interloper_engines::NAMES.contains(&name);
        if let Some(name) = engine.iter().find(|name| !known(name)) {
            let known = [&interloper_engines::NAMES[..], &[ALL_ENGINES]].concat().join(", ");
            return Err(self.wrong(format!("engine = {name:?} is none of {known}")));
        }
        let blocks = self.blocks.as_deref().map(|name| self.value("blocks", name)).transpose()?;
        let without: Result<Vec<_>, _> =
            self.without.iter().map(|name| self.value("without", name)).collect();
        if self.limit == Some(0) {
            return Err(self.wrong("limit = 0: 1 is the least".to_string()));
        }
        Ok(Engines {
            engine: engine.clone(),
            blocks: args.blocks.or(blocks),
            without: if args.without.is_empty() { without? } else { args.without.clone() },
            limit: args.limit.or(self.limit),
        })
    }

    /// Where the report goes, if that is set.
    pub fn output(&self, given: Option<&Path>) -> Option<PathBuf> {
        given.or(self.output.as_deref()).map(Path::to_path_buf)
    }

    /// How to report.
    pub fn style(&self, args: &Style) -> Result<Style, Failure> {
        let format: Option<Format> =
            self.format.as_deref().map(|name| self.value("format", name)).transpose()?;
        Ok(Style {
            format: args.format.or(format),
            source_path: [&self.source_path[..], &args.source_path].concat(),
            stats: args.stats || self.stats,
            full: args.full || self.full,
        })
    }

    fn value<T: ValueEnum>(&self, setting: &str, name: &str) -> Result<T, Failure> {
        T::from_str(name, false).map_err(|_| {
            let known = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let known: Vec<String> = known.map(|it| it.get_name().to_string()).collect();
            self.wrong(format!("{setting} = {name:?} is none of {}", known.join(", ")))
        })
    }

    fn wrong(&self, why: String) -> Failure {
        let file = self.file.as_deref().unwrap_or(Path::new(FILE)).display();
        Failure::Usage(format!("{file}: {why}"))
    }
}

/// The lines for the agent, each tried out as it comes so that an error names what the user wrote.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn add(&mut self, key: &str, value: &str) -> Result<(), String> {
        let value = value.trim();
        if value.contains(['#', '\n', '\r']) {
            return Err(format!("`{value}` is no name"));
        }
        let line = format!("{key} {value}\n");
        Config::parse(&line).map_err(|error| error.problem)?;
        self.text += &line;
        Ok(())
    }

    fn all(&mut self, option: &str, key: &str, values: &[String]) -> Result<(), Failure> {
        for value in values {
            let wrong = |why| Failure::Usage(format!("--{option} {value}: {why}"));
            self.add(key, value).map_err(wrong)?;
        }
        Ok(())
    }

    /// Rules, annotations and methods. Without a rule, nothing else is atomic.
    fn atomic(&mut self, wanted: &[String]) -> Result<(), Failure> {
        let items = wanted.iter().flat_map(|list| list.split(',')).map(str::trim);
        let items: Vec<&str> = items.filter(|item| !item.is_empty()).collect();
        let is_rule = |item: &&&str| !item.starts_with('@') && !item.contains('.');
        let rules: Vec<&&str> = items.iter().filter(is_rule).collect();
        let rule = match rules[..] {
            // who says nothing here did not mean the default
            [] if items.is_empty() => {
                let message = "--atomic (or `atomic` in the settings) names nothing: `none` is for that, and leaving it out for the default";
                return Err(Failure::Usage(message.to_string()));
            }
            [] => "none",
            [one] => one,
            [one, other, ..] => {
                let message = format!("--atomic {one},{other}: choose one of them");
                return Err(Failure::Usage(message));
            }
        };
        self.all("atomic", "atomic", &[rule.to_string()])?;
        for item in items.iter().filter(|item| !is_rule(item)) {
            let (key, name) = match item.strip_prefix('@') {
                Some(annotation) => ("atomic-annotation", annotation),
                None => ("atomic-method", *item),
            };
            let wrong = |why| Failure::Usage(format!("--atomic {item}: {why}"));
            self.add(key, name).map_err(wrong)?;
        }
        Ok(())
    }

    /// A file of methods that are not atomic.
    fn spec(&mut self, path: &Path) -> Result<(), Failure> {
        let wrong = |why: String| Failure::Usage(format!("{}{why}", path.display()));
        let text = settings::read_text(path).map_err(|error| wrong(format!(": {error}")))?;
        for (number, line) in (1..).zip(text.lines()) {
            let method = line.split('#').next().unwrap_or_default().trim();
            if !method.is_empty() {
                self.add("not-atomic", method).map_err(|why| wrong(format!(":{number}: {why}")))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> Section {
        toml::from_str(text).unwrap()
    }

    fn config(file: &str, args: Instrumentation) -> Result<String, String> {
        let config = section(file).instrumentation(&args);
        config.map(|config| config.to_text()).map_err(|failure| failure.to_string())
    }

    fn atomic(items: &[&str]) -> Instrumentation {
        let atomic = items.iter().map(|item| item.to_string()).collect();
        Instrumentation { atomic, ..Instrumentation::default() }
    }

    #[test]
    fn lists_are_put_together_and_the_command_line_wins() {
        let file = "instrument = [\"java.util.*\"]\narrays = 64\natomic = [\"public\"]";
        let args = Instrumentation {
            instrument: vec!["java.text.*".into()],
            arrays: Some("off".into()),
            ..atomic(&["synchronized"])
        };
        let text = config(file, args).unwrap();
        for line in ["include java.util.*", "include java.text.*", "arrays off"] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
        assert!(text.contains("atomic synchronized") && !text.contains("public"), "{text}");
        assert!(config(file, Instrumentation::default()).unwrap().contains("arrays 64"));
    }

    #[test]
    fn a_list_of_one_needs_no_brackets() {
        for (one, list) in [
            ("atomic = 'public'", "atomic = ['public']"),
            ("exclude = 'a.*'\nspec = 'no/such'", "exclude = ['a.*']\nspec = ['no/such']"),
            ("spec = []\nnot-atomic = 'a.B.c'", "not-atomic = ['a.B.c']"),
        ] {
            let [one, list] = [one, list].map(|text| config(text, Instrumentation::default()));
            assert_eq!(one, list);
        }
        let error = toml::from_str::<Section>("atomic = 3").err().unwrap().to_string();
        assert!(error.contains("expected a text or a list of texts"), "{error}");
        let error = toml::from_str::<Section>("atomic = ['a', 3]").err().unwrap().to_string();
        assert!(error.contains("expected a string"), "{error}");
    }

    #[test]
    fn names_and_annotations_alone_are_all_that_is_atomic() {
        let text = config("", atomic(&["@com.acme.Atomic,com.acme.Account.withdraw"])).unwrap();
        for line in [
            "atomic none",
            "atomic-annotation com.acme.Atomic",
            "atomic-method com.acme.Account.withdraw",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
        let text = config("", atomic(&["methods", "@com.acme.Atomic"])).unwrap();
        assert!(text.contains("atomic methods\n"), "{text}");
    }

    #[test]
    fn what_is_wrong_is_named_as_the_user_wrote_it() {
        let exclude = |it: &str| Instrumentation { exclude: vec![it.into()], ..atomic(&[]) };
        for (args, says) in [
            (atomic(&["most"]), "--atomic most: "),
            (atomic(&["public,methods"]), "--atomic public,methods: choose one"),
            (atomic(&["@"]), "--atomic @: "),
            (atomic(&[""]), "--atomic (or `atomic` in the settings) names nothing"),
            (atomic(&[" , "]), "--atomic (or `atomic` in the settings) names nothing"),
            (exclude("a*"), "--exclude a*: "),
            (exclude("a\nlog off"), "--exclude a\nlog off: "),
        ] {
            let error = config("", args).unwrap_err();
            assert!(error.starts_with(says), "{error}");
        }
        let error = config("atomic = []", Instrumentation::default()).unwrap_err();
        assert!(error.contains("names nothing"), "{error}");
        assert!(config("atomic = []", atomic(&["public"])).is_ok(), "the command line wins");
        for (file, says) in [
            ("engine = [\"oracle\"]", "engine = \"oracle\" is none of frontier, "),
            ("blocks = \"3v\"", "blocks = \"3v\" is none of 1v, 2v, cycles"),
            ("limit = 0", "limit = 0: 1 is the least"),
        ] {
            let error = section(file).engines(&Engines::default()).err().unwrap().to_string();
            assert!(error.starts_with(&format!("interloper.toml: {says}")), "{error}");
        }
        let file = Some("c.toml".into());
        let other = Section { file, ..section("engine = [\"oracle\"]") };
        let error = other.engines(&Engines::default()).err().unwrap().to_string();
        assert!(error.starts_with("c.toml: "), "{error}");
    }

    #[test]
    fn arrays_are_a_word_or_a_number_that_is_not_too_large() {
        for (set, line) in [
            ("true", "arrays on"),
            ("false", "arrays off"),
            ("\"off\"", "arrays off"),
            ("64", "arrays 64"),
        ] {
            let text = config(&format!("arrays = {set}"), Instrumentation::default()).unwrap();
            assert!(text.lines().any(|it| it == line), "{set}: {text}");
        }
        for wrong in ["-1", "4294967296", "1.5", "[]"] {
            let error = toml::from_str::<Section>(&format!("arrays = {wrong}")).err().unwrap();
            let says = "expected true, false, \"on\", \"off\" or a number from 0 to 4294967295";
            assert!(error.to_string().contains(says), "{error}");
        }
    }

    #[test]
    fn a_specification_is_a_list_of_methods_with_comments() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec");
        std::fs::write(&path, "# found\n\n a.B.c # twice\na.B.d(I)V\n").unwrap();
        let args = Instrumentation { spec: vec![path.clone()], ..atomic(&[]) };
        let text = config("", args.clone()).unwrap();
        assert!(text.contains("not-atomic a.B.c\nnot-atomic a.B.d(I)V\n"), "{text}");
        std::fs::write(&path, "\u{feff}a.B.c\n").unwrap();
        let text = config("", args.clone()).unwrap();
        assert!(text.contains("not-atomic a.B.c\n"), "as some editors write it: {text}");
        std::fs::write(&path, "a.B.c\nnonsense\n").unwrap();
        let error = config("", args).unwrap_err();
        assert!(error.starts_with(&format!("{}:2: ", path.display())), "{error}");
    }
}
