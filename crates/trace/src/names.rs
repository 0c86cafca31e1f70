//! Names and their numbers. A million distinct variables cost tens of megabytes: the text of all
//! names of a table lies in one buffer, and the index holds eight bytes a name.

use crate::anew::Anew;
use crate::error::Problem;
use crate::event::{Event, LabelId, LockId, Op, OperandKind, SiteId, ThreadId, VarId};
use crate::families::{Families, StemId};
use crate::parts::{Part, Parts, WordId};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::borrow::Cow;
use std::hash::BuildHasher;

/// One table of names: text to number and back. Numbers are dense, in order of first sight.
#[derive(Clone, Default)]
pub struct Interner {
    text: Vec<u8>,
    ends: Vec<usize>,
    index: HashTable<Indexed>,
    hasher: FixedState,
    numbered: Numbered,
    families: Families,
    parts: Parts,
    /// Names of numbers that had another before.
    anew: Anew,
}

/// A name in the index: its position among the names that have a text, and a part of its hash that mostly tells without a look at the text
/// whether it is the name that is looked for.
#[derive(Clone, Copy)]
struct Indexed {
    rank: u32,
    tag: u32,
}

/// The hash of a name.
#[derive(Clone, Copy)]
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    /// Bits that the index itself uses least.
    fn tag(self) -> u32 {
        (self.0 >> 16) as u32
    }
}

impl Interner {
    /// The most names a table can hold.
    pub const LIMIT: usize = (1 << 28) - 1;

    /// The number of `name`, a new one if it was never seen.
    ///
    /// # Panics
    /// If the table is full ([`Interner::LIMIT`]).
    pub fn intern(&mut self, name: &str) -> u32 {
        self.intern_bytes(name.as_bytes()).expect("the table of names is full")
    }

    /// The number of `name`, a new one if it was never seen; `None` if the name is new and is not
    /// UTF-8 or the table is full.
    #[inline(always)]
    pub fn intern_bytes(&mut self, name: &[u8]) -> Option<u32> {
        let number = self.numbered.number(name);
        match number.and_then(|number| self.numbered.get(number)) {
            Some(id) => Some(id),
            None => self.intern_hashed(name, number),
        }
    }

    /// Makes room for so many more names.
    pub(crate) fn reserve(&mut self, names: usize) {
        let Interner { text, ends, index, hasher, .. } = self;
        ends.reserve(names);
        index.reserve(names, |entry| hasher.hash_one(slice(text, ends, entry.rank)));
    }

    /// A name's hash, for [`Interner::guess`].
    #[inline(always)]
    pub(crate) fn hash(&self, name: &[u8]) -> Hash {
        Hash(self.hasher.hash_one(name))
    }

    /// The number of the name with this hash, or of another with almost the same: to be checked by
    /// [`Interner::is`]. To guess for many names and then to check the guesses is faster than to look
    /// up one after the other: the memory that this takes comes in together.
    #[inline(always)]
    pub(crate) fn guess(&self, hash: Hash) -> Option<u32> {
        self.index.find(hash.0, |entry| entry.tag == hash.tag()).map(|entry| entry.rank)
    }

    /// Whether this is the number of `name`.
    #[inline(always)]
    pub(crate) fn is(&self, id: u32, name: &[u8]) -> bool {
        self.families.rank(id).is_ok_and(|rank| slice(&self.text, &self.ends, rank) == name)
    }

    /// What names such as `stem[7]` have in common, for [`Interner::family`].
    pub fn stem(&mut self, text: &str) -> StemId {
        self.families.stem(text)
    }

    /// Numbers in a row for the names `stem[from]`, `stem[from + 1]` and so on; gives the first. The names cost no memory
    /// until they are asked for. They must be new; they are not found by their text afterwards. `None` if the table is full.
    pub fn family(&mut self, stem: StemId, from: u32, count: u32) -> Option<u32> {
        let fits = self.len() + count as usize <= Interner::LIMIT;
        fits.then(|| self.families.add(stem, from, count, self.ends.len() as u32))
    }

    /// Numbers in a row that get their names by [`Interner::name_part`]; gives the first. `None` if the table is full.
    pub fn unnamed(&mut self, count: u32) -> Option<u32> {
        self.read_family("", 0, count)
    }

