//! The oracle of schedules against cases by hand, and against an even simpler search: all orders,
//! one by one.

mod common;

use common::schedules::Schedules;
use common::shapes::{Shape, is_closed, is_valid, named, shrink};
use common::suite::times;
use common::text::{text, trace};
use interloper_trace::{Event, Op, OperandKind};
use std::collections::{BTreeSet, HashMap, HashSet};

fn schedules(lines: &str) -> Schedules {
    let trace = trace(lines);
    assert!(is_valid(&trace.events), "{lines}");
    Schedules::new(&trace.events)
}

#[test]
fn an_update_of_two_steps_can_be_cut() {
    let of = schedules("1|begin(a)\n1|r(x)\n1|w(x)\n1|end\n2|begin(b)\n2|r(x)\n2|w(x)\n2|end");
    assert_eq!(of.is_atomic(), Some(false));
    assert_eq!((of.can_be_cut(0), of.can_be_cut(1)), (Some(true), Some(true)));
    let bad = of.cut().unwrap().unwrap();
    assert!(of.allows(&bad) && !of.allows(&[2, 1]));
    assert_eq!(of.races(), Some(BTreeSet::from([(1, 6), (2, 5), (2, 6)])));
    assert_eq!(of.deadlocks(), Some(false));
}

#[test]
fn a_common_lock_makes_it_whole() {
    let of = schedules(
        "1|begin(a)\n1|acq(m)\n1|r(x)\n1|w(x)\n1|rel(m)\n1|end
         2|begin(b)\n2|acq(m)\n2|r(x)\n2|w(x)\n2|rel(m)\n2|end",
    );
    assert_eq!(of.is_atomic(), Some(true));
    assert_eq!(of.races(), Some(BTreeSet::new()));
    assert_eq!(of.distinct(), Some(2));
}

/// The constructor of the paper's Figure 1: two synchronized calls in one block.
#[test]
fn two_critical_sections_can_be_cut() {
    let of = schedules(
        "1|begin(new)\n1|acq(v1)\n1|r(c)\n1|rel(v1)\n1|acq(v1)\n1|r(c)\n1|r(d)\n1|rel(v1)\n1|end
         2|begin(removeAll)\n2|acq(v1)\n2|w(c)\n2|w(d)\n2|rel(v1)\n2|end",
    );
    assert_eq!(of.is_atomic(), Some(false));
    assert_eq!((of.can_be_cut(0), of.can_be_cut(1)), (Some(true), Some(false)));
    assert_eq!(of.races(), Some(BTreeSet::new()));
    assert_eq!(of.can_be_between(11, 2, 5), Some(true));
    assert_eq!(of.can_be_between(11, 5, 6), Some(false));
    // One variable alone is enough; the other is not.
    let only = |var: &str| {
        let trace = trace("1|r(c)\n1|r(d)");
        let wanted = trace.names.vars.find(var).unwrap();
        of.keeping(|event| of_var(&of, event, wanted))
    };
    assert_eq!(only("c").is_atomic(), Some(false));
    assert_eq!(only("d").is_atomic(), Some(true));
}

fn of_var(of: &Schedules, event: usize, var: u32) -> bool {
    of.event(event).op.operand_kind() == OperandKind::Var && of.event(event).operand == var
}

/// Transactions (3) of the paper: there is a deadlock, and `e` (the write at 3) can never come
/// between
/// `e1` and `e2`, though no lock says so.
#[test]
fn locks_in_opposite_orders_deadlock() {
    let of = schedules(
        "1|acq(a)\n1|acq(b)\n1|rel(b)\n1|w(x)\n1|rel(a)
         2|acq(b)\n2|acq(a)\n2|rel(a)\n2|r(x)\n2|r(x)\n2|rel(b)",
    );
    assert_eq!(of.stuck(), Some(vec![vec![1, 6]]));
    assert_eq!(of.can_be_between(3, 8, 9), Some(false));
    let gated = schedules(
        "1|acq(g)\n1|acq(a)\n1|acq(b)\n1|rel(b)\n1|rel(a)\n1|rel(g)
         2|acq(g)\n2|acq(b)\n2|acq(a)\n2|rel(a)\n2|rel(b)\n2|rel(g)",
    );
    assert_eq!(gated.deadlocks(), Some(false));
}

