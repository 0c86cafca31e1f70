//! Remarks as bytes: a number for the extent, then the notes, each with its length before it.

use super::format::{Flaw, MAX_REMARKS, u32_at};
use crate::remarks::{Extent, Remarks};

/// How many notes are written at most, and how many characters of each.
const MOST_NOTES: usize = 100;
const LONGEST_NOTE: usize = 1000;

const _: () = assert!(EXTENT + MOST_NOTES * (LENGTH + 4 * LONGEST_NOTE) <= MAX_REMARKS);

/// The bytes of the extent, and those of a length.
const EXTENT: usize = 4;
const LENGTH: usize = 2;

/// The payload. Of too many notes the first are written.
pub(super) fn encode(remarks: &Remarks) -> Vec<u8> {
    let mut bytes = (remarks.extent as u32).to_le_bytes().to_vec();
    for note in remarks.notes.iter().take(MOST_NOTES) {
        let note: String = note.chars().take(LONGEST_NOTE).collect();
        // a character has four bytes at most
        bytes.extend_from_slice(&(note.len() as u16).to_le_bytes());
        bytes.extend_from_slice(note.as_bytes());
    }
    bytes
}

/// Reads a payload, whose size the header has bounded.
pub(super) fn decode(bytes: &[u8]) -> Result<Remarks, Flaw> {
    let (extent, mut rest) = bytes.split_at_checked(EXTENT).ok_or(Flaw::Remarks)?;
    let extent = usize::try_from(u32_at(extent, 0)).map_err(|_| Flaw::Remarks)?;
    let extent = *Extent::ALL.get(extent).ok_or(Flaw::Remarks)?;
    let mut notes = vec![];
    while !rest.is_empty() {
        let (length, behind) = rest.split_first_chunk::<LENGTH>().ok_or(Flaw::Remarks)?;
        let length = usize::from(u16::from_le_bytes(*length));
        let (note, behind) = behind.split_at_checked(length).ok_or(Flaw::Remarks)?;
        let note = std::str::from_utf8(note).map_err(|_| Flaw::Remarks)?;
        notes.push(note.to_string());
        rest = behind;
    }
    Ok(Remarks { extent, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_survive_and_too_long_ones_are_cut() {
        for extent in Extent::ALL {
            let remarks =
                Remarks { extent, notes: vec!["so".into(), String::new(), "\u{1F600}".into()] };
            assert_eq!(decode(&encode(&remarks)), Ok(remarks));
        }
        let notes = vec!["\u{1F600}".repeat(LONGEST_NOTE + 1); MOST_NOTES + 1];
        let bytes = encode(&Remarks { notes, ..Remarks::default() });
        assert!(bytes.len() <= MAX_REMARKS);
        let notes = decode(&bytes).unwrap().notes;
        assert_eq!(notes, vec!["\u{1F600}".repeat(LONGEST_NOTE); MOST_NOTES]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let wrong: [&[u8]; 6] = [
            b"",
            b"\0\0\0",
            b"\x04\0\0\0",
            b"\0\0\0\x01",
            b"\0\0\0\0\x02\0a",
            b"\0\0\0\0\x01\0\xff",
        ];
        for bytes in wrong.into_iter().chain([&b"\0\0\0\0\x01"[..]]) {
            assert_eq!(decode(bytes), Err(Flaw::Remarks), "{bytes:?}");
        }
    }
}
