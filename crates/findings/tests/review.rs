//! Baseline and suppression of lock patterns: what they know again, and what they do not.
#![allow(clippy::unwrap_used)]

use interloper_findings::{
    Acquisition, Baseline, BaselineError, BaselineState, Context, Finding, LockPattern, Place,
    Scope, Site, Suppressions,
};

fn site(method: &str, line: u32) -> Site {
    Site { method: method.into(), at: format!("geo/Line.java:{line}") }
}

/// A place of `Line.contains` that calls this method for the second acquisition.
fn place(callee: &str, line: u32) -> Place {
    let acquisition = |callee: &str, line| Acquisition {
        calls: vec![site("geo.Line.contains(Location)", line)],
        site: site(callee, 90),
        lock: "this".into(),
    };
    Place {
        method: "geo.Line.contains(Location)".into(),
        witness: "point".into(),
        first_witness: "point".into(),
        context: Context {
            lock: "this".into(),
            site: site("geo.Line.contains(Location)", line - 2),
            calls: vec![],
        },
        first: acquisition("geo.Location.distanceTo(Location)", line - 1),
        second: acquisition(callee, line),
        others: vec![],
        more: 0,
        suppressed: None,
    }
}

fn finding(places: Vec<Place>) -> Finding {
    let scope = Scope::Method("geo.Line.contains(Location)".into());
    LockPattern { scope, places, more: 0 }.into_finding()
}

const DISTANCE: &str = "geo.Location.distanceTo(Location)";
const NORM: &str = "geo.Location.norm()";

#[test]
fn a_finding_tells_its_first_place() {
    let found = finding(vec![place(DISTANCE, 5), place(NORM, 7)]);
    assert_eq!(found.message, "Line.contains locks point twice while it holds this");
    assert_eq!(found.subject, "point in geo.Line.contains(Location)");
    assert_eq!(found.count, 2);
    let told: Vec<(&str, &str)> =
        found.steps.iter().map(|step| (step.op.as_str(), step.at.as_str())).collect();
    let expected = [
        ("acq(this)", "geo/Line.java:3"),
        ("call(Location.distanceTo)", "geo/Line.java:4"),
        ("acq(this)", "geo/Line.java:90"),
        ("call(Location.distanceTo)", "geo/Line.java:5"),
        ("acq(this)", "geo/Line.java:90"),
    ];
    assert_eq!(told, expected);
    assert!(found.notes.iter().any(|note| note.contains("hold point over both")));
}

/// How findings compare with the baseline of others, and what of it is gone.
fn compared(known: &[Finding], mut now: Vec<Finding>) -> (Vec<BaselineState>, usize) {
    let baseline = Baseline::parse(&Baseline::write(known).unwrap()).unwrap();
    let gone = baseline.apply(&mut now).len();
    (now.iter().map(|finding| finding.review.baseline.unwrap()).collect(), gone)
}

#[test]
fn lines_do_not_matter_to_a_baseline() {
    let known = [finding(vec![place(DISTANCE, 5)])];
    let now = vec![finding(vec![place(DISTANCE, 50)])];
    assert_eq!(compared(&known, now), (vec![BaselineState::Unchanged], 0));
}

#[test]
fn a_further_place_is_noticed() {
    let known = [finding(vec![place(DISTANCE, 5)])];
    for more in [place(NORM, 9), place(DISTANCE, 9)] {
        let now = vec![finding(vec![place(DISTANCE, 5), more])];
        assert_eq!(compared(&known, now), (vec![BaselineState::Updated], 0));
    }
    // fewer places than were known are no news
    let known = [finding(vec![place(DISTANCE, 5), place(NORM, 9)])];
    let now = vec![finding(vec![place(NORM, 9)])];
    assert_eq!(compared(&known, now), (vec![BaselineState::Unchanged], 0));
}

#[test]
fn another_lock_is_another_finding() {
    let known = [finding(vec![place(DISTANCE, 5)])];
    let other = Place { witness: "other".into(), ..place(DISTANCE, 5) };
    assert_eq!(compared(&known, vec![finding(vec![other])]), (vec![BaselineState::New], 1));
}

#[test]
fn the_file_is_sorted_and_versioned() {
    let a = finding(vec![place(DISTANCE, 5)]);
    let b = finding(vec![Place { witness: "a".into(), ..place(DISTANCE, 5) }]);
    let (one, other) = ([a.clone(), b.clone()], [b, a]);
    let text = Baseline::write(&one).unwrap();
    assert_eq!(text, Baseline::write(&other).unwrap());
    assert!(text.starts_with("{\n  \"schema\": \"interloper-baseline/1\""), "{text}");
    assert!(matches!(
        Baseline::parse(&text.replace("baseline/1", "baseline/2")),
        Err(BaselineError::Version(version)) if version == "interloper-baseline/2"
    ));
    assert!(matches!(Baseline::parse("nothing"), Err(BaselineError::Format(_))));
}

#[test]
fn suppressed_places_go_and_suppressed_findings_stay_marked() {
    let mut list = Suppressions::default();
    let one = finding(vec![place(DISTANCE, 5), place(NORM, 7)]);
    list.add(&place(NORM, 70).fingerprint()).unwrap();
    let mut findings = vec![one.clone()];
    assert_eq!(list.apply(&mut findings), 1);
    assert_eq!(findings[0].count, 1);
    assert!(findings[0].review.is_open());
    list.add("geo.Line  # drawn by one thread").unwrap();
    let mut findings = vec![one];
    assert_eq!(list.apply(&mut findings), 0);
    let suppressed = findings[0].review.suppressed.as_ref().unwrap();
    assert!(!findings[0].review.is_open() && !suppressed.reason.is_empty());
    // nobody needs a baseline of what is suppressed
    assert!(!Baseline::write(&findings).unwrap().contains("geo.Line"));
}

#[test]
fn other_findings_are_suppressed_by_their_blocks_and_subjects() {
    let race = |subject: &str| Finding {
        pattern: None,
        blocks: vec![],
        subject: subject.into(),
        ..finding(vec![place(DISTANCE, 5)])
    };
    let mut list = Suppressions::default();
    list.add("geo.Line.hits").unwrap();
    let mut findings = vec![race("geo.Line.hits"), race("geo.Line.other")];
    list.apply(&mut findings);
    assert!(findings[0].review.suppressed.is_some());
    assert!(findings[1].review.is_open());
}
