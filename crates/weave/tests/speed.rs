//! How fast classes are woven (`cargo test --release -p interloper-weave --test speed -- --ignored --nocapture`).
#![allow(clippy::unwrap_used)]

mod common;

use common::{classes_in, jdks, skip, unpack, weaver};
use interloper_weave::Loaded;

/// Seconds that this thread has had a processor: other programs do not disturb the measurement.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

#[test]
#[ignore = "measures, and says nothing in debug builds"]
fn megabytes_a_second() {
    let Some(jdk) = jdks().into_iter().next() else { return skip("no JDK") };
    let folder = tempfile::tempdir().unwrap();
    unpack(&jdk, folder.path());
    let classes: Vec<Vec<u8>> =
        classes_in(folder.path()).iter().map(|it| std::fs::read(it).unwrap()).collect();
    let megabytes = classes.iter().map(Vec::len).sum::<usize>() as f64 / 1e6;
    for config in ["atomic methods", "atomic synchronized", "atomic methods\narrays off"] {
        for _ in 0..2 {
            let weaver = weaver(config);
            let start = processor_time();
            let woven = classes.iter().filter_map(|it| weaver.weave(it, Loaded::default()).ok());
            let grown = woven.map(|it| it.bytes.len()).sum::<usize>() as f64 / 1e6;
            let seconds = processor_time() - start;
            let speed = megabytes / seconds;
            println!("{config:?}: {megabytes:.1} MB to {grown:.1} MB, {speed:.0} MB/s");
        }
    }
}
