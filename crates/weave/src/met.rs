//! Which of the names that the user has given were met in the program: those that never are, are mistakes most often.

use crate::config::Config;
use std::sync::atomic::{AtomicBool, Ordering};

/// The file in the folder of a run to which JVMs add what they have met ([`crate::Weaver::newly_met`]), a line each.
pub const MET: &str = "met";

/// A setting that names something in the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    /// What it names.
    pub kind: NamingKind,
    /// The name, as the user gave it.
    pub name: String,
}

/// What a setting names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamingKind {
    /// Classes that are instrumented, too.
    Include,
    /// Classes of the application that are instrumented.
    Only,
    /// An annotation of what is atomic.
    Annotation,
    /// Methods that are atomic.
    AtomicMethod,
    /// Methods and blocks that are not.
    NotAtomic,
}

impl NamingKind {
    /// The key of the setting in the text of a configuration.
    fn key(self) -> &'static str {
        match self {
            NamingKind::Include => "include",
            NamingKind::Only => "only",
            NamingKind::Annotation => "atomic-annotation",
            NamingKind::AtomicMethod => "atomic-method",
            NamingKind::NotAtomic => "not-atomic",
        }
    }
}

impl Naming {
    /// The setting as a line of the text of a configuration.
    fn line(&self) -> String {
        format!("{} {}", self.kind.key(), self.name)
    }
}

impl Config {
    /// All settings that name something in the program; the order is that of [`Met::take_new`].
    fn namings(&self) -> Vec<Naming> {
        fn all<T: ToString>(kind: NamingKind, names: &[T]) -> impl Iterator<Item = Naming> {
            names.iter().map(move |it| Naming { kind, name: it.to_string() })
        }
        all(NamingKind::Include, &self.include)
            .chain(all(NamingKind::Only, &self.only))
            .chain(all(NamingKind::Annotation, &self.atomic_annotations))
            .chain(all(NamingKind::AtomicMethod, &self.atomic_methods))
            .chain(all(NamingKind::NotAtomic, &self.not_atomic))
            .collect()
    }

    /// The settings that name nothing that was met: `met` are the lines of those that were ([`MET`]).
    pub fn unmet(&self, met: &str) -> Vec<Naming> {
        let met: std::collections::HashSet<&str> = met.lines().collect();
        self.namings().into_iter().filter(|it| !met.contains(&*it.line())).collect()
    }
}

/// What was met so far.
#[derive(Debug)]
pub(crate) struct Met {
    include: Vec<AtomicBool>,
    only: Vec<AtomicBool>,
    annotations: Vec<AtomicBool>,
    atomic_methods: Vec<AtomicBool>,
    not_atomic: Vec<AtomicBool>,
    /// Whether some were met since they were told last; and which were told.
    news: AtomicBool,
    told: Vec<AtomicBool>,
}

impl Met {
    /// Nothing was met yet.
    pub(crate) fn new(config: &Config) -> Met {
        let flags = |count: usize| (0..count).map(|_| AtomicBool::new(false)).collect();
        Met {
            include: flags(config.include.len()),
            only: flags(config.only.len()),
            annotations: flags(config.atomic_annotations.len()),
            atomic_methods: flags(config.atomic_methods.len()),
            not_atomic: flags(config.not_atomic.len()),
            news: AtomicBool::new(false),
            told: flags(config.namings().len()),
        }
    }

    /// Marks all of these that match; whether any does.
    fn mark<T>(&self, flags: &[AtomicBool], names: &[T], matches: impl Fn(&T) -> bool) -> bool {
        let mut any = false;
        for (flag, _) in flags.iter().zip(names).filter(|(_, name)| matches(name)) {
            any = true;
            if !flag.swap(true, Ordering::Relaxed) {
                self.news.store(true, Ordering::Release);
            }
        }
        any
    }

