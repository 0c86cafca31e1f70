//! The options by which a JVM loads the agent.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// What every JVM reads further options from.
pub const TOOL_OPTIONS: &str = "JAVA_TOOL_OPTIONS";

/// Loads the agent, which finds its settings and the socket in this folder.
pub fn agent_option(library: &Path, folder: &Path) -> OsString {
    let mut option = OsString::from("-agentpath:");
    option.push(library);
    option.push("=");
    option.push(folder);
    option
}

/// All options for a JVM that is to be checked. A JVM never compiles methods of more than 8,000 bytes, and woven ones are two
/// to three times as long: what it compiled before, it has to compile still.
pub fn jvm_options(library: &Path, folder: &Path) -> [OsString; 2] {
    ["-XX:-DontCompileHugeMethods".into(), agent_option(library, folder)]
}

/// Options in one variable: the JVM splits them at blanks that are not quoted. Quoted and other parts can follow each other
/// without a blank, which is how a quotation mark gets through: within the other kind.
pub fn quoted(option: &OsStr) -> OsString {
    let bytes = option.as_bytes();
    let special = |byte: &u8| byte.is_ascii_whitespace() || b"'\"\x0b".contains(byte);
    if !bytes.iter().any(special) {
        return option.to_owned();
    }
    let parts: Vec<&[u8]> = bytes.split(|&byte| byte == b'"').collect();
    let text = parts.join(&br#""'"'""#[..]);
    OsString::from_vec([b"\"", &text[..], b"\""].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Options as a JVM takes them apart.
    fn split(text: &OsStr) -> Vec<Vec<u8>> {
        let (mut options, mut open, mut quote) = (vec![], false, None);
        for &byte in text.as_bytes() {
            match quote {
                Some(mark) if mark == byte => quote = None,
                None if byte == b'"' || byte == b'\'' => quote = Some(byte),
                None if byte.is_ascii_whitespace() => {
                    open = false;
                    continue;
                }
                _ => {
                    if !open {
                        options.push(vec![]);
                    }
                    options.last_mut().expect("one is open").push(byte);
                    open = true;
                    continue;
                }
            }
            if !open {
                options.push(vec![]);
                open = true;
            }
        }
        assert_eq!(quote, None, "{text:?}");
        options
    }

    #[test]
    fn an_option_that_needs_no_quotes_has_none() {
        let option = agent_option(Path::new("/cache/a.so"), Path::new("/tmp/run"));
        assert_eq!(option, "-agentpath:/cache/a.so=/tmp/run");
        assert_eq!(quoted(&option), option);
        assert_eq!(quoted(OsStr::new("/my lib/a.so")), "\"/my lib/a.so\"");
    }

    #[test]
    fn a_jvm_reads_back_what_was_quoted() {
        for text in ["/a b", "/o'brien", "/\"x\"", "\"", "/a\t'b' \"c\"d\"", "/\u{e9} x"] {
            let read = split(&quoted(OsStr::new(text)));
            assert_eq!(read, [text.as_bytes()], "{text}");
        }
    }
}
