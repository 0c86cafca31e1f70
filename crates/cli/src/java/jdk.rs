//! Which JVMs there are on this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The versions of Java that the agent works on.
pub const SUPPORTED: std::ops::RangeInclusive<u32> = 17..=25;

/// A JVM.
pub struct Java {
    /// The program.
    pub path: PathBuf,
    /// How it was found.
    pub from: &'static str,
}

/// What programs find: `java` on the path, and that of `JAVA_HOME` if it is another one.
pub fn find() -> Vec<Java> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("java"));
    let on_path = on_path.filter(|it| it.is_file()).take(1).map(|path| Java { path, from: "PATH" });
    let home = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
    let at_home = home.map(|home| PathBuf::from(home).join("bin/java"));
    let at_home = at_home.map(|path| Java { path, from: "JAVA_HOME" });
    let mut found: Vec<Java> = vec![];
    for java in on_path.chain(at_home) {
        if !found.iter().any(|known| real(&known.path) == real(&java.path)) {
            found.push(java);
        }
    }
    found
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or(path.to_path_buf())
}

/// The version that a JVM tells of itself, `17.0.15`; else why it does not.
pub fn version(java: &Path) -> Result<String, String> {
    let mut command = Command::new(java);
    command.args(["-XshowSettings:properties", "-version"]).env_remove("JAVA_TOOL_OPTIONS");
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    let property = text.lines().find_map(|line| line.trim().strip_prefix("java.version = "));
    property.map(str::to_string).ok_or_else(|| "it does not tell its version".to_string())
}

/// `17` of `17.0.15`, `25` of `25-ea`, `8` of `1.8.0_402`.
pub fn feature(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    match numbers.next()? {
        Ok(1) => numbers.next()?.ok(),
        number => number.ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_old_and_new() {
        for (version, feature_of) in
            [("17.0.15", 17), ("25-ea", 25), ("1.8.0_402", 8), ("21", 21), ("11.0.2+9", 11)]
        {
            assert_eq!(feature(version), Some(feature_of), "{version}");
        }
        assert_eq!(feature("nonsense"), None);
    }
}
