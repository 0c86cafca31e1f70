//! The validator, by example and against a plain checker of the same rules.

use interloper_trace::{
    Batch, Disorder, Event, LabelId, LockId, Names, Op, Problem, SiteId, ThreadId, TraceError,
    Validator, VarId,
};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

const AT: SiteId = SiteId::UNKNOWN;

/// Names of as many threads and locks as the tests use.
fn names() -> Names {
    let mut names = Names::default();
    for n in 0..THREADS {
        names.thread(&format!("T{n}"));
    }
    for n in 0..LOCKS {
        names.lock(&format!("L{n}"));
    }
    names.var("x");
    names
}

const THREADS: u32 = 4;
const LOCKS: u32 = 2;
const T0: ThreadId = ThreadId(0);
const T1: ThreadId = ThreadId(1);
const M: LockId = LockId(0);

fn wait(thread: ThreadId, lock: LockId) -> Event {
    Event::new(thread, Op::Wait, lock.0, AT)
}

fn exit(thread: ThreadId) -> Event {
    Event::new(thread, Op::Exit, 0, AT)
}

fn acquire(thread: ThreadId) -> Event {
    Event::acquire(thread, M, AT)
}

fn release(thread: ThreadId) -> Event {
    Event::release(thread, M, AT)
}

/// Validates leniently; gives back the operations left and the numbers of skipped and filtered.
fn repaired(events: &[Event]) -> (Vec<Op>, u64, u64) {
    let mut validator = Validator::new(true);
    let mut batch = Batch { first: 0, events: events.to_vec() };
    validator.check(&mut batch, &names()).expect("lenient");
    let ops = batch.events.iter().map(|event| event.op).collect();
    (ops, validator.skipped(), validator.reentrant())
}

/// The first thing wrong, as position and message.
fn first_wrong(events: &[Event]) -> Option<(u64, String)> {
    let mut batch = Batch { first: 100, events: events.to_vec() };
    let wrong = Validator::new(false).check(&mut batch, &names()).err();
    wrong.map(|(position, disorder)| (position - 100, disorder.to_string()))
}

#[test]
fn only_the_outermost_pair_of_a_lock_remains() {
    let events = [acquire(T0), acquire(T0), acquire(T0), release(T0), release(T0), release(T0)];
    let (ops, skipped, filtered) = repaired(&events);
    assert_eq!(
        ops,
        [Op::Acquire, Op::Dummy, Op::Dummy, Op::Dummy, Op::Dummy, Op::Release],
        "events keep their places"
    );
    assert_eq!((skipped, filtered), (0, 4));
    assert_eq!(first_wrong(&events), None, "taking a lock again is no disorder");
}

#[test]
fn after_the_outermost_release_the_lock_is_free() {
    let events = [acquire(T0), acquire(T0), release(T0), acquire(T1)];
    let message = "thread T1 acquires lock L0, which thread T0 holds".to_string();
    assert_eq!(first_wrong(&events), Some((3, message)));
    let events = [acquire(T0), acquire(T0), release(T0), release(T0), acquire(T1), release(T1)];
    assert_eq!(first_wrong(&events), None);
}

#[test]
fn waiting_frees_a_lock_however_often_it_is_held() {
    let events = [
        acquire(T0),
        acquire(T0),
        wait(T0, M),
        acquire(T1),
        release(T1),
        acquire(T0), // the return: held twice again
        release(T0),
        release(T0),
        acquire(T1),
    ];
    let (ops, skipped, filtered) = repaired(&events);
    assert_eq!(skipped, 0);
    assert_eq!(filtered, 2);
    assert_eq!(ops[5..8], [Op::Acquire, Op::Dummy, Op::Release]);
    assert_eq!(first_wrong(&events), None);
}

#[test]
fn several_threads_wait_each_with_its_own_count() {
    let events = [
        acquire(T0),
        acquire(T0),
        wait(T0, M),
        acquire(T1),
        acquire(T1),
        acquire(T1),
        wait(T1, M),
        acquire(T0),
        release(T0),
        release(T0),
        acquire(T1),
        release(T1),
        release(T1),
        release(T1),
        release(T1),
    ];
    let message = "thread T1 lets go of lock L0, which it does not hold".to_string();
    assert_eq!(first_wrong(&events), Some((14, message)));
}

