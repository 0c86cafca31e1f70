//! The names of a block: how many are new in each table, then their texts. Their numbers are not
//! written, they go on where the block before left off. A family of variables (`stem[0]`, `stem[1]`, …) is written as one.

use super::format::{Flaw, MAX_NAME, PREDEFINED, Stop, TABLE_NAMES, TABLES, VARIABLES};
use crate::names::{Interner, Names};
use std::io;

/// Names that the open block of a writer is the first to mention.
pub(super) struct NewNames {
    /// All names so far, the open block's included.
    pub written: [u32; TABLES],
    counts: [u32; TABLES],
    texts: [Vec<u8>; TABLES],
}

impl NewNames {
    /// None.
    pub fn new() -> NewNames {
        let (counts, texts) = Default::default();
        NewNames { written: PREDEFINED, counts, texts }
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
        names.check_cost().map_err(|problem| refused(problem.to_string()))?;
        let Names { threads, vars, locks, labels, sites } = names;
        for (table, interner) in [threads, vars, locks, labels, sites].into_iter().enumerate() {
            while self.written[table] < interner.len() as u32 {
                if self.size() >= limit {
                    return Ok(false);
                }
                let id = self.written[table];
                match interner.family_at(id) {
                    Some((stem, from, count)) if table == VARIABLES => {
                        self.add_family(stem, from, count)?;
                    }
                    _ => self.add_name(table, interner.text(id))?,
                }
            }
        }
        Ok(true)
    }

    fn add_name(&mut self, table: usize, name: &str) -> io::Result<()> {
        self.add_text(table, name)?;
        self.counts[table] += 1;
        self.written[table] += 1;
        Ok(())
    }

    fn add_family(&mut self, stem: &str, from: u32, count: u32) -> io::Result<()> {
        self.texts[VARIABLES].extend_from_slice(&FAMILY.to_le_bytes());
        self.texts[VARIABLES].extend_from_slice(&from.to_le_bytes());
        self.texts[VARIABLES].extend_from_slice(&count.to_le_bytes());
        self.add_text(VARIABLES, stem)?;
        self.counts[VARIABLES] += 1;
        self.written[VARIABLES] += count;
        Ok(())
    }

    fn add_text(&mut self, table: usize, text: &str) -> io::Result<()> {
        let Some(size) = u16::try_from(text.len()).ok().filter(|size| *size <= MAX_NAME) else {
            let what = TABLE_NAMES[table];
            return Err(refused(format!("a {what} name is longer than {MAX_NAME} bytes")));
        };
        self.texts[table].extend_from_slice(&size.to_le_bytes());
        self.texts[table].extend_from_slice(text.as_bytes());
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

/// Where the size of a name would be: it is a family.
const FAMILY: u16 = MAX_NAME + 1;

fn refused(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// The names that a reader has seen.
#[derive(Default)]
pub(super) struct Tables {
    /// The names.
    pub names: Names,
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
                match u16::from_le_bytes(take(&mut rest)?) {
                    FAMILY if table == VARIABLES => read_family(interner, &mut rest)?,
                    FAMILY => return Err(Flaw::Family(TABLE_NAMES[table]).into()),
                    size => add_name(interner, table, text(&mut rest, size)?)?,
                }
            }
        }
        // A section is small: its names go little beyond the limit before this looks.
        self.names.check_cost().map_err(Stop::Problem)?;
        if rest.is_empty() { Ok(()) } else { Err(Flaw::Long.into()) }
    }
}

/// Takes a fixed number of bytes from the front.
fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Flaw> {
    let (bytes, after) = rest.split_first_chunk().ok_or(Flaw::Short)?;
    *rest = after;
    Ok(*bytes)
}

/// Takes so many bytes of text from the front.
fn text<'a>(rest: &mut &'a [u8], size: u16) -> Result<&'a [u8], Flaw> {
    let (text, after) = rest.split_at_checked(size.into()).ok_or(Flaw::Short)?;
    *rest = after;
    Ok(text)
}

fn read_family(interner: &mut Interner, rest: &mut &[u8]) -> Result<(), Stop> {
    let from = u32::from_le_bytes(take(rest)?);
    let count = u32::from_le_bytes(take(rest)?);
    let size = u16::from_le_bytes(take(rest)?);
    let id = interner.len() as u32;
    let name = TABLE_NAMES[VARIABLES];
    let stem = str::from_utf8(text(rest, size)?).map_err(|_| Flaw::NameNotUtf8(name, id))?;
    if count == 0 || from.checked_add(count).is_none() {
        return Err(Flaw::Family(name).into());
    }
    match interner.read_family(stem, from, count) {
        Some(_) => Ok(()),
        None => Err(Stop::Problem(Names::too_much())),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Problem;

    /// A section of so many variables with names of 60,004 bytes.
    fn section(count: u32) -> Vec<u8> {
        let mut names = Names::default();
        for n in 0..count {
            names.var(&format!("{}{n:04}", "x".repeat(60_000)));
        }
        let (mut new, mut section) = (NewNames::new(), vec![]);
        assert!(new.add(&names, usize::MAX).unwrap());
        new.encode(&mut section);
        section
    }

    #[test]
    fn names_that_take_too_much_memory_are_refused() {
        let read = |left: u64| {
            let mut tables = Tables { names: Names::with_room(left) };
            tables.decode(&section(10))
        };
        assert!(read(10 * 60_020).is_ok());
        assert!(matches!(read(10 * 60_020 - 1), Err(Stop::Problem(Problem::TooMuch(_)))));
    }

    #[test]
    fn the_writer_refuses_names_that_no_reader_would_take() {
        let mut names = Names::with_room(16);
        names.var("x");
        let error = NewNames::new().add(&names, usize::MAX).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains("more than 512 MiB"), "{error}");
    }
}
