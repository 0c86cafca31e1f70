//! Damaged classes are refused or woven, but nothing panics.
#![allow(clippy::unwrap_used)]

mod common;

use common::{classes_in, compile, jdks, skip, weaver};
use interloper_weave::{Loaded, hooks};

#[test]
fn damaged_classes_do_not_panic() {
    let Some(jdk) = jdks().into_iter().next() else { return skip("no JDK") };
    let folder = tempfile::tempdir().unwrap();
    let source = include_str!("programs/Everything.java");
    compile(&jdk, folder.path(), "Everything", source);
    let source = include_str!("programs/References.java");
    let out = compile(&jdk, folder.path(), "References", source);
    let weavers = ["atomic methods", "atomic synchronized\natomic-annotation a.B"].map(weaver);
    let rounds = if std::env::var_os("CI").is_some() { 60 } else { 300 };
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let mut woven = 0;
    for path in classes_in(&out) {
        let bytes = std::fs::read(path).unwrap();
        for _ in 0..rounds {
            let mut bytes = bytes.clone();
            for _ in 0..=next(3) {
                let at = next(bytes.len());
                bytes[at] = if next(2) == 0 { next(256) as u8 } else { bytes[at].wrapping_add(1) };
            }
            let results = weavers.each_ref().map(|it| it.weave(&bytes, Loaded::default()));
            woven += results.iter().filter(|it| it.is_ok()).count();
            let _ = hooks::weave(&bytes);
        }
    }
    assert!(woven > 0, "some damage does no harm");
}
