//! On what was measured: figures without their machine say little.

use std::process::Command;

/// Lines that name the machine and what ran on it, and an empty line.
pub fn describe(version: &str, repetitions: u32) -> String {
    let runs = if repetitions == 1 { "one run".into() } else { format!("best of {repetitions}") };
    let compiler = said(Command::new("rustc").arg("--version"));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let machine = [
        Some(cpu().unwrap_or_else(|| std::env::consts::ARCH.into())),
        Some(format!("{cores} cores")),
        Some(system()),
        load().map(|load| format!("load {load}")),
    ];
    let measured = [Some(version.to_string()), compiler, Some(runs)];
    let line = |parts: &[Option<String>]| {
        parts.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ")
    };
    format!("{}\n{}\n\n", line(&machine), line(&measured))
}

fn cpu() -> Option<String> {
    match std::fs::read_to_string("/proc/cpuinfo") {
        Ok(text) => value_of(&text, "model name", ':'),
        Err(_) => said(Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"])),
    }
}

fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let kernel = said(Command::new("uname").arg("-sr"));
    let parts = [value_of(&release, "PRETTY_NAME", '='), kernel];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { std::env::consts::OS.into() } else { parts.join(", ") }
}

/// How many others wanted the processors in the last minute, where that can be had.
fn load() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next().map(str::to_string)
}

/// What follows `key` and the separator in the first line that begins with the key.
fn value_of(text: &str, key: &str, separator: char) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    let value = line.split_once(separator)?.1.trim().trim_matches('"');
    (!value.is_empty()).then(|| value.to_string())
}

fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_keys() {
        let info = "processor\t: 0\nmodel name\t: Abacus 9\nmodel name\t: Abacus 8\nflags\t:\n";
        assert_eq!(value_of(info, "model name", ':').as_deref(), Some("Abacus 9"));
        assert_eq!(value_of(info, "flags", ':'), None);
        assert_eq!(value_of(info, "bogomips", ':'), None);
        let release = "NAME=x\nPRETTY_NAME=\"Some OS 1\"\n";
        assert_eq!(value_of(release, "PRETTY_NAME", '=').as_deref(), Some("Some OS 1"));
    }

    #[test]
    fn the_version_and_the_number_of_runs_are_told() {
        let text = describe("interloper 1.2.3", 3);
        assert!(text.contains("interloper 1.2.3") && text.contains("best of 3"), "{text}");
        assert!(describe("x", 1).contains("one run"));
    }
}
