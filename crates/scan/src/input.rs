//! Finds the class files in what the user names: jars, folders, jars in jars, JDKs.
//!
//! Guarantee: input is hostile. Whatever cannot be read is [`Skipped`], by name and with the reason, and the rest is read. No
//! entry is unpacked beyond the [`InputLimits`], so that an archive cannot fill the memory. The order of the classes
//! depends on the input alone: paths in the order given, files of a folder by name, entries in the order of their archive.

mod archive;
mod image;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use crate::lower::ClassInput;

/// How much is read at most.
#[derive(Clone, Copy, Debug)]
pub struct InputLimits {
    /// Bytes of a class file.
    pub class_size: u64,
    /// Bytes of an archive, on disk or within another.
    pub archive_size: u64,
    /// How deep archives may lie within archives; 1 is an archive in an archive.
    pub nesting: u32,
    /// Bytes of everything that is unpacked.
    pub total: u64,
}

impl Default for InputLimits {
    fn default() -> Self {
        InputLimits { class_size: 16 << 20, archive_size: 1 << 30, nesting: 3, total: 4 << 30 }
    }
}

/// Something that was not read.
#[derive(Debug)]
pub struct Skipped {
    /// What: a path, `outer.jar!/lib/inner.jar`, `app.jar!/A.class`.
    pub origin: String,
    /// Why.
    pub why: SkipReason,
}

/// Why something was not read.
#[derive(Debug, thiserror::Error)]
pub enum SkipReason {
    /// The system said no.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A damaged or unusual archive.
    #[error("{0}")]
    Zip(#[from] zip::result::ZipError),
    /// Neither archive, nor class, nor folder.
    #[error("neither a class file nor an archive")]
    Unknown,
    /// Larger than allowed.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// Archives within archives within archives.
    #[error("archives are nested more than {0} deep")]
    TooDeep(u32),
    /// Everything together is larger than allowed.
    #[error("everything together is larger than {0} bytes")]
    TooMuch(u64),
    /// A folder that should be a JDK and is not.
    #[error("not a JDK: it has neither jmods nor lib/modules")]
    NoJdk,
    /// A run-time image that is damaged, or of an unknown version.
    #[error("not a run-time image that can be read: {0}")]
    Image(&'static str),
    /// Resources of a run-time image that are compressed.
    #[error("{0} classes are compressed in the run-time image and cannot be read")]
    Compressed(usize),
}

/// All class files that were found.
#[derive(Debug, Default)]
pub struct Input {
    /// The classes, `module-info` left out.
    pub classes: Vec<ClassInput>,
    /// What could not be read.
    pub skipped: Vec<Skipped>,
    /// Multi-release jars, and the newest release of which they have classes: those are the ones that were read.
    pub multi_release: Vec<(String, u32)>,
    /// How many archives were opened, those in archives included.
    pub archives: usize,
    unpacked: u64,
}

/// Reads everything under the paths, then the modules of the JDKs.
pub fn read_input(paths: &[PathBuf], jdks: &[PathBuf], limits: InputLimits) -> Input {
    let mut input = Input::default();
    for path in paths {
        input.read_path(path, limits);
    }
    for jdk in jdks {
        input.read_jdk(jdk, limits);
    }
    input
}

impl Input {
    fn skip(&mut self, origin: impl Into<String>, why: impl Into<SkipReason>) {
        self.skipped.push(Skipped { origin: origin.into(), why: why.into() });
    }

    /// Takes notice of bytes that were unpacked; false, and skipped, if these are too many.
    fn unpack(&mut self, origin: &str, size: usize, limits: InputLimits) -> bool {
        self.unpacked = self.unpacked.saturating_add(size as u64);
        let fits = self.unpacked <= limits.total;
        if !fits {
            self.skip(origin, SkipReason::TooMuch(limits.total));
        }
        fits
    }

    fn read_path(&mut self, path: &Path, limits: InputLimits) {
        let origin = path.display().to_string();
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => self.read_folder(path, limits),
            Ok(metadata) => {
                let file = File::open(path).map_err(SkipReason::from);
                match file.and_then(|file| read_all(file, metadata.len(), limits.archive_size)) {
                    Ok(bytes) => self.read_file(origin, bytes, limits),
                    Err(why) => self.skip(origin, why),
                }
            }
            Err(why) => self.skip(origin, why),
        }
    }

    /// All files of a folder that look like classes or archives by their names. Links to folders are not followed.
    fn read_folder(&mut self, folder: &Path, limits: InputLimits) {
        let entries = std::fs::read_dir(folder).and_then(|it| it.collect::<io::Result<Vec<_>>>());
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(why) => return self.skip(folder.display().to_string(), why),
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.read_folder(&path, limits),
                Ok(_) if is_class(&name) || is_archive(&name) => {
                    if !path.is_dir() {
                        self.read_path(&path, limits);
                    }
                }
                Ok(_) => {}
                Err(why) => self.skip(path.display().to_string(), why),
            }
        }
    }

    /// A file, by what it begins with.
    fn read_file(&mut self, origin: String, bytes: Vec<u8>, limits: InputLimits) {
        match bytes.as_slice() {
            [0xca, 0xfe, 0xba, 0xbe, ..] => {
                let size = bytes.len() as u64;
                if size > limits.class_size {
                    self.skip(origin, SkipReason::TooLarge(limits.class_size));
                } else if !origin.ends_with("module-info.class") {
                    self.classes.push(ClassInput { origin, bytes });
                }
            }
            [b'P', b'K', ..] => self.read_archive(&origin, &bytes, 0, limits),
            // a module of a JDK: four bytes, then an archive
            [b'J', b'M', _, _, rest @ ..] => self.read_jmod(&origin, rest, limits),
            // an archive can have anything before it: self-extracting ones do
            _ if is_archive(&origin) => self.read_archive(&origin, &bytes, 0, limits),
            _ => self.skip(origin, SkipReason::Unknown),
        }
    }

    /// The modules of a JDK.
    fn read_jdk(&mut self, home: &Path, limits: InputLimits) {
        let jmods = home.join("jmods");
        let image = home.join("lib/modules");
        if jmods.join("java.base.jmod").exists() {
            self.read_folder(&jmods, limits);
        } else if image.exists() {
            self.read_image(&image, limits);
        } else {
            self.skip(home.display().to_string(), SkipReason::NoJdk);
        }
    }
}

/// Reads all there is, but no more than allowed, whatever is said of the size.
fn read_all(from: impl Read, size: u64, limit: u64) -> Result<Vec<u8>, SkipReason> {
    if size > limit {
        return Err(SkipReason::TooLarge(limit));
    }
    // what is said of the size is not believed before it is seen
    let mut bytes = Vec::with_capacity(size.min(1 << 20) as usize);
    from.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(SkipReason::TooLarge(limit));
    }
    Ok(bytes)
}

/// Whether a file of this name is a class.
fn is_class(name: &str) -> bool {
    name.ends_with(".class")
}

/// Whether a file of this name is an archive that may hold classes.
fn is_archive(name: &str) -> bool {
    [".jar", ".war", ".ear", ".jmod", ".zip"].iter().any(|ending| name.ends_with(ending))
}