    /// A word of names such as `Account#3.balance`, for [`Interner::name_part`].
    pub fn word(&mut self, text: &str) -> WordId {
        self.parts.word(text)
    }

    /// Gives an unnamed number a name, or another. The name costs little until it is asked for. It must be new; it is not
    /// found by its text afterwards.
    pub fn name_part(&mut self, id: u32, part: Part) {
        self.parts.put(id, part);
    }

    /// Whether the number has got a name by [`Interner::name_part`].
    pub fn is_part(&self, id: u32) -> bool {
        self.parts.contains(id)
    }

    /// The form of the names that [`Interner::by_number`] knows.
    pub(crate) fn form(&self) -> Form {
        self.numbered.form
    }

    /// For names of the table's form, by the number in them: the name's id plus one; 0 or nothing if
    /// the name is not known by its number.
    pub(crate) fn by_number(&self) -> &[u32] {
        &self.numbered.ids
    }

    #[inline(never)]
    fn intern_hashed(&mut self, name: &[u8], number: Option<usize>) -> Option<u32> {
        let hash = self.hash(name);
        let tag = hash.tag();
        let Interner { text, ends, index, hasher, numbered, families, anew, .. } = self;
        let same = |entry: &Indexed| entry.tag == tag && slice(text, ends, entry.rank) == name;
        let id = match index.find(hash.0, same) {
            Some(entry) => families.id_of_rank(entry.rank),
            None => {
                let known = ends.len() + families.len() as usize;
                let utf8 = std::str::from_utf8(name).ok()?;
                if let Some(id) = anew.find(hash, utf8) {
                    return Some(id);
                }
                if known >= Interner::LIMIT {
                    return None;
                }
                let rank = ends.len() as u32;
                text.extend_from_slice(name);
                ends.push(text.len());
                let rehash = |entry: &Indexed| hasher.hash_one(slice(text, ends, entry.rank));
                index.insert_unique(hash.0, Indexed { rank, tag }, rehash);
                numbered.learn(name);
                rank + families.len()
            }
        };
        if let Some(number) = number {
            numbered.put(number, id, ends.len());
        }
        Some(id)
    }

    /// The number of `name`, if it has one (and is not of a family).
    pub fn find(&self, name: &str) -> Option<u32> {
        let hash = self.hash(name.as_bytes());
        let text = |rank| slice(&self.text, &self.ends, rank);
        let same = |entry: &Indexed| entry.tag == hash.tag() && text(entry.rank) == name.as_bytes();
        let found = self.index.find(hash.0, same);
        found
            .map(|entry| self.families.id_of_rank(entry.rank))
            .or_else(|| self.anew.find(hash, name))
    }

    /// Takes the name of a number away, which is not of a family: it is not found by it any more, and the number can be
    /// given to another name ([`Interner::rename`], [`Interner::name_part`]).
    pub fn release(&mut self, id: u32) {
        if self.is_part(id) {
            return;
        }
        let rank = self.families.rank(id).ok().filter(|&rank| (rank as usize) < self.ends.len());
        let Some(rank) = rank.filter(|_| !self.anew.take(id)) else { return };
        let Interner { text, ends, index, hasher, numbered, .. } = self;
        let name = slice(text, ends, rank);
        if let Ok(entry) = index.find_entry(hasher.hash_one(name), |entry| entry.rank == rank) {
            entry.remove();
        }
        if let Some(known) = numbered.number(name).and_then(|number| numbered.ids.get_mut(number)) {
            *known = 0;
        }
    }

    /// Gives a number that was released another name, which must be new.
    pub fn rename(&mut self, id: u32, name: &str) {
        debug_assert!(self.find(name).is_none(), "{name} has a number");
        let hash = self.hash(name.as_bytes());
        self.anew.put(id, hash, name);
    }

    /// Gives the numbers of a family, the first of which is `first`, to another of as many members. `false`: there is no such family.
    pub fn rename_family(&mut self, first: u32, stem: StemId, from: u32) -> bool {
        self.families.rename(first, stem, from)
    }