#[test]
fn lenient_repair_leaves_the_rest_as_it_was() {
    let events = [
        Event::end(T0, AT),
        Event::begin(T0, LabelId(0), AT),
        release(T0),
        acquire(T1),
        acquire(T0), // held by T1
        release(T0), // so this is not T0's to release
        release(T1),
        Event::end(T0, AT),
        exit(T0),
        Event::write(T0, VarId(0), AT),
    ];
    let (ops, skipped, filtered) = repaired(&events);
    use Op::*;
    assert_eq!(ops, [Dummy, Begin, Dummy, Acquire, Dummy, Dummy, Release, End, Exit, Dummy]);
    assert_eq!((skipped, filtered), (5, 0));
}

/// An arrival says nothing of locks, even where one has the barrier's name, and asks for nothing.
#[test]
fn barriers_and_escapes_may_come_at_any_time() {
    let barrier = |thread| Event::new(thread, Op::Barrier, M.0, AT);
    let escape = |thread| Event::new(thread, Op::Escape, 0, AT);
    let events = [
        barrier(T0),
        barrier(T0),
        acquire(T1),
        barrier(T0),
        barrier(T1),
        escape(T0),
        acquire(T1),
        wait(T1, M),
        barrier(T1),
        escape(T1),
        acquire(T0),
        Event::join(T0, T1, AT),
    ];
    let (ops, skipped, filtered) = repaired(&events);
    assert_eq!((skipped, filtered), (0, 1));
    assert_eq!(ops[..4], [Op::Barrier, Op::Barrier, Op::Acquire, Op::Barrier]);
    let message = "thread T1 acts after it has ended".to_string();
    for late in [barrier(T1), escape(T1)] {
        let events = [&events[..], &[late]].concat();
        assert_eq!(first_wrong(&events), Some((12, message.clone())));
    }
}

#[test]
fn unfinished_business_is_counted() {
    let events = [
        Event::begin(T0, LabelId(0), AT),
        Event::begin(T0, LabelId(0), AT),
        Event::begin(T1, LabelId(0), AT),
        Event::end(T0, AT),
        acquire(T1),
    ];
    let mut validator = Validator::new(false);
    let mut batch = Batch { first: 0, events: events.to_vec() };
    validator.check(&mut batch, &names()).unwrap();
    assert_eq!(validator.open(), (2, 1));
}

#[test]
fn each_disorder_has_its_words() {
    let fork = |child| Event::fork(T0, child, AT);
    let join = |child| Event::join(T0, child, AT);
    let act = |thread| Event::write(thread, VarId(0), AT);
    for (events, position, message) in [
        (&[Event::end(T0, AT)][..], 0, "`end` in thread T0, which has no open block"),
        (&[acquire(T0), acquire(T1)], 1, "thread T1 acquires lock L0, which thread T0 holds"),
        (&[release(T0)], 0, "thread T0 lets go of lock L0, which it does not hold"),
        (&[acquire(T0), release(T1)], 1, "thread T1 lets go of lock L0, which it does not hold"),
        (&[wait(T0, M)], 0, "thread T0 lets go of lock L0, which it does not hold"),
        (&[act(T1), fork(T1)], 1, "fork of thread T1, which has run before its fork"),
        (&[act(T1), exit(T1), fork(T1)], 2, "fork of thread T1, which has run before its fork"),
        (&[act(T1), join(T1), fork(T1)], 2, "fork of thread T1, which has run before its fork"),
        (&[join(T1), fork(T1)], 1, "fork of thread T1, which has been joined before its fork"),
        (&[fork(T1), fork(T1)], 1, "thread T1 is forked a second time"),
        (&[fork(T1), act(T1), fork(T1)], 2, "thread T1 is forked a second time"),
        (&[fork(T0)], 0, "thread T0 forks or joins itself"),
        (&[join(T0)], 0, "thread T0 forks or joins itself"),
        (&[fork(T1), join(T1), act(T1)], 2, "thread T1 acts after it has ended"),
        (&[exit(T0), act(T0)], 1, "thread T0 acts after it has ended"),
        (&[exit(T0), exit(T0)], 1, "thread T0 acts after it has ended"),
    ] {
        assert_eq!(first_wrong(events), Some((position, message.to_string())), "{events:?}");
    }
}

