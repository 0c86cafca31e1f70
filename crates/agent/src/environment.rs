//! JVMs that the checked program starts are checked too: their options come from the environment.

use interloper_tap::option::{TOOL_OPTIONS, jvm_options, quoted};
use std::ffi::{CStr, OsStr, OsString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Sees to it that JVMs started from this process load this agent with the same run folder.
/// Does nothing if the environment names the agent already (then this JVM was itself started that way).
pub fn hand_down(run_folder: &str) {
    let Some(library) = own_library() else {
        return;
    };
    let before = std::env::var_os(TOOL_OPTIONS).unwrap_or_default();
    if let Some(options) = extended(&before, &library, Path::new(run_folder)) {
        // SAFETY: in Agent_OnLoad the JVM is still being made: its launcher waits for it and no
        // Java code runs, so nobody reads or writes the environment at the same time.
        unsafe { std::env::set_var(TOOL_OPTIONS, options) };
    }
}

/// The options with the agent added; `None` if they name it already.
fn extended(before: &OsStr, library: &Path, run_folder: &Path) -> Option<OsString> {
    let name = library.as_os_str().as_bytes();
    if before.as_bytes().windows(name.len()).any(|part| part == name) {
        return None;
    }
    let mut options: Vec<OsString> =
        jvm_options(library, run_folder).iter().map(|it| quoted(it)).collect();
    if !before.as_bytes().trim_ascii().is_empty() {
        options.push(before.to_owned());
    }
    Some(options.join(OsStr::new(" ")))
}

/// The file this library was loaded from.
fn own_library() -> Option<PathBuf> {
    let mut found = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let inside = own_library as fn() -> Option<PathBuf> as *const c_void;
    // SAFETY: dladdr only looks the address up and fills in the struct that is lent to it.
    if unsafe { libc::dladdr(inside, &mut found) } == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: on success the name is a string of the loader that lives as long as the library is
    // loaded.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    std::path::absolute(OsStr::from_bytes(name.to_bytes())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extended(before: &str, library: &str) -> Option<OsString> {
        super::extended(OsStr::new(before), Path::new(library), Path::new("/tmp/run"))
    }

    #[test]
    fn the_agent_comes_before_other_options_and_only_once() {
        let once = extended("-Xmx1g", "/lib/a.so").expect("not there yet");
        assert_eq!(once, "-XX:-DontCompileHugeMethods -agentpath:/lib/a.so=/tmp/run -Xmx1g");
        assert_eq!(extended(once.to_str().expect("text"), "/lib/a.so"), None);
    }

    #[test]
    fn paths_with_blanks_are_quoted() {
        let options = extended(" ", "/my lib/a.so").expect("not there yet");
        assert_eq!(options, "-XX:-DontCompileHugeMethods \"-agentpath:/my lib/a.so=/tmp/run\"");
        assert_eq!(extended(options.to_str().expect("text"), "/my lib/a.so"), None);
    }
}
