//! `interloper doctor`: is this machine ready? A line for each thing that must be so, the last ones a program with a known
//! violation, which must be found, and its correct twin, in which nothing may be.

use super::jdk::{self, Java, Patience, SUPPORTED};
use super::library;
use super::session::{self, Checked};
use super::signals::Signals;
use super::watch::Watch;
use crate::analysis::Chosen;
use crate::args::Engines;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use interloper_tap::option::jvm_options;
use interloper_weave::Config;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tempfile::TempDir;

/// Two threads and an account, `canary/Canary.java`.
static CANARY: &[u8] = include_bytes!("../../canary/Canary.class");
/// How long each program may take; a fraction of a second is usual.
const LIMIT: Duration = Duration::from_secs(60);
/// The method that is cut in two.
const VIOLATED: &str = "Canary.withdraw";

/// Something that must be so.
struct Line {
    what: String,
    /// What was seen; else what is wrong, and what to do about it.
    outcome: Result<String, String>,
}

/// Looks at everything and tells.
pub fn doctor() -> Result<Exit, Failure> {
    let folder =
        tempfile::tempdir().map_err(|error| Failure::output(&std::env::temp_dir(), error))?;
    let mut output = Output::open(None)?;
    let patience = Patience { limit: LIMIT, signals: Signals::default() };
    let installed = patience.signals.install();
    installed.map_err(|error| Failure::Usage(format!("waiting: {error}")))?;
    let mut healthy = true;
    let mut tell = |line: Line| {
        if patience.signals.interrupted() {
            return Err(Failure::Usage("interrupted".to_string()));
        }
        let ok = line.outcome.is_ok();
        healthy &= ok;
        let mark = if ok { "ok    " } else { "failed" };
        let (Ok(detail) | Err(detail)) = &line.outcome;
        output.write(|out| writeln!(out, "{mark}  {}: {detail}", line.what))?;
        Ok::<bool, Failure>(ok)
    };
    let agent = library::unpack(folder.path());
    let unpacked = agent.as_ref().map(|path| path.display().to_string());
    let unpacked = unpacked.map_err(ToString::to_string);
    tell(Line { what: "agent".to_string(), outcome: unpacked })?;
    let found = jdk::find();
    if found.is_empty() {
        let outcome =
            Err("none found; install a JDK, and put java on the path or set JAVA_HOME".to_string());
        tell(Line { what: "java".to_string(), outcome })?;
    }
    for java in &found {
        let fit = tell(version(java, &patience))?;
        let (true, Ok(agent)) = (fit, &agent) else { continue };
        if !tell(loads(java, agent, &folder, &patience))? {
            continue;
        }
        let mut starts = true;
        for variable in set_variables() {
            starts &= tell(starts_with(java, variable, &patience))?;
        }
        if starts {
            tell(canary(java, &folder, &patience, "broken", judge_broken))?;
            tell(canary(java, &folder, &patience, "correct", judge_correct))?;
        }
    }
    Ok(if healthy { Exit::Clean } else { Exit::Found })
}

fn version(java: &Java, patience: &Patience) -> Line {
    let path = java.path.display();
    let version = jdk::version(&java.path, patience);
    let outcome =
        version.map_err(|why| format!("{why}; is it a JDK?")).and_then(
            |version| match jdk::feature(&version) {
                Some(feature) if SUPPORTED.contains(&feature) => Ok(format!("version {version}")),
                _ => Err(format!(
                    "version {version}; the agent is made for {} to {}: use one of these",
                    SUPPORTED.start(),
                    SUPPORTED.end()
                )),
            },
        );
    Line { what: format!("java {path} ({})", java.from), outcome }
}

/// Whether a JVM starts with the agent in it. The folder has no socket: the agent has nobody to tell anything, and keeps
/// still.
fn loads(java: &Java, agent: &Path, folder: &TempDir, patience: &Patience) -> Line {
    let mut command = jdk::plain(&java.path);
    command.args(jvm_options(agent, folder.path())).arg("-version");
    let bug = |why| format!("{why}; this is a bug, please report it");
    let outcome = starts(command, patience).map_err(bug);
    Line { what: "agent loads".to_string(), outcome }
}

