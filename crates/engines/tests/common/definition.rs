//! The definitions, taken literally: all pairs of events, all permutations, all swaps.
//!
//! Slow on purpose. Nothing here is clever enough to be wrong in an interesting way, and what can
//! be said in two ways is, so that each checks the other (see `oracle_self.rs`).

use interloper_trace::{Event, Op, OperandKind};
use std::collections::{HashMap, HashSet};

/// Which events of a trace cannot be turned round: those that conflict, and those that a barrier
/// keeps apart.
pub struct Order<'a> {
    events: &'a [Event],
    /// The round of each arrival at a barrier.
    rounds: HashMap<usize, usize>,
}

impl<'a> Order<'a> {
    pub fn new(events: &'a [Event]) -> Order<'a> {
        Order { events, rounds: rounds(events) }
    }

    /// Whether the events at these positions cannot be turned round.
    pub fn is_fixed(&self, a: usize, b: usize) -> bool {
        let (first, second) = (a.min(b), a.max(b));
        conflict(&self.events[first], &self.events[second]) || self.barrier(first, second)
    }

    /// Whether the first event is an arrival, and the second comes after another arrival of the same
    /// round, in its thread or as its thread's join.
    fn barrier(&self, first: usize, second: usize) -> bool {
        let Some(round) = self.rounds.get(&first) else { return false };
        let is_fellow = |fellow: usize| fellow != first && self.rounds.get(&fellow) == Some(round);
        (0..second).any(|fellow| is_fellow(fellow) && follows(self.events, fellow, second))
    }
}

/// Whether an event shows that the thread of an arrival has gone on: one of its own, or its join.
fn follows(events: &[Event], arrival: usize, event: usize) -> bool {
    let thread = events[arrival].thread;
    let joins = events[event].op == Op::Join && events[event].operand == thread.0;
    event > arrival && (events[event].thread == thread || joins)
}

/// The round of each arrival, known by the first of it: arrivals at one barrier are of one round
/// as long as none of them is seen to go on.
fn rounds(events: &[Event]) -> HashMap<usize, usize> {
    let mut rounds = HashMap::new();
    let arrivals = |barrier: u32| {
        let arrives =
            move |&at: &usize| events[at].op == Op::Barrier && events[at].operand == barrier;
        (0..events.len()).filter(arrives)
    };
    let barriers: HashSet<u32> =
        events.iter().filter(|event| event.op == Op::Barrier).map(|event| event.operand).collect();
    for barrier in barriers {
        let mut round: Vec<usize> = vec![];
        for at in arrivals(barrier) {
            let complete = |&one: &usize| (one..=at).any(|event| follows(events, one, event));
            if round.iter().any(complete) {
                round.clear();
            }
            round.push(at);
            rounds.insert(at, round[0]);
        }
    }
    rounds
}

/// Whether two events conflict, so that their order in the trace cannot be turned.
fn conflict(a: &Event, b: &Event) -> bool {
    a.thread == b.thread
        || matches!((variable(a), variable(b)), (Some(x), Some(y)) if x == y)
            && (writes(a) || writes(b))
        || matches!((lock(a), lock(b)), (Some(m), Some(n)) if m == n)
        || concerns(a, b)
        || concerns(b, a)
}

fn variable(event: &Event) -> Option<u32> {
    (event.op.operand_kind() == OperandKind::Var).then_some(event.operand)
}

fn writes(event: &Event) -> bool {
    matches!(event.op, Op::Write | Op::VolatileWrite | Op::Update)
}

/// The lock an event works on. A signal to waiters is ordered by nothing but its thread.
fn lock(event: &Event) -> Option<u32> {
    matches!(event.op, Op::Acquire | Op::Release | Op::Wait).then_some(event.operand)
}

/// Whether `a` starts or awaits the thread of `b`.
fn concerns(a: &Event, b: &Event) -> bool {
    matches!(a.op, Op::Fork | Op::Join) && a.operand == b.thread.0
}

/// The transaction of each event, numbered in the order of their first events: an outermost block
/// up to its end, or up to the end of the trace; an event outside blocks by itself.
pub fn transactions(events: &[Event]) -> Vec<usize> {
    let mut open = HashMap::new();
    let mut count = 0;
    let mut number = |event: &Event| {
        let (depth, transaction) = open.entry(event.thread).or_insert((0, 0));
        if *depth == 0 {
            *transaction = count;
            count += 1;
        }
        match event.op {
            Op::Begin => *depth += 1,
            Op::End => *depth -= 1,
            _ => {}
        }
        *transaction
    };
    events.iter().map(&mut number).collect()
}

/// The positions of the blocks' begins that are open in the thread of event `at` when it happens,
/// outermost first. (A `begin` is the first event of its own block, an `end` the last.)
pub fn open_blocks(events: &[Event], at: usize) -> Vec<usize> {
    let mut open = vec![];
    for (i, event) in events.iter().enumerate().take(at + 1) {
        if event.thread == events[at].thread {
            match event.op {
                Op::Begin => open.push(i),
                Op::End if i < at => drop(open.pop()),
                _ => {}
            }
        }
    }
    open
}

/// The happens-before relation: `before[b][a]` if `a` happens before `b`.
pub fn happens_before(events: &[Event]) -> Vec<Vec<bool>> {
    let order = Order::new(events);
    let mut before: Vec<Vec<bool>> = vec![];
    for b in 0..events.len() {
        let mut row = vec![false; events.len()];
        for a in 0..b {
            if order.is_fixed(a, b) {
                row[a] = true;
                for c in 0..a {
                    row[c] |= before[a][c];
                }
            }
        }
        before.push(row);
    }
    before
}

/// The first violation of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The last event of the shortest prefix that is not serializable.
    pub event: usize,
    /// Whether its transaction is not self-serializable in that prefix.
    pub blamed: bool,
    /// The begins of the open blocks of its thread that cannot run contiguously, outermost first.
    pub refuted: Vec<usize>,
}

