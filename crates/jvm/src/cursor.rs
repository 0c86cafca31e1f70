//! A place in the bytes of a class file that only moves on, and never past the end.

use crate::error::{Fault, Flaw};
use std::ops::Range;

/// Reads big-endian numbers. Offsets count from the beginning of the class file, whatever part of it
/// the cursor may read.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor that reads `range` of the file `bytes`. A range outside of the file is empty.
    pub fn new(bytes: &'a [u8], range: Range<usize>) -> Cursor<'a> {
        let end = range.end.min(bytes.len());
        Cursor { bytes: &bytes[..end], at: range.start.min(end) }
    }

    /// The offset of the next byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `count` bytes; `what` says of what they are part, for the error.
    pub fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], Fault> {
        if count > self.left() {
            return Err(Flaw::Truncated(what).at(self.bytes.len()));
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Fault> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    pub fn u8(&mut self, what: &'static str) -> Result<u8, Fault> {
        Ok(self.array::<1>(what)?[0])
    }

    pub fn u16(&mut self, what: &'static str) -> Result<u16, Fault> {
        Ok(u16::from_be_bytes(self.array(what)?))
    }

    pub fn u32(&mut self, what: &'static str) -> Result<u32, Fault> {
        Ok(u32::from_be_bytes(self.array(what)?))
    }

    pub fn u64(&mut self, what: &'static str) -> Result<u64, Fault> {
        Ok(u64::from_be_bytes(self.array(what)?))
    }

    /// An error unless everything was read.
    pub fn finish(&self, what: &'static str) -> Result<(), Fault> {
        if self.left() == 0 { Ok(()) } else { Err(Flaw::Trailing(what).at(self.at)) }
    }
}
