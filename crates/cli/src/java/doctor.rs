//! `interloper doctor`: is this machine ready? A line for each thing that must be so, the last ones a program with a known
//! violation, which must be found, and its correct twin, in which nothing may be.

use super::jdk::{self, Java, SUPPORTED};
use super::library;
use super::session::{self, Checked};
use super::signals::Signals;
use super::watch::Watch;
use crate::analysis::Chosen;
use crate::args::Engines;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use interloper_tap::option::{TOOL_OPTIONS, agent_option};
use interloper_weave::Config;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Two threads and an account, `canary/Canary.java`.
static CANARY: &[u8] = include_bytes!("../../canary/Canary.class");
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
    let mut healthy = true;
    let mut tell = |line: Line| {
        let ok = line.outcome.is_ok();
        healthy &= ok;
        let mark = if ok { "ok    " } else { "failed" };
        let (Ok(detail) | Err(detail)) = &line.outcome;
        output.write(|out| writeln!(out, "{mark}  {}: {detail}", line.what))?;
        Ok::<bool, Failure>(ok)
    };
    let agent = library::unpack(folder.path());
    let unpacked = agent.as_ref().map(|path| path.display().to_string()).map_err(|error| {
        format!("{error}; make room there, or set XDG_CACHE_HOME to a folder that can be written")
    });
    tell(Line { what: "agent".to_string(), outcome: unpacked })?;
    let found = jdk::find();
    if found.is_empty() {
        let outcome =
            Err("none found; install a JDK, and put java on the path or set JAVA_HOME".to_string());
        tell(Line { what: "java".to_string(), outcome })?;
    }
    for java in &found {
        let fit = tell(version(java))?;
        if let (true, Ok(agent)) = (fit, &agent)
            && tell(loads(java, agent, &folder))?
        {
            tell(canary(java, &folder, "broken", judge_broken))?;
            tell(canary(java, &folder, "correct", judge_correct))?;
        }
    }
    Ok(if healthy { Exit::Clean } else { Exit::Found })
}

fn version(java: &Java) -> Line {
    let path = java.path.display();
    let outcome = jdk::version(&java.path).map_err(|why| format!("{why}; is it a JDK?")).and_then(
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
fn loads(java: &Java, agent: &Path, folder: &TempDir) -> Line {
    let option = agent_option(agent, folder.path());
    let mut command = Command::new(&java.path);
    command.arg(option).arg("-version").env_remove(TOOL_OPTIONS).stdin(Stdio::null());
    let outcome = match command.output() {
        Err(error) => Err(error.to_string()),
        Ok(output) if output.status.success() => Ok("a JVM starts with it".to_string()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said: Vec<&str> = said.lines().take(3).collect();
            Err(format!("{}: {}; this is a bug, please report it", output.status, said.join(" ")))
        }
    };
    Line { what: "agent loads".to_string(), outcome }
}

/// Runs the canary, and judges what was found in it.
fn canary(
    java: &Java,
    folder: &TempDir,
    kind: &str,
    judge: fn(&Checked) -> Result<String, String>,
) -> Line {
    let class = folder.path().join("Canary.class");
    let checked = std::fs::write(&class, CANARY)
        .map_err(|error| Failure::output(&class, error))
        .and_then(|()| watched(java, folder.path(), kind));
    let bug = |why: String| format!("{why}; this is a bug, please report it");
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

fn watched(java: &Java, folder: &Path, kind: &str) -> Result<Checked, Failure> {
    let command: Vec<OsString> =
        vec![java.path.clone().into(), "-cp".into(), folder.into(), "Canary".into(), kind.into()];
    let linger = Duration::from_secs(5);
    let watch = Watch { command, linger, signals: Signals::default() };
    session::check(&watch, &Config::default(), &Chosen::new(&Engines::default())?)
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
