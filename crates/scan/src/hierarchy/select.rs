//! Finds methods in the hierarchy, as the JVM does (JVMS 5.4.6) and as class hierarchy analysis does.

use super::{Class, Declared, Hierarchy, Position};
use crate::ir::{MethodId, Symbol};
use hashbrown::HashSet;
use interloper_jvm::AccessFlags;

/// Name and descriptor of a method.
type Key = (Symbol, Symbol);

impl Class {
    fn declared(&self, key: Key) -> Option<&Declared> {
        let at = self.methods.binary_search_by_key(&key, |it| (it.name, it.descriptor)).ok()?;
        Some(&self.methods[at])
    }

    fn is_interface(&self) -> bool {
        self.access.contains(AccessFlags::INTERFACE)
    }
}

impl Hierarchy {
    /// The class and all classes and interfaces above it, each once: first the chain of superclasses, then
    /// interfaces, nearer ones first.
    pub(super) fn supertypes(&self, start: Position) -> Vec<Position> {
        let mut found: Vec<Position> =
            std::iter::successors(Some(start), |it| self.at(*it).superclass).collect();
        let mut next = 0;
        while next < found.len() {
            for interface in &self.at(found[next]).interfaces {
                if !found.contains(interface) {
                    found.push(*interface);
                }
            }
            next += 1;
        }
        found
    }

    /// The method in the class or, failing that, in the nearest superclass that has one.
    fn in_superclasses(&self, start: Position, key: Key) -> Option<&Declared> {
        std::iter::successors(Some(start), |it| self.at(*it).superclass)
            .find_map(|it| self.at(it).declared(key))
    }

    /// The bodies that run if the method is called on an object whose class is exactly this one: one, or none; several
    /// only if interfaces inherit unrelated default methods.
    pub(super) fn select(&self, class: Position, key: Key) -> Vec<MethodId> {
        if let Some(declared) = self.in_superclasses(class, key) {
            return declared.body.into_iter().collect();
        }
        let defaults: Vec<(Position, MethodId)> = self
            .supertypes(class)
            .into_iter()
            .filter(|it| self.at(*it).is_interface())
            .filter_map(|it| Some((it, self.at(it).declared(key)?.body?)))
            .collect();
        // a default method of an interface gives way to those of its sub-interfaces
        let overridden = |it: &(Position, MethodId)| {
            defaults
                .iter()
                .any(|(other, _)| *other != it.0 && self.supertypes(*other).contains(&it.0))
        };
        defaults.iter().filter(|it| !overridden(it)).map(|it| it.1).collect()
    }

    /// The bodies that may run if the method is called on an object of this class or of any subtype.
    pub(super) fn overriders(&self, class: Position, key: Key) -> Vec<MethodId> {
        let mut found = self.select(class, key);
        if let Some(declared) = self.in_superclasses(class, key) {
            let fixed =
                AccessFlags(declared.access.0 & (AccessFlags::PRIVATE.0 | AccessFlags::FINAL.0));
            if fixed.0 != 0 {
                return found;
            }
        }
        let through_interface = self.at(class).is_interface() || !self.at(class).given;
        for subtype in self.subtypes(class) {
            let subtype_class = self.at(subtype);
            match subtype_class.declared(key) {
                Some(declared) if declared.access.contains(AccessFlags::STATIC) => {}
                Some(declared) if declared.access.contains(AccessFlags::PRIVATE) => {}
                Some(declared) => found.extend(declared.body),
                // a class can implement an interface by what it inherits from elsewhere
                None if through_interface && !subtype_class.is_interface() => {
                    found.extend(self.in_superclasses(subtype, key).and_then(|it| it.body));
                }
                None => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// All classes and interfaces below a class.
    fn subtypes(&self, class: Position) -> Vec<Position> {
        let mut found = vec![class];
        // a set, not a flag a class: most classes have no subtypes, and calls are many
        let mut seen: HashSet<Position, foldhash::fast::FixedState> = HashSet::default();
        let mut next = 0;
        while next < found.len() {
            for subtype in &self.at(found[next]).subtypes {
                if seen.insert(*subtype) {
                    found.push(*subtype);
                }
            }
            next += 1;
        }
        found.swap_remove(0);
        found
    }
}