#[test]
fn positions_beyond_what_engines_remember_are_refused() {
    let names = names();
    let check = |first: u64, events: usize| {
        let mut batch = Batch { first, events: vec![Event::write(T0, VarId(0), AT); events] };
        Validator::new(true).check(&mut batch, &names)
    };
    let limit = (1 << 40) - 2;
    assert_eq!(Validator::MOST_EVENTS, limit);
    assert_eq!(check(limit - 3, 3), Ok(()));
    let refused = Err((limit, Disorder::TooManyEvents { limit }));
    assert_eq!(check(limit - 3, 4), refused);
    assert_eq!(check(limit, 1), refused);
    assert!(check(u64::MAX, 1).is_err());
    let message = Disorder::TooManyEvents { limit }.to_string();
    assert_eq!(message, "more than 1099511627774 events");
}

#[test]
fn what_is_too_much_is_no_matter_of_order() {
    let error = |disorder| TraceError::whole("test", Problem::Disorder(disorder)).to_string();
    let limit = Validator::MOST_THREADS;
    assert_eq!(error(Disorder::TooManyThreads { limit }), "test: more than 16777214 threads");
    assert!(error(Disorder::EndWithoutBegin { thread: "T".into() }).contains("--lenient"));
}

/// The rules, one after the other, with no thought of speed.
#[derive(Default)]
struct Plain {
    open_blocks: HashMap<ThreadId, u32>,
    ran: HashSet<ThreadId>,
    forked: HashSet<ThreadId>,
    ended: HashSet<ThreadId>,
    /// Who holds a lock, and how often.
    held: HashMap<LockId, (ThreadId, u32)>,
    /// How often those who wait held the lock.
    waiting: HashMap<(ThreadId, LockId), u32>,
}

/// What becomes of an event.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Stays,
    /// Takes or lets go of a lock that stays held.
    Filtered,
    Wrong(Disorder),
}

impl Plain {
    fn judge(&mut self, event: &Event) -> Fate {
        let name = |thread: ThreadId| format!("T{}", thread.0);
        let thread = name(event.thread);
        if self.ended.contains(&event.thread) {
            return Fate::Wrong(Disorder::ActsAfterEnd { thread });
        }
        self.ran.insert(event.thread);
        match event.op {
            Op::Begin => *self.open_blocks.entry(event.thread).or_default() += 1,
            Op::End => match self.open_blocks.get_mut(&event.thread) {
                None | Some(0) => return Fate::Wrong(Disorder::EndWithoutBegin { thread }),
                Some(open) => *open -= 1,
            },
            Op::Acquire | Op::Release | Op::Wait => return self.judge_lock(event),
            Op::Fork | Op::Join if event.child() == event.thread => {
                return Fate::Wrong(Disorder::Itself { thread });
            }
            Op::Fork => {
                let child = name(event.child());
                if self.forked.contains(&event.child()) {
                    return Fate::Wrong(Disorder::ForkedTwice { child });
                }
                if self.ran.contains(&event.child()) {
                    return Fate::Wrong(Disorder::RanBeforeFork { child });
                }
                if self.ended.contains(&event.child()) {
                    return Fate::Wrong(Disorder::JoinedBeforeFork { child });
                }
                self.forked.insert(event.child());
            }
            Op::Join => {
                self.ended.insert(event.child());
            }
            Op::Exit => {
                self.ended.insert(event.thread);
            }
            // A barrier may be reached at any time, and by anyone, also where a lock has its name.
            Op::Barrier | Op::Escape => {}
            Op::Read | Op::Write | Op::VolatileRead | Op::VolatileWrite | Op::Update => {}
            Op::Notify | Op::Dummy => {}
        }
        Fate::Stays
    }