/// Trace (6) of the paper: atomic two by two, not all together.
#[test]
fn three_transactions_in_a_circle() {
    let of = schedules(
        "1|begin(t1)\n1|w(x)\n2|begin(t2)\n2|r(x)\n2|w(z)\n2|end
         3|begin(t3)\n3|r(z)\n3|r(y)\n3|end\n1|w(y)\n1|end",
    );
    assert_eq!(of.is_atomic(), Some(false));
    for pair in [[0, 1], [0, 2], [1, 2]] {
        assert_eq!(of.is_atomic_among(&pair), Some(true), "{pair:?}");
    }
    assert_eq!(of.is_atomic_among(&[0, 1, 2]), Some(false));
}

/// Figure 4 of the paper: `t2`, `t3` and `t4` are atomic; without the lock of `t3` they are not.
#[test]
fn a_read_may_come_before_the_critical_section() {
    let lines = "4|begin(t4)\n4|r(x)\n4|acq(o1)\n4|acq(o2)\n4|w(x)\n4|rel(o2)\n4|rel(o1)\n4|end
         2|begin(t2)\n2|acq(o2)\n2|r(x)\n2|rel(o2)\n2|end\n3|begin(t3)\n3|acq(o1)\n3|r(x)\n3|rel(o1)\n3|end";
    let of = schedules(lines);
    assert_eq!((of.is_atomic(), of.races()), (Some(true), Some(BTreeSet::new())));
    let unlocked = lines.replace("3|acq(o1)\n3|r(x)\n3|rel(o1)", "3|r(x)\n3|r(x)");
    let of = schedules(&unlocked);
    assert_eq!(of.is_atomic(), Some(false));
    assert_eq!(of.races().map(|races| races.len()), Some(2));
}

#[test]
fn start_and_join_order_threads() {
    let lines = "1|w(x)\n1|fork(2)\n1|r(x)\n2|r(x)\n2|w(x)\n1|join(2)\n1|w(x)";
    assert_eq!(schedules(lines).races(), Some(BTreeSet::from([(2, 4)])));
    // A block is cut at a start: what comes before and after are two transactions.
    let of = schedules("1|begin(a)\n1|r(x)\n1|fork(2)\n1|r(x)\n1|end\n2|w(x)");
    assert_eq!(of.is_atomic(), Some(true));
    assert_eq!(of.units().iter().filter(|unit| unit.block).count(), 2);
    // Awaiting a thread that needs a lock in hand.
    let of = schedules("1|fork(2)\n2|acq(m)\n2|rel(m)\n1|acq(m)\n1|join(2)\n1|rel(m)");
    assert_eq!(of.stuck(), Some(vec![vec![4, 1]]));
}

#[test]
fn barriers_order_the_threads_of_a_round() {
    let of =
        schedules("1|w(x)\n2|w(y)\n1|barrier(b)\n2|barrier(b)\n2|r(x)\n1|r(x)\n3|r(x)\n1|w(y)");
    assert_eq!(of.races(), Some(BTreeSet::from([(0, 6)])));
    // Nobody has gone on: the round is not known to be complete, and holds nobody.
    let of = schedules("1|w(x)\n1|barrier(b)\n2|r(x)");
    assert_eq!(of.races(), Some(BTreeSet::from([(0, 2)])));
    // A thread arrives with a lock that another needs to arrive.
    let of =
        schedules("2|acq(m)\n2|rel(m)\n2|barrier(b)\n1|acq(m)\n1|barrier(b)\n1|rel(m)\n2|r(x)");
    assert_eq!(of.deadlocks(), Some(true));
}

