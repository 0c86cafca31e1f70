//! Finds the source lines that locations name, within the given folders and nowhere else.
//!
//! Locations come from traces and are not to be trusted: a file is read only if its real path lies
//! below the real path of a given folder, symbolic links are not followed by the search, and
//! search, file size and line length are bounded. What cannot be found, or not without a guess
//! between several files, has no source; a report does without.

use crate::location::Location;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// How deep the search by file name goes.
const DEEPEST: usize = 16;
/// How many folder entries it looks at, over all folders.
const MOST_ENTRIES: usize = 100_000;
/// The largest file it reads.
const LARGEST: u64 = 8 * 1024 * 1024;
/// The longest line it shows.
const LONGEST_LINE: usize = 2_000;

/// The source folders, with what was read from them so far.
pub(crate) struct Sources {
    roots: Vec<PathBuf>,
    files: HashMap<String, Option<Vec<String>>>,
    by_name: Option<HashMap<OsString, Vec<PathBuf>>>,
}

impl Sources {
    /// Source in these folders; those that do not exist are passed over.
    pub fn new(folders: &[PathBuf]) -> Sources {
        let mut roots: Vec<PathBuf> = vec![];
        for folder in folders {
            if let Ok(root) = folder.canonicalize()
                && !roots.contains(&root)
            {
                roots.push(root);
            }
        }
        Sources { roots, files: HashMap::new(), by_name: None }
    }

    /// The line that a location names.
    pub fn line(&mut self, location: &Location) -> Option<String> {
        if self.roots.is_empty() {
            return None;
        }
        if !self.files.contains_key(&location.path) {
            let lines = self.find(location).and_then(|path| read_lines(&path));
            self.files.insert(location.path.clone(), lines);
        }
        let lines = self.files.get(&location.path)?.as_ref()?;
        lines.get(location.line.checked_sub(1)?).cloned()
    }

    /// The file that a location names.
    pub fn find(&mut self, location: &Location) -> Option<PathBuf> {
        let path = Path::new(&location.path);
        let inside = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
        if path.components().all(inside) {
            for root in &self.roots {
                // A link inside the folder may lead out of it: compare real paths.
                if let Ok(real) = root.join(path).canonicalize()
                    && real.starts_with(root)
                    && real.is_file()
                {
                    return Some(real);
                }
            }
        }
        let roots = &self.roots;
        let by_name = self.by_name.get_or_insert_with(|| search(roots));
        let candidates = by_name.get(Path::new(location.file_name()).as_os_str())?;
        let wanted = location.inner_path();
        let fitting: Vec<&PathBuf> = candidates.iter().filter(|c| c.ends_with(&wanted)).collect();
        match (fitting.as_slice(), candidates.as_slice()) {
            ([only], _) => Some((*only).clone()),
            ([], [only]) => Some(only.clone()),
            _ => None,
        }
    }
}

/// All files below the folders, by their names.
fn search(roots: &[PathBuf]) -> HashMap<OsString, Vec<PathBuf>> {
    let mut found: HashMap<OsString, Vec<PathBuf>> = HashMap::new();
    let mut seen = 0;
    // Breadth first: if the bound is reached, what lies near the folder was seen.
    let mut waiting: std::collections::VecDeque<(PathBuf, usize)> =
        roots.iter().map(|root| (root.clone(), 0)).collect();
    while let Some((folder, depth)) = waiting.pop_front() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > MOST_ENTRIES {
                return found;
            }
            // The entry's own type: a symbolic link is neither file nor folder here.
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_dir() && depth < DEEPEST && !name.as_encoded_bytes().starts_with(b".") {
                waiting.push_back((entry.path(), depth + 1));
            } else if kind.is_file() {
                let paths = found.entry(name).or_default();
                // Folders given may lie within each other.
                if !paths.contains(&entry.path()) {
                    paths.push(entry.path());
                }
            }
        }
    }
    found
}

fn read_lines(path: &Path) -> Option<Vec<String>> {
    let file = fs::File::open(path).ok()?;
    let kind = file.metadata().ok()?;
    if !kind.is_file() || kind.len() > LARGEST {
        return None;
    }
    let mut bytes = vec![];
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = |line: &str| match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    };
    Some(text.lines().map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};

    fn line(roots: &[PathBuf], at: &str) -> Option<String> {
        Sources::new(roots).line(&Location::parse(at).unwrap())
    }

    #[test]
    fn finds_by_path_then_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("src");
        create_dir_all(root.join("com/acme")).unwrap();
        write(root.join("com/acme/A.java"), "one\ntwo\n").unwrap();
        let roots = [root];
        assert_eq!(line(&roots, "com/acme/A.java:2").as_deref(), Some("two"));
        assert_eq!(line(&roots, "A.java:1").as_deref(), Some("one"));
        assert_eq!(line(&roots, "/build/7/com/acme/A.java:1").as_deref(), Some("one"));
        assert_eq!(line(&roots, "A.java:3"), None);
        assert_eq!(line(&roots, "B.java:1"), None);
        assert_eq!(line(&[], "A.java:1"), None);
    }

    #[test]
    fn does_not_guess_between_files_of_one_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        for package in ["x/a", "x/b"] {
            create_dir_all(root.join(package)).unwrap();
            write(root.join(package).join("A.java"), package).unwrap();
        }
        let roots = [root.clone(), root.join("x")];
        assert_eq!(line(&roots, "A.java:1"), None);
        assert_eq!(line(&roots, "b/A.java:1").as_deref(), Some("x/b"));
        assert_eq!(line(&[root], "b/A.java:1").as_deref(), Some("x/b"));
    }

    #[test]
    fn never_leaves_the_folders() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("src");
        create_dir_all(&root).unwrap();
        write(folder.path().join("secret.txt"), "secret").unwrap();
        let roots = [root.clone()];
        assert_eq!(line(&roots, "../secret.txt:1"), None);
        assert_eq!(line(&roots, "/etc/passwd:1"), None);
        let absolute = format!("{}:1", folder.path().join("secret.txt").display());
        assert_eq!(line(&roots, &absolute), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("secret.txt"), root.join("link.txt"))
                .unwrap();
            std::os::unix::fs::symlink(folder.path(), root.join("out")).unwrap();
            assert_eq!(line(&roots, "link.txt:1"), None);
            assert_eq!(line(&roots, "out/secret.txt:1"), None);
            assert_eq!(line(&roots, "secret.txt:1"), None);
        }
    }

    #[test]
    fn hidden_folders_huge_files_and_strange_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        create_dir_all(root.join(".git")).unwrap();
        write(root.join(".git/H.java"), "hidden").unwrap();
        write(root.join("big.c"), vec![b'\n'; LARGEST as usize + 1]).unwrap();
        write(root.join("latin.c"), b"caf\xe9\r\n").unwrap();
        write(root.join("long.c"), "x".repeat(LONGEST_LINE + 1)).unwrap();
        let roots = [root];
        assert_eq!(line(&roots, "H.java:1"), None);
        assert_eq!(line(&roots, "big.c:1"), None);
        assert_eq!(line(&roots, "latin.c:1").as_deref(), Some("caf\u{fffd}"));
        assert_eq!(line(&roots, "long.c:1").unwrap().chars().count(), LONGEST_LINE + 1);
    }
}
