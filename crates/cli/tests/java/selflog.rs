//! The recorded trace agrees with the log that a racing program keeps itself: see `tests/java/selflog`.

use crate::common::{Classes, events_of, interloper, java_files, jdks, programs, run};
use std::collections::{BTreeSet, HashMap};

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

/// What threads read of others if the order is that of the trace, where a write leaves its thread's number; without
/// repetitions, as in the notes of a program that does the same.
fn numbers_read(trace: &[Access]) -> HashMap<(&str, &str), String> {
    let mut writers: HashMap<&str, char> = HashMap::new();
    let mut read: HashMap<(&str, &str), String> = HashMap::new();
    for (thread, writes, variable) in trace {
        if *writes {
            writers.insert(variable, thread.chars().last().unwrap());
            continue;
        }
        let writer = *writers.get(variable.as_str()).unwrap_or(&'0');
        let read = read.entry((thread, variable)).or_default();
        if !read.ends_with(writer) && !thread.ends_with(writer) {
            read.push(writer);
        }
    }
    read
}

/// All that is wrong with a trace of accesses that are made over and over.
fn differences(trace: &[Access], stdout: &str) -> Vec<String> {
    let read = numbers_read(trace);
    let wrong = |line: &str| {
        let [thread, _, variable, noted] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("no note: {line}")
        };
        let read = read.get(&(thread, variable)).map_or("", String::as_str);
        (read != noted)
            .then(|| format!("{thread} reads {noted} from {variable}, in the trace {read}"))
    };
    stdout.lines().filter_map(wrong).collect()
}

/// Records a program on every JDK: finds out what is wrong with the trace, which is nothing.
#[track_caller]
fn agrees_by(main: &str, wrong: impl Fn(&[Access], &str) -> Vec<String>) {
    recorded(main, |events, stdout| wrong(&accesses(events), stdout));
}

#[track_caller]
fn recorded(main: &str, wrong: impl Fn(&[String], &str) -> Vec<String>) {
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
        let wrong = wrong(&events_of(&trace), &outcome.stdout);
        let shown = wrong[..wrong.len().min(10)].join("\n");
        assert!(wrong.is_empty(), "JDK {}: {} disagreements\n{shown}", jdk.version, wrong.len());
    }
}

#[track_caller]
fn agrees(main: &str) {
    agrees_by(main, |trace, stdout| disagreements(trace, &notes(stdout)));
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
fn racing_accesses_made_over_and_over_in_a_block_are_recorded_when_they_see_something_new() {
    agrees_by("RacyTogether", differences);
}

#[test]
fn racing_accesses_of_elements_that_follow_each_other_are_recorded_when_they_see_something_new() {
    agrees_by("RacyAgain", differences);
}

/// The accesses of the first few arrays, each with its outermost block: by the number among its thread's.
fn accesses_by_block(events: &[String], arrays: usize) -> BTreeSet<String> {
    let mut open: HashMap<&str, (usize, usize)> = HashMap::new();
    let mut accesses = BTreeSet::new();
    for event in events {
        let Some((thread, op)) = event.split_once('|') else { continue };
        let (depth, block) = open.entry(thread).or_default();
        if op.starts_with("begin(") {
            *block += usize::from(*depth == 0);
            *depth += 1;
        } else if op == "end" {
            *depth -= 1;
        } else if let Some((kind @ ("r" | "w"), rest)) = op.split_once('(') {
            let variable = rest.trim_end_matches(')');
            let mut numbers = (1..=arrays).map(|number| format!("int[]#{number}["));
            if numbers.any(|array| variable.starts_with(&array)) {
                accesses.insert(format!("{thread} {} {kind} {variable}", block.wrapping_sub(1)));
            }
        }
    }
    accesses
}

/// What blocks accessed that is not in the trace, and the other way round.
fn other_accesses(events: &[String], stdout: &str) -> Vec<String> {
    let noted: BTreeSet<String> = stdout.lines().map(str::to_string).collect();
    let recorded = accesses_by_block(events, 3);
    let recorded = recorded.into_iter().filter(|it| it.starts_with('R')).collect();
    noted.symmetric_difference(&recorded).cloned().collect()
}

#[test]
fn loops_are_recorded_with_every_element_that_they_access_and_no_other() {
    recorded("RandomLoops", other_accesses);
}

#[test]
fn an_access_that_is_left_out_of_a_block_is_noticed() {
    let trace = ["R1|begin(f)", "R1|r(int[]#1[0])", "R1|end", "R1|begin(f)", "R1|end"];
    let trace = trace.map(str::to_string);
    assert!(other_accesses(&trace, "R1 0 r int[]#1[0]\n").is_empty());
    assert_eq!(other_accesses(&trace, "R1 1 r int[]#1[0]\n").len(), 2);
    assert_eq!(other_accesses(&trace, "").len(), 1);
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

#[test]
fn a_read_that_is_left_out_though_it_saw_something_new_is_noticed() {
    let access =
        |thread: &str, writes, variable: &str| (thread.to_string(), writes, variable.to_string());
    let good = [access("R1", false, "x"), access("R2", true, "x"), access("R1", false, "x")];
    assert!(differences(&good, "R1 r x 02\n").is_empty());
    assert_eq!(differences(&good[..2], "R1 r x 02\n").len(), 1);
}
