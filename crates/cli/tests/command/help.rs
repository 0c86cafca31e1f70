//! Help, completions and manual pages.

use crate::common::{Scratch, command, interloper, names_in, run};

/// Every command with every option it has.
const COMMANDS: [(&[&str], &[&str]); 14] = [
    (&[], &["--color", "--help", "--version"]),
    (
        &["check"],
        &[
            "--engine",
            "--blocks",
            "--without",
            "--format",
            "--output",
            "--source-path",
            "--lenient",
            "--stats",
            "--full",
            "--limit",
            "--color",
            "--help",
            "<TRACE>",
        ],
    ),
    (
        &["scan"],
        &["--variant", "--suppressions", "--baseline", "--source-path", "--format", "--output"],
    ),
    (
        &["run"],
        &[
            "--instrument",
            "--exclude",
            "--only",
            "--atomic",
            "--not-atomic",
            "--spec",
            "--arrays",
            "--all-accesses",
            "--engine",
            "--format",
            "--output",
            "--source-path",
            "--linger",
            "--config",
            "<CMD>",
            "interloper.toml",
            "128 + N",
        ],
    ),
    (&["record"], &["--output", "--atomic", "--arrays", "<CMD>"]),
    (&["refine"], &["--runs", "--output", "--report", "--spec", "<CMD>"]),
    (&["doctor"], &["--help"]),
    (&["trace"], &["stat", "convert", "validate", "generate", "--help"]),
    (&["trace", "stat"], &["--lenient", "--format", "<TRACE>"]),
    (&["trace", "convert"], &["<FROM>", "<TO>", "--to", "--lenient"]),
    (&["trace", "validate"], &["<TRACE>", "--lenient"]),
    (
        &["trace", "generate"],
        &[
            "--shape",
            "--output",
            "--to",
            "--events",
            "--threads",
            "--vars",
            "--locks",
            "--block-length",
            "--nesting",
            "--unary",
            "--writes",
            "--phases",
            "--long",
            "--violation",
            "--locations",
            "--burst",
            "--seed",
        ],
    ),
    (&["completions"], &["bash", "zsh", "fish", "powershell", "elvish"]),
    (&["man"], &["--dir"]),
];

#[test]
fn help_mentions_every_option_within_a_hundred_columns() {
    for (path, options) in COMMANDS {
        for flag in ["--help", "-h"] {
            let mut command = command(&[path, &[flag]].concat());
            command.env("COLUMNS", "300");
            let outcome = run(command).exits(0);
            assert_eq!(outcome.stderr, "");
            for option in options {
                assert!(outcome.stdout.contains(option), "{path:?} {flag}: no {option}");
            }
            for line in outcome.stdout.lines() {
                assert!(line.chars().count() <= 100, "{path:?} {flag}: {line}");
            }
        }
    }
}

#[test]
fn exit_codes_of_run_stay_in_their_column() {
    let help = interloper(&["run", "--help"]).exits(0).stdout;
    let mut lines = help.lines().skip_while(|line| !line.starts_with("  the program's own "));
    let column = lines.next().unwrap().find("nothing was found").unwrap();
    let rest: Vec<&str> = lines.collect();
    assert!(rest.len() > 3, "{help}");
    for line in rest {
        assert!(line.get(..column).is_some_and(|it| it.ends_with("  ")), "{line}");
        assert!(!line[column..].starts_with(' '), "{line}");
    }
}

#[test]
fn help_tells_the_exit_codes_and_the_commands() {
    let outcome = interloper(&["--help"]).exits(0);
    for says in ["check", "trace", "completions", "man", "nothing was checked", "0  nothing found"]
    {
        assert!(outcome.stdout.contains(says), "{says}");
    }
    assert_eq!(
        interloper(&["help", "check"]).exits(0).stdout,
        interloper(&["check", "--help"]).stdout
    );
}

#[test]
fn help_tells_of_each_engine_what_it_is_worth() {
    let help = interloper(&["check", "--help"]).exits(0).stdout;
    let words: String = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for about in interloper_engines::ENGINES {
        assert!(words.contains(&format!("- {}: {}", about.name, about.line)), "{help}");
    }
    assert!(words.contains("- all: all of them but velodrome-unmerged"), "{help}");
}

#[test]
fn the_version_is_told() {
    let outcome = interloper(&["--version"]).exits(0);
    assert_eq!(outcome.stdout, format!("interloper {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_know_commands_and_options() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let outcome = interloper(&["completions", shell]).exits(0);
        for word in ["interloper", "check", "generate", "engine", "block-length"] {
            assert!(outcome.stdout.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn the_manual_page_is_roff() {
    let outcome = interloper(&["man"]).exits(0);
    assert!(outcome.stdout.starts_with('.'), "{}", outcome.stdout);
    for line in [".TH interloper 1", ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH SUBCOMMANDS"] {
        assert!(outcome.stdout.contains(line), "{line}");
    }
}

#[test]
fn manual_pages_of_all_commands_go_into_the_folder_and_nowhere_else() {
    let scratch = Scratch::new();
    let folder = scratch.at("man");
    let mut command = command(&["man", "--dir", &folder]);
    command.current_dir(scratch.path());
    assert_eq!(run(command).exits(0).stdout, "");
    assert_eq!(scratch.names(), ["man"]);
    let mut expected: Vec<String> = COMMANDS
        .iter()
        .map(|(path, _)| [&["interloper"], *path].concat().join("-") + ".1")
        .collect();
    expected.sort();
    assert_eq!(names_in(folder.as_ref()), expected);
    for page in expected {
        let text = String::from_utf8(scratch.read(&format!("man/{page}"))).unwrap();
        assert!(text.contains(".TH ") && text.contains(".SH NAME"), "{page}");
    }
    let file = scratch.file("file", "");
    let outcome = interloper(&["man", "--dir", &file]).exits(2);
    assert!(outcome.stderr.starts_with(&format!("error: {file}: ")), "{outcome:?}");
}