    /// A class was loaded.
    pub(crate) fn class(&self, config: &Config, name: &str) {
        self.mark(&self.include, &config.include, |it| it.matches(name));
        self.mark(&self.only, &config.only, |it| it.matches(name));
    }

    /// Something has an annotation, of this name with slashes; whether that makes it atomic. Packages and classes around it
    /// need not be named, and nested ones can be written as in the source.
    pub(crate) fn annotation(&self, config: &Config, name: &str) -> bool {
        let name = name.replace('/', ".");
        let plain = name.replace('$', ".");
        self.mark(&self.annotations, &config.atomic_annotations, |it| {
            let inner = plain.strip_suffix(&**it);
            *it == name || inner.is_some_and(|outer| outer.is_empty() || outer.ends_with('.'))
        })
    }

    /// A method; whether its name makes it atomic.
    pub(crate) fn atomic_method(&self, config: &Config, label: &str, descriptor: &str) -> bool {
        self.mark(&self.atomic_methods, &config.atomic_methods, |it| it.matches(label, descriptor))
    }

    /// A method or block; whether it was said not to be atomic.
    pub(crate) fn not_atomic(&self, config: &Config, label: &str, descriptor: &str) -> bool {
        self.mark(&self.not_atomic, &config.not_atomic, |it| it.matches(label, descriptor))
    }

    /// The lines of the configuration that were met since this was asked last.
    pub(crate) fn take_new(&self, config: &Config) -> Vec<String> {
        if !self.news.load(Ordering::Relaxed) || !self.news.swap(false, Ordering::Acquire) {
            return vec![];
        }
        let kinds =
            [&self.include, &self.only, &self.annotations, &self.atomic_methods, &self.not_atomic];
        let met = kinds.into_iter().flatten();
        let new = |(met, told): (&AtomicBool, &AtomicBool)| {
            met.load(Ordering::Relaxed) && !told.swap(true, Ordering::Relaxed)
        };
        let namings = config.namings().into_iter().zip(met.zip(&self.told));
        namings.filter(|(_, flags)| new(*flags)).map(|(naming, _)| naming.line()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "include java.util.*\nonly a.*\natomic-annotation q.O.Run\natomic-annotation Run\n\
                        atomic-method a.B.c\nnot-atomic a.B.d\nnot-atomic a.B.c:12\n";

    fn names(unmet: &[Naming]) -> Vec<&str> {
        unmet.iter().map(|it| &*it.name).collect()
    }

    #[test]
    fn what_was_met_is_told_once_and_the_rest_is_unmet() {
        let config = Config::parse(TEXT).unwrap();
        let met = Met::new(&config);
        assert!(met.take_new(&config).is_empty());
        assert_eq!(config.unmet("").len(), 7);
        met.class(&config, "java/util/Vector");
        assert!(met.not_atomic(&config, "a.B.d", "()V") && !met.not_atomic(&config, "a.B.x", ""));
        let mut told = met.take_new(&config);
        assert_eq!(told, ["include java.util.*", "not-atomic a.B.d"]);
        met.class(&config, "java/util/Vector");
        met.class(&config, "a/B");
        assert!(met.atomic_method(&config, "a.B.c", "()V"));
        told.extend(met.take_new(&config));
        assert!(met.take_new(&config).is_empty());
        let unmet = config.unmet(&told.join("\n"));
        assert_eq!(names(&unmet), ["q.O.Run", "Run", "a.B.c:12"]);
        assert_eq!(unmet[0].kind, NamingKind::Annotation);
    }

    #[test]
    fn annotations_can_be_named_without_what_is_around_them() {
        let config = Config::parse(TEXT).unwrap();
        let met = |name: &str| {
            let met = Met::new(&config);
            met.annotation(&config, name).then(|| met.take_new(&config).len())
        };
        assert_eq!(met("q/O$Run"), Some(2));
        assert_eq!(met("other/Run"), Some(1));
        assert_eq!(met("Run"), Some(1));
        assert_eq!(met("q/DryRun"), None);
    }
}