#[test]
fn waiting_lets_go() {
    let of = schedules(
        "1|acq(m)\n1|w(x)\n1|wait(m)\n2|acq(m)\n2|w(x)\n2|rel(m)\n1|acq(m)\n1|r(x)\n1|rel(m)",
    );
    assert_eq!(of.can_be_between(4, 1, 7), Some(true));
    assert_eq!((of.deadlocks(), of.races()), (Some(false), Some(BTreeSet::new())));
}

#[test]
fn it_gives_up() {
    let events: Vec<Event> = Shape { threads: 4, steps: 30, ..Shape::PLAIN }.trace(1);
    assert_eq!(Schedules::new(&events).with_cap(5).is_atomic(), None);
    assert_eq!(Schedules::new(&events).with_cap(5).deadlocks(), None);
}

/// A little of everything, short.
const SMALL: Shape = Shape {
    threads: 3,
    vars: 2,
    locks: 2,
    steps: 4,
    depth: 2,
    accesses: 5,
    ordered: false,
    nested: false,
    in_blocks: false,
    forks: true,
    barriers: true,
    waits: true,
    volatiles: true,
};

#[test]
fn random_traces_are_what_they_should_be() {
    let mut seen = HashSet::new();
    for seed in 0..2000 {
        let events = SMALL.trace(seed);
        assert!(is_valid(&events) && is_closed(&events), "{}", text(&events));
        seen.extend(events.iter().map(|event| event.op));
        let own: Vec<usize> = (0..events.len()).filter(|&at| matters(&events[at])).collect();
        assert!(Schedules::new(&events).allows(&own), "{}", text(&events));
        let again = named(&events);
        assert_eq!(again.events.len(), events.len());
        let ordered = Shape { ordered: true, forks: false, barriers: false, ..SMALL }.trace(seed);
        assert_eq!(Schedules::new(&ordered).deadlocks(), Some(false), "{}", text(&ordered));
    }
    for op in Op::ALL {
        let rare = matches!(op, Op::Dummy | Op::Notify | Op::Exit | Op::Escape);
        assert!(rare || seen.contains(&op), "no {op:?}");
    }
}

#[test]
fn shrinking_keeps_what_fails() {
    let events = (0..).map(|seed| Shape::LOCKS.trace(seed)).find(|events| deadlocks(events));
    let small = shrink(&events.unwrap(), &deadlocks);
    assert_eq!(small.len(), 8, "{}", text(&small));
}

fn deadlocks(events: &[Event]) -> bool {
    Schedules::new(events).deadlocks() == Some(true)
}

/// The short cuts change nothing, and both agree with all orders tried one by one.
#[test]
fn the_search_misses_nothing() {
    let (mut atomic, mut stuck, mut races, mut cut) = (0, 0, 0, 0);
    let mut compared = 0;
    let blocks = Shape { vars: 1, in_blocks: true, forks: false, barriers: false, ..SMALL };
    let locks = Shape { forks: false, barriers: false, waits: false, steps: 3, ..Shape::LOCKS };
    let shapes = [
        SMALL,
        Shape { threads: 2, steps: 6, in_blocks: true, ..SMALL },
        Shape { threads: 2, steps: 6, depth: 3, ..blocks },
        Shape { threads: 2, steps: 5, vars: 2, accesses: 8, waits: false, ..blocks },
        Shape { steps: 3, accesses: 8, waits: false, volatiles: false, ..blocks },
        Shape { threads: 2, locks: 2, steps: 8, accesses: 0, nested: false, ..locks },
        Shape { threads: 2, locks: 2, steps: 10, accesses: 0, ..locks },
    ];
    for seed in 0..1000 * u64::from(times()) {
        let events = shapes[seed as usize % shapes.len()].trace(seed);
        let Some(naive) = Naive::of(&events) else { continue };
        compared += 1;
        let show = || text(&events);
        for of in [Schedules::new(&events), Schedules::new(&events).literal()] {
            assert_eq!(of.deadlocks(), Some(naive.stuck), "{}", show());
            assert_eq!(of.races().as_ref(), Some(&naive.races), "{}", show());
            assert_eq!(of.is_atomic(), Some(naive.is_atomic(&of, None)), "{}", show());
        }
        let of = Schedules::new(&events);
        for unit in (0..of.units().len()).filter(|&unit| of.units()[unit].block) {
            let whole = naive.is_atomic(&of, Some(unit));
            assert_eq!(of.can_be_cut(unit), Some(!whole), "unit {unit} of\n{}", show());
            cut += usize::from(!whole);
        }
        atomic += usize::from(Schedules::new(&events).is_atomic() == Some(true));
        stuck += usize::from(naive.stuck);
        races += naive.races.len();
    }
    println!("{compared} compared: {atomic} atomic, {stuck} stuck, {races} races, {cut} cut");
    assert!(compared > 500 && atomic > 50 && compared - atomic > 50);
    assert!(stuck > 20 && races > 100 && cut > 100);
}

