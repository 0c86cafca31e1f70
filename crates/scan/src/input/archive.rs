//! Jars and the like, and those within them.

use std::collections::BTreeMap;
use std::io::Cursor;

use rayon::prelude::*;
use zip::ZipArchive;

use super::{ClassInput, Input, InputLimits, SkipReason, is_archive, is_class, read_all};

/// Where multi-release jars keep the classes for newer releases.
const VERSIONS: &str = "META-INF/versions/";
const MANIFEST: &str = "META-INF/MANIFEST.MF";
/// The manifest of a jar is not larger than this.
const MANIFEST_SIZE: u64 = 1 << 20;
/// So many entries are unpacked by one thread at a time.
const BATCH: usize = 64;

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// An entry to be read: its number in the archive and its name.
struct Entry {
    number: usize,
    name: String,
}

impl Input {
    /// Reads the classes of an archive, then the archives in it. `depth` is 0 for archives on disk.
    pub(super) fn read_archive(
        &mut self,
        origin: &str,
        bytes: &[u8],
        depth: u32,
        limits: InputLimits,
    ) {
        let mut archive = match ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) => archive,
            Err(why) => return self.skip(origin, why),
        };
        self.archives += 1;
        let entries = entries_of(&archive);
        let is_multi_release =
            entries.iter().any(|it| it.name.starts_with(VERSIONS)) && multi_release(&mut archive);
        let (inner, others): (Vec<Entry>, Vec<Entry>) =
            entries.into_iter().partition(|it| is_archive(&it.name));
        let (classes, newest) = choose(others, is_multi_release);
        if let Some(release) = newest {
            self.multi_release.push((origin.to_owned(), release));
        }
        self.read_classes(origin, &archive, &classes, limits);
        for entry in inner {
            self.read_inner(origin, &mut archive, &entry, depth + 1, limits);
        }
    }

    /// Reads the classes of a module of a JDK; what else it holds is not for the class path.
    pub(super) fn read_jmod(&mut self, origin: &str, bytes: &[u8], limits: InputLimits) {
        let archive = match ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) => archive,
            Err(why) => return self.skip(origin, why),
        };
        self.archives += 1;
        let mut entries = entries_of(&archive);
        entries.retain(|it| it.name.starts_with("classes/"));
        let (classes, _) = choose(entries, false);
        self.read_classes(origin, &archive, &classes, limits);
    }

    fn read_classes(
        &mut self,
        origin: &str,
        archive: &Archive<'_>,
        entries: &[Entry],
        limits: InputLimits,
    ) {
        // a few batches at a time, so that too much is noticed before it is in memory
        for batches in entries.chunks(BATCH * 16) {
            let read: Vec<Result<Vec<u8>, SkipReason>> = batches
                .par_chunks(BATCH)
                .flat_map_iter(|batch| {
                    let mut archive = archive.clone();
                    batch.iter().map(move |it| read_entry(&mut archive, it, limits.class_size))
                })
                .collect();
            for (entry, read) in batches.iter().zip(read) {
                let origin = format!("{origin}!/{}", entry.name);
                match read {
                    Ok(bytes) => {
                        if !self.unpack(&origin, bytes.len(), limits) {
                            return;
                        }
                        self.classes.push(ClassInput { origin, bytes });
                    }
                    Err(why) => self.skip(origin, why),
                }
            }
        }
    }

    fn read_inner(
        &mut self,
        origin: &str,
        archive: &mut Archive<'_>,
        entry: &Entry,
        depth: u32,
        limits: InputLimits,
    ) {
        let origin = format!("{origin}!/{}", entry.name);
        if depth > limits.nesting {
            return self.skip(origin, SkipReason::TooDeep(limits.nesting));
        }
        match read_entry(archive, entry, limits.archive_size) {
            Ok(bytes) if self.unpack(&origin, bytes.len(), limits) => {
                self.read_archive(&origin, &bytes, depth, limits);
            }
            Ok(_) => {}
            Err(why) => self.skip(origin, why),
        }
    }
}

/// All entries, in order.
fn entries_of(archive: &Archive<'_>) -> Vec<Entry> {
    let entry = |number| Some(Entry { number, name: archive.name_for_index(number)?.to_owned() });
    (0..archive.len()).filter_map(entry).collect()
}

/// Unpacks an entry.
fn read_entry(archive: &mut Archive<'_>, entry: &Entry, limit: u64) -> Result<Vec<u8>, SkipReason> {
    let file = archive.by_index(entry.number)?;
    let size = file.size();
    read_all(file, size, limit)
}

/// Whether the manifest says that the jar is for several releases.
fn multi_release(archive: &mut Archive<'_>) -> bool {
    let Some(number) = archive.index_for_name(MANIFEST) else { return false };
    let entry = Entry { number, name: MANIFEST.to_owned() };
    let Ok(bytes) = read_entry(archive, &entry, MANIFEST_SIZE) else { return false };
    let text = String::from_utf8_lossy(&bytes);
    text.lines().any(|line| {
        let mut parts = line.splitn(2, ':');
        let name = parts.next().unwrap_or_default().trim();
        let value = parts.next().unwrap_or_default().trim();
        name.eq_ignore_ascii_case("Multi-Release") && value.eq_ignore_ascii_case("true")
    })
}

/// The classes among the entries: of each the one for the newest release. The newest release of all, if any.
fn choose(entries: Vec<Entry>, is_multi_release: bool) -> (Vec<Entry>, Option<u32>) {
    let mut chosen: BTreeMap<String, (u32, Entry)> = BTreeMap::new();
    for entry in entries {
        if !is_class(&entry.name) {
            continue;
        }
        let versioned = entry.name.strip_prefix(VERSIONS).and_then(|it| it.split_once('/'));
        let (release, path) = match versioned {
            Some((release, path)) => match release.parse::<u32>() {
                // without the manifest's word, a JVM would not look there
                Ok(release) if is_multi_release => (release, path.to_owned()),
                _ => continue,
            },
            None => (0, entry.name.clone()),
        };
        let is_module = path == "module-info.class" || path.ends_with("/module-info.class");
        let older = chosen.get(&path).is_some_and(|it| it.0 > release);
        if !is_module && !older {
            chosen.insert(path, (release, entry));
        }
    }
    let newest = chosen.values().map(|it| it.0).max().filter(|it| *it > 0);
    let mut entries: Vec<Entry> = chosen.into_values().map(|it| it.1).collect();
    entries.sort_by_key(|it| it.number);
    (entries, newest)
}