    /// The text of a number; empty if the table has no such number.
    pub fn text(&self, id: u32) -> &str {
        if let Some(name) = self.anew.name(id).or_else(|| self.parts.text(id)) {
            return name;
        }
        match self.families.rank(id) {
            _ if id as usize >= self.len() => "",
            Ok(rank) => {
                std::str::from_utf8(slice(&self.text, &self.ends, rank)).unwrap_or("\u{fffd}")
            }
            Err(member) => member,
        }
    }

    /// The same for those who ask for many and keep them themselves: nothing is remembered.
    pub(crate) fn passing_text(&self, id: u32) -> Cow<'_, str> {
        match self.parts.passing_text(id).or_else(|| self.families.made_up(id)) {
            Some(made_up) => Cow::Owned(made_up),
            None => Cow::Borrowed(self.text(id)),
        }
    }

    /// The family whose first member has this number: its stem, the index of the first, and how many there are.
    pub(crate) fn family_at(&self, id: u32) -> Option<(&str, u32, u32)> {
        self.families.beginning_at(id)
    }

    /// Whether some of the names are of a family.
    pub fn has_families(&self) -> bool {
        self.families.len() > 0
    }

    /// A family with a stem that may be that of the family before; `None` if the table is full.
    pub(crate) fn read_family(&mut self, stem: &str, from: u32, count: u32) -> Option<u32> {
        let known = self.families.latest_stem(stem);
        let stem = known.unwrap_or_else(|| self.families.stem(stem));
        self.family(stem, from, count)
    }

    /// The bytes that the names take in memory, roughly: their text and their entries in indexes.
    fn cost(&self) -> u64 {
        let names = self.ends.len() as u64 * Names::COST_OF_A_NAME;
        self.text.len() as u64 + names + self.families.cost() + self.parts.cost() + self.anew.cost()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len() + self.families.len() as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[inline(always)]
fn slice<'a>(text: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &text[start..ends[id]]
}

/// A short cut around the hash for names such as `V123` or `45`: one letter or none, then a
/// decimal number. Generated and recorded traces consist of little else, and looking such a name up
/// by its number takes a fifth of the time of hashing it.
///
/// Only names of one form, that of the first name in the table, take the short cut. The letter and
/// the number determine the name (there are no leading zeros), so a hit needs no comparison.
#[derive(Clone, Default)]
struct Numbered {
    form: Form,
    /// By number: the name's id plus one.
    ids: Vec<u32>,
}

/// Numbers up to this are looked up directly however few there are: half a megabyte at most.
const SPARSE: usize = 1 << 17;

/// The form of numbered names.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// No name was seen yet.
    #[default]
    Unknown,
    /// Digits only.
    Digits,
    /// This letter, then digits.
    Letter(u8),
}

impl Numbered {
    /// Decides on the form by the first name that has one.
    fn learn(&mut self, name: &[u8]) {
        if let (Form::Unknown, Some(&first)) = (self.form, name.first()) {
            let letter = !first.is_ascii_digit();
            self.form = if letter { Form::Letter(first) } else { Form::Digits };
        }
    }

    #[inline(always)]
    fn number(&self, name: &[u8]) -> Option<usize> {
        let digits = match (self.form, name) {
            (Form::Letter(letter), [first, digits @ ..]) if *first == letter => digits,
            (Form::Digits, digits) => digits,
            _ => return None,
        };
        if digits.is_empty() || digits.len() > 8 || (digits[0] == b'0' && digits.len() > 1) {
            return None;
        }
        let mut number = 0;
        for &digit in digits {
            let digit = digit.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            number = number * 10 + usize::from(digit);
        }
        Some(number)
    }

    #[inline(always)]
    fn get(&self, number: usize) -> Option<u32> {
        match self.ids.get(number) {
            None | Some(0) => None,
            Some(id) => Some(id - 1),
        }
    }

    /// Remembers a name's id, unless the numbers are so sparse that the table would outgrow the
    /// names themselves.
    fn put(&mut self, number: usize, id: u32, names: usize) {
        if number >= self.ids.len() {
            if number > SPARSE.max(4 * names) {
                return;
            }
            self.ids.resize(number + 1, 0);
        }
        self.ids[number] = id + 1;
    }
}

