//! The reader of text traces and the validation behind it, fed arbitrary bytes: they must not panic,
//! strict or lenient.

#![no_main]

use interloper_fuzz::drain;
use interloper_trace::{TextReader, Validated};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for lenient in [false, true] {
        drain(&mut TextReader::new("fuzz", data, lenient));
        drain(&mut Validated::new(TextReader::new("fuzz", data, lenient), lenient));
    }
});
