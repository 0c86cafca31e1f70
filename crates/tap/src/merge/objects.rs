//! Objects of the JVM and the names of what belongs to them: variables and locks.
//!
//! An access finds its variable by the object's id and the field's number in a table; only the first access of a
//! variable makes up its name. Names are never given twice: where a short one is taken (a field hides another, two classes have
//! the same simple name), it gets longer. Elements of arrays get their variables by the page: neighbours have
//! numbers in a row, and no name until somebody asks.

use super::classes::{Member, dotted, simple};
use super::{Hashed, Need};
use crate::log;
use interloper_trace::{LockId, Names, StemId, VarId};
use std::fmt::Write;

/// No variable: there were too many names, so accesses are left out.
const LEFT_OUT: u32 = u32::MAX;

/// From object and field, or array and page, to variable: a table with keys and variables side by side,
/// at most half full, so that an access mostly looks at one line of memory.
struct Index {
    places: Vec<(u64, u32)>,
    count: usize,
}

/// Elements that get their variables together, with numbers in a row. Programs touch one element of many arrays, and many of one: so
/// pages are small at first, and larger behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Page {
    number: u32,
    /// The index of its first element, and how many it has.
    pub(super) first: u32,
    size: u32,
}

impl Page {
    /// Each of the first pages ends at so many times the one before.
    const GROWTH: u32 = 8;
    const LARGEST: u32 = 4096;

    /// The page of an element.
    #[inline(always)]
    pub(super) fn of(index: u32) -> Page {
        let (mut number, mut first, mut end) = (0, 0, Page::GROWTH);
        while index >= end && end < Page::LARGEST {
            (number, first, end) = (number + 1, end, end * Page::GROWTH);
        }
        if index < end {
            return Page { number, first, size: end - first };
        }
        let before = index / Page::LARGEST;
        Page { number: number + before, first: before * Page::LARGEST, size: Page::LARGEST }
    }

    /// The index behind its last element.
    pub(super) fn end(self) -> u32 {
        self.first + self.size
    }
}

/// The key of an empty place: no field and no page has this number.
const EMPTY: u64 = u64::MAX;

impl Index {
    fn new() -> Index {
        Index { places: vec![(EMPTY, LEFT_OUT); 1 << 10], count: 0 }
    }

    /// Where a key is, or would be put.
    #[inline(always)]
    fn find(&self, key: u64) -> usize {
        let mixed = u128::from(key) * 0x9E37_79B9_7F4A_7C15;
        let mask = self.places.len() - 1;
        let mut place = (mixed as u64 ^ (mixed >> 64) as u64) as usize & mask;
        while self.places[place].0 != key && self.places[place].0 != EMPTY {
            place = (place + 1) & mask;
        }
        place
    }

    #[inline(always)]
    fn get(&self, key: u64) -> Option<u32> {
        let (found, var) = self.places[self.find(key)];
        (found == key).then_some(var)
    }

    /// Adds a key that is not in the table.
    fn put(&mut self, key: u64, var: u32) {
        if 2 * (self.count + 1) > self.places.len() {
            let larger = vec![(EMPTY, LEFT_OUT); 2 * self.places.len()];
            for (key, var) in std::mem::replace(&mut self.places, larger) {
                if key != EMPTY {
                    let place = self.find(key);
                    self.places[place] = (key, var);
                }
            }
        }
        let place = self.find(key);
        self.places[place] = (key, var);
        self.count += 1;
    }
}

#[derive(Clone, Copy)]
struct Object {
    class: u32,
    /// Its number among the objects of classes of that name, from 1; 0 until it is first used.
    number: u32,
}

/// How objects of a class are called.
struct ClassName {
    simple: String,
    /// Where objects of classes with this simple name are counted.
    counter: usize,
}

/// All objects that the logs have mentioned.
pub(super) struct Objects {
    objects: Hashed<u32, Object>,
    classes: Hashed<u32, ClassName>,
    counter_of: Hashed<String, usize>,
    counters: Vec<u32>,
    fields: Index,
    pages: Index,
    /// What the names of an array's elements begin with.
    stems: Hashed<u32, StemId>,
    locks: Hashed<u32, LockId>,
    scratch: String,
}

