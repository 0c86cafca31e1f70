//! A naive reference, written from the definitions and sharing nothing with the analysis: it enumerates the paths of each method
//! with loops unrolled, and looks for two acquisitions on a path. Sets between methods are iterated until they are stable.
//!
//! Three rounds of a loop are enough: a path that matters enters a block, goes to a release and from there to an acquisition;
//! each of the three ways needs to pass a loop's head at most once more.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{E, K, M, St};

const ROUNDS: usize = 3;

/// A lock that is acquired twice, or two locks.
pub type Pair = (E, E);
pub type Pairs = BTreeSet<Pair>;

/// What happens on a path; statements are known by their lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ev {
    Enter(u32),
    Leave,
    Call(u32),
    Assign(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Normal,
    Return,
    Break,
    Continue,
    /// In a loop without end.
    Stuck,
}

/// A path: its events, before and after which of them an exception may leave for the next handler, and how it ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Path {
    events: Vec<Ev>,
    throws: Vec<bool>,
    end: End,
}

/// What is expected of a method.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    pub held: BTreeSet<E>,
    pub released: BTreeSet<E>,
    pub twice: Pairs,
    pub pattern: Pairs,
    pub final_twice: Pairs,
    pub final_pattern: Pairs,
    /// Places: lines of the first and second acquisition and the locks; for those that a block of the method confirms, and for those
    /// that only callers could.
    pub confirmed: BTreeSet<(u32, u32, Pair)>,
    pub open: BTreeSet<(u32, u32, Pair)>,
    /// What callers do confirm.
    pub by_callers: Pairs,
}

pub struct Reference<'a> {
    methods: &'a [M],
    bound: usize,
    variant: bool,
    /// All statements by line, and what those that call acquire and may assign to.
    stmts: BTreeMap<u32, &'a K>,
    acquired: BTreeMap<u32, BTreeSet<E>>,
    assigned: BTreeMap<u32, BTreeSet<E>>,
    pub expected: Vec<Expected>,
}

/// A call: its line, receiver, name, arguments and the blocks around it, from the outermost.
struct CallSite<'a> {
    line: u32,
    receiver: &'a E,
    name: &'a str,
    args: &'a [E],
    around: Vec<E>,
}

impl<'a> Reference<'a> {
    /// Computes everything; nothing, if there are more than `limit` paths.
    pub fn new(methods: &'a [M], bound: usize, variant: bool, limit: usize) -> Option<Self> {
        let expected = vec![Expected::default(); methods.len()];
        let (mut stmts, acquired) = (BTreeMap::new(), BTreeMap::new());
        for method in methods {
            each_stmt(&method.body, &mut |st| {
                stmts.insert(st.line, &st.kind);
            });
        }
        let assigned = BTreeMap::new();
        let mut reference = Self { methods, bound, variant, stmts, acquired, assigned, expected };
        reference.locks_held();
        reference.assigned();
        for method in methods {
            for call in calls(&method.body) {
                reference.acquired.insert(call.line, reference.acquired_by(&call));
            }
        }
        for (index, method) in methods.iter().enumerate() {
            let mut found = Found::default();
            for path in paths_of(&method.body, limit)? {
                reference.look_at(&path, &mut found);
            }
            let facts = found.facts();
            let held = std::mem::take(&mut reference.expected[index].held);
            reference.expected[index] = Expected { held, ..facts };
        }
        reference.finals();
        reference.confirm();
        Some(reference)
    }

    fn locks_held(&mut self) {
        loop {
            let before: usize = self.expected.iter().map(|e| e.held.len()).sum();
            for method in 0..self.methods.len() {
                let mut held: BTreeSet<E> = BTreeSet::new();
                each_stmt(&self.methods[method].body, &mut |st| {
                    if let K::Sync(lock, _) = &st.kind {
                        held.insert(self.bounded(lock));
                    }
                });
                for call in calls(&self.methods[method].body) {
                    held.extend(self.acquired_by(&call));
                }
                held.remove(&E::Unknown);
                self.expected[method].held.extend(held);
            }
            let after: usize = self.expected.iter().map(|e| e.held.len()).sum();
            if before == after {
                return;
            }
        }
    }

    /// L of a call.
    fn acquired_by(&self, call: &CallSite<'_>) -> BTreeSet<E> {
        let mut locks = BTreeSet::new();
        for callee in self.callees(call.name) {
            for lock in &self.expected[callee].held {
                locks.insert(self.translate(callee, lock, call));
            }
        }
        locks.remove(&E::Unknown);
        locks
    }

