//! The binary reader, fed arbitrary bytes: it must not panic, nor give impossible events.
//!
//! A fuzzer does not guess checksums. So an input that does not begin like a binary trace is taken
//! as a list of blocks, which are given right checksums to reach the code behind them.

#![no_main]

use interloper_fuzz::drain;
use interloper_trace::{BinaryReader, is_binary};
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

fuzz_target!(|data: &[u8]| {
    let blocks;
    let file = if data.len() >= 8 && is_binary(data) {
        data
    } else {
        blocks = with_checksums(data);
        &blocks
    };
    if let Ok(mut reader) = BinaryReader::new("fuzz", file) {
        drain(&mut reader);
    }
});

/// A file of blocks, each given as: 2 bytes of size, 3 of events, 3 of names, and the payload.
fn with_checksums(mut data: &[u8]) -> Vec<u8> {
    let mut file = b"\x89ILPR\r\n\x1a\x01\0\0\0\0\0\0\0".to_vec();
    let mut first = 0u64;
    while let Some((sizes, rest)) = data.split_first_chunk::<8>() {
        let number = |a: u8, b: u8, c: u8| u32::from_le_bytes([a, b, c, 0]);
        let size = number(sizes[0], sizes[1], 0) as usize;
        let (events, names) =
            (number(sizes[2], sizes[3], sizes[4]), number(sizes[5], sizes[6], sizes[7]));
        let (payload, rest) = rest.split_at(size.min(rest.len()));
        let mut header = b"EVTS".to_vec();
        for number in [payload.len() as u32, events, names] {
            header.extend_from_slice(&number.to_le_bytes());
        }
        header.extend_from_slice(&first.to_le_bytes());
        header.extend_from_slice(&xxh3_64(payload).to_le_bytes());
        header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
        file.extend_from_slice(&header);
        file.extend_from_slice(payload);
        first += u64::from(events);
        data = rest;
    }
    file
}