/// The class number of objects whose class never came.
const NO_CLASS: u32 = u32::MAX;

/// Names of variables stop so far short of what readers of traces refuse; those of locks, half as far. So
/// threads and sites still find room.
const ROOM: u64 = 64 << 20;
const MOST_COST: u64 = Names::MOST_COST - ROOM;

impl Objects {
    pub(super) fn new() -> Objects {
        let mut objects = Objects {
            objects: Hashed::default(),
            classes: Hashed::default(),
            counter_of: Hashed::default(),
            counters: Vec::new(),
            fields: Index::new(),
            pages: Index::new(),
            stems: Hashed::default(),
            locks: Hashed::default(),
            scratch: String::new(),
        };
        objects.learn_class(NO_CLASS, "Object");
        objects
    }

    /// Takes in the name of a class.
    pub(super) fn learn_class(&mut self, number: u32, name: &str) {
        let simple = simple(name);
        let next = self.counters.len();
        let counter = *self.counter_of.entry(simple.clone()).or_insert(next);
        if counter == next {
            self.counters.push(0);
        }
        self.classes.entry(number).or_insert(ClassName { simple, counter });
    }

    /// Whether the name of a class is known.
    pub(super) fn knows_class(&self, number: u32) -> bool {
        self.classes.contains_key(&number)
    }

    /// Takes in an object's class.
    pub(super) fn learn(&mut self, id: u32, class: u32) {
        self.objects.entry(id).or_insert(Object { class, number: 0 });
    }

    /// Gives up on an object whose class never came.
    pub(super) fn give_up(&mut self, id: u32) {
        self.learn(id, NO_CLASS);
    }

    /// Gives up on the name of a class.
    pub(super) fn give_up_class(&mut self, number: u32) {
        self.learn_class(number, "Object");
    }

    /// The variable that is this field of this object; `None`: it is left out.
    #[inline(always)]
    pub(super) fn field(
        &mut self,
        id: u32,
        field: u32,
        members: &[Member],
        names: &mut Names,
    ) -> Result<Option<VarId>, Need> {
        let key = u64::from(id) << 32 | u64::from(field);
        let var = match self.fields.get(key) {
            Some(var) => var,
            None => self.new_field(key, members, names)?,
        };
        Ok((var != LEFT_OUT).then_some(VarId(var)))
    }

    #[cold]
    fn new_field(&mut self, key: u64, members: &[Member], names: &mut Names) -> Result<u32, Need> {
        let (id, field) = ((key >> 32) as u32, key as u32);
        let member = &members[field as usize];
        let var = if self.objects.get(&id).is_some_and(|object| object.class == log::STATIC) {
            self.new_static(member, names)
        } else {
            self.begin_name(id)?;
            self.scratch.push_str(&member.suffix);
            self.new_var(names, || format!("({})", simple(&member.class)))
        };
        self.fields.put(key, var);
        Ok(var)
    }

    /// Static variables have numbers like objects: a class can be there more than once, by several loaders.
    fn new_static(&mut self, member: &Member, names: &mut Names) -> u32 {
        self.scratch.clear();
        self.scratch.push_str(&simple(&member.class));
        self.scratch.push_str(&member.suffix);
        self.new_var(names, || format!("({})", dotted(&member.class).replace('.', "/")))
    }

    /// The variable that is this element of this array; `None`: it is left out.
    #[inline(always)]
    pub(super) fn element(
        &mut self,
        id: u32,
        index: u32,
        names: &mut Names,
    ) -> Result<Option<VarId>, Need> {
        let page = Page::of(index);
        let first = self.page(id, page, names)?;
        Ok((first != LEFT_OUT).then_some(VarId(first + index - page.first)))
    }

    /// The variable of the first element of a page, or [`LEFT_OUT`].
    #[inline(always)]
    fn page(&mut self, id: u32, page: Page, names: &mut Names) -> Result<u32, Need> {
        let key = u64::from(id) << 32 | u64::from(page.number);
        match self.pages.get(key) {
            Some(first) => Ok(first),
            None => self.new_page(key, id, page, names),
        }
    }

