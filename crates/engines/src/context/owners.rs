//! Which object a variable is a part of, by its name (see [`Names::owner`]).

use interloper_trace::{Interner, Names, VarId};

/// An object of the checked program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObjectId(pub(crate) u32);

impl ObjectId {
    /// The id as an index into a table.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The objects of all variables so far.
#[derive(Default)]
pub(crate) struct Owners {
    objects: Interner,
    of: Vec<ObjectId>,
}

impl Owners {
    /// Learns of the variables that are new. To be called before each batch.
    pub(crate) fn learn(&mut self, names: &Names) {
        for var in self.of.len()..names.vars.len() {
            let owner = names.owner(VarId(var as u32));
            self.of.push(ObjectId(self.objects.intern(owner)));
        }
    }

    /// How many variables are known.
    pub(crate) fn vars(&self) -> usize {
        self.of.len()
    }

    /// The object of a variable; `None` if it has no name.
    #[inline]
    pub(crate) fn of(&self, var: VarId) -> Option<ObjectId> {
        self.of.get(var.index()).copied()
    }

    /// The object of this name.
    pub(crate) fn named(&mut self, name: &str) -> ObjectId {
        ObjectId(self.objects.intern(name))
    }
}
