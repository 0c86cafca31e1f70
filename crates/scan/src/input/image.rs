//! The run-time image of a JDK, `lib/modules`: what JDKs have that come without jmods.
//!
//! The layout (of `jdk.internal.jimage`, version 1.0), all numbers in the byte order of the machine the image is
//! for: a header of seven words; a table for perfect hashing, not needed here; for each resource the offset of
//! its attributes; the attributes; the strings; the resources. An attribute is a byte, five bits kind and three bits length
//! minus one, and a big-endian number of that length.
//!
//! Deviation: resources that jlink compressed are counted and skipped. The images of JDKs are not compressed.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::{ClassInput, Input, InputLimits, SkipReason};

const MAGIC: u32 = 0xcafe_dada;
const HEADER: usize = 28;
/// Attribute kinds.
const MODULE: usize = 1;
const PARENT: usize = 2;
const BASE: usize = 3;
const EXTENSION: usize = 4;
const OFFSET: usize = 5;
const COMPRESSED: usize = 6;
const SIZE: usize = 7;
const KINDS: usize = 9;

/// The index of an image.
struct Index {
    big_endian: bool,
    bytes: Vec<u8>,
    resources: usize,
    offsets_at: usize,
    locations_at: usize,
    strings_at: usize,
}

/// A class in an image.
struct Location {
    name: String,
    offset: u64,
    size: u64,
}

impl Input {
    /// Reads the classes of all modules.
    pub(super) fn read_image(&mut self, path: &Path, limits: InputLimits) {
        let origin = path.display().to_string();
        match self.try_image(path, &origin, limits) {
            Ok(0) => {}
            Ok(compressed) => self.skip(origin, SkipReason::Compressed(compressed)),
            Err(why) => self.skip(origin, why),
        }
    }

    /// As [`Input::read_image`]; how many classes are compressed.
    fn try_image(
        &mut self,
        path: &Path,
        origin: &str,
        limits: InputLimits,
    ) -> Result<usize, SkipReason> {
        let mut file = BufReader::new(File::open(path)?);
        let length = file.get_ref().metadata()?.len();
        let index = Index::read(&mut file, length)?;
        self.archives += 1;
        let (mut locations, compressed) = index.classes()?;
        // in the order of the file, which is read once from front to back
        locations.sort_by_key(|it| it.offset);
        let mut at = index.bytes.len() as u64;
        for Location { name, offset, size } in locations {
            let origin = format!("{origin}!{name}");
            if size > limits.class_size {
                self.skip(origin, SkipReason::TooLarge(limits.class_size));
                continue;
            }
            if !self.unpack(&origin, size as usize, limits) {
                break;
            }
            let start = (index.bytes.len() as u64).saturating_add(offset);
            file.seek_relative(start.wrapping_sub(at) as i64)?;
            let mut bytes = vec![0; size as usize];
            file.read_exact(&mut bytes)?;
            at = start + size;
            self.classes.push(ClassInput { origin, bytes });
        }
        Ok(compressed)
    }
}

impl Index {
    fn read(file: &mut (impl Read + Seek), length: u64) -> Result<Index, SkipReason> {
        let mut header = [0; HEADER];
        file.read_exact(&mut header).map_err(|_| SkipReason::Image("it is too short"))?;
        let big_endian = number(&header, 0, true) == MAGIC;
        if !big_endian && number(&header, 0, false) != MAGIC {
            return Err(SkipReason::Image("it begins with something else"));
        }
        let word = |at: usize| number(&header, 4 * at, big_endian);
        if word(1) != 1 << 16 {
            return Err(SkipReason::Image("its version is unknown"));
        }
        let resources = word(4) as usize;
        let offsets_at = HEADER + 4 * resources;
        let locations_at = offsets_at + 4 * resources;
        let strings_at = locations_at + word(5) as usize;
        let end = strings_at + word(6) as usize;
        if end as u64 > length {
            return Err(SkipReason::Image("it is cut off"));
        }
        let mut bytes = vec![0; end];
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(&mut bytes)?;
        Ok(Index { big_endian, bytes, resources, offsets_at, locations_at, strings_at })
    }

    /// The classes, and how many are left out because they are compressed.
    fn classes(&self) -> Result<(Vec<Location>, usize), SkipReason> {
        let mut classes = Vec::new();
        let mut compressed = 0;
        for resource in 0..self.resources {
            let offset = number(&self.bytes, self.offsets_at + 4 * resource, self.big_endian);
            let attributes = self.attributes(offset as usize)?;
            let text = |kind: usize| self.text(attributes[kind]);
            if text(EXTENSION)? != "class" || text(BASE)? == "module-info" {
                continue;
            }
            if attributes[COMPRESSED] != 0 {
                compressed += 1;
                continue;
            }
            classes.push(Location {
                name: format!("/{}/{}/{}.class", text(MODULE)?, text(PARENT)?, text(BASE)?),
                offset: attributes[OFFSET],
                size: attributes[SIZE],
            });
        }
        Ok((classes, compressed))
    }

    fn attributes(&self, offset: usize) -> Result<[u64; KINDS], SkipReason> {
        const WRONG: SkipReason = SkipReason::Image("the attributes of a resource are damaged");
        let mut values = [0; KINDS];
        let mut rest = self.bytes[self.locations_at..self.strings_at].get(offset..).ok_or(WRONG)?;
        loop {
            let (head, tail) = rest.split_first().ok_or(WRONG)?;
            let (kind, size) = (usize::from(head >> 3), usize::from(head & 7) + 1);
            if kind == 0 {
                return Ok(values);
            }
            let value = tail.get(..size).ok_or(WRONG)?;
            *values.get_mut(kind).ok_or(WRONG)? =
                value.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
            rest = &tail[size..];
        }
    }

    fn text(&self, offset: u64) -> Result<&str, SkipReason> {
        const WRONG: SkipReason = SkipReason::Image("a name is damaged");
        let strings = &self.bytes[self.strings_at..];
        let rest = usize::try_from(offset).ok().and_then(|at| strings.get(at..)).ok_or(WRONG)?;
        let end = rest.iter().position(|it| *it == 0).ok_or(WRONG)?;
        std::str::from_utf8(&rest[..end]).map_err(|_| WRONG)
    }
}

/// The 32-bit number at an offset that is known to be there.
fn number(bytes: &[u8], at: usize, big_endian: bool) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    if big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
}