    #[cold]
    fn new_page(&mut self, key: u64, id: u32, page: Page, names: &mut Names) -> Result<u32, Need> {
        let stem = match self.stems.get(&id) {
            Some(&stem) => stem,
            None => {
                self.begin_name(id)?;
                let stem = names.vars.stem(&self.scratch);
                self.stems.insert(id, stem);
                stem
            }
        };
        let has_room = names.cost() <= MOST_COST;
        let family = has_room.then(|| names.vars.family(stem, page.first, page.size)).flatten();
        let first = family.unwrap_or(LEFT_OUT);
        self.pages.put(key, first);
        Ok(first)
    }

    /// A variable of its own for a signal of an object; `None`: it is left out.
    pub(super) fn signal(
        &mut self,
        id: u32,
        number: u64,
        names: &mut Names,
    ) -> Result<Option<VarId>, Need> {
        self.begin_name(id)?;
        let _ = write!(self.scratch, ".signal{number}");
        let var = self.new_var(names, String::new);
        Ok((var != LEFT_OUT).then_some(VarId(var)))
    }

    /// A variable that stands for an object's having been made; `None`: it is left out.
    pub(super) fn made(&mut self, id: u32, names: &mut Names) -> Result<Option<VarId>, Need> {
        self.begin_name(id)?;
        self.scratch.push_str(".new");
        let var = self.new_var(names, String::new);
        Ok((var != LEFT_OUT).then_some(VarId(var)))
    }

    /// The lock, or barrier, that an object is; `None`: it is left out.
    #[inline]
    pub(super) fn lock(&mut self, id: u32, names: &mut Names) -> Result<Option<LockId>, Need> {
        if let Some(&lock) = self.locks.get(&id) {
            return Ok(Some(lock));
        }
        self.begin_name(id)?;
        if names.cost() > MOST_COST + ROOM / 2 {
            return Ok(None);
        }
        let lock = names.lock(&self.scratch);
        self.locks.insert(id, lock);
        Ok(Some(lock))
    }

    /// Puts an object's name into `scratch`.
    fn begin_name(&mut self, id: u32) -> Result<(), Need> {
        let object = self.objects.get_mut(&id).ok_or(Need::Object(id))?;
        let class = self.classes.get(&object.class).ok_or(Need::ClassName(object.class))?;
        if object.number == 0 {
            self.counters[class.counter] += 1;
            object.number = self.counters[class.counter];
        }
        self.scratch.clear();
        self.scratch.push_str(&class.simple);
        // There is one class object to a name, mostly.
        if !(class.simple.ends_with(".class") && object.number == 1) {
            let _ = write!(self.scratch, "#{}", object.number);
        }
        Ok(())
    }

    /// The variable with the name in `scratch`, which no other may have: else it is qualified.
    fn new_var(&mut self, names: &mut Names, qualifier: impl Fn() -> String) -> u32 {
        if names.cost() > MOST_COST {
            return LEFT_OUT;
        }
        if names.vars.find(&self.scratch).is_some() {
            let qualifier = qualifier();
            self.scratch.push_str(&qualifier);
        }
        while names.vars.find(&self.scratch).is_some() {
            self.scratch.push('\'');
        }
        names.vars.intern(&self.scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other() {
        let mut page = Page::of(0);
        assert_eq!(page, Page { number: 0, first: 0, size: 8 });
        for _ in 0..10 {
            assert!([page.first, page.first + 1, page.end() - 1].map(Page::of) == [page; 3]);
            let next = Page::of(page.end());
            assert_eq!((next.number, next.first), (page.number + 1, page.end()));
            page = next;
        }
        assert_eq!(Page::of(i32::MAX as u32).end(), 1 << 31);
    }

    #[test]
    fn the_index_finds_what_was_put_and_nothing_else() {
        let mut index = Index::new();
        let keys = (0..50_000_u64).map(|number| ((number / 5) << 32) | (number % 5));
        for (key, var) in keys.clone().zip(0..) {
            assert_eq!(index.get(key), None);
            index.put(key, var);
        }
        assert!(keys.zip(0..).all(|(key, var)| index.get(key) == Some(var)));
        assert_eq!(index.get(7), None);
    }
}
