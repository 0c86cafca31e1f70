//! What the command reads: standard input, compressed files; and what it says of what it cannot read.

use crate::common::{LOST_UPDATE, SERIAL, Scratch, fed, generated, gzip, interloper, zstd};
use std::fs;

#[test]
fn standard_input_works_everywhere() {
    let input = LOST_UPDATE.as_bytes();
    let outcome = fed(&["check", "-", "-f", "json"], input).exits(1);
    assert_eq!(outcome.json()["runs"][0]["input"], "-");
    assert_eq!(outcome.json()["runs"][0]["events"], 5);

    let outcome = fed(&["trace", "validate", "-"], input).exits(0);
    assert_eq!(outcome.stdout, "-: valid: 5 events of 2 threads\n");

    let outcome = fed(&["trace", "stat", "-f", "json", "-"], input).exits(0);
    assert_eq!(outcome.json()["traces"][0]["counts"]["events"], 5);

    let outcome = fed(&["trace", "convert", "-", "-"], input).exits(0);
    assert_eq!(outcome.stdout, LOST_UPDATE);
}

#[test]
fn errors_in_standard_input_name_it() {
    let outcome = fed(&["check", "-"], b"T0|r(x)|1\nT0|what(x)|2\n").exits(2);
    assert!(
        outcome.stderr.starts_with("error: standard input:2: unknown operation `what`\n"),
        "{outcome:?}"
    );
}

#[test]
fn compression_is_known_by_content_not_by_name() {
    let scratch = Scratch::new();
    let packed = [gzip(LOST_UPDATE.as_bytes()), zstd(LOST_UPDATE.as_bytes())];
    for (bytes, format) in packed.iter().zip(["text, gzip", "text, zstd"]) {
        for name in ["trace.gz", "trace.zst", "trace.std", "trace"] {
            let path = scratch.file(name, bytes);
            interloper(&["check", &path]).exits(1);
            let outcome = interloper(&["trace", "stat", "-f", "json", &path]).exits(0);
            assert_eq!(outcome.json()["traces"][0]["format"], format);
        }
        fed(&["check", "-"], bytes).exits(1);
        let outcome = fed(&["trace", "convert", "-", "-"], bytes).exits(0);
        assert_eq!(outcome.stdout, LOST_UPDATE);
    }
    let plain = scratch.file("plain.gz", LOST_UPDATE);
    interloper(&["check", &plain]).exits(1);
}

#[test]
fn parts_compressed_one_by_one_and_put_together_are_one_trace() {
    let (head, tail) = LOST_UPDATE.as_bytes().split_at(60);
    fed(&["check", "-"], &[gzip(head), gzip(tail)].concat()).exits(1);
    fed(&["check", "-"], &[zstd(head), zstd(tail)].concat()).exits(1);
}

#[test]
fn a_compressed_trace_of_nothing_is_an_empty_trace() {
    fed(&["check", "-"], &gzip(b"")).exits(3);
    fed(&["check", "-"], &zstd(b"")).exits(3);
}

#[test]
fn a_compressed_trace_cut_off_is_an_error_that_says_where() {
    let scratch = Scratch::new();
    let text = generated(&["--events", "2000", "--vars", "500", "--locks", "50"]);
    for (name, whole) in [("cut.gz", gzip(text.as_bytes())), ("cut.zst", zstd(text.as_bytes()))] {
        for kept in [5, 18, whole.len() / 2, whole.len() - 1] {
            let path = scratch.file(name, &whole[..kept]);
            for args in [
                &["check", &path][..],
                &["trace", "stat", &path],
                &["trace", "validate", &path],
                &["trace", "convert", &path, "-"],
            ] {
                let outcome = interloper(args).exits(2);
                assert!(outcome.stderr.contains(&format!("error: {path}")), "{outcome:?}");
                assert!(outcome.stderr.contains("the compressed file is cut off"), "{outcome:?}");
            }
        }
    }
}

