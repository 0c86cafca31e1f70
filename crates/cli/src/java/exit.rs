//! Exit codes of commands that run a program: the program's own wherever it has something to say.

use super::session::Checked;
use super::unmet::some;
use crate::failure::Exit;
use interloper_tap::Facts;
use interloper_weave::{Atomic, Config};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The exit code of a program; of one that a signal ended, as shells give it.
pub fn code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// The program's exit code if it failed, else what was found.
pub fn after(status: ExitStatus, ours: Exit) -> Exit {
    match code(status) {
        0 => ours,
        code => Exit::Program(code),
    }
}

/// What a check comes to, for the exit code.
pub fn verdict(checked: &Checked) -> Exit {
    match () {
        _ if checked.failed => Exit::BadInput,
        _ if checked.found() => Exit::Found,
        _ if checked.stopped() => Exit::BadInput,
        _ if !checked.judged() => Exit::NothingChecked,
        _ if checked.unwatched => Exit::BadInput,
        _ => Exit::Clean,
    }
}

/// Why nothing was checked, and what can be done about it.
pub fn why_nothing(
    (command, status): (&[OsString], ExitStatus),
    jvms: &[Facts],
    lost: usize,
    config: &Config,
) -> String {
    let program = command.first().map_or("".into(), |program| program.to_string_lossy());
    let chosen = !config.only.is_empty() || !config.exclude.is_empty();
    match jvms {
        [] if lost > 0 => "nothing is known of the JVM that outlives the program".to_string(),
        [] => format!(
            "no JVM loaded the agent: {program} started none, or started it with a JAVA_TOOL_OPTIONS \
             of its own, or the JVM told why it could not; `interloper doctor` tells whether it can \
             on this machine"
        ),
        _ if jvms.iter().any(|jvm| jvm.classes > 0 && jvm.events > 0)
            && jvms.iter().all(|jvm| jvm.atomic_methods == 0) =>
        {
            nothing_atomic(config)
        }
        _ if jvms.iter().any(|jvm| jvm.classes > 0) => {
            "classes were instrumented, but no event was seen".to_string()
        }
        _ if chosen => format!(
            "no class was instrumented in {}: none is left of the application by --only and \
             --exclude, or all are classes of the JDK",
            jvms_in_words(jvms.len())
        ),
        _ => {
            let jvms = jvms_in_words(jvms.len());
            let failed = match code(status) {
                0 => String::new(),
                code => format!("the program failed ({code}) before it came to any, or "),
            };
            format!(
                "no class was instrumented in {jvms}: {failed}all are classes of the JDK, or of \
                 tools that are left alone; --instrument chooses among them"
            )
        }
    }
}

/// Of a program that was watched, but in which no method and no block is atomic.
pub fn nothing_atomic(config: &Config) -> String {
    let named = !config.atomic_annotations.is_empty() || !config.atomic_methods.is_empty();
    let what = match config.atomic {
        Atomic::None if named => "has a name or an annotation that --atomic gives".to_string(),
        rule => format!("is atomic by `--atomic {rule}`"),
    };
    format!(
        "classes were instrumented, but none of their methods {what}{} (those that make one access at \
         most cannot be cut in two, and do not count)",
        but_for(config)
    )
}

/// What the user has taken out of what is atomic.
fn but_for(config: &Config) -> String {
    if config.not_atomic.is_empty() {
        return String::new();
    }
    let excluded = config.not_atomic.iter().map(ToString::to_string);
    format!(", but for what --not-atomic or --spec excludes: {}", some(excluded.collect()))
}

fn jvms_in_words(jvms: usize) -> String {
    match jvms {
        1 => "the JVM that ran".to_string(),
        n => format!("the {n} JVMs that ran"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_goes_first() {
        let exited = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(after(exited(0), Exit::Found), Exit::Found);
        assert_eq!(after(exited(7), Exit::Found), Exit::Program(7));
        assert_eq!(after(exited(1), Exit::NothingChecked), Exit::Program(1));
        assert_eq!(code(ExitStatus::from_raw(9)), 137, "killed");
    }

    #[test]
    fn why_nothing_was_checked_depends_on_what_ran() {
        let command = [OsString::from("make")];
        let ended = |status, jvms: &[Facts], config: &str| {
            let ended = (&command[..], ExitStatus::from_raw(status));
            why_nothing(ended, jvms, 0, &Config::parse(config).unwrap())
        };
        let why = |jvms: &[Facts], config: &str| ended(0, jvms, config);
        let idle = Facts::default();
        let busy = Facts { classes: 1, ..Facts::default() };
        assert!(why(&[], "").contains("make started none"));
        assert!(why(std::slice::from_ref(&idle), "").contains("--instrument"));
        assert!(!why(std::slice::from_ref(&idle), "").contains("failed"));
        assert!(ended(1 << 8, std::slice::from_ref(&idle), "").contains("failed (1) before"));
        assert!(why(&[idle.clone(), idle.clone()], "only a.*").contains("the 2 JVMs"));
        assert!(why(&[idle], "only a.*").contains("--only"));
        assert!(why(std::slice::from_ref(&busy), "").contains("no event"));
        let seen = Facts { events: 9, ..busy };
        let named = "atomic none\natomic-method a.B.c";
        assert!(why(std::slice::from_ref(&seen), named).contains("has a name or an annotation"));
        let all = why(std::slice::from_ref(&seen), "");
        assert!(all.contains("is atomic by `--atomic methods` (those"), "{all}");
        let excluded = why(&[seen], "not-atomic a.B.c\nnot-atomic a.C.*");
        let says =
            "`--atomic methods`, but for what --not-atomic or --spec excludes: a.B.c, a.C.* (";
        assert!(excluded.contains(says), "{excluded}");
    }
}