    /// What calls may assign to: fields, elements and static fields, in terms of the caller.
    fn assigned(&mut self) {
        let mut by_method: Vec<BTreeSet<E>> = vec![BTreeSet::new(); self.methods.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for method in 0..self.methods.len() {
                let mut found = BTreeSet::new();
                each_stmt(&self.methods[method].body, &mut |st| match &st.kind {
                    K::Assign(E::Var(_)) => {}
                    K::Assign(target) => found.extend([self.bounded(target)]),
                    _ => {}
                });
                for call in calls(&self.methods[method].body) {
                    let mut by_call = BTreeSet::new();
                    for callee in self.callees(call.name) {
                        let below = by_method[callee].iter();
                        by_call.extend(below.map(|e| self.translate(callee, e, &call)));
                    }
                    by_call.remove(&E::Unknown);
                    found.extend(by_call.iter().cloned());
                    self.assigned.insert(call.line, by_call);
                }
                found.remove(&E::Unknown);
                changed |= found.len() > by_method[method].len();
                by_method[method] = found;
            }
        }
    }

    fn callees(&self, name: &str) -> Vec<usize> {
        (0..self.methods.len()).filter(|&m| self.methods[m].name == name).collect()
    }

    /// An expression, or `*` where it is too long or accesses `*`.
    fn bounded(&self, e: &E) -> E {
        if size(e).is_none_or(|s| s > self.bound) || matches!(e, E::Const(_)) {
            E::Unknown
        } else {
            e.clone()
        }
    }

    fn translate(&self, callee: usize, e: &E, call: &CallSite<'_>) -> E {
        self.bounded(&self.replace(callee, e, call))
    }

    fn replace(&self, callee: usize, e: &E, call: &CallSite<'_>) -> E {
        match e {
            E::This => self.passed(call.receiver),
            E::Var(name) => {
                let position = self.methods[callee].params.iter().position(|p| p == name);
                let mut assigned = false;
                each_stmt(&self.methods[callee].body, &mut |st| {
                    assigned |= matches!(&st.kind, K::Assign(E::Var(v)) if v == name);
                });
                match position {
                    Some(at) if !assigned => {
                        call.args.get(at).map_or(E::Unknown, |a| self.passed(a))
                    }
                    _ => E::Unknown,
                }
            }
            E::Field(base, name) => {
                E::Field(Box::new(self.replace(callee, base, call)), name.clone())
            }
            E::Index(base, index) => E::Index(
                Box::new(self.replace(callee, base, call)),
                Box::new(self.replace(callee, index, call)),
            ),
            leaf => leaf.clone(),
        }
    }

    /// An argument, which may be an integer.
    fn passed(&self, e: &E) -> E {
        if matches!(e, E::Const(_)) { e.clone() } else { self.bounded(e) }
    }

