//! Programs with a forced schedule under the race engine: what is ordered is no race.

use crate::common::{Classes, interloper, java_files, jdks, programs, run, subjects};
use crate::head::Head;

#[test]
fn what_java_util_concurrent_orders_is_no_race() {
    let races = java_files(&programs().join("races"));
    assert!(!races.is_empty());
    let schedule = java_files(&programs().join("events/schedule"));
    let files = [races.clone(), schedule].concat();
    for jdk in jdks() {
        let classes = Classes::compile(&jdk, &files, &[]);
        for program in &races {
            let head = Head::read(program);
            let main = program.file_stem().unwrap().to_str().unwrap();
            let folder = tempfile::tempdir().unwrap();
            let report = folder.path().join("report.json");
            let mut command = interloper(&["run", "--engine", "hb", "--exclude", "schedule.*"]);
            command.args(["--format", "json", "--output", report.to_str().unwrap(), "--"]);
            command.arg(jdk.java()).args(["-cp", &classes.path(), main]);
            let outcome = run(command);
            let expected = i32::from(!head.violations.is_empty());
            assert_eq!(outcome.status.code(), Some(expected), "{main}: {outcome:#?}");
            let found = subjects(&std::fs::read_to_string(&report).unwrap());
            assert_eq!(found, head.violations, "{main} on {}", jdk.version);
        }
    }
}
