//! Objects of the JVM and the names of what belongs to them: variables and locks.
//!
//! An access finds its variable by the object's id and the field's number in a table; only the first access of a
//! variable gives it a name ([`super::naming`]). Elements of arrays get their variables by the page: neighbours have
//! numbers in a row, and no name until somebody asks.
//!
//! When an object is dead ([`super::deaths`]), all of this goes. The number in its name is given to no other.

use super::classes::{Member, dotted, simple};
use super::deaths::Dead;
use super::index::{END, Index, LEFT_OUT, Recent, key};
use super::naming::{MOST_COST, ROOM, Repeated, SIGNAL};
use super::paged::Paged;
use super::stock::Stock;
use super::{Hashed, Need};
use crate::log;
use interloper_trace::{LockId, Names, StemId, ThreadId, VarId, VarRange, WordId};
use std::fmt::Write;

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
    const LARGEST: u32 = 512;
    /// How many pages come before the first of the largest: those of as many elements as it has.
    const SMALLER: u32 = Page::LARGEST.ilog(Page::GROWTH);

    /// The page of an element.
    #[inline(always)]
    pub(super) fn of(index: u32) -> Page {
        // Large arrays have most of the elements.
        if index >= Page::LARGEST {
            let before = index / Page::LARGEST;
            let number = Page::SMALLER + before - 1;
            return Page { number, first: before * Page::LARGEST, size: Page::LARGEST };
        }
        let (mut number, mut first, mut end) = (0, 0, Page::GROWTH);
        while index >= end {
            (number, first, end) = (number + 1, end, end * Page::GROWTH);
        }
        Page { number, first, size: end - first }
    }

    /// The index behind its last element.
    pub(super) fn end(self) -> u32 {
        self.first + self.size
    }

    /// How many elements the page of this number has.
    fn size_of(number: u32) -> u32 {
        let ends = |page: u32| Page::GROWTH.checked_pow(page + 1).unwrap_or(Page::LARGEST);
        match number {
            0 => Page::GROWTH,
            _ if ends(number.min(8)) > Page::LARGEST => Page::LARGEST,
            _ => ends(number) - ends(number - 1),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Object {
    pub(super) class: u32,
    /// Its number among the objects of classes of that name, from 1; 0 until it is first used.
    pub(super) number: u32,
    /// The field and the page that were used for the first time last; [`END`]: none.
    pub(super) fields: u32,
    pub(super) pages: u32,
    /// A bit for each of its fields, by what they are called, roughly.
    pub(super) called: u64,
    /// Who has made it, as `MADE_BY` says it; 0: it is not known, or does not matter.
    maker: u64,
}

/// How objects of a class are called.
pub(super) struct ClassName {
    pub(super) simple: String,
    pub(super) word: Option<WordId>,
    /// Where objects of classes with this simple name are counted.
    pub(super) counter: usize,
}

/// All objects that the logs have mentioned.
pub(super) struct Objects {
    pub(super) objects: Paged<Object>,
    pub(super) classes: Hashed<u32, ClassName>,
    pub(super) counter_of: Hashed<String, usize>,
    pub(super) counters: Vec<u32>,
    pub(super) fields: Index,
    pub(super) pages: Index,
    /// Some of these pages, to be found with one look.
    pub(super) recent: Recent,
    /// What the names of an array's elements begin with.
    pub(super) stems: Hashed<u32, StemId>,
    pub(super) locks: Hashed<u32, LockId>,
    /// What members are called, and variables that are to become parts of objects: the next, and how many.
    pub(super) words: Hashed<String, WordId>,
    pub(super) unnamed: (u32, u32),
    pub(super) dead: Dead,
    pub(super) stock: Stock,
    /// See [`Need::Maker`].
    passed: Option<u32>,
    pub(super) repeated: Repeated,
    pub(super) scratch: String,
}

/// The class number of objects whose class never came.
const NO_CLASS: u32 = u32::MAX;

impl Objects {
    pub(super) fn new() -> Objects {
        let mut objects = Objects {
            objects: Paged::default(),
            classes: Hashed::default(),
            counter_of: Hashed::default(),
            counters: Vec::new(),
            fields: Index::new(),
            pages: Index::new(),
            recent: Recent::default(),
            stems: Hashed::default(),
            locks: Hashed::default(),
            words: Hashed::default(),
            unnamed: (0, 0),
            dead: Dead::default(),
            stock: Stock::default(),
            passed: None,
            repeated: Repeated::default(),
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
        self.classes.entry(number).or_insert(ClassName { simple, word: None, counter });
    }

    /// Whether the name of a class is known.
    pub(super) fn knows_class(&self, number: u32) -> bool {
        self.classes.contains_key(&number)
    }

    /// Takes in an object's class.
    pub(super) fn learn(&mut self, id: u32, class: u32) {
        let new = Object { class, number: 0, fields: END, pages: END, called: 0, maker: 0 };
        self.objects.add(id, new);
    }

    /// Forgets an object, which is dead. If it was a lock, says which.
    pub(super) fn bury(&mut self, id: u32) -> Option<LockId> {
        self.dead.insert(id);
        let Object { fields, pages, .. } = self.objects.remove(id)?;
        let stock = &mut self.stock;
        let mut retire = |first: u32, count: u32| {
            if first != LEFT_OUT {
                stock.retire(VarRange { first: VarId(first), count });
            }
        };
        self.fields.take_chain(id, fields, |_, var| retire(var, 1));
        self.pages.take_chain(id, pages, |number, first| retire(first, Page::size_of(number)));
        if pages != END {
            self.recent = Recent::default();
        }
        self.stems.remove(&id);
        self.locks.remove(&id)
    }

    /// An access is to come soon: of a field,
    #[inline(always)]
    pub(super) fn fetch_field(&self, id: u32, field: u32) {
        self.fields.fetch(key(id, field));
    }

    /// or of an element.
    #[inline(always)]
    pub(super) fn fetch_element(&self, id: u32, index: u32) {
        self.pages.fetch(key(id, Page::of(index).number));
    }

    /// Objects are to be forgotten.
    pub(super) fn fetch_dead(&self, ids: impl Iterator<Item = u32>) {
        for id in ids {
            let Some(object) = self.objects.get(id) else { continue };
            self.fields.fetch(key(id, object.fields));
            self.pages.fetch(key(id, object.pages));
        }
    }

    /// Takes in who has made an object, as `MADE_BY` says it.
    pub(super) fn learn_maker(&mut self, id: u32, maker: u64) {
        if let Some(object) = self.objects.get_mut(id) {
            object.maker = maker;
        }
    }

    /// Who has made an object; 0: it is not known.
    pub(super) fn maker(&self, id: u32) -> u64 {
        self.objects.get(id).map_or(0, |object| object.maker)
    }

    /// Whether it was told of this object that whoever uses a field of it first depends on its maker.
    pub(super) fn pass(&mut self, id: Option<u32>) {
        self.passed = id;
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
        let var = match self.fields.get(key(id, field)) {
            Some(var) => var,
            None => self.new_field(id, field, members, names)?,
        };
        Ok((var != LEFT_OUT).then_some(VarId(var)))
    }

    #[cold]
    fn new_field(
        &mut self,
        id: u32,
        field: u32,
        members: &[Member],
        names: &mut Names,
    ) -> Result<u32, Need> {
        let member = &members[field as usize];
        let object = self.objects.get(id);
        if object.is_some_and(|object| object.maker != 0) && self.passed != Some(id) {
            return Err(Need::Maker(id));
        }
        let var = if object.is_some_and(|object| object.class == log::STATIC) {
            self.new_static(member, names)
        } else {
            let hides = self.stock.is_asked() && self.has_other(id, field, members);
            // A signal may be called the same, and has its name already.
            let made_up = self.stock.is_asked() && !hides && !member.suffix.starts_with(SIGNAL);
            let var = match made_up {
                true => self.new_part(id, &member.suffix, names)?,
                false => self.new_field_with_text(id, member, hides, names)?,
            };
            let Some(var) = var else { return Ok(LEFT_OUT) };
            var
        };
        if let Some(object) = self.objects.get_mut(id) {
            let before = std::mem::replace(&mut object.fields, field);
            self.fields.put(key(id, field), var, before);
        }
        Ok(var)
    }

    /// Static variables have numbers like objects: a class can be there more than once, by several loaders.
    fn new_static(&mut self, member: &Member, names: &mut Names) -> u32 {
        self.scratch.clear();
        self.scratch.push_str(&simple(&member.class));
        self.scratch.push_str(&member.suffix);
        // Another class may have this name without its package; else it is the same by another loader.
        let package = member.class.contains(['.', '/']);
        let qualifier = || format!("({})", dotted(&member.class).replace('.', "/"));
        self.new_var(names, || if package { qualifier() } else { String::new() })
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
        Ok((first != LEFT_OUT).then(|| VarId(first + index - page.first)))
    }

    /// The variable of the first element of a page, or [`LEFT_OUT`].
    #[inline(always)]
    fn page(&mut self, id: u32, page: Page, names: &mut Names) -> Result<u32, Need> {
        let key = key(id, page.number);
        match self.recent.get(key) {
            Some(first) => Ok(first),
            None => self.other_page(key, id, page, names),
        }
    }

    fn other_page(
        &mut self,
        key: u64,
        id: u32,
        page: Page,
        names: &mut Names,
    ) -> Result<u32, Need> {
        match self.pages.get(key) {
            Some(first) => {
                self.recent.put(key, first);
                Ok(first)
            }
            None => self.new_page(id, page, names),
        }
    }

    #[cold]
    fn new_page(&mut self, id: u32, page: Page, names: &mut Names) -> Result<u32, Need> {
        let stem = match self.stems.get(&id) {
            Some(&stem) => stem,
            None => {
                if !self.begin_name(id)? {
                    return Ok(LEFT_OUT);
                }
                let stem = names.vars.stem(&self.scratch);
                self.stems.insert(id, stem);
                stem
            }
        };
        let first = match self.stock.page(page.size) {
            Some(VarId(first)) if names.vars.rename_family(first, stem, page.first) => first,
            _ => {
                let has_room = names.cost() <= MOST_COST;
                let family = || names.vars.family(stem, page.first, page.size);
                has_room.then(family).flatten().unwrap_or(LEFT_OUT)
            }
        };
        if let Some(object) = self.objects.get_mut(id) {
            let before = std::mem::replace(&mut object.pages, page.number);
            self.pages.put(key(id, page.number), first, before);
        }
        Ok(first)
    }

    /// A variable of its own for a signal of an object; `None`: it is left out.
    pub(super) fn signal(
        &mut self,
        id: u32,
        number: u64,
        names: &mut Names,
    ) -> Result<Option<VarId>, Need> {
        if !self.begin_name(id)? {
            return Ok(None);
        }
        let _ = write!(self.scratch, "{SIGNAL}{number}");
        let var = self.new_var(names, String::new);
        Ok((var != LEFT_OUT).then_some(VarId(var)))
    }

    /// A variable, the thread's one of this number, that stands for what the thread makes; `None`: it is left out.
    pub(super) fn made_by(
        &mut self,
        thread: ThreadId,
        number: u64,
        names: &mut Names,
    ) -> Option<VarId> {
        self.scratch.clear();
        let _ = write!(self.scratch, "new objects of {}#{number}", names.threads.text(thread.0));
        let var = self.new_var(names, String::new);
        (var != LEFT_OUT).then_some(VarId(var))
    }

    /// The lock, or barrier, that an object is; `None`: it is left out.
    #[inline]
    pub(super) fn lock(&mut self, id: u32, names: &mut Names) -> Result<Option<LockId>, Need> {
        if let Some(&lock) = self.locks.get(&id) {
            return Ok(Some(lock));
        }
        if !self.begin_name(id)? {
            return Ok(None);
        }
        let lock = match self.stock.lock() {
            Some(lock) => {
                self.repeated.make_new(&mut self.scratch, &names.locks);
                names.locks.rename(lock.0, &self.scratch);
                lock
            }
            None if names.cost() > MOST_COST + ROOM / 2 => return Ok(None),
            None => {
                self.repeated.make_new(&mut self.scratch, &names.locks);
                names.lock(&self.scratch)
            }
        };
        self.locks.insert(id, lock);
        Ok(Some(lock))
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
        for page in [0, 7, 8, 63, 64, 511, 512, 4095, 4096, 8192, i32::MAX as u32].map(Page::of) {
            assert_eq!(Page::size_of(page.number), page.size);
        }
    }
}