fn matters(event: &Event) -> bool {
    !matches!(event.op, Op::Begin | Op::End | Op::Dummy | Op::Notify | Op::Exit | Op::Escape)
}

/// The events, the write-predecessors of reads, the final writes.
type View = (BTreeSet<usize>, Vec<(usize, Option<usize>)>, Vec<usize>);

/// All orders of the events that matter, one by one.
struct Naive {
    /// Those that have all events, or that nothing can be added to.
    orders: Vec<Vec<usize>>,
    stuck: bool,
    races: BTreeSet<(usize, usize)>,
    events: Vec<Event>,
}

impl Naive {
    /// `None` if there are too many.
    fn of(events: &[Event]) -> Option<Naive> {
        let listed: Vec<usize> = (0..events.len()).filter(|&at| matters(&events[at])).collect();
        let mut naive =
            Naive { orders: vec![], stuck: false, races: BTreeSet::new(), events: events.to_vec() };
        let few = naive.extend(&listed, &mut vec![]);
        few.then_some(naive)
    }

    fn extend(&mut self, listed: &[usize], order: &mut Vec<usize>) -> bool {
        let mut next = vec![];
        for &event in listed {
            let longer = [&order[..], &[event]].concat();
            if !order.contains(&event) && possible(&self.events, listed, &longer) {
                next.push(event);
            }
        }
        let pairs = next.iter().flat_map(|&a| next.iter().map(move |&b| (a, b)));
        let races: Vec<_> = pairs.filter(|&(a, b)| a < b && self.race(a, b)).collect();
        self.races.extend(races);
        if next.is_empty() {
            self.stuck |= order.len() < listed.len();
            self.orders.push(order.clone());
        }
        for event in next {
            order.push(event);
            let few = self.extend(listed, order);
            order.pop();
            if !few {
                return false;
            }
        }
        self.orders.len() < 600
    }

    fn race(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.events[a], self.events[b]);
        matches!((a.op, b.op), (Op::Write, Op::Read | Op::Write) | (Op::Read, Op::Write))
            && a.operand == b.operand
    }

    /// Whether each order is equivalent to one that has this unit (or all) in one piece.
    fn is_atomic(&self, of: &Schedules, unit: Option<usize>) -> bool {
        let whole = |order: &&Vec<usize>| {
            let mut units: Vec<usize> = order.iter().map(|&event| of.unit_of(event)).collect();
            units.dedup();
            (0..of.units().len()).filter(|&one| unit.is_none_or(|unit| unit == one)).all(|one| {
                let events: Vec<usize> =
                    (0..self.events.len()).filter(|&e| of.unit_of(e) == one).collect();
                let all = events.iter().filter(|&&e| matters(&self.events[e])).count();
                let some = order.iter().filter(|&&e| of.unit_of(e) == one).count();
                units.iter().filter(|&&other| other == one).count() <= 1
                    && (some == 0 || some == all)
            })
        };
        let all: HashSet<_> = self.orders.iter().map(|order| self.view(order)).collect();
        let serial = self.orders.iter().filter(whole).map(|order| self.view(order));
        all == serial.collect()
    }

    /// Which events there are, what each read reads, and the last writes.
    fn view(&self, order: &[usize]) -> View {
        let accesses = |at: usize, var: u32| {
            let event = self.events[at];
            event.op.operand_kind() == OperandKind::Var && event.operand == var
        };
        let is_write =
            |at: usize| matches!(self.events[at].op, Op::Write | Op::VolatileWrite | Op::Update);
        let mut reads = vec![];
        let mut last = HashMap::new();
        for (i, &at) in order.iter().enumerate() {
            let (op, var) = (self.events[at].op, self.events[at].operand);
            if matches!(op, Op::Read | Op::VolatileRead | Op::Update) {
                let from = order[..i].iter().rev().find(|&&w| accesses(w, var) && is_write(w));
                reads.push((at, from.copied()));
            }
            if is_write(at) {
                last.insert(var, at);
            }
        }
        let mut last: Vec<usize> = last.into_values().collect();
        last.sort_unstable();
        reads.sort_unstable();
        (order.iter().copied().collect(), reads, last)
    }
}

