//! `trace convert`: the same events in another format.

use crate::common::{Scratch, fed, generated, interloper};

/// Every operation once at least, locks taken again, names of all kinds, blocks without a name.
const EVERYTHING: &str = "\
main|fork(T1)|M:1
main|fork(T 2)|
main|begin(outer)|M:2
main|begin|M:3
main|r(x)|M:4
main|w(x)|M:5
main|acq(m)|M:6
main|acq(m)|M:7
main|wait(m)|M:8
main|vr(v[3])|M:9
main|vw(f(y))|M:10
main|rmw(c)|M:11
main|acq(m)|M:12
main|notify(m)|M:13
main|rel(m)|M:14
main|rel(m)|M:15
main|end|M:16
main|end|M:17
T1|dummy|1
T1|r(größe)|Straße.java:7
T1|exit|
T 2|w(残高)|👻
main|join(T1)|M:18
main|join(T 2)|M:19
";

/// Converts text to binary and back.
#[track_caller]
fn there_and_back(text: &str) -> String {
    let scratch = Scratch::new();
    let (std, itl) = (scratch.file("a.std", text), scratch.at("a.itl"));
    interloper(&["trace", "convert", &std, &itl]).exits(0);
    assert!(scratch.read("a.itl").starts_with(b"\x89ILPR"), "the ending chooses the format");
    interloper(&["trace", "convert", &itl, &scratch.at("b.std")]).exits(0);
    String::from_utf8(scratch.read("b.std")).unwrap()
}

#[test]
fn every_preset_survives_the_way_there_and_back() {
    for preset in ["locked", "wide", "phases", "long", "unary", "nested"] {
        let options =
            ["--shape", preset, "--events", "2500", "--vars", "100", "--locks", "20", "--threads"];
        let text = generated(&[&options[..], &["5"]].concat());
        assert!(text.lines().count() >= 2500);
        assert_eq!(there_and_back(&text), text, "{preset}");
    }
}

#[test]
fn every_operation_survives_the_way_there_and_back() {
    for word in [
        "begin", "end", "r(", "w(", "acq", "rel", "fork", "join", "dummy", "vr", "vw", "rmw",
        "wait", "notify", "exit",
    ] {
        assert!(EVERYTHING.contains(&format!("|{word}")), "{word}");
    }
    assert_eq!(there_and_back(EVERYTHING), EVERYTHING);
    fed(&["trace", "validate", "-"], EVERYTHING.as_bytes()).exits(0);
}

#[test]
fn converting_judges_no_order_and_filters_nothing() {
    // Not what a program can do, but events all the same.
    let odd = "T0|rel(m)|1\nT0|acq(m)|2\nT0|acq(m)|3\nT0|rel(m)|4\nT0|end|5\nT0|fork(T0)|6\n";
    assert_eq!(there_and_back(odd), odd);
}

#[test]
fn text_comes_out_in_its_plain_form() {
    let loose = "\u{feff}# from elsewhere\r\nT0|beginning|1\r\n\r\nT0|dummy(x)|2\r\nT0|end(m)|3";
    let outcome = fed(&["trace", "convert", "-", "-"], loose.as_bytes()).exits(0);
    assert_eq!(outcome.stdout, "T0|begin|1\nT0|dummy|2\nT0|end|3\n");
}

#[test]
fn the_option_wins_over_the_ending() {
    let scratch = Scratch::new();
    let std = scratch.file("a.std", EVERYTHING);
    interloper(&["trace", "convert", &std, &scratch.at("b.std"), "--to", "binary"]).exits(0);
    assert!(scratch.read("b.std").starts_with(b"\x89ILPR"));
    interloper(&["trace", "convert", &scratch.at("b.std"), &scratch.at("c.itl"), "--to", "std"])
        .exits(0);
    assert_eq!(scratch.read("c.itl"), EVERYTHING.as_bytes());
}

