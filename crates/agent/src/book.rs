//! Which classes carry the state field, by defining loader and name.
//!
//! A class gets the field only if no superclass has it, and the superclass is often not loaded yet
//! when its subclass passes the hook. What this book knows is exact; what it does not know, the
//! weaver decides by name. A wrong guess costs a second field or a look into the probe's map, never
//! a wrong answer.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// A class loader: its identity hash, 0 for the boot loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoaderKey(pub i32);

impl LoaderKey {
    /// The boot loader.
    pub const BOOT: LoaderKey = LoaderKey(0);
}

/// The outcomes of one class name.
#[derive(Default)]
struct Outcomes(Vec<(LoaderKey, bool)>);

/// What became of every class that passed the hook and was wanted.
#[derive(Default)]
pub struct Book {
    classes: RwLock<HashMap<Box<str>, Outcomes>>,
}

impl Book {
    /// Notes whether objects of this class have the state field (own or inherited).
    pub fn note(&self, loader: LoaderKey, name: &str, carries: bool) {
        let mut classes = self.classes.write().unwrap_or_else(PoisonError::into_inner);
        let outcomes = &mut classes.entry(name.into()).or_default().0;
        match outcomes.iter_mut().find(|(known, _)| *known == loader) {
            Some((_, outcome)) => *outcome = carries,
            None => outcomes.push((loader, carries)),
        }
    }

    /// What was noted of the class of this very loader.
    pub fn outcome(&self, loader: LoaderKey, name: &str) -> Option<bool> {
        let classes = self.classes.read().unwrap_or_else(PoisonError::into_inner);
        let own = classes.get(name)?.0.iter().find(|(known, _)| *known == loader);
        own.map(|(_, outcome)| *outcome)
    }

    /// Whether objects of the class that `loader` knows by this name have the field; `None` if that
    /// is not known for sure. A class of another loader counts if it is the only one of its name:
    /// loaders delegate.
    pub fn carries(&self, loader: LoaderKey, name: &str) -> Option<bool> {
        let classes = self.classes.read().unwrap_or_else(PoisonError::into_inner);
        let outcomes = &classes.get(name)?.0;
        let own = outcomes.iter().find(|(known, _)| *known == loader);
        match (own, outcomes.as_slice()) {
            (Some((_, outcome)), _) | (None, [(_, outcome)]) => Some(*outcome),
            _ => None,
        }
    }

    /// Whether a class of this name may carry the field.
    pub fn may_carry(&self, name: &str) -> bool {
        let classes = self.classes.read().unwrap_or_else(PoisonError::into_inner);
        classes.get(name).is_some_and(|outcomes| outcomes.0.iter().any(|(_, outcome)| *outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: LoaderKey = LoaderKey(11);
    const PLUGIN: LoaderKey = LoaderKey(22);

    #[test]
    fn a_loader_knows_its_own_class_first() {
        let book = Book::default();
        book.note(APP, "a/B", true);
        book.note(PLUGIN, "a/B", false);
        assert_eq!(book.carries(APP, "a/B"), Some(true));
        assert_eq!(book.carries(PLUGIN, "a/B"), Some(false));
        assert_eq!(book.carries(LoaderKey::BOOT, "a/B"), None);
    }

    #[test]
    fn the_only_class_of_a_name_is_what_delegation_finds() {
        let book = Book::default();
        book.note(APP, "a/B", true);
        assert_eq!(book.carries(PLUGIN, "a/B"), Some(true));
        assert_eq!(book.carries(PLUGIN, "a/C"), None);
        assert_eq!((book.outcome(APP, "a/B"), book.outcome(PLUGIN, "a/B")), (Some(true), None));
    }

    #[test]
    fn a_later_outcome_replaces_the_earlier_one() {
        let book = Book::default();
        book.note(APP, "a/B", true);
        book.note(APP, "a/B", false);
        assert!(!book.may_carry("a/B"));
    }
}
