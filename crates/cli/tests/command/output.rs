//! Where reports go and how they look there: files, pipes, colours.

use crate::common::{
    BAD, LOST_UPDATE, Outcome, SERIAL, Scratch, command, fed, generated, interloper, run,
};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

#[test]
fn a_report_goes_to_the_file_that_was_named() {
    let scratch = Scratch::new();
    let trace = scratch.file("trace.std", LOST_UPDATE);
    for format in ["text", "json", "dot", "sarif"] {
        let printed = interloper(&["check", &trace, "-f", format]).exits(1).stdout;
        let report = scratch.at(format);
        let outcome = interloper(&["check", &trace, "-f", format, "--output", &report]).exits(1);
        assert_eq!(outcome.stdout, "");
        assert_eq!(String::from_utf8(scratch.read(format)).unwrap(), printed);
        assert!(!printed.is_empty());
    }
    assert_eq!(
        interloper(&["check", &trace, "-o", "-"]).stdout,
        interloper(&["check", &trace]).stdout
    );
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let scratch = Scratch::new();
    let trace = scratch.file("trace.std", SERIAL);
    let nowhere = scratch.at("no/such/folder/report");
    let outcome = interloper(&["check", &trace, "-o", &nowhere]).exits(2);
    assert!(outcome.stderr.starts_with(&format!("error: {nowhere}: ")), "{outcome:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let scratch = Scratch::new();
    let trace = scratch.file("trace.std", SERIAL);
    for args in [
        &["check", &trace, "-o", "/dev/full"][..],
        &["trace", "convert", &trace, "/dev/full"],
        &["trace", "convert", &trace, "/dev/full", "--to", "binary"],
        &["trace", "generate", "--events", "100", "-o", "/dev/full"],
    ] {
        let outcome = interloper(args).exits(2);
        assert!(outcome.stderr.starts_with("error: /dev/full: No space left"), "{outcome:?}");
    }
}

#[test]
fn a_trace_is_never_overwritten_by_what_is_made_of_it() {
    let scratch = Scratch::new();
    let trace = scratch.file("trace.std", LOST_UPDATE);
    let roundabout = scratch.path().join("..").join(scratch.path().file_name().unwrap());
    let roundabout = roundabout.join("trace.std").to_str().unwrap().to_string();
    for args in [
        &["check", &trace, "-o", &trace][..],
        &["check", "other.std", &trace, "-o", &roundabout],
        &["trace", "convert", &trace, &trace],
        &["trace", "convert", &trace, &roundabout],
    ] {
        let outcome = interloper(args).exits(2);
        assert!(outcome.stderr.contains("cannot write to the file that is read"), "{outcome:?}");
        assert_eq!(scratch.read("trace.std"), LOST_UPDATE.as_bytes(), "{args:?}");
    }
}

#[test]
fn text_is_coloured_only_on_demand_when_piped() {
    let scratch = Scratch::new();
    let trace = scratch.file("trace.std", LOST_UPDATE);
    let with = |options: &[&str], no_color: Option<&str>| -> Outcome {
        let mut command = command(&[&["check", trace.as_str()], options].concat());
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        run(command).exits(1)
    };
    let is_coloured = |outcome: Outcome| outcome.stdout.contains('\x1b');
    assert!(!is_coloured(with(&[], None)));
    assert!(!is_coloured(with(&["--color", "auto"], None)));
    assert!(!is_coloured(with(&["--color", "never"], None)));
    assert!(!is_coloured(with(&[], Some("1"))));
    assert!(is_coloured(with(&["--color", "always"], None)));
    // Whoever says it on the command line means it.
    assert!(is_coloured(with(&["--color", "always"], Some("1"))));
    for format in ["json", "dot", "sarif"] {
        assert!(!is_coloured(with(&["--color", "always", "-f", format], None)), "{format}");
    }
}

#[test]
fn colours_change_no_letter() {
    let plain = fed(&["check", "-"], LOST_UPDATE.as_bytes()).stdout;
    let coloured = fed(&["check", "-", "--color", "always"], LOST_UPDATE.as_bytes()).stdout;
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\x1b[") {
        stripped.push_str(before);
        rest = &after[after.find('m').expect("the end of a colour") + 1..];
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain);
}

#[test]
fn nothing_of_a_trace_reaches_the_terminal_raw() {
    let evil = LOST_UPDATE.replace("withdraw", "\x1b[2Jwithdraw").replace("x)", "x\x1b]0;y\x07)");
    let outcome = fed(&["check", "-"], evil.as_bytes()).exits(1);
    assert!(!outcome.stdout.contains(['\x1b', '\x07']), "{outcome:?}");
    for bad in ["T0|\x1b[2J(x)|1\n", "T0|rel(\x1b[2J)|1\n", "\x1b[2J|end|1\n"] {
        let outcome = fed(&["check", "-"], bad.as_bytes()).exits(2);
        assert!(!outcome.stderr.contains('\x1b'), "{outcome:?}");
    }
}

/// Reads one line of the command's output, then goes away. Gives the line, the exit code and what
/// was said on standard error.
fn first_line_of(args: &[&str]) -> (String, Option<i32>, String) {
    let mut child =
        command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let mut reader = BufReader::with_capacity(16, child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    drop(reader);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (line, child.wait().unwrap().code(), stderr)
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let (line, code, stderr) = first_line_of(&["trace", "generate", "--events", "100000"]);
    assert!(line.starts_with('T') && line.ends_with('\n'), "{line}");
    assert_eq!((code, stderr.as_str()), (Some(0), ""));

    let scratch = Scratch::new();
    let trace = scratch.file("trace.std", generated(&["--events", "100000"]));
    let (_, code, stderr) = first_line_of(&["trace", "convert", &trace, "-"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));

    let small = scratch.file("small.std", SERIAL);
    let many = vec![small.as_str(); 3000];
    for subcommand in ["validate", "stat"] {
        let (_, code, stderr) = first_line_of(&[&["trace", subcommand], &many[..]].concat());
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{subcommand}");
    }
}

#[test]
fn findings_count_even_when_the_reader_goes_away() {
    let scratch = Scratch::new();
    let lost = scratch.file("lost.std", LOST_UPDATE);
    let (_, code, stderr) =
        first_line_of(&[&["check", "-f", "json"], &vec![&*lost; 300][..]].concat());
    assert_eq!((code, stderr.as_str()), (Some(1), ""));
}

#[test]
fn messages_that_nobody_reads_are_no_error() {
    let scratch = Scratch::new();
    let bad = scratch.file("bad.std", BAD);
    let lost = scratch.file("lost.std", LOST_UPDATE);
    let args = [&["check", lost.as_str()], &vec![bad.as_str(); 2000][..]].concat();
    let mut child =
        command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stderr.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stdout).unwrap().contains("withdraw is not atomic"));
}
