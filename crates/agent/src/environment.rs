//! JVMs that the checked program starts are checked too: their options come from the environment.

use std::ffi::{CStr, c_void};

/// What JVMs read further options from.
const TOOL_OPTIONS: &str = "JAVA_TOOL_OPTIONS";

/// Sees to it that JVMs started from this process load this agent with the same run folder.
/// Does nothing if the environment names the agent already (then this JVM was itself started that way).
pub fn hand_down(run_folder: &str) {
    let Some(library) = own_library() else {
        return;
    };
    let before = std::env::var(TOOL_OPTIONS).unwrap_or_default();
    if let Some(options) = extended(&before, &library, run_folder) {
        // SAFETY: in Agent_OnLoad the JVM is still being made: its launcher waits for it and no
        // Java code runs, so nobody reads or writes the environment at the same time.
        unsafe { std::env::set_var(TOOL_OPTIONS, options) };
    }
}

/// The options with the agent added; `None` if they name it already.
fn extended(before: &str, library: &str, run_folder: &str) -> Option<String> {
    if before.contains(library) {
        return None;
    }
    let option = quoted(&format!("-agentpath:{library}={run_folder}"));
    Some(if before.trim().is_empty() { option } else { format!("{option} {before}") })
}

/// The option as the JVM reads it back: blanks separate options unless they are quoted.
fn quoted(option: &str) -> String {
    let mark = if option.contains('"') { '\'' } else { '"' };
    if option.contains(char::is_whitespace) || option.contains(['"', '\'']) {
        format!("{mark}{option}{mark}")
    } else {
        option.to_owned()
    }
}

/// The file this library was loaded from.
fn own_library() -> Option<String> {
    let mut found = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let inside = own_library as fn() -> Option<String> as *const c_void;
    // SAFETY: dladdr only looks the address up and fills in the struct that is lent to it.
    if unsafe { libc::dladdr(inside, &mut found) } == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: on success the name is a string of the loader that lives as long as the library is
    // loaded.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    let path = std::path::absolute(name.to_str().ok()?).ok()?;
    path.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_comes_before_other_options_and_only_once() {
        let once = extended("-Xmx1g", "/lib/a.so", "/tmp/run").expect("not there yet");
        assert_eq!(once, "-agentpath:/lib/a.so=/tmp/run -Xmx1g");
        assert_eq!(extended(&once, "/lib/a.so", "/tmp/run"), None);
    }

    #[test]
    fn paths_with_blanks_are_quoted() {
        let options = extended("", "/my lib/a.so", "/tmp/run").expect("not there yet");
        assert_eq!(options, "\"-agentpath:/my lib/a.so=/tmp/run\"");
    }
}
