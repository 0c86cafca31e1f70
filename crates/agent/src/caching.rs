//! Whether this JVM makes an AOT cache: at its end it would crash if classes had been changed.
//!
//! At the time of `Agent_OnLoad` no JVM can be asked for its options, so this looks where they come from: the command line, with the
//! files that it names, and the environment.

use interloper_tap::archive::{Archive, own_options, written};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Where options come from besides the command line.
const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];
/// No file of arguments is that long.
const LONGEST_FILE: u64 = 1 << 20;

/// The option that makes this JVM write a cache, if there is one.
pub fn option() -> Option<String> {
    // what cannot be read names no options
    let line = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let variables = VARIABLES.iter().filter_map(std::env::var_os);
    option_among(&line, variables.collect())
}

/// The same of a command line as the kernel tells it, and of what variables hold.
fn option_among(line: &[u8], variables: Vec<OsString>) -> Option<String> {
    let arguments = line.split(|&byte| byte == 0).skip(1).map(OsStr::from_bytes);
    let own = own_options(arguments);
    let files = own.iter().filter_map(|option| option.as_bytes().strip_prefix(b"@"));
    let texts = files.map(|name| text(OsStr::from_bytes(name))).chain(variables);
    let further: Vec<OsString> = texts.flat_map(words).collect();
    let further: Vec<&OsStr> = further.iter().map(OsString::as_os_str).collect();
    let archives = [written(&own), written(&further)];
    let mut caches = archives.into_iter().flatten().filter(|it| it.1 == Archive::AheadOfTime);
    caches.next().map(|(option, _)| option.to_string_lossy().into_owned())
}

/// The beginning of a file, or nothing.
fn text(name: &OsStr) -> OsString {
    let mut bytes = vec![];
    // half a file is better than none
    let _ = File::open(name).and_then(|file| file.take(LONGEST_FILE).read_to_end(&mut bytes));
    OsString::from_vec(bytes)
}

/// What blanks separate: in the options that count, none matter.
fn words(text: OsString) -> Vec<OsString> {
    let words = text.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let quotes = |byte: &u8| !b"'\"".contains(byte);
    words.map(|word| OsString::from_vec(word.iter().copied().filter(quotes).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(line: &str, variables: &[&str]) -> Option<String> {
        option_among(line.as_bytes(), variables.iter().map(OsString::from).collect())
    }

    #[test]
    fn the_option_is_found_wherever_options_come_from() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("args");
        std::fs::write(&file, "-ea\n-XX:AOTMode=record \"-Dx=a b\"\n").expect("it is written");
        let named = format!("java\0@{}\0Main\0", file.display());
        assert_eq!(among(&named, &[]).as_deref(), Some("-XX:AOTMode=record"));
        let output = "-XX:AOTCacheOutput=a.aot";
        assert_eq!(among(&format!("java\0-cp\0a\0{output}\0Main\0"), &[]).as_deref(), Some(output));
        assert_eq!(
            among("java\0Main\0", &["-ea", &format!("-Xmx1g '{output}'")]).as_deref(),
            Some(output)
        );
    }

    #[test]
    fn other_jvms_make_no_cache() {
        assert_eq!(among("java\0-XX:AOTCache=a.aot\0Main\0", &["-Xmx1g"]), None);
        assert_eq!(among("java\0Main\0-XX:AOTMode=record\0", &[]), None, "the program's own");
        assert_eq!(among("java\0@/no/such/file\0Main\0", &[]), None);
        assert_eq!(among("", &[]), None);
    }
}
