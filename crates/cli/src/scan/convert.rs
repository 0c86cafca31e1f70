//! Warnings of the analysis, in ids, become findings, in words.

use interloper_findings::{
    Acquisition, Context, Finding, LockPattern, Place, Scope, Site, Suppression, Suppressor,
};
use interloper_scan::hierarchy::Hierarchy;
use interloper_scan::ir::{ClassId, MethodId, Program};
use interloper_scan::{self as scan, Warning};
use std::collections::HashMap;

/// What words need to know of the program.
pub struct Converter<'a> {
    /// Its methods and names.
    pub program: &'a Program,
    /// Its classes.
    pub hierarchy: &'a Hierarchy,
    /// What classes and methods have these annotations is suppressed.
    pub annotations: &'a [String],
}

impl Converter<'_> {
    /// The findings of all warnings, in the order of the program; those of one lock of a class are one.
    pub fn findings(&self, warnings: &[Warning]) -> Vec<Finding> {
        let mut patterns: Vec<LockPattern> = vec![];
        let mut known: HashMap<(String, String), usize> = HashMap::new();
        for warning in warnings {
            let Some(first) = warning.occurrences.first() else { continue };
            let scope = self.scope(first.method, &first.witness);
            let class = match &scope {
                Scope::Class(class) => Some((class.clone(), first.witness.clone())),
                Scope::Program | Scope::Method(_) => None,
            };
            let places = warning.occurrences.iter().map(|found| self.place(found)).collect();
            let mut pattern = LockPattern { scope, places, more: warning.more as u64 };
            match class.as_ref().and_then(|class| known.get(class)) {
                Some(&at) => {
                    patterns[at].places.append(&mut pattern.places);
                    patterns[at].more += pattern.more;
                }
                None => {
                    known.extend(class.map(|class| (class, patterns.len())));
                    patterns.push(pattern);
                }
            }
        }
        patterns.into_iter().map(LockPattern::into_finding).collect()
    }

    fn class(&self, method: MethodId) -> ClassId {
        let names = &self.program.names;
        names.method(self.program.method(method).name).class
    }

    /// Where a lock has its name: it begins with `this`, with a local variable, or with a class.
    fn scope(&self, method: MethodId, lock: &str) -> Scope {
        let root = lock.split(['.', '[']).next().unwrap_or(lock);
        let nameless = |prefix| {
            let number: Option<&str> = root.strip_prefix(prefix);
            number.is_some_and(|it| !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit()))
        };
        let names = &self.program.names;
        let mut locals = self.program.method(method).locals().iter().filter_map(|it| it.name);
        if root == "this" {
            Scope::Class(names.class_name(self.class(method)))
        } else if locals.any(|name| names.text(name) == root)
            || nameless("local")
            || nameless("arg")
        {
            Scope::Method(self.program.method_name(method))
        } else {
            Scope::Program
        }
    }

    fn place(&self, found: &scan::Occurrence) -> Place {
        let context = &found.context;
        let methods = [found.method, context.place.method];
        Place {
            method: self.program.method_name(found.method),
            witness: found.witness.clone(),
            first_witness: found.first_witness.clone(),
            context: Context {
                lock: context.lock.clone(),
                site: self.site(context.place),
                calls: self.sites(&context.calls),
            },
            first: self.acquisition(&found.first),
            second: self.acquisition(&found.second),
            others: found.others.clone(),
            more: found.more,
            suppressed: methods.into_iter().find_map(|method| self.annotated(method)),
        }
    }

    fn acquisition(&self, found: &scan::Acquisition) -> Acquisition {
        Acquisition {
            calls: self.sites(&found.calls),
            site: self.site(found.place),
            lock: found.lock.clone(),
        }
    }

    fn sites(&self, places: &[scan::Place]) -> Vec<Site> {
        places.iter().map(|place| self.site(*place)).collect()
    }

    /// The file has the folders of the class's package, where it lies in source trees.
    fn site(&self, place: scan::Place) -> Site {
        let names = &self.program.names;
        let class = names.class_text(self.class(place.method));
        let package = class.rfind('/').map_or("", |at| &class[..=at]);
        let file = self.program.method(place.method).file.map(|file| names.text(file));
        let at = match (file, place.line) {
            (None, _) => String::new(),
            (Some(file), 0) => format!("{package}{file}"),
            (Some(file), line) => format!("{package}{file}:{line}"),
        };
        Site { method: self.program.method_name(place.method), at }
    }

    /// The suppression by an annotation of a method, its class, or a class around.
    fn annotated(&self, method: MethodId) -> Option<Suppression> {
        if self.annotations.is_empty() {
            return None;
        }
        let names = &self.program.names;
        let mut found = self.hierarchy.method_annotations(method).to_vec();
        let mut class = names.class_text(self.class(method));
        loop {
            let id = names.find_class(class);
            found.extend(id.into_iter().flat_map(|id| self.hierarchy.class_annotations(id)));
            match class.rfind('$') {
                Some(at) => class = &class[..at],
                None => break,
            }
        }
        let found = found.into_iter().map(|id| names.class_name(id).replace('$', "."));
        let name = |found: &String| self.annotations.iter().any(|wanted| is_called(found, wanted));
        let found = found.into_iter().find(name)?;
        Some(Suppression { by: Suppressor::Source, reason: format!("@{found}") })
    }
}

/// Whether a class is called so, with or without its package.
fn is_called(class: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_start_matches('@').replace(['/', '$'], ".");
    class.strip_suffix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
