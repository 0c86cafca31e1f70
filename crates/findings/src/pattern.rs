//! The lock pattern, in words: while one lock is held (the *context*), another (the *witness*) is acquired and released, and
//! acquired again. Found in code, not in a run: there are places and calls, but no events and no threads.

use crate::finding::{Block, Certainty, Finding, Kind, Step};
use crate::review::{Review, Suppression};
use crate::words::hash;

/// A place in the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The method, as people write it: `bank.Account.withdraw(int)`.
    pub method: String,
    /// The file, with the folders of its package, and the line: `bank/Account.java:12`; empty if unknown.
    pub at: String,
}

/// The lock that is held all the while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    /// Its name in its method; `*` if it has none.
    pub lock: String,
    /// Where it is acquired.
    pub site: Site,
    /// The calls that lead from there to the method in which the witness is locked twice; none if it is the same.
    pub calls: Vec<Site>,
}

/// One acquisition of a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acquisition {
    /// The calls that lead to it; none if the method locks itself.
    pub calls: Vec<Site>,
    /// Where the lock is acquired.
    pub site: Site,
    /// The lock's name there.
    pub lock: String,
}

impl Acquisition {
    /// What the method calls to acquire the lock; empty if it locks itself.
    fn callee(&self) -> &str {
        match &self.calls[..] {
            [] => "",
            [_] => &self.site.method,
            [_, next, ..] => &next.method,
        }
    }

    /// Where the method acquires it: by a call, or itself.
    pub fn start(&self) -> &Site {
        self.calls.first().unwrap_or(&self.site)
    }
}

/// A place where a witness is locked the second time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The method in which the second acquisition follows the first.
    pub method: String,
    /// The witness's name in that method: of the lock acquired second.
    pub witness: String,
    /// The name of the lock acquired first; another one only where pairs of different locks are looked for.
    pub first_witness: String,
    /// The lock that is held.
    pub context: Context,
    /// The first acquisition.
    pub first: Acquisition,
    /// The second acquisition.
    pub second: Acquisition,
    /// Other witnesses of the same place, by name: the first few.
    pub others: Vec<String>,
    /// How many more there are.
    pub more: usize,
    /// Why nobody wants to hear of it.
    pub suppressed: Option<Suppression>,
}

/// A lock that witnesses the pattern, and everywhere it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockPattern {
    /// Where the witness has its name.
    pub scope: Scope,
    /// The places, in the order of the program; never empty.
    pub places: Vec<Place>,
    /// How many more places nobody looked at: the lock may be locked twice there, too.
    pub more: u64,
}

/// Where a lock has its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Everywhere: a static field, a class.
    Program,
    /// In the methods of a class: what begins with `this`.
    Class(String),
    /// In one method: what begins with a local variable.
    Method(String),
}

impl Scope {
    /// The word in machine formats.
    pub fn word(&self) -> &'static str {
        match self {
            Scope::Program => "program",
            Scope::Class(_) => "class",
            Scope::Method(_) => "method",
        }
    }

    /// The class or method; empty if it is everywhere.
    fn owner(&self) -> &str {
        match self {
            Scope::Program => "",
            Scope::Class(owner) | Scope::Method(owner) => owner,
        }
    }
}

/// What a step of the pattern is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The context is locked.
    Context,
    /// A call on the way.
    Call,
    /// The witness is locked for the first time.
    First,
    /// The witness is locked for the second time.
    Second,
}

/// A step of the pattern, in the order of execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternStep<'a> {
    /// What it is.
    pub role: Role,
    /// Where it is.
    pub site: &'a Site,
    /// How many calls deep it is, seen from where the context is locked.
    pub depth: usize,
    /// As traces would write it: `acq(this.list)`, `call(List.add)`.
    pub op: String,
    /// The same in words: `locks this.list, and releases it`.
    pub action: String,
}

impl Place {
    /// What makes two places of one witness the same: everything but lines.
    pub fn fingerprint(&self) -> String {
        hash(&[
            Kind::Pattern.word(),
            "place",
            &self.method,
            &self.first_witness,
            &self.witness,
            &self.context.site.method,
            &self.context.lock,
            self.first.callee(),
            self.second.callee(),
        ])
    }