/// Whether threads, locks, starts, joins and barriers allow this order so far.
fn possible(events: &[Event], listed: &[usize], order: &[usize]) -> bool {
    let last = order[order.len() - 1];
    let thread = events[last].thread;
    let before = |at: usize| order[..order.len() - 1].contains(&at);
    // Its thread's own order, and all of a thread that is awaited.
    let own =
        listed.iter().filter(|&&at| at < last && events[at].thread == thread).all(|&at| before(at));
    let awaited = events[last].op != Op::Join
        || listed
            .iter()
            .filter(|&&at| events[at].thread == events[last].child())
            .all(|&at| before(at));
    let forked = listed.iter().filter(|&&at| events[at].op == Op::Fork);
    // Those that start the thread, or the thread that is awaited.
    let started = forked.clone().all(|&at| {
        let child = events[at].child();
        let concerned =
            child == thread || events[last].op == Op::Join && child == events[last].child();
        !concerned || before(at)
    });
    own && awaited && started && locks_allow(events, order) && barriers_allow(events, last, &before)
}

fn locks_allow(events: &[Event], order: &[usize]) -> bool {
    let mut held = HashSet::new();
    order.iter().map(|&at| events[at]).all(|event| match event.op {
        Op::Acquire => held.insert(event.operand),
        Op::Release | Op::Wait => held.remove(&event.operand),
        _ => true,
    })
}

/// An arrival that happened in the trace before `last`'s thread went on from its own arrival at the
/// same barrier, after the round before it, has happened in this order too.
fn barriers_allow(events: &[Event], last: usize, before: &dyn Fn(usize) -> bool) -> bool {
    let mut concerned = vec![events[last].thread];
    if events[last].op == Op::Join {
        concerned.push(events[last].child());
    }
    concerned.into_iter().all(|thread| {
        let mine =
            (0..last).filter(|&at| events[at].thread == thread && events[at].op == Op::Barrier);
        mine.into_iter().all(|arrival| match round(events, arrival) {
            Some(round) => round.into_iter().all(before),
            None => true,
        })
    })
}

/// The arrivals of the round of an arrival; `None` if nobody goes on.
fn round(events: &[Event], arrival: usize) -> Option<Vec<usize>> {
    let same = |at: &usize| {
        events[*at].op == Op::Barrier && events[*at].operand == events[arrival].operand
    };
    let goes_on = |arrival: usize| {
        (arrival + 1..events.len()).find(|&at| {
            let thread = events[arrival].thread;
            events[at].thread == thread || events[at].op == Op::Join && events[at].child() == thread
        })
    };
    // Rounds follow each other: a round ends when the first of its members goes on.
    let mut first = 0;
    loop {
        let arrivals = || (first..events.len()).filter(same);
        let end = arrivals().filter_map(goes_on).min()?;
        let round: Vec<usize> = arrivals().filter(|&at| at < end).collect();
        if round.contains(&arrival) {
            return Some(round);
        }
        if arrival < end {
            return None;
        }
        first = end;
    }
}