#[test]
fn leniency_makes_do_with_what_precedes_the_cut() {
    let scratch = Scratch::new();
    let text = generated(&["--events", "100000", "--vars", "500", "--violation", "early"]);
    for (name, whole) in [("cut.gz", gzip(text.as_bytes())), ("cut.zst", zstd(text.as_bytes()))] {
        let path = scratch.file(name, &whole[..whole.len() / 2]);
        let outcome = interloper(&["check", "--lenient", "-f", "json", &path]).exits(1);
        let says = "the compressed file is cut off in line ";
        assert!(outcome.stderr.starts_with(&format!("warning: {path}: at byte ")), "{outcome:?}");
        assert!(outcome.stderr.contains(says), "{outcome:?}");
        let run = &outcome.json()["runs"][0];
        assert_eq!(run["complete"], false);
        assert!(run["events"].as_u64() > Some(10_000), "{run:#}");
        assert!(run["notes"].to_string().contains(says), "{run:#}");
        let path = scratch.file(name, &whole[..8]);
        interloper(&["check", "--lenient", &path]).exits(3);
    }
}

#[test]
fn a_compressed_binary_trace_cut_off_is_read_up_to_its_last_whole_block() {
    let scratch = Scratch::new();
    let shape = ["--events", "200000", "--vars", "500", "--violation", "early"];
    for name in ["cut.itl.gz", "cut.itl.zst"] {
        let path = scratch.at(name);
        interloper(&[&["trace", "generate", "-o", &path], &shape[..]].concat()).exits(0);
        let whole = scratch.read(name);
        let path = scratch.file(name, &whole[..whole.len() * 2 / 3]);
        let outcome = interloper(&["check", "-f", "json", &path]).exits(1);
        assert!(outcome.stderr.contains("the trace is cut off"), "{outcome:?}");
        let run = &outcome.json()["runs"][0];
        assert_eq!(run["complete"], false);
        assert!(run["events"].as_u64() > Some(30_000), "{run:#}");
    }
}

#[test]
fn the_line_of_a_reading_error_is_the_line_it_happened_in() {
    // Stored, not compressed: what is cut off is known to the byte.
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::none());
    std::io::Write::write_all(&mut encoder, "T0|r(x)|1\n".repeat(1000).as_bytes()).unwrap();
    let whole = encoder.finish().unwrap();
    let outcome = fed(&["check", "-"], &whole[..whole.len() / 2]).exits(2);
    let line: u64 =
        outcome.stderr.split(':').nth(2).and_then(|line| line.parse().ok()).expect("a line");
    assert!((480..=501).contains(&line), "{outcome:?}");
}

#[test]
fn what_cannot_be_opened_is_named() {
    let scratch = Scratch::new();
    let missing = scratch.at("missing.std");
    let folder = scratch.at("folder");
    fs::create_dir(&folder).unwrap();
    for (path, says) in [(missing, "No such file or directory"), (folder, "this is a folder")] {
        for args in [
            &["check", &path][..],
            &["trace", "stat", &path],
            &["trace", "validate", &path],
            &["trace", "convert", &path, "-"],
        ] {
            let outcome = interloper(args).exits(2);
            let expected = format!("error: {path}: {says}");
            assert!(outcome.stderr.starts_with(&expected), "{args:?}: {outcome:?}");
            assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_read_is_named() {
    // Everybody may open it, nobody may read at address 0.
    let outcome = interloper(&["check", "/proc/self/mem"]).exits(2);
    assert!(outcome.stderr.starts_with("error: /proc/self/mem: "), "{outcome:?}");
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let path = scratch.file("secret.std", SERIAL);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let outcome = interloper(&["check", &path]);
    // Nothing is hidden from an administrator, who runs the tests in some containers.
    if fs::File::open(&path).is_ok() {
        outcome.exits(0);
    } else {
        assert!(outcome.stderr.starts_with(&format!("error: {path}: ")), "{outcome:?}");
        outcome.exits(2);
    }
}

#[test]
fn a_pipe_that_is_slow_is_read_to_its_end() {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = crate::common::command(&["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    for byte in LOST_UPDATE.as_bytes().chunks(7) {
        pipe.write_all(byte).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    drop(pipe);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
}
