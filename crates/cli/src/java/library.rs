//! The agent: a shared library that is part of this binary, and must be a file for JVMs to load it.
//!
//! It is unpacked into the user's cache folder under a name with its hash, by a temporary file that is renamed, so that
//! commands that run at the same time do not see half of it; and it is compared byte for byte each time it is used. Where there
//! is no such folder, or no library can be loaded from it, the run's own folder takes it.

use crate::failure::Failure;
use rustix::fs::StatVfsMountFlags;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The library.
static AGENT: &[u8] = include_bytes!(env!("INTERLOPER_AGENT"));

/// Unpacks the agent into the cache, or else into `folder`, unless it is there; tells where.
pub fn unpack(folder: &Path) -> Result<PathBuf, Failure> {
    let into = |place: &Path| match unpack_into(place, AGENT) {
        Ok(_) if is_noexec(place) => {
            Err(io::Error::other("it is mounted noexec, and JVMs load no library from it"))
        }
        other => other,
    };
    let cached = cache_folder().and_then(|cache| into(&cache).ok());
    match cached {
        Some(path) => Ok(path),
        None => into(folder).map_err(|error| {
            let folder = folder.display();
            Failure::Usage(format!(
                "{folder}: {error}; set XDG_CACHE_HOME to a folder that can be written and is not \
                 mounted noexec, or make room there"
            ))
        }),
    }
}

/// Whether nothing in this folder can be made part of a program. If nobody knows, JVMs will tell.
fn is_noexec(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|it| it.f_flag.contains(StatVfsMountFlags::NOEXEC))
}

/// `$XDG_CACHE_HOME/interloper`, or `~/.cache/interloper`. Relative paths do not count, as the standard asks.
fn cache_folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    // what JVMs cannot be told is no place for the library
    cache.map(|cache| cache.join("interloper")).filter(|it| super::launch::can_be_told(it))
}

fn unpack_into(folder: &Path, library: &[u8]) -> io::Result<PathBuf> {
    let path = folder.join(format!("agent-{:016x}.so", xxh3_64(library)));
    if fs::read(&path).is_ok_and(|there| there == library) {
        return Ok(path);
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut file = tempfile::Builder::new().prefix(".agent-").tempfile_in(folder)?;
    file.write_all(library)?;
    file.as_file().set_permissions(Permissions::from_mode(0o700))?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unpacked_is_whole_private_and_repaired() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("new/cache");
        let path = unpack_into(&cache, b"library").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"library");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&cache)), (0o700, 0o700));
        fs::write(&path, b"something else").unwrap();
        assert_eq!(unpack_into(&cache, b"library").unwrap(), path);
        assert_eq!(fs::read(&path).unwrap(), b"library");
        assert_ne!(unpack_into(&cache, b"another").unwrap(), path);
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 2, "no temporary file is left");
    }

    #[test]
    fn folders_that_nothing_is_loaded_from_are_known() {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let proc = mounts.lines().rfind(|line| line.split(' ').nth(1) == Some("/proc")).unwrap();
        let is_said = proc.split([' ', ',']).any(|option| option == "noexec");
        assert_eq!(is_noexec(Path::new("/proc")), is_said);
        assert!(!is_noexec(Path::new("/nowhere")));
    }

    #[test]
    fn a_library_that_is_there_is_not_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = unpack_into(folder.path(), b"library").unwrap();
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        unpack_into(folder.path(), b"library").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
    }
}
