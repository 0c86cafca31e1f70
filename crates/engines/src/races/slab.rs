//! Things that few variables have, by number, so that the others need little room.

use std::num::NonZeroU32;

/// A number in a [`Slab`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot(NonZeroU32);

impl Slot {
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Things by number; numbers are used again.
pub(crate) struct Slab<T> {
    items: Vec<T>,
    free: Vec<Slot>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { items: vec![], free: vec![] }
    }
}

impl<T: Default> Slab<T> {
    /// A new one, as it is by default.
    pub(crate) fn add(&mut self) -> Slot {
        self.free.pop().unwrap_or_else(|| {
            let slot = Slot(NonZeroU32::MIN.saturating_add(self.items.len() as u32));
            self.items.push(T::default());
            slot
        })
    }

    /// One that was added.
    pub(crate) fn get(&self, slot: Slot) -> &T {
        &self.items[slot.index()]
    }

    /// The same, to be changed.
    pub(crate) fn get_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.items[slot.index()]
    }

    /// Takes one away; its number may be used again.
    pub(crate) fn remove(&mut self, slot: Option<Slot>) {
        if let Some(slot) = slot {
            self.items[slot.index()] = T::default();
            self.free.push(slot);
        }
    }
}
