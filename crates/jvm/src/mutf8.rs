//! The modified UTF-8 of class files: zero in two bytes, characters beyond the basic plane as two
//! surrogates of three bytes each.
//!
//! Deviation: decoding never fails. A byte that fits nowhere, and a surrogate without its partner,
//! becomes U+FFFD; text that is valid UTF-8 as it stands is taken as it stands, though some of it
//! (a zero byte, four-byte sequences) no JVM would accept.

use std::borrow::Cow;

/// The text of `bytes`; borrowed where it needs no change, which it nearly never does.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(decode_slowly(bytes)),
    }
}

/// The modified UTF-8 of `text`.
pub(crate) fn encode(text: &str) -> Vec<u8> {
    if text.bytes().all(|byte| (1..=0x7f).contains(&byte)) {
        return text.as_bytes().to_vec();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        let low = |shift: u32| 0x80 | (unit >> shift) as u8 & 0x3f;
        match unit {
            0x01..=0x7f => bytes.push(unit as u8),
            0x00 | 0x80..=0x7ff => bytes.extend([0xc0 | (unit >> 6) as u8, low(0)]),
            _ => bytes.extend([0xe0 | (unit >> 12) as u8, low(6), low(0)]),
        }
    }
    bytes
}

fn decode_slowly(bytes: &[u8]) -> String {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((unit, size)) = unit(rest) {
        units.push(unit);
        rest = &rest[size..];
    }
    String::from_utf16_lossy(&units)
}

/// The UTF-16 unit at the head of `bytes` and how many bytes it takes.
fn unit(bytes: &[u8]) -> Option<(u16, usize)> {
    let trail =
        |at: usize| bytes.get(at).filter(|b| **b & 0xc0 == 0x80).map(|b| u16::from(b & 0x3f));
    let first = *bytes.first()?;
    let decoded = match first {
        0x00..=0x7f => Some((u16::from(first), 1)),
        0xc0..=0xdf => trail(1).map(|low| (u16::from(first & 0x1f) << 6 | low, 2)),
        0xe0..=0xef => trail(1)
            .zip(trail(2))
            .map(|(middle, low)| (u16::from(first & 0x0f) << 12 | middle << 6 | low, 3)),
        _ => None,
    };
    Some(decoded.unwrap_or((0xfffd, 1)))
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(decode("Größe".as_bytes()), std::borrow::Cow::Borrowed("Größe")));
    }

    #[test]
    fn zero_and_surrogate_pairs_are_decoded() {
        assert_eq!(decode(&[b'a', 0xc0, 0x80, b'b']), "a\0b");
        // U+1F600 as the surrogates d83d de00
        assert_eq!(decode(&[0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]), "\u{1f600}");
    }

    #[test]
    fn what_is_encoded_is_decoded_again() {
        for text in ["plain", "a\0b", "Größe", "残高", "\u{1f600}"] {
            assert_eq!(decode(&encode(text)), text);
        }
        assert_eq!(encode("\0\u{1f600}"), [0xc0, 0x80, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        assert_eq!(decode(&[0xed, 0xa0, 0xbd]), "\u{fffd}");
        assert_eq!(decode(&[b'x', 0xff, 0xe2, 0x82]), "x\u{fffd}\u{fffd}\u{fffd}");
    }
}
