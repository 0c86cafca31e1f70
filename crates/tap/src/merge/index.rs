//! From object and field, or array and page, to variable.
//!
//! What belongs to one object is chained, so that it can be found and taken out when the object is dead.

use interloper_trace::prefetch;

/// No variable: there were too many names, so accesses are left out.
pub(super) const LEFT_OUT: u32 = u32::MAX;

/// The end of a chain: no field and no page has this number.
pub(super) const END: u32 = u32::MAX;

/// The key of an empty place.
const EMPTY: u64 = u64::MAX;

/// Which of an object's fields or pages are looked for side by side, by their numbers' last bits. They are mostly used together; more than some would
/// get in each other's way.
const TOGETHER: u64 = 7;

#[derive(Clone, Copy)]
struct Place {
    /// The object above, the field or page below.
    key: u64,
    var: u32,
    /// The field or page of the same object that was added before.
    next: u32,
}

const NOTHING: Place = Place { key: EMPTY, var: LEFT_OUT, next: END };

/// A table with keys and variables side by side, at most half full, so that an access mostly looks at one line of
/// memory.
pub(super) struct Index {
    places: Vec<Place>,
    count: usize,
}

/// What was looked up lately: so small that it is always at hand.
pub(super) struct Recent([(u64, u32); RECENT]);

const RECENT: usize = 128;

impl Default for Recent {
    fn default() -> Recent {
        Recent([(EMPTY, LEFT_OUT); RECENT])
    }
}

impl Recent {
    /// Neighbours have places side by side.
    #[inline(always)]
    fn place(key: u64) -> usize {
        ((key >> 32).wrapping_mul(41).wrapping_add(key)) as usize % RECENT
    }

    /// The variable of a key, if it was put here and no other in its place.
    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<u32> {
        let (known, var) = self.0[Recent::place(key)];
        (known == key).then_some(var)
    }

    /// Keeps the variable of a key at hand.
    pub(super) fn put(&mut self, key: u64, var: u32) {
        self.0[Recent::place(key)] = (key, var);
    }
}

/// An object and one of its fields or pages.
#[inline(always)]
pub(super) fn key(id: u32, part: u32) -> u64 {
    u64::from(id) << 32 | u64::from(part)
}

impl Index {
    pub(super) fn new() -> Index {
        Index { places: vec![NOTHING; 1 << 10], count: 0 }
    }

    /// Where a key belongs: beside some of the same object that have numbers beside its own.
    #[inline(always)]
    fn home(&self, key: u64) -> usize {
        let mixed = u128::from(key & !TOGETHER) * 0x9E37_79B9_7F4A_7C15;
        let together = mixed as u64 ^ (mixed >> 64) as u64;
        together.wrapping_add(key & TOGETHER) as usize & (self.places.len() - 1)
    }

    /// Where a key is, or would be put.
    #[inline(always)]
    fn find(&self, key: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut place = self.home(key);
        while self.places[place].key != key && self.places[place].key != EMPTY {
            place = (place + 1) & mask;
        }
        place
    }

    /// A key is about to be asked for. The table is larger than any cache, and a quarter of the reader's time was waiting for it.
    #[inline(always)]
    pub(super) fn fetch(&self, key: u64) {
        prefetch(&self.places[self.home(key)]);
    }

    /// The variable of a key.
    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<u32> {
        let found = self.places[self.find(key)];
        (found.key == key).then_some(found.var)
    }

    /// Adds a key that is not in the table; `next` is what was added before it for the same object.
    pub(super) fn put(&mut self, key: u64, var: u32, next: u32) {
        if 2 * (self.count + 1) > self.places.len() {
            let larger = vec![NOTHING; 2 * self.places.len()];
            for moved in std::mem::replace(&mut self.places, larger) {
                if moved.key != EMPTY {
                    let place = self.find(moved.key);
                    self.places[place] = moved;
                }
            }
        }
        let place = self.find(key);
        self.places[place] = Place { key, var, next };
        self.count += 1;
    }

    /// What was added for an object, from `last` back.
    pub(super) fn chain(&self, id: u32, last: u32) -> impl Iterator<Item = u32> {
        let part = |part: u32| (part != END).then_some(part);
        std::iter::successors(part(last), move |&it| {
            let found = self.places[self.find(key(id, it))];
            part(found.next).filter(|_| found.key != EMPTY)
        })
    }

    /// Takes out all that was added for an object, from `last` back; calls back with each part and variable.
    pub(super) fn take_chain(&mut self, id: u32, last: u32, mut each: impl FnMut(u32, u32)) {
        let mut part = last;
        while part != END {
            let place = self.find(key(id, part));
            let Place { key, var, next } = self.places[place];
            if key == EMPTY {
                return;
            }
            self.clear(place);
            each(part, var);
            part = next;
        }
    }

    /// Empties a place. Those behind it that could not have their own move up, so that they are still found.
    fn clear(&mut self, place: usize) {
        let mask = self.places.len() - 1;
        let (mut hole, mut at) = (place, place);
        loop {
            at = (at + 1) & mask;
            let moved = self.places[at];
            if moved.key == EMPTY {
                break;
            }
            let (from_home, from_hole) =
                (at.wrapping_sub(self.home(moved.key)), at.wrapping_sub(hole));
            if from_home & mask >= from_hole & mask {
                self.places[hole] = moved;
                hole = at;
            }
        }
        self.places[hole] = NOTHING;
        self.count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_finds_what_was_put_and_nothing_else() {
        let mut index = Index::new();
        let keys = (0..50_000_u32).map(|number| key(number / 5, number % 5));
        for (key, var) in keys.clone().zip(0..) {
            assert_eq!(index.get(key), None);
            index.put(key, var, END);
        }
        assert!(keys.zip(0..).all(|(key, var)| index.get(key) == Some(var)));
        assert_eq!(index.get(7), None);
    }

    #[test]
    fn what_is_taken_out_is_gone_and_the_rest_stays() {
        let mut index = Index::new();
        let objects = 3_000_u32;
        for id in 0..objects {
            for part in 0..3 {
                index.put(key(id, part), 3 * id + part, part.checked_sub(1).unwrap_or(END));
            }
        }
        let dies = |id: u32| id.wrapping_mul(0x9E37_79B1) >> 30 != 0;
        for id in (0..objects).filter(|&id| dies(id)) {
            let mut taken = vec![];
            index.take_chain(id, 2, |part, var| taken.push((part, var)));
            assert_eq!(taken, [(2, 3 * id + 2), (1, 3 * id + 1), (0, 3 * id)]);
        }
        for id in 0..objects {
            for part in 0..3 {
                let expected = (!dies(id)).then_some(3 * id + part);
                assert_eq!(index.get(key(id, part)), expected);
            }
        }
        assert_eq!(index.count, 3 * (0..objects).filter(|&id| !dies(id)).count());
    }
}
