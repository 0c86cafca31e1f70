//! Names of numbers that had another name before.

use crate::names::Hash;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

/// The names, and where they are by text.
#[derive(Clone, Default)]
pub(crate) struct Anew {
    names: HashMap<u32, Named, FixedState>,
    index: HashTable<u32>,
    /// The bytes of all names.
    bytes: u64,
}

#[derive(Clone)]
struct Named {
    name: Box<str>,
    hash: Hash,
}

impl Anew {
    /// The name of a number, if it was given anew.
    pub(crate) fn name(&self, id: u32) -> Option<&str> {
        if self.names.is_empty() { None } else { self.names.get(&id).map(|named| &*named.name) }
    }

    /// The number of a name, if it is one of these.
    pub(crate) fn find(&self, hash: Hash, name: &str) -> Option<u32> {
        self.index.find(hash.0, |id| self.names[id].name.as_ref() == name).copied()
    }

    /// Gives a number a name; it must have none here.
    pub(crate) fn put(&mut self, id: u32, hash: Hash, name: &str) {
        self.bytes += name.len() as u64;
        self.names.insert(id, Named { name: name.into(), hash });
        let names = &self.names;
        self.index.insert_unique(hash.0, id, |id| names[id].hash.0);
    }

    /// Takes the name of a number away, if it was given anew.
    pub(crate) fn take(&mut self, id: u32) -> bool {
        let Some(Named { name, hash }) = self.names.remove(&id) else { return false };
        self.bytes -= name.len() as u64;
        if let Ok(entry) = self.index.find_entry(hash.0, |&other| other == id) {
            entry.remove();
        }
        true
    }

    /// The bytes that they take, roughly.
    pub(crate) fn cost(&self) -> u64 {
        self.bytes + self.names.len() as u64 * COST_OF_A_NAME
    }
}

/// What a name costs beside its text.
const COST_OF_A_NAME: u64 = 48;