    /// What one path adds to a method's facts.
    fn look_at<'f>(&'f self, path: &Path, found: &mut Found<'f>) {
        let trace = Trace::new(self, &path.events);
        for a in &trace.acquisitions {
            if path.end != End::Stuck && trace.survives(a, path.events.len()) {
                found.released.insert(a.lock);
            }
            for b in &trace.acquisitions {
                if (a.lock != b.lock && !self.variant) || !trace.survives(a, b.at) {
                    continue;
                }
                // The blocks that contain both, and all that contain the second.
                let shared = a.around.iter().zip(&b.around).take_while(|(x, y)| x == y).count();
                let locks: Vec<&E> = b.around.iter().map(|&at| trace.lock_at(at)).collect();
                let again = locks.contains(&b.lock);
                if shared == 0 {
                    found.twice.insert((again, a.line, b.line, a.lock, b.lock));
                } else if !locks[..shared].contains(&a.lock) && !locks[..shared].contains(&b.lock) {
                    found.pattern.insert((again, a.line, b.line, a.lock, b.lock));
                }
            }
        }
    }

    fn translate_pair(&self, callee: usize, pair: &Pair, call: &CallSite<'_>) -> Option<Pair> {
        let first = self.translate(callee, &pair.0, call);
        let second = self.translate(callee, &pair.1, call);
        (first != E::Unknown && second != E::Unknown).then_some((first, second))
    }

    /// Whether calls, by their lines from the context's method down, lead to a method such that the blocks around the first of them
    /// confirm a pair of the method.
    pub fn is_context(&self, method: usize, pair: &Pair, lines: &[u32]) -> bool {
        let (mut callee, mut pair) = (method, pair.clone());
        for (at, line) in lines.iter().enumerate().rev() {
            let called = |m: &usize| calls(&self.methods[*m].body).iter().any(|c| c.line == *line);
            let Some(caller) = (0..self.methods.len()).find(called) else { return false };
            let sites = calls(&self.methods[caller].body);
            let Some(site) = sites.iter().find(|c| c.line == *line) else { return false };
            let Some(above) = self.translate_pair(callee, &pair, site) else { return false };
            let held = site.around.contains(&above.0) || site.around.contains(&above.1);
            // Only the first call is inside of a block.
            if (at == 0) == site.around.is_empty() || held {
                return false;
            }
            (callee, pair) = (caller, above);
        }
        true
    }

    fn finals(&mut self) {
        for expected in &mut self.expected {
            expected.final_twice = expected.twice.clone();
            expected.final_pattern = expected.pattern.clone();
        }
        let mut changed = true;
        while changed {
            changed = false;
            for method in 0..self.methods.len() {
                for call in calls(&self.methods[method].body) {
                    for callee in self.callees(call.name) {
                        for pair in self.expected[callee].final_twice.clone() {
                            let Some(pair) = self.translate_pair(callee, &pair, &call) else {
                                continue;
                            };
                            let expected = &mut self.expected[method];
                            if call.around.is_empty() {
                                changed |= expected.final_twice.insert(pair);
                            } else if !call.around.contains(&pair.0)
                                && !call.around.contains(&pair.1)
                            {
                                changed |= expected.final_pattern.insert(pair);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Which members of FINAL_T some block further up confirms.
    fn confirm(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for method in 0..self.methods.len() {
                for call in calls(&self.methods[method].body) {
                    for callee in self.callees(call.name) {
                        for below in self.expected[callee].final_twice.clone() {
                            let Some(pair) = self.translate_pair(callee, &below, &call) else {
                                continue;
                            };
                            let confirmed = if call.around.is_empty() {
                                self.expected[method].by_callers.contains(&pair)
                            } else {
                                !call.around.contains(&pair.0) && !call.around.contains(&pair.1)
                            };
                            changed |= confirmed && self.expected[callee].by_callers.insert(below);
                        }
                    }
                }
            }
        }
    }
}

/// Two acquisitions: whether the second is re-entrant, their lines and locks.
type Both<'a> = (bool, u32, u32, &'a E, &'a E);

/// What paths show of a method.
#[derive(Default)]
struct Found<'a> {
    released: BTreeSet<&'a E>,
    twice: BTreeSet<Both<'a>>,
    pattern: BTreeSet<Both<'a>>,
}

impl Found<'_> {
    fn facts(&self) -> Expected {
        let pairs = |both: &BTreeSet<Both<'_>>| {
            both.iter().map(|&(.., a, b)| (a.clone(), b.clone())).collect()
        };
        let places = |both: &BTreeSet<Both<'_>>| {
            let fresh = both.iter().filter(|b| !b.0);
            fresh.map(|&(_, x, y, a, b)| (x, y, (a.clone(), b.clone()))).collect()
        };
        Expected {
            released: self.released.iter().map(|&lock| lock.clone()).collect(),
            twice: pairs(&self.twice),
            pattern: pairs(&self.pattern),
            open: places(&self.twice),
            confirmed: places(&self.pattern),
            ..Expected::default()
        }
    }
}

/// One acquisition on a path.
struct Acquisition<'a> {
    lock: &'a E,
    line: u32,
    /// When it is acquired and released, as positions of events.
    at: usize,
    released: Option<usize>,
    /// The blocks around it, by the positions where they were entered, from the outermost.
    around: Vec<usize>,
}

/// A path with its acquisitions.
struct Trace<'a, 'e> {
    reference: &'a Reference<'a>,
    events: &'e [Ev],
    acquisitions: Vec<Acquisition<'a>>,
}

