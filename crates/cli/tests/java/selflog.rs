//! The recorded trace agrees with the log that a racing program keeps itself: see `tests/java/selflog`.

use crate::common::{Classes, events_of, interloper, java_files, jdks, programs, run};
use std::collections::HashMap;

/// An access: thread, whether it writes, variable.
type Access = (String, bool, String);

/// The accesses of a trace, in its order.
fn accesses(events: &[String]) -> Vec<Access> {
    let access = |event: &String| {
        let (thread, op) = event.split_once('|')?;
        let (kind, rest) = op.split_once('(')?;
        let writes = match kind {
            "r" | "vr" => false,
            "w" | "vw" => true,
            _ => return None,
        };
        Some((thread.to_string(), writes, rest.strip_suffix(')')?.to_string()))
    };
    events.iter().filter_map(access).collect()
}

/// What the program noted: the value of each access.
fn notes(stdout: &str) -> HashMap<Access, u64> {
    let note = |line: &str| -> Option<(Access, u64)> {
        let [thread, op, variable, value] = line.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let access = (thread.to_string(), op == "w", variable.to_string());
        Some((access, value.parse().ok()?))
    };
    stdout.lines().map(|line| note(line).unwrap_or_else(|| panic!("no note: {line}"))).collect()
}

/// All that is wrong with a trace: accesses lost, and reads that see another value than they did.
fn disagreements(trace: &[Access], notes: &HashMap<Access, u64>) -> Vec<String> {
    let mut values: HashMap<&str, u64> = HashMap::new();
    let mut missing = notes.clone();
    let mut wrong = vec![];
    for access in trace {
        let Some(&noted) = notes.get(access) else { continue };
        if missing.remove(access).is_none() {
            wrong.push(format!("twice in the trace: {access:?}"));
        }
        let (thread, writes, variable) = access;
        let value = values.entry(variable).or_insert(0);
        if *writes {
            *value = noted;
        } else if *value != noted {
            wrong.push(format!("{thread} reads {noted} from {variable}, in the trace {value}"));
        }
    }
    wrong.extend(missing.keys().map(|access| format!("not in the trace: {access:?}")));
    wrong
}

#[track_caller]
fn agrees(main: &str) {
    let folder = programs();
    let mut files = java_files(&folder.join("selflog"));
    files.extend(java_files(&folder.join("events/schedule")));
    for jdk in jdks() {
        let classes = Classes::compile(&jdk, &files, &[]);
        let scratch = tempfile::tempdir().unwrap();
        let trace = scratch.path().join("trace.itl");
        let mut record = interloper(&["record", "--exclude", "schedule.*", "-o"]);
        record.arg(&trace).arg("--").arg(jdk.java()).args(["-cp", &classes.path(), main]);
        let outcome = run(record).exits(0);
        let wrong = disagreements(&accesses(&events_of(&trace)), &notes(&outcome.stdout));
        let shown = wrong[..wrong.len().min(10)].join("\n");
        assert!(wrong.is_empty(), "JDK {}: {} disagreements\n{shown}", jdk.version, wrong.len());
    }
}

#[test]
fn racing_accesses_of_fields_are_recorded_in_the_order_of_memory() {
    agrees("RacyFields");
}

#[test]
fn racing_accesses_of_elements_are_recorded_in_the_order_of_memory() {
    agrees("RacyArrays");
}

#[test]
fn racing_walks_through_arrays_are_recorded_in_the_order_of_memory() {
    agrees("RacyWalks");
}

#[test]
fn racing_passes_through_long_arrays_are_recorded_in_the_order_of_memory() {
    agrees("RacyPasses");
}

#[test]
fn a_read_before_the_write_it_saw_is_noticed() {
    let notes = notes("A w x 1\nB r x 1\nB w y 2\n");
    let access =
        |thread: &str, writes, variable: &str| (thread.to_string(), writes, variable.to_string());
    let good = [access("A", true, "x"), access("B", false, "x"), access("B", true, "y")];
    assert!(disagreements(&good, &notes).is_empty());
    let [write, read, other] = good;
    assert_eq!(disagreements(&[read.clone(), write.clone(), other], &notes).len(), 1);
    assert_eq!(disagreements(&[write, read], &notes).len(), 1);
}
