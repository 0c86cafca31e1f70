//! Locations as paths from the working folder, for tools that look files up in a repository.

use crate::location::Location;
use crate::model::Report;
use crate::source::Sources;
use interloper_findings::Finding;
use std::collections::HashMap;
use std::path::PathBuf;

/// The report with every location whose file is found in the source folders, and below the working
/// folder, given as a path from there: `Account.java:12` becomes `src/bank/Account.java:12`.
pub(crate) fn located(report: &Report, folders: &[PathBuf]) -> Report {
    let mut report = report.clone();
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    if let (Ok(here), false) = (here, folders.is_empty()) {
        let mut finder = Finder { sources: Sources::new(folders), here, known: HashMap::new() };
        let findings = report.runs.iter_mut().flat_map(|run| &mut run.engines);
        findings.flat_map(|engine| &mut engine.findings).for_each(|f| finder.locate(f));
    }
    report
}

struct Finder {
    sources: Sources,
    here: PathBuf,
    /// By path as the trace gives it.
    known: HashMap<String, Option<String>>,
}

impl Finder {
    fn locate(&mut self, finding: &mut Finding) {
        let steps = finding.steps.iter_mut().map(|step| &mut step.at);
        let blocks = finding.blocks.iter_mut().map(|block| &mut block.at);
        let ends = finding.edges.iter_mut().flat_map(|edge| [&mut edge.source, &mut edge.target]);
        let ends = ends.flatten().map(|step| &mut step.at);
        let sites = finding.pattern.iter_mut().flat_map(|pattern| pattern.sites_mut());
        let sites = sites.map(|site| &mut site.at);
        for at in steps.chain(blocks).chain(ends).chain(sites) {
            if let Some(path) = self.path(at) {
                *at = path;
            }
        }
    }

    fn path(&mut self, at: &str) -> Option<String> {
        let location = Location::parse(at)?;
        let Finder { sources, here, known } = self;
        let found = known.entry(location.path.clone()).or_insert_with(|| {
            let file = sources.find(&location)?;
            Some(file.strip_prefix(here).ok()?.to_str()?.to_string())
        });
        let column = location.column.map_or(String::new(), |column| format!(":{column}"));
        found.as_ref().map(|found| format!("{found}:{}{column}", location.line))
    }
}