impl<'a, 'e> Trace<'a, 'e> {
    fn new(reference: &'a Reference<'a>, events: &'e [Ev]) -> Self {
        let mut trace = Trace { reference, events, acquisitions: Vec::new() };
        let mut around: Vec<usize> = Vec::new();
        let mut entered: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, event) in events.iter().enumerate() {
            match *event {
                Ev::Enter(line) => {
                    let lock = trace.lock_at(at);
                    if *lock != E::Unknown {
                        entered.insert(at, trace.acquisitions.len());
                        let (around, released) = (around.clone(), None);
                        trace.acquisitions.push(Acquisition { lock, line, at, released, around });
                    }
                    around.push(at);
                }
                Ev::Leave => {
                    let entry = around.pop().unwrap();
                    if let Some(&acquisition) = entered.get(&entry) {
                        trace.acquisitions[acquisition].released = Some(at);
                    }
                }
                Ev::Call(line) => {
                    for lock in &reference.acquired[&line] {
                        let (around, released) = (around.clone(), Some(at));
                        trace.acquisitions.push(Acquisition { lock, line, at, released, around });
                    }
                }
                Ev::Assign(_) => {}
            }
        }
        trace
    }

    fn lock_at(&self, at: usize) -> &'a E {
        let Ev::Enter(line) = self.events[at] else { unreachable!() };
        let K::Sync(lock, _) = self.reference.stmts[&line] else { unreachable!() };
        if self.reference.bounded(lock) == E::Unknown { &E::Unknown } else { lock }
    }

    /// Whether an acquisition was released before a position, and its expression kept its meaning until there.
    fn survives(&self, acquisition: &Acquisition<'_>, until: usize) -> bool {
        acquisition.released.is_some_and(|r| r < until)
            && !self.events[acquisition.at..until].iter().any(|event| match event {
                Ev::Assign(line) => match self.reference.stmts[line] {
                    K::Assign(target) => depends(acquisition.lock, target),
                    _ => unreachable!(),
                },
                // a call assigns after it has acquired what it acquires
                Ev::Call(line) => {
                    self.reference.assigned[line].iter().any(|x| depends(acquisition.lock, x))
                }
                _ => false,
            })
    }
}

fn depends(e: &E, x: &E) -> bool {
    e == x
        || match e {
            E::Field(base, _) => depends(base, x),
            E::Index(base, index) => depends(base, x) || depends(index, x),
            _ => false,
        }
}

fn size(e: &E) -> Option<usize> {
    let base = |b: &E| if matches!(b, E::Const(_)) { None } else { size(b) };
    match e {
        E::Unknown => None,
        E::Const(_) => Some(0),
        E::This | E::Var(_) | E::Static(..) => Some(1),
        E::Field(b, _) => Some(base(b)? + 1),
        E::Index(b, i) => Some(base(b)? + 1 + size(i)?),
    }
}

fn each_stmt<'a>(stmts: &'a [St], call: &mut dyn FnMut(&'a St)) {
    for st in stmts {
        call(st);
        match &st.kind {
            K::Sync(_, a) | K::Loop(a) | K::Forever(a) => each_stmt(a, call),
            K::If(a, b) | K::Try(a, b) => {
                each_stmt(a, call);
                each_stmt(b, call);
            }
            _ => {}
        }
    }
}

fn calls(stmts: &[St]) -> Vec<CallSite<'_>> {
    let mut found = Vec::new();
    calls_in(stmts, &mut Vec::new(), &mut found);
    found
}

fn calls_in<'a>(stmts: &'a [St], around: &mut Vec<E>, found: &mut Vec<CallSite<'a>>) {
    for st in stmts {
        match &st.kind {
            K::Call { receiver, name, args } => {
                found.push(CallSite {
                    line: st.line,
                    receiver,
                    name,
                    args,
                    around: around.clone(),
                });
            }
            K::Sync(lock, body) => {
                around.push(lock.clone());
                calls_in(body, around, found);
                around.pop();
            }
            K::Loop(a) | K::Forever(a) => calls_in(a, around, found),
            K::If(a, b) | K::Try(a, b) => {
                calls_in(a, around, found);
                calls_in(b, around, found);
            }
            _ => {}
        }
    }
}

impl Path {
    fn new(events: Vec<Ev>, end: End) -> Self {
        let throws = vec![true; events.len() + 1];
        Path { events, throws, end }
    }

    /// This path and then another; nothing follows a path that does not end normally.
    fn then(&self, next: &Path) -> Path {
        let events = [&self.events[..], &next.events].concat();
        let mut throws = self.throws.clone();
        let last = throws.pop().unwrap() || next.throws[0];
        throws.push(last);
        throws.extend_from_slice(&next.throws[1..]);
        Path { events, throws, end: next.end }
    }
}

