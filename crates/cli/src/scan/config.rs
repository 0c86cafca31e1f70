//! What is to be scanned and how: the command line, and `interloper.toml` under it.

use super::args::Scan;
use crate::args::Format;
use crate::failure::Failure;
use crate::settings::{self, FILE};
use clap::ValueEnum;
use interloper_findings::{Baseline, Suppressions};
use interloper_scan::Options;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::{Path, PathBuf};

/// How many calls a chain may have, unless the user says otherwise.
const DEPTH: usize = 3;
/// How many methods a call may reach if a JDK is scanned too.
const JDK_CALLEES: usize = 4;

/// The section `[scan]`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct Section {
    #[serde(deserialize_with = "settings::texts")]
    paths: Vec<PathBuf>,
    jdk: Option<Jdk>,
    variant: bool,
    bound: Option<u8>,
    callees: Option<usize>,
    callbacks: bool,
    depth: Option<usize>,
    aliases: bool,
    unlikely: bool,
    within_jdk: bool,
    all: bool,
    #[serde(deserialize_with = "settings::texts")]
    filter: Vec<String>,
    #[serde(deserialize_with = "settings::texts")]
    suppress: Vec<String>,
    #[serde(deserialize_with = "settings::texts")]
    suppressions: Vec<PathBuf>,
    #[serde(deserialize_with = "settings::texts")]
    suppress_annotation: Vec<String>,
    baseline: Option<PathBuf>,
    #[serde(deserialize_with = "settings::texts")]
    source_path: Vec<PathBuf>,
    format: Option<String>,
    output: Option<PathBuf>,
    jobs: Option<usize>,
    stats: bool,
    full: bool,
}

/// `jdk = true` or `jdk = "/usr/lib/jvm/…"`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Jdk {
    Wanted(bool),
    Home(PathBuf),
}

/// Everything a scan needs to know.
pub struct Settings {
    /// What to scan.
    pub paths: Vec<PathBuf>,
    /// The JDK that is read too.
    pub jdk: Option<PathBuf>,
    /// How to analyse.
    pub options: Options,
    /// Whether calls on types that are not scanned are followed.
    pub callbacks: bool,
    /// Whether to report locks that may be the one that is held.
    pub aliases: bool,
    /// Whether to report what needs something unlikely to happen twice.
    pub unlikely: bool,
    /// Whether to report what only the JDK takes part in.
    pub within_jdk: bool,
    /// What is suppressed.
    pub suppressions: Suppressions,
    /// By these annotations, too.
    pub annotations: Vec<String>,
    /// What is known.
    pub baseline: Option<Baseline>,
    /// Where source is looked for.
    pub source_path: Vec<PathBuf>,
    /// How to report.
    pub format: Format,
    /// Where to.
    pub output: Option<PathBuf>,
    /// How many threads; 0 for as many as there are cores.
    pub jobs: usize,
    /// Whether to tell what was counted.
    pub stats: bool,
    /// Whether to show everything.
    pub full: bool,
}

impl Settings {
    /// Puts the command line and the file together, and reads what they name.
    pub fn new(args: &Scan) -> Result<Settings, Failure> {
        let file = settings::read::<Section, IgnoredAny>(args.config.as_deref())?.scan;
        let paths = if args.paths.is_empty() { file.paths } else { args.paths.clone() };
        let jdk = match (&args.jdk, file.jdk) {
            (Some(Some(home)), _) => Some(home.clone()),
            (Some(None), _) | (None, Some(Jdk::Wanted(true))) => Some(find_jdk()?),
            (None, Some(Jdk::Home(home))) => Some(home),
            (None, Some(Jdk::Wanted(false)) | None) => None,
        };
        if paths.is_empty() && jdk.is_none() {
            let message = "nothing to scan: name a jar, a folder or a class file, or give --jdk";
            return Err(Failure::Usage(message.to_owned()));
        }
        let source_path = [file.source_path, args.source_path.clone()].concat();
        if let Some(path) = source_path.iter().find(|path| !path.is_dir()) {
            let path = path.display();
            return Err(Failure::Usage(format!("--source-path {path}: there is no such folder")));
        }
        let lists = [file.suppressions, args.suppressions.clone()].concat();
        let entries = [file.suppress, args.suppress.clone()].concat();
        let baseline = args.baseline.clone().or(file.baseline);
        let bound = bound(args.bound.or(file.bound))?;
        let mut options = Options {
            size_bound: bound,
            variant: args.variant || file.variant,
            keep_library: args.all || file.all,
            ..Options::default()
        };
        // in a JDK nearly everything can call nearly everything
        let cap = if jdk.is_some() { JDK_CALLEES } else { options.callee_cap };
        options.callee_cap = args.callees.or(file.callees).unwrap_or(cap);
        options.filters.depth = Some(args.depth.or(file.depth).unwrap_or(DEPTH));
        let filter = file.filter.iter().chain(&args.filter);
        options.library_classes.extend(filter.map(|class| class.trim().replace('.', "/")));
        Ok(Settings {
            paths,
            jdk,
            options,
            callbacks: args.callbacks || file.callbacks,
            aliases: args.aliases || file.aliases,
            unlikely: args.unlikely || file.unlikely,
            within_jdk: args.within_jdk || file.within_jdk,
            suppressions: suppressions(&lists, &entries)?,
            annotations: [file.suppress_annotation, args.suppress_annotation.clone()].concat(),
            baseline: baseline.as_deref().map(read_baseline).transpose()?,
            source_path,
            format: format(args.format, file.format.as_deref())?,
            output: args.output.clone().or(file.output),
            jobs: args.jobs.or(file.jobs).unwrap_or(0),
            stats: args.stats || file.stats,
            full: args.full || file.full,
        })
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    settings::read_text(path).map_err(|error| wrong(path, error))
}

fn wrong(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::Usage(format!("{}: {error}", path.display()))
}

fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    Baseline::parse(&read(path)?).map_err(|error| wrong(path, error))
}

fn suppressions(lists: &[PathBuf], entries: &[String]) -> Result<Suppressions, Failure> {
    let mut all = Suppressions::default();
    for path in lists {
        all.add_list(&read(path)?).map_err(|error| wrong(path, error))?;
    }
    for entry in entries {
        all.add(entry).map_err(|why| Failure::Usage(format!("--suppress {entry}: {why}")))?;
    }
    Ok(all)
}

fn bound(bound: Option<u8>) -> Result<u8, Failure> {
    match bound.unwrap_or(Options::default().size_bound) {
        bound @ 1..=32 => Ok(bound),
        bound => Err(Failure::Usage(format!("bound = {bound}: it is from 1 to 32"))),
    }
}

fn format(given: Option<Format>, file: Option<&str>) -> Result<Format, Failure> {
    match (given, file) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(Format::Text),
        (None, Some(name)) => Format::from_str(name, false)
            .map_err(|_| Failure::Usage(format!("{FILE}: format = {name:?}: no such format"))),
    }
}

/// The JDK that the environment means.
fn find_jdk() -> Result<PathBuf, Failure> {
    if let Some(home) = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        return Ok(PathBuf::from(home));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let java =
        std::env::split_paths(&path).map(|folder| folder.join("java")).find(|it| it.is_file());
    // `java` is a link into the JDK, most often
    let real = java.and_then(|java| java.canonicalize().ok());
    let home = real.as_deref().and_then(Path::parent).and_then(Path::parent);
    home.map(Path::to_path_buf).ok_or_else(|| {
        let message =
            "--jdk: JAVA_HOME is not set and there is no java on the path: give --jdk=HOME";
        Failure::Usage(message.to_owned())
    })
}