#[test]
fn lenient_converting_drops_what_is_no_event_and_counts_it() {
    let input = "nonsense\nT0|r(x)|1\nT0|r()|2\nT0|w(x)|3\n";
    let outcome = fed(&["trace", "convert", "--lenient", "-", "-"], input.as_bytes()).exits(0);
    assert_eq!(outcome.stdout, "T0|r(x)|1\nT0|w(x)|3\n");
    assert_eq!(outcome.stderr, "warning: -: skipped 2 lines that are no events\n");
    let outcome = fed(&["trace", "convert", "-", "-"], input.as_bytes()).exits(2);
    assert!(outcome.stderr.starts_with("error: standard input:1: "), "{outcome:?}");
    let outcome = fed(&["trace", "convert", "--lenient", "-", "-"], b"what\nT0|r(x)|1\n").exits(0);
    assert_eq!(outcome.stderr, "warning: -: skipped 1 line that is no event\n");
}

#[test]
fn endings_compress() {
    const GZIP: &[u8] = b"\x1f\x8b";
    const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
    let scratch = Scratch::new();
    let text = generated(&["--events", "20000"]);
    let mut from = scratch.file("a.std", &text);
    for (name, magic, format) in [
        ("b.itl.zst", ZSTD, "binary, zstd"),
        ("c.itl.gz", GZIP, "binary, gzip"),
        ("d.std.gz", GZIP, "text, gzip"),
        ("e.zst", ZSTD, "text, zstd"),
    ] {
        let to = scratch.at(name);
        interloper(&["trace", "convert", &from, &to]).exits(0);
        let bytes = scratch.read(name);
        assert!(bytes.starts_with(magic) && bytes.len() < text.len() / 2, "{name}");
        let stat = interloper(&["trace", "stat", "-f", "json", &to]).exits(0).json();
        assert_eq!(stat["traces"][0]["format"], format);
        assert_eq!(stat["traces"][0]["complete"], true);
        from = to;
    }
    let back = interloper(&["trace", "convert", &from, "-"]).exits(0).stdout;
    assert!(back == text, "the same events after four conversions");
    // The option chooses the format only.
    let to = scratch.at("f.std.gz");
    interloper(&["trace", "generate", "--events", "100", "-o", &to, "--to", "binary"]).exits(0);
    let stat = interloper(&["trace", "stat", "-f", "json", &to]).exits(0).json();
    assert_eq!(stat["traces"][0]["format"], "binary, gzip");
}

#[test]
fn a_failure_leaves_an_older_file_as_it_was() {
    let scratch = Scratch::new();
    let (good, bad) =
        (scratch.file("a.std", EVERYTHING), scratch.file("b.std", "T1|r(x)|1\nT1|?\n"));
    let target = scratch.at("a.itl");
    interloper(&["trace", "convert", &good, &target]).exits(0);
    let before = scratch.read("a.itl");
    interloper(&["trace", "convert", &bad, &target]).exits(2);
    assert_eq!(scratch.read("a.itl"), before);
    let report = scratch.file("report.txt", "an older report");
    interloper(&["check", &scratch.at("missing.std"), "-o", &report]).exits(2);
    assert_eq!(scratch.read("report.txt"), b"an older report");
    assert!(!std::path::Path::new(&scratch.at("a.itl.partial")).exists());
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let scratch = Scratch::new();
    let good = scratch.file("a.std", EVERYTHING);
    interloper(&["check", "-", "-"]).exits(2);
    interloper(&["check", &good, "--source-path", &scratch.at("nowhere")]).exits(2);
}

#[test]
fn a_verdict_on_a_part_says_so() {
    let trace = b"T1|r(x)|1\nT1|nonsense|2\nT1|w(x)|3\n";
    let out = fed(&["check", "-", "--lenient"], trace).exits(0).stdout;
    assert!(out.contains("no violation found among the events that were kept"), "{out}");
    assert!(!out.contains("this run was serializable"), "{out}");
}