type Paths = BTreeSet<Path>;

fn paths_of(stmts: &[St], limit: usize) -> Option<Paths> {
    let mut paths = Paths::from([Path::new(Vec::new(), End::Normal)]);
    for st in stmts {
        paths = sequence(&paths, &paths_of_stmt(st, limit)?, limit)?;
    }
    Some(paths)
}

fn sequence(first: &Paths, next: &Paths, limit: usize) -> Option<Paths> {
    let mut paths = Paths::new();
    for path in first {
        if path.end == End::Normal {
            paths.extend(next.iter().map(|n| path.then(n)));
        } else {
            paths.insert(path.clone());
        }
        if paths.len() > limit {
            return None;
        }
    }
    Some(paths)
}

fn paths_of_stmt(st: &St, limit: usize) -> Option<Paths> {
    let single = |events, end| Some(Paths::from([Path::new(events, end)]));
    match &st.kind {
        K::Assign(_) => single(vec![Ev::Assign(st.line)], End::Normal),
        K::Call { .. } => single(vec![Ev::Call(st.line)], End::Normal),
        K::Return => single(Vec::new(), End::Return),
        K::Break => single(Vec::new(), End::Break),
        K::Continue => single(Vec::new(), End::Continue),
        K::Sync(_, body) => {
            let body = paths_of(body, limit)?;
            let enter = Path::new(vec![Ev::Enter(st.line)], End::Normal);
            Some(
                body.iter()
                    .map(|path| {
                        let inside = enter.then(path);
                        let end = inside.end;
                        if end == End::Stuck {
                            inside
                        } else {
                            inside.then(&Path::new(vec![Ev::Leave], end))
                        }
                    })
                    .collect(),
            )
        }
        K::If(yes, no) => {
            let mut paths = paths_of(yes, limit)?;
            paths.extend(paths_of(no, limit)?);
            (paths.len() <= limit).then_some(paths)
        }
        K::Loop(body) => repeat(body, true, limit),
        K::Forever(body) => repeat(body, false, limit),
        K::Try(body, catch) => try_catch(&paths_of(body, limit)?, &paths_of(catch, limit)?, limit),
    }
}

fn repeat(body: &[St], may_end: bool, limit: usize) -> Option<Paths> {
    let body = paths_of(body, limit)?;
    let mut rounds = Paths::from([Path::new(Vec::new(), End::Normal)]);
    let mut paths = Paths::new();
    let leave = |end| if may_end { end } else { End::Stuck };
    for _ in 0..ROUNDS {
        paths.extend(rounds.iter().map(|p| Path { end: leave(End::Normal), ..p.clone() }));
        let mut again = Paths::new();
        for path in sequence(&rounds, &body, limit)? {
            match path.end {
                End::Normal | End::Continue => {
                    again.insert(Path { end: End::Normal, ..path });
                }
                End::Break => {
                    paths.insert(Path { end: End::Normal, ..path });
                }
                End::Return | End::Stuck => {
                    paths.insert(path);
                }
            }
        }
        rounds = again;
    }
    paths.extend(rounds.iter().map(|p| Path { end: leave(End::Normal), ..p.clone() }));
    (paths.len() <= limit).then_some(paths)
}

fn try_catch(body: &Paths, catch: &Paths, limit: usize) -> Option<Paths> {
    let mut paths = Paths::new();
    for path in body {
        // Inside, exceptions go to this handler and to no other.
        let mut quiet = path.clone();
        let last = quiet.throws.len() - 1;
        quiet.throws[..last].fill(false);
        paths.insert(quiet);
        let mut open = 0;
        for at in 0..=path.events.len() {
            if path.throws[at] {
                let mut events = path.events[..at].to_vec();
                events.extend(std::iter::repeat_n(Ev::Leave, open));
                let mut thrown = Path::new(events, End::Normal);
                let last = thrown.throws.len() - 1;
                thrown.throws[..last].fill(false);
                paths.extend(catch.iter().map(|c| thrown.then(c)));
            }
            match path.events.get(at) {
                Some(Ev::Enter(_)) => open += 1,
                Some(Ev::Leave) => open -= 1,
                _ => {}
            }
        }
        if paths.len() > limit {
            return None;
        }
    }
    Some(paths)
}