/// Those that are set of the variables that hold options: what is wrong with them is not our fault.
fn set_variables() -> Vec<&'static str> {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    jdk::VARIABLES.into_iter().filter(is_set).collect()
}

/// Whether a JVM starts with what this variable holds.
fn starts_with(java: &Java, variable: &str, patience: &Patience) -> Line {
    let value = std::env::var_os(variable).unwrap_or_default();
    let mut command = jdk::plain(&java.path);
    command.arg("-version").env(variable, &value);
    let wrong = |why| {
        let value = value.to_string_lossy();
        format!("{why}; no JVM starts with {variable}={value}: correct it, or unset it")
    };
    let outcome = starts(command, patience).map_err(wrong);
    Line { what: format!("{variable}, which is set"), outcome }
}

/// Whether a JVM starts, and ends as it should.
fn starts(command: Command, patience: &Patience) -> Result<String, String> {
    let (status, said) = patience.ask(command)?;
    if status.success() {
        return Ok("a JVM starts with it".to_string());
    }
    let said: Vec<&str> = said.lines().take(3).collect();
    Err(format!("{status}: {}", said.join(" ")))
}

/// Runs the canary, and judges what was found in it.
fn canary(
    java: &Java,
    folder: &TempDir,
    patience: &Patience,
    kind: &str,
    judge: fn(&Checked) -> Result<String, String>,
) -> Line {
    let class = folder.path().join("Canary.class");
    let checked = std::fs::write(&class, CANARY)
        .map_err(|error| Failure::output(&class, error))
        .and_then(|()| watched(java, folder.path(), patience, kind));
    let bug = |why: String| match &set_variables()[..] {
        [] => format!("{why}; this is a bug, please report it"),
        set => format!(
            "{why}; if it is so without {}, this is a bug, please report it",
            set.join(" and ")
        ),
    };
    let outcome = checked.map_err(|failure| failure.to_string()).and_then(|checked| {
        let trouble = checked.warnings.join("; ");
        match () {
            _ if checked.failed => Err(trouble),
            _ if !checked.status.success() => Err(bug(format!("it failed, {}", checked.status))),
            _ if !checked.judged() => Err(bug(format!("nothing was seen of it {trouble}"))),
            _ => judge(&checked).map_err(bug),
        }
    });
    Line { what: format!("canary, {kind}"), outcome }
}

fn watched(
    java: &Java,
    folder: &Path,
    patience: &Patience,
    kind: &str,
) -> Result<Checked, Failure> {
    let command: Vec<OsString> =
        vec![java.path.clone().into(), "-cp".into(), folder.into(), "Canary".into(), kind.into()];
    let (linger, signals) = (Duration::from_secs(5), patience.signals.clone());
    let watch = Watch { command, linger, signals };
    let chosen = Chosen::new(&Engines::default())?;
    let (ended, end) = channel::<()>();
    let (limit, signals) = (patience.limit, patience.signals.clone());
    let guard = std::thread::spawn(move || {
        let late = end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        if late {
            signals.kill_program();
        }
        late
    });
    let checked = session::check(&watch, &Config::default(), &chosen);
    drop(ended);
    match guard.join() {
        Ok(true) => Err(Failure::Usage(patience.exceeded())),
        _ => checked,
    }
}

fn judge_broken(checked: &Checked) -> Result<String, String> {
    let engines = checked.runs.iter().flat_map(|run| &run.engines);
    let mut blames = engines.flat_map(|engine| &engine.findings).filter_map(|it| it.blame.as_ref());
    match blames.any(|blame| blame.label == VIOLATED) {
        true => Ok("its violation was found".to_string()),
        false => Err(format!("the violation of {VIOLATED} was not found")),
    }
}

fn judge_correct(checked: &Checked) -> Result<String, String> {
    let engines = checked.runs.iter().flat_map(|run| &run.engines);
    match engines.flat_map(|engine| &engine.findings).next() {
        None => Ok("nothing was found in it".to_string()),
        Some(finding) => Err(format!("there is nothing to find, but: {}", finding.message)),
    }
}