    fn judge_lock(&mut self, event: &Event) -> Fate {
        let (me, lock) = (event.thread, event.lock());
        let (thread, lock_name) = (format!("T{}", me.0), format!("L{}", lock.0));
        match (event.op, self.held.get(&lock).copied()) {
            (Op::Acquire, None) => {
                let times = self.waiting.remove(&(me, lock)).unwrap_or(1);
                self.held.insert(lock, (me, times));
                Fate::Stays
            }
            (Op::Acquire, Some((holder, times))) if holder == me => {
                self.held.insert(lock, (me, times + 1));
                Fate::Filtered
            }
            (Op::Acquire, Some((holder, _))) => {
                let holder = format!("T{}", holder.0);
                Fate::Wrong(Disorder::LockHeld { thread, lock: lock_name, holder })
            }
            (Op::Wait, Some((holder, times))) if holder == me => {
                self.held.remove(&lock);
                self.waiting.insert((me, lock), times);
                Fate::Stays
            }
            (Op::Release, Some((holder, 1))) if holder == me => {
                self.held.remove(&lock);
                Fate::Stays
            }
            (Op::Release, Some((holder, times))) if holder == me => {
                self.held.insert(lock, (me, times - 1));
                Fate::Filtered
            }
            _ => Fate::Wrong(Disorder::LockNotHeld { thread, lock: lock_name }),
        }
    }
}

fn event() -> impl Strategy<Value = Event> {
    let op = prop_oneof![
        3 => Just(Op::Begin),
        3 => Just(Op::End),
        8 => Just(Op::Acquire),
        8 => Just(Op::Release),
        2 => Just(Op::Wait),
        2 => Just(Op::Write),
        1 => Just(Op::Fork),
        1 => Just(Op::Barrier),
        1 => prop::sample::select(Op::ALL.to_vec()),
    ];
    (0..THREADS, op, 0..THREADS).prop_map(|(thread, op, operand)| {
        use interloper_trace::OperandKind::*;
        let operand = match op.operand_kind() {
            Thread => operand,
            Lock => operand % LOCKS,
            None | Var | Object | Label => 0,
        };
        Event::new(ThreadId(thread), op, operand, AT)
    })
}

/// Events, cut into batches of these sizes.
fn batches(events: &[Event], sizes: &[usize]) -> Vec<Batch> {
    let (mut batches, mut first) = (vec![], 0);
    let mut sizes = sizes.iter().cycle();
    while first < events.len() {
        let size = sizes.next().copied().unwrap_or(events.len()).min(events.len() - first);
        batches.push(Batch { first: first as u64, events: events[first..first + size].to_vec() });
        first += size;
    }
    batches
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn strict_validation_stops_where_the_plain_checker_does(
        events in prop::collection::vec(event(), 0..40),
        sizes in prop::collection::vec(1..10usize, 1..4),
    ) {
        let mut plain = Plain::default();
        let expected = events.iter().enumerate().find_map(|(i, event)| match plain.judge(event) {
            Fate::Wrong(disorder) => Some((i as u64, disorder)),
            _ => None,
        });
        let (mut validator, names) = (Validator::new(false), names());
        let found = batches(&events, &sizes)
            .iter_mut()
            .find_map(|batch| validator.check(batch, &names).err());
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn lenient_validation_keeps_what_the_plain_checker_keeps(
        events in prop::collection::vec(event(), 0..120),
        sizes in prop::collection::vec(1..10usize, 1..4),
    ) {
        let (mut plain, mut skipped, mut filtered) = (Plain::default(), 0, 0);
        let dummy = |event: &Event| Event::new(event.thread, Op::Dummy, 0, event.site);
        let mut expected = vec![];
        for event in &events {
            expected.push(match plain.judge(event) {
                Fate::Stays => *event,
                Fate::Filtered => { filtered += 1; dummy(event) }
                Fate::Wrong(_) => { skipped += 1; dummy(event) }
            });
        }
        let (mut validator, names) = (Validator::new(true), names());
        let mut found = vec![];
        for mut batch in batches(&events, &sizes) {
            prop_assert_eq!(validator.check(&mut batch, &names), Ok(()));
            found.extend(batch.events);
        }
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!((validator.skipped(), validator.reentrant()), (skipped, filtered));
        let open = plain.open_blocks.values().map(|&n| u64::from(n)).sum::<u64>();
        prop_assert_eq!(validator.open(), (open, plain.held.len() as u64));

        // What was repaired once is right, and nothing is left to filter.
        let kept: Vec<Event> = found.into_iter().filter(|event| event.op != Op::Dummy).collect();
        let mut strict = Validator::new(false);
        for mut batch in batches(&kept, &sizes) {
            prop_assert_eq!(strict.check(&mut batch, &names), Ok(()));
        }
        prop_assert_eq!(strict.reentrant(), 0);
    }
}
