//! The names of a block: how many are new in each table, then their texts. Their numbers are not
//! written, they go on where the block before left off.

use super::format::{
    Flaw, MAX_NAME, MAX_NAMES_COST, PREDEFINED, Stop, TABLE_NAMES, TABLES, name_cost,
};
use crate::error::Problem;
use crate::names::{Interner, Names};
use std::io;

/// Names that the open block of a writer is the first to mention.
pub(super) struct NewNames {
    /// All names so far, the open block's included.
    pub written: [u32; TABLES],
    cost: u64,
    counts: [u32; TABLES],
    texts: [Vec<u8>; TABLES],
}

impl NewNames {
    /// None.
    pub fn new() -> NewNames {
        let (counts, texts) = Default::default();
        NewNames { written: PREDEFINED, cost: 0, counts, texts }
    }

    /// Whether the open block has none.
    pub fn is_empty(&self) -> bool {
        self.counts == [0; TABLES]
    }

    /// The bytes they take.
    fn size(&self) -> usize {
        self.texts.iter().map(Vec::len).sum()
    }

    /// Takes new names from `names` until all are there, `true`, or they fill `limit` bytes.
    pub fn add(&mut self, names: &Names, limit: usize) -> io::Result<bool> {
        let Names { threads, vars, locks, labels, sites } = names;
        for (table, interner) in [threads, vars, locks, labels, sites].into_iter().enumerate() {
            for id in self.written[table]..interner.len() as u32 {
                if self.size() >= limit {
                    return Ok(false);
                }
                self.add_name(table, interner.text(id))?;
            }
        }
        Ok(true)
    }

    fn add_name(&mut self, table: usize, name: &str) -> io::Result<()> {
        let refused = |message| Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        let Some(size) = u16::try_from(name.len()).ok() else {
            let what = TABLE_NAMES[table];
            return refused(format!("a {what} name is longer than {MAX_NAME} bytes"));
        };
        self.cost += name_cost(name.len());
        if self.cost > MAX_NAMES_COST {
            return refused("the trace has too many names".to_string());
        }
        self.texts[table].extend_from_slice(&size.to_le_bytes());
        self.texts[table].extend_from_slice(name.as_bytes());
        self.counts[table] += 1;
        self.written[table] += 1;
        Ok(())
    }

    /// Moves the names into a block's section, which is empty if there are none.
    pub fn encode(&mut self, section: &mut Vec<u8>) {
        section.clear();
        if self.is_empty() {
            return;
        }
        for count in &mut self.counts {
            section.extend_from_slice(&count.to_le_bytes());
            *count = 0;
        }
        for texts in &mut self.texts {
            section.append(texts);
        }
    }
}

/// The names that a reader has seen.
#[derive(Default)]
pub(super) struct Tables {
    /// The names.
    pub names: Names,
    cost: u64,
}

impl Tables {
    /// The lengths of the tables.
    pub fn lengths(&self) -> [u32; TABLES] {
        let Names { threads, vars, locks, labels, sites } = &self.names;
        [threads, vars, locks, labels, sites].map(|table| table.len() as u32)
    }

    /// Adds the names of a block's section.
    pub fn decode(&mut self, section: &[u8]) -> Result<(), Stop> {
        if section.is_empty() {
            return Ok(());
        }
        let mut rest = section;
        let mut counts = [0; TABLES];
        for count in &mut counts {
            *count = u32::from_le_bytes(take(&mut rest)?);
        }
        let Names { threads, vars, locks, labels, sites } = &mut self.names;
        for (table, interner) in [threads, vars, locks, labels, sites].into_iter().enumerate() {
            // No more than the section can hold: each has a size of two bytes at least.
            interner.reserve(rest.len().min(2 * counts[table] as usize) / 2);
            for _ in 0..counts[table] {
                let size = u16::from_le_bytes(take(&mut rest)?).into();
                let (name, after) = rest.split_at_checked(size).ok_or(Flaw::Short)?;
                add_name(interner, table, name)?;
                self.cost += name_cost(size);
                if self.cost > MAX_NAMES_COST {
                    let message = "the trace has more names than memory should hold";
                    return Err(Stop::Problem(Problem::TooMuch(message.into())));
                }
                rest = after;
            }
        }
        if rest.is_empty() { Ok(()) } else { Err(Flaw::Long.into()) }
    }
}

/// Takes a fixed number of bytes from the front.
fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Flaw> {
    let (bytes, after) = rest.split_first_chunk().ok_or(Flaw::Short)?;
    *rest = after;
    Ok(*bytes)
}

/// Adds a name, which must be new, to its table.
fn add_name(interner: &mut Interner, table: usize, name: &[u8]) -> Result<(), Flaw> {
    let id = interner.len() as u32;
    match interner.intern_bytes(name) {
        Some(new) if new == id => Ok(()),
        Some(old) => Err(Flaw::NameTwice(TABLE_NAMES[table], old)),
        // A table cannot be full: the names' cost is limited far below that.
        None => Err(Flaw::NameNotUtf8(TABLE_NAMES[table], id)),
    }
}