    /// Everything that happens, in order: the context is locked, then the witness, then the witness again.
    pub fn steps(&self) -> Vec<PatternStep<'_>> {
        let context = &self.context;
        let holds = match context.lock.as_str() {
            UNKNOWN => "locks something, and holds it all the while".to_owned(),
            lock => format!("locks {lock}, and holds it all the while"),
        };
        let mut steps = vec![PatternStep {
            role: Role::Context,
            site: &context.site,
            depth: 0,
            op: format!("acq({})", context.lock),
            action: holds,
        }];
        push_calls(&mut steps, &context.calls, &self.method, 0);
        let depth = context.calls.len();
        for (role, found, name) in [
            (Role::First, &self.first, &self.first_witness),
            (Role::Second, &self.second, &self.witness),
        ] {
            push_calls(&mut steps, &found.calls, &found.site.method, depth);
            let what = match found.lock == *name {
                true => name.clone(),
                false => format!("{}, which is {name},", found.lock),
            };
            let action = match role {
                Role::First => format!("locks {what} and releases it"),
                _ if self.witness == self.first_witness => format!("locks {what} again"),
                _ => format!("locks {what}").trim_end_matches(',').to_owned(),
            };
            steps.push(PatternStep {
                role,
                site: &found.site,
                depth: depth + found.calls.len(),
                op: format!("acq({})", found.lock),
                action,
            });
        }
        steps
    }

    /// One sentence: `Line.contains locks point twice while it holds this`.
    pub fn message(&self) -> String {
        let holder = match self.context.calls.is_empty() {
            true => "it".to_owned(),
            false => short(&self.context.site.method),
        };
        let held = match self.context.lock.as_str() {
            UNKNOWN => "another lock",
            lock => lock,
        };
        format!("{} {} while {holder} holds {held}", short(&self.method), self.locking())
    }

    /// `locks point twice`
    fn locking(&self) -> String {
        match self.witness == self.first_witness {
            true => format!("locks {} twice", self.witness),
            false => format!("locks {} and then {}", self.first_witness, self.witness),
        }
    }

    /// What could go wrong, and how it is usually mended.
    fn notes(&self) -> Vec<String> {
        let (first, second, method) = (&self.first_witness, &self.witness, short(&self.method));
        let (danger, mend) = match first == second {
            true => (
                format!(
                    "between the two, another thread can lock {second} and change what it protects: \
                     what was read or done the first time may no longer hold the second time"
                ),
                format!("hold {second} over both in {method}"),
            ),
            false => (
                format!(
                    "between the two, another thread can change what {first} protects, so that it no \
                     longer fits what is read under {second}"
                ),
                format!("hold {first} and {second} together over both in {method}"),
            ),
        };
        vec![danger, format!("usually mended by holding the lock for the whole block: {mend}")]
    }
}

/// The name of a lock nothing is known of.
const UNKNOWN: &str = "*";

/// The calls of a chain that ends in `last`.
fn push_calls<'a>(steps: &mut Vec<PatternStep<'a>>, calls: &'a [Site], last: &str, depth: usize) {
    for (i, site) in calls.iter().enumerate() {
        let callee = short(calls.get(i + 1).map_or(last, |next| &next.method));
        steps.push(PatternStep {
            role: Role::Call,
            site,
            depth: depth + i,
            op: format!("call({callee})"),
            action: format!("calls {callee}"),
        });
    }
}

/// A method without its package and its parameters: `Account.withdraw`.
pub fn short(method: &str) -> String {
    let path = method.split('(').next().unwrap_or(method);
    let mut parts = path.rsplitn(3, '.');
    match (parts.next(), parts.next()) {
        (Some(name), Some(class)) => format!("{class}.{name}"),
        _ => path.to_owned(),
    }
}

impl LockPattern {
    /// The witness, with where it has its name.
    pub fn subject(&self) -> String {
        match self.places.first() {
            Some(place) if self.scope == Scope::Program => place.witness.clone(),
            Some(place) => format!("{} in {}", place.witness, self.scope.owner()),
            None => String::new(),
        }
    }

    /// What makes two of them the same: the lock.
    fn fingerprint(&self) -> String {
        let Some(place) = self.places.first() else { return String::new() };
        hash(&[Kind::Pattern.word(), "witness", self.scope.owner(), &place.witness])
    }

    /// All places in the code, to be renamed.
    pub fn sites_mut(&mut self) -> impl Iterator<Item = &mut Site> {
        self.places.iter_mut().flat_map(|place| {
            let Context { site, calls, .. } = &mut place.context;
            let own = calls.iter_mut().chain([site]);
            let found = [&mut place.first, &mut place.second].into_iter();
            own.chain(found.flat_map(|it| it.calls.iter_mut().chain([&mut it.site])))
        })
    }

    /// The finding: its first place in words, all of them in [`Finding::pattern`].
    pub fn into_finding(self) -> Finding {
        let place = self.places.first();
        let step = |(number, step): (usize, PatternStep<'_>)| Step {
            event: number as u64,
            thread: String::new(),
            op: step.op,
            action: step.action,
            at: step.site.at.clone(),
            held: None,
        };
        let steps = place.map(Place::steps).unwrap_or_default();
        let block = place.map(|place| Block {
            label: place.context.site.method.clone(),
            begin: 0,
            at: place.context.site.at.clone(),
            refuted: true,
        });
        Finding {
            kind: Kind::Pattern,
            certainty: Certainty::Possible,
            subject: self.subject(),
            fingerprint: self.fingerprint(),
            event: 0,
            count: self.places.len() as u64,
            blame: None,
            thread: String::new(),
            blocks: block.into_iter().collect(),
            message: place.map(Place::message).unwrap_or_default(),
            steps: steps.into_iter().enumerate().map(step).collect(),
            transactions: vec![],
            edges: vec![],
            notes: place.map(Place::notes).unwrap_or_default(),
            review: Review::default(),
            pattern: Some(Box::new(self)),
        }
    }
}