/// The first violation, by the transactional graph over all pairs that cannot be turned round.
pub fn verdict_by_definition(events: &[Event]) -> Option<Verdict> {
    let (of, order) = (transactions(events), Order::new(events));
    let mut edges = HashSet::new();
    for b in 0..events.len() {
        for a in 0..b {
            if of[a] != of[b] && order.is_fixed(a, b) {
                edges.insert((of[a], of[b]));
            }
        }
        if cyclic(&edges, of.len()) {
            return Some(blame(&events[..=b], &of));
        }
    }
    None
}

/// Whether a trace is serializable, by the transactional graph.
pub fn serializable(events: &[Event]) -> bool {
    verdict_by_definition(events).is_none()
}

/// Takes away nodes without a predecessor for as long as there is one.
fn cyclic(edges: &HashSet<(usize, usize)>, nodes: usize) -> bool {
    let mut incoming = vec![0; nodes];
    let mut next = vec![vec![]; nodes];
    for &(from, to) in edges {
        incoming[to] += 1;
        next[from].push(to);
    }
    let mut free: Vec<usize> = (0..nodes).filter(|&node| incoming[node] == 0).collect();
    let mut taken = 0;
    while let Some(node) = free.pop() {
        taken += 1;
        for &to in &next[node] {
            incoming[to] -= 1;
            if incoming[to] == 0 {
                free.push(to);
            }
        }
    }
    taken < nodes
}

/// Blame at the last event of a prefix.
fn blame(prefix: &[Event], of: &[usize]) -> Verdict {
    let event = prefix.len() - 1;
    let before = happens_before(prefix);
    let transaction: Vec<usize> = (0..=event).filter(|&i| of[i] == of[event]).collect();
    let refuted = open_blocks(prefix, event)
        .into_iter()
        .filter(|&begin| interrupted(&before, &from(&transaction, begin)))
        .collect();
    Verdict { event, blamed: interrupted(&before, &transaction), refuted }
}

/// The events of a transaction from a position on: those of a block that is open at its end.
pub fn from(transaction: &[usize], begin: usize) -> Vec<usize> {
    transaction.iter().copied().filter(|&i| i >= begin).collect()
}

/// Whether an event outside `unit` comes between two events of it in the happens-before relation.
fn interrupted(before: &[Vec<bool>], unit: &[usize]) -> bool {
    (0..before.len()).any(|x| {
        !unit.contains(&x)
            && unit.iter().any(|&first| before[x][first])
            && unit.iter().any(|&last| before[last][x])
    })
}

/// Whether some order of whole transactions keeps the order of every pair that cannot be turned.
/// For traces of a few transactions: all permutations are tried.
pub fn serializable_by_permutation(events: &[Event]) -> bool {
    let (of, order) = (transactions(events), Order::new(events));
    let count = of.iter().max().map_or(0, |max| max + 1);
    let mut places: Vec<usize> = (0..count).collect();
    permuted(&mut places, 0, &mut |places| {
        let mut serial: Vec<usize> = (0..events.len()).collect();
        serial.sort_by_key(|&i| (places[of[i]], i));
        equivalent_order(&order, &serial)
    })
}

/// Whether one of the permutations of `order[fixed..]` is `good`.
fn permuted(order: &mut Vec<usize>, fixed: usize, good: &mut dyn FnMut(&[usize]) -> bool) -> bool {
    if fixed == order.len() {
        return good(order);
    }
    for i in fixed..order.len() {
        order.swap(fixed, i);
        let found = permuted(order, fixed + 1, good);
        order.swap(fixed, i);
        if found {
            return true;
        }
    }
    false
}

fn equivalent_order(order: &Order<'_>, events: &[usize]) -> bool {
    events.iter().enumerate().all(|(place, &later)| {
        events[..place].iter().all(|&sooner| sooner < later || !order.is_fixed(sooner, later))
    })
}

/// Every trace that repeated swaps of adjacent commuting events make of this one, as orders of the
/// events' positions. For traces of a few events.
pub fn equivalent_traces(events: &[Event]) -> HashSet<Vec<usize>> {
    let fixed = Order::new(events);
    let first: Vec<usize> = (0..events.len()).collect();
    let mut known = HashSet::from([first.clone()]);
    let mut todo = vec![first];
    while let Some(order) = todo.pop() {
        for i in 1..order.len() {
            if !fixed.is_fixed(order[i - 1], order[i]) {
                let mut swapped = order.clone();
                swapped.swap(i - 1, i);
                if known.insert(swapped.clone()) {
                    todo.push(swapped);
                }
            }
        }
    }
    known
}

/// Whether the events of a unit stand side by side in this order.
pub fn contiguous(order: &[usize], unit: &[usize]) -> bool {
    let places: Vec<usize> =
        (0..order.len()).filter(|&place| unit.contains(&order[place])).collect();
    places.windows(2).all(|pair| pair[0] + 1 == pair[1])
}
