//! Happens-before, straight from its definition: all pairs of events of a small trace.

use interloper_trace::{Event, Op};
use std::collections::HashMap;

/// What orders events beside each thread's own order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Locks, volatile variables, `fork`, `join`, barriers: what the observed run ordered.
    All,
    /// `fork`, `join`, barriers: what every run orders.
    Threads,
}

/// `before[a][b]`: event `a` happens before event `b`.
pub fn happens_before(events: &[Event], by: By) -> Vec<Vec<bool>> {
    let n = events.len();
    let rounds = rounds(events);
    let direct = |a: usize, b: usize| {
        a < b && (directly(events, a, b, by) || through_barrier(events, &rounds, a, b))
    };
    let mut before: Vec<Vec<bool>> =
        (0..n).map(|a| (0..n).map(|b| direct(a, b)).collect()).collect();
    for middle in 0..n {
        let after = before[middle].clone();
        for row in before.iter_mut().filter(|row| row[middle]) {
            row.iter_mut().zip(&after).for_each(|(known, also)| *known |= also);
        }
    }
    before
}

fn directly(events: &[Event], a: usize, b: usize, by: By) -> bool {
    let (first, second) = (&events[a], &events[b]);
    let same = first.operand == second.operand && by == By::All;
    first.thread == second.thread
        || match (first.op, second.op) {
            (Op::Fork, _) if first.child() == second.thread => true,
            (_, Op::Join) if first.thread == second.child() => true,
            // A thread that does nothing in between has begun and ended all the same.
            (Op::Fork, Op::Join) if first.operand == second.operand => true,
            (Op::Release | Op::Wait, Op::Acquire) => same,
            (Op::VolatileWrite | Op::Update, Op::VolatileRead | Op::Update) => same,
            _ => false,
        }
}

/// The arrivals of each complete round.
fn rounds(events: &[Event]) -> Vec<Vec<usize>> {
    let mut open: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut complete = vec![];
    for (at, event) in events.iter().enumerate() {
        let joined = (event.op == Op::Join).then(|| event.child());
        for thread in [Some(event.thread), joined].into_iter().flatten() {
            let waits = |round: &Vec<usize>| round.iter().any(|&a| events[a].thread == thread);
            if let Some(barrier) = open.iter().find(|(_, round)| waits(round)).map(|(&b, _)| b) {
                complete.extend(open.remove(&barrier));
            }
        }
        if event.op == Op::Barrier {
            open.entry(event.operand).or_default().push(at);
        }
    }
    complete
}

/// Whether `a` arrives in a round, and `b` is an event of one of its threads after its own arrival,
/// or its join.
fn through_barrier(events: &[Event], rounds: &[Vec<usize>], a: usize, b: usize) -> bool {
    let of_thread = |arrival: usize| {
        let thread = events[arrival].thread;
        let joins = events[b].op == Op::Join && events[b].child() == thread;
        b > arrival && (events[b].thread == thread || joins)
    };
    rounds.iter().any(|round| round.contains(&a) && round.iter().any(|&other| of_thread(other)))
}

/// The locks that are held at each event, by its thread.
pub fn held(events: &[Event]) -> Vec<Vec<u32>> {
    let mut hands: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut all = vec![];
    for event in events {
        let hand = hands.entry(event.thread.0).or_default();
        match event.op {
            Op::Acquire => hand.push(event.operand),
            Op::Release | Op::Wait => hand.retain(|&lock| lock != event.operand),
            _ => {}
        }
        all.push(hand.clone());
    }
    all
}

/// Whether two events are plain accesses of one variable by different threads, one of them a write.
pub fn conflict(a: &Event, b: &Event) -> bool {
    let plain = |event: &Event| matches!(event.op, Op::Read | Op::Write);
    plain(a)
        && plain(b)
        && a.operand == b.operand
        && a.thread != b.thread
        && (a.op == Op::Write || b.op == Op::Write)
}
