//! What the README shows is what today's binary prints. `UPDATE_EXPECTED=1` writes it anew.

// Clippy's leave to unwrap in tests does not reach the functions that tests share.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

const MARK: &str = "<!-- checked: interloper ";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn printed(args: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_interloper"))
        .args(args.split_whitespace())
        .current_dir(root())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn readme_shows_what_is_printed() {
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let mut parts = readme.split(MARK);
    let mut renewed = parts.next().unwrap().to_string();
    let mut checked = 0;
    for part in parts {
        let (args, rest) = part.split_once(" -->\n```text\n").expect("a text block after the mark");
        let (_, after) = rest.split_once("```\n").expect("the end of the block");
        renewed += &format!("{MARK}{args} -->\n```text\n{}```\n{after}", printed(args));
        checked += 1;
    }
    assert!(checked > 0, "the README shows nothing");
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&path, renewed).unwrap();
    } else {
        assert!(renewed == readme, "the README is out of date: UPDATE_EXPECTED=1 renews it");
    }
}