/// All names of a trace.
#[derive(Clone)]
pub struct Names {
    /// Threads.
    pub threads: Interner,
    /// Variables.
    pub vars: Interner,
    /// Locks.
    pub locks: Interner,
    /// Labels of atomic blocks; number 0 is the empty name of blocks without a label.
    pub labels: Interner,
    /// Locations; number 0 is the empty name of events without one.
    pub sites: Interner,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Names {
            threads: Interner::default(),
            vars: Interner::default(),
            locks: Interner::default(),
            labels: Interner::default(),
            sites: Interner::default(),
        };
        names.labels.intern("");
        names.sites.intern("");
        names
    }
}

impl Names {
    /// The most that all names of a trace may cost together, see [`Names::cost`]: readers and writers
    /// refuse traces beyond it. Compressed names could otherwise take hundreds of times the file's
    /// size in memory.
    pub const MOST_COST: u64 = 512 << 20;

    /// What a name costs beside its text.
    pub(crate) const COST_OF_A_NAME: u64 = 16;

    /// The bytes that all names take in memory, roughly: their text, and 16 for each; less for names of families.
    pub fn cost(&self) -> u64 {
        let Names { threads, vars, locks, labels, sites } = self;
        [threads, vars, locks, labels, sites].map(Interner::cost).iter().sum()
    }

    /// Whether they cost more than [`Names::MOST_COST`], and the problem that this is.
    pub(crate) fn check_cost(&self) -> Result<(), Problem> {
        if self.cost() > Names::MOST_COST { Err(Names::too_much()) } else { Ok(()) }
    }

    #[cold]
    pub(crate) fn too_much() -> Problem {
        let limit = Names::MOST_COST >> 20;
        Problem::TooMuch(format!("the names of this trace take more than {limit} MiB of memory"))
    }

    /// Interns a thread's name.
    pub fn thread(&mut self, name: &str) -> ThreadId {
        ThreadId(self.threads.intern(name))
    }

    /// Interns a variable's name.
    pub fn var(&mut self, name: &str) -> VarId {
        VarId(self.vars.intern(name))
    }

    /// Interns a lock's name.
    pub fn lock(&mut self, name: &str) -> LockId {
        LockId(self.locks.intern(name))
    }

    /// Interns a block's label.
    pub fn label(&mut self, name: &str) -> LabelId {
        LabelId(self.labels.intern(name))
    }

    /// Interns a location.
    pub fn site(&mut self, name: &str) -> SiteId {
        SiteId(self.sites.intern(name))
    }

    /// The object that a variable is a part of, by its name: what stands before the last `.field` or
    /// `[index]`. A variable without either is an object of its own.
    pub fn owner(&self, var: VarId) -> &str {
        let name = self.vars.text(var.0);
        match name.rfind(['.', '[']) {
            Some(end) if end > 0 => &name[..end],
            _ => name,
        }
    }

    /// The table for this kind of operand.
    pub fn table(&self, kind: OperandKind) -> Option<&Interner> {
        match kind {
            OperandKind::None => None,
            OperandKind::Var | OperandKind::Object => Some(&self.vars),
            OperandKind::Lock => Some(&self.locks),
            OperandKind::Thread => Some(&self.threads),
            OperandKind::Label => Some(&self.labels),
        }
    }

    /// The operation as text traces write it: `r(balance)`, `begin(Account.withdraw)`, `end`.
    pub fn op_text(&self, op: Op, operand: u32) -> String {
        match self.table(op.operand_kind()).map(|table| table.text(operand)) {
            Some(name) if !(op == Op::Begin && name.is_empty()) => format!("{}({name})", op.word()),
            _ => op.word().to_string(),
        }
    }

    /// The event as a line of a text trace.
    pub fn line(&self, event: &Event) -> String {
        format!(
            "{}|{}|{}",
            self.threads.text(event.thread.0),
            self.op_text(event.op, event.operand),
            self.sites.text(event.site.0)
        )
    }
}

#[cfg(test)]
impl Names {
    /// Tables with room for so much more. They hold one huge name of zeros, which costs no memory as
    /// long as nobody looks at it.
    pub(crate) fn with_room(left: u64) -> Names {
        let mut names = Names::default();
        let size = Names::MOST_COST - names.cost() - Names::COST_OF_A_NAME - left;
        names.vars.text = vec![0; size as usize];
        names.vars.ends = vec![size as usize];
        assert_eq!(names.cost(), Names::MOST_COST - left);
        names
    }
}
