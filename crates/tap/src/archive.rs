//! Options by which a JVM writes an archive of its classes, for later JVMs to start with. None of those can be watched.

use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// An archive that a JVM is to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Archive {
    /// Of classes. Such a JVM refuses every agent that is not written in Java.
    Classes,
    /// Ahead of time, also of what was seen of the run (since Java 24). Such a JVM takes an agent, and crashes at its end if the
    /// agent has changed classes.
    AheadOfTime,
}

impl Display for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Archive::Classes => {
                "a JVM that writes an archive of its classes does not start with an agent"
            }
            Archive::AheadOfTime => {
                "a JVM that makes an AOT cache crashes if an agent instruments classes"
            }
        })
    }
}

/// The first of the options by which a JVM writes an archive.
pub fn written<'a>(options: &[&'a OsStr]) -> Option<(&'a OsStr, Archive)> {
    // If it is there already, it may do.
    let is_there = |option: &&OsStr| {
        let path = option.as_bytes().strip_prefix(b"-XX:SharedArchiveFile=");
        path.is_some_and(|path| Path::new(OsStr::from_bytes(path)).exists())
    };
    options.iter().find_map(|option| {
        let begins = |with: &str| option.as_bytes().starts_with(with.as_bytes());
        let archive = match () {
            _ if begins("-XX:ArchiveClassesAtExit=") || *option == "-Xshare:dump" => {
                Archive::Classes
            }
            _ if *option == "-XX:+AutoCreateSharedArchive" && !options.iter().any(is_there) => {
                Archive::Classes
            }
            // a configuration is for making a cache only
            _ if begins("-XX:AOTCacheOutput=") || begins("-XX:AOTConfiguration=") => {
                Archive::AheadOfTime
            }
            _ if *option == "-XX:AOTMode=record" || *option == "-XX:AOTMode=create" => {
                Archive::AheadOfTime
            }
            _ => return None,
        };
        Some((*option, archive))
    })
}

/// The arguments of `java` that are its own: what follows the main class is the program's.
pub fn own_options<'a>(arguments: impl IntoIterator<Item = &'a OsStr>) -> Vec<&'a OsStr> {
    const WITH_VALUE: [&str; 12] = [
        "-cp",
        "-classpath",
        "--class-path",
        "-p",
        "--module-path",
        "--upgrade-module-path",
        "--add-modules",
        "--add-exports",
        "--add-opens",
        "--add-reads",
        "--limit-modules",
        "--enable-native-access",
    ];
    let (mut options, mut rest) = (vec![], arguments.into_iter());
    while let Some(option) = rest.next() {
        let own = option.as_bytes().first().is_some_and(|first| b"-@".contains(first));
        if !own || ["-jar", "-m", "--module"].iter().any(|it| option == *it) {
            break;
        }
        options.push(option);
        if WITH_VALUE.iter().any(|it| option == *it) {
            rest.next();
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the arguments of a `java` come to.
    fn of(arguments: &[&'static str]) -> Option<(&'static OsStr, Archive)> {
        written(&own_options(arguments.iter().copied().map(OsStr::new)))
    }

    #[test]
    fn archives_are_told_by_the_options_of_the_jvm_not_of_the_program() {
        let (at_exit, auto) = ("-XX:ArchiveClassesAtExit=a.jsa", "-XX:+AutoCreateSharedArchive");
        let classes = |option: &'static str| Some((OsStr::new(option), Archive::Classes));
        assert_eq!(of(&["-cp", "a", at_exit, "Main"]), classes(at_exit));
        assert_eq!(of(&["-Xshare:dump"]), classes("-Xshare:dump"));
        assert_eq!(of(&[auto, "Main"]), classes(auto));
        assert_eq!(of(&[auto, "-XX:SharedArchiveFile=/no/a.jsa", "Main"]), classes(auto));
        assert_eq!(of(&[auto, "-XX:SharedArchiveFile=/dev/null", "Main"]), None);
        assert_eq!(of(&["-cp", "a", "Main", at_exit]), None, "the program's own");
        assert_eq!(of(&["-jar", "a.jar", at_exit]), None);
    }

    #[test]
    fn caches_may_be_used_but_not_made() {
        for option in [
            "-XX:AOTCacheOutput=a.aot",
            "-XX:AOTMode=record",
            "-XX:AOTMode=create",
            "-XX:AOTConfiguration=a.conf",
        ] {
            let expected = Some((OsStr::new(option), Archive::AheadOfTime));
            assert_eq!(of(&["-ea", option, "-cp", "a", "Main"]), expected);
        }
        assert_eq!(of(&["-XX:AOTCache=a.aot", "-XX:AOTMode=on", "Main"]), None);
        assert_eq!(of(&["-XX:AOTMode=off", "Main"]), None);
    }
}
