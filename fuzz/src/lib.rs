//! What the fuzz targets share.

use interloper_trace::{Batch, BinaryWriter, Source};

/// More batches than any input of a fuzzer's size should give.
const BATCHES: usize = 10_000;

/// Takes everything out of a source, and checks what every source promises: batches follow one
/// another, are not too large, mention only things that have names, and an ended stream stays ended.
/// Errors are fine.
pub fn drain(source: &mut impl Source) {
    // The writer refuses events without names.
    let mut writer = BinaryWriter::new(std::io::sink()).expect("a sink takes everything");
    let mut batch = Batch::default();
    let mut events = 0;
    for _ in 0..BATCHES {
        match source.next_batch(&mut batch) {
            Ok(true) => {}
            Ok(false) => {
                assert!(batch.events.is_empty());
                assert!(matches!(source.next_batch(&mut batch), Ok(false)));
                if let Some(damage) = source.damage() {
                    assert!(!damage.message.is_empty());
                }
                return;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                return;
            }
        }
        assert!(!batch.events.is_empty() && batch.events.len() <= Batch::SIZE);
        assert_eq!(batch.first, events);
        events += batch.events.len() as u64;
        if let Err(error) = writer.write(source.names(), &batch.events) {
            assert!(!error.to_string().contains("which has no name"), "{error}");
        }
    }
    panic!("the stream does not end");
}
