//! Does a transaction reduce? Theorem 2 of Wang and Stoller, and which blocks it refutes.
//!
//! Each event moves in some way past events of other threads; a transaction is atomic, unless there can
//! be a deadlock, if it has the form `(R + AcqA*Rel)* N? (L + AcqA*Rel)*`, both-movers anywhere.
//!
//! **`AcqA*Rel`.** A lock that is acquired and released around nothing but accesses that cannot conflict
//! with any that can run at the same time, and around nothing but such blocks, may be left out. With two
//! deviations:
//!
//! - *Accesses*: the paper names read-only and thread-local variables. What matters is that the access
//!   commutes with all others whatever locks are held; that is as true of variables whose conflicting
//!   accesses are ordered by `fork`, `join` and barriers.
//! - *Locks that cross transactions*: the paper's proof leaves the block out, makes the rest serial and puts the
//!   block back. That fails if another thread can hold the lock between two transactions of its own:
//!   then every serial order may have to run this transaction while the lock is taken, although there is no
//!   deadlock. (`reduction.rs` in `tests/` has such a trace.) So a lock counts if it was ever held when
//!   a transaction ended, or acquired outside any.
//!
//! **Order within a node.** The paper forgets where between its children a node's own accesses were, and
//! says that the pattern cannot tell. True, if locks nest: let a non-mover be outside of a child that
//! counts (an `R … L` that cannot be left out). Before it, there is an `R` after the `N`; after it, an `N`
//! after the `L`; neither fits, so the order makes no difference, and children that do not count fit
//! anywhere. It is not true if locks do not nest, or were held before the transaction:
//! `acq(a) acq(b) N rel(a) rel(b)` fits, and `acq(a) acq(b) rel(a) N rel(b)` does not. Here the order is kept,
//! and the pattern is that of the events.

use super::item::{Item, Token};
use super::locks::Locks;
use interloper_trace::VarId;

/// How an event moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mover {
    /// To the right: an acquire.
    Right,
    /// To the left: a release.
    Left,
    /// Both ways.
    Both,
    /// Not at all.
    Non,
    /// An acquire that is left out together with its release.
    Opens,
    /// A release that is left out together with its acquire.
    Closes,
    /// No event: the beginning or end of a block, or a lock that was held before.
    Mark,
}

/// What accesses to a variable are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// No conflicting ones can run at the same time, whatever the locks.
    Calm,
    /// Locks keep conflicting ones apart.
    Guarded,
    /// There can be a race.
    Racy,
}

/// How everything moves.
pub(super) struct Classes<'a> {
    /// By variable.
    pub(super) vars: Vec<Class>,
    /// The variables of which accesses before the escape do not count.
    pub(super) escaped: &'a dyn Fn(VarId) -> bool,
    pub(super) locks: &'a Locks,
    /// Whether blocks may be left out (Theorem 2) or not (Theorem 1).
    pub(super) leave_out: bool,
}

impl Classes<'_> {
    fn of(&self, var: VarId, after_escape: bool) -> Class {
        match self.vars.get(var.index()).copied().unwrap_or(Class::Calm) {
            Class::Calm => Class::Calm,
            _ if !after_escape && (self.escaped)(var) => Class::Calm,
            class => class,
        }
    }
}

/// Two events of a transaction that do not fit the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Misfit {
    /// The event after which everything must move to the left: a release or a non-mover.
    pub(super) commit: usize,
    /// The event that does not.
    pub(super) offender: usize,
    /// The innermost block around both.
    pub(super) begin: usize,
    /// How many blocks are around both, itself included.
    pub(super) depth: usize,
}

/// A bracket that is open while a transaction is read.
struct Node {
    start: usize,
    token: Token,
    /// Something in it counts.
    counts: bool,
}

/// A block that is open while a transaction is judged.
#[derive(Clone, Copy)]
struct Block {
    begin: usize,
    commit: usize,
    reported: bool,
}

/// Judges transactions one after the other.
#[derive(Default)]
pub(super) struct Judge {
    movers: Vec<Mover>,
    nodes: Vec<Node>,
    blocks: Vec<Block>,
    misfits: Vec<Misfit>,
}

impl Judge {
    /// What does not fit: the first pair for each block that is not within a block of which a pair was
    /// given.
    pub(super) fn judge(&mut self, items: &[Item], classes: &Classes) -> &[Misfit] {
        self.read(items, classes);
        self.misfits.clear();
        self.blocks.clear();
        // Blocks from outside that are past their commit point; those within are not.
        let mut committed = 0;
        for (place, item) in items.iter().enumerate() {
            let mover = self.movers[place];
            match mover {
                Mover::Right | Mover::Non if committed > 0 => self.offend(place, committed),
                Mover::Mark => match item.word.token() {
                    Token::Begin(_) | Token::BeginAt(_) => {
                        self.blocks.push(Block { begin: place, commit: 0, reported: false });
                    }
                    Token::End => {
                        self.blocks.pop();
                        committed = committed.min(self.blocks.len());
                    }
                    _ => {}
                },
                _ => {}
            }
            if matches!(mover, Mover::Left | Mover::Non) {
                for block in &mut self.blocks[committed..] {
                    block.commit = place;
                }
                committed = self.blocks.len();
            }
        }
        &self.misfits
    }

    fn offend(&mut self, offender: usize, committed: usize) {
        let Block { begin, commit, reported } = self.blocks[committed - 1];
        if !reported {
            self.misfits.push(Misfit { commit, offender, begin, depth: committed });
            // Around one that was reported all were.
            let around = self.blocks[..committed].iter_mut().rev();
            around.take_while(|block| !block.reported).for_each(|block| block.reported = true);
        }
    }

    /// How each item of the transaction judged last moves.
    pub(super) fn movers(&self) -> &[Mover] {
        &self.movers
    }

    fn read(&mut self, items: &[Item], classes: &Classes) {
        self.movers.clear();
        self.nodes.clear();
        for item in items {
            let mover = match item.word.token() {
                Token::Access(var, after_escape) => self.access(classes.of(var, after_escape)),
                token @ Token::Acquire(lock) => {
                    self.nodes.push(Node { start: self.movers.len(), token, counts: false });
                    if classes.locks.is_private(lock) { Mover::Both } else { Mover::Right }
                }
                Token::Release(lock) => {
                    let private = classes.locks.is_private(lock);
                    let whole = self.nodes.pop_if(|node| node.token == Token::Acquire(lock));
                    match whole {
                        Some(node) => self.close(node, private, classes),
                        None => self.cross(Token::Acquire(lock), private),
                    }
                }
                _ => Mover::Mark,
            };
            self.movers.push(mover);
        }
    }

    fn access(&mut self, class: Class) -> Mover {
        if class != Class::Calm {
            self.count();
        }
        if class == Class::Racy { Mover::Non } else { Mover::Both }
    }

    /// Something in the innermost open bracket counts.
    fn count(&mut self) {
        if let Some(node) = self.nodes.last_mut() {
            node.counts = true;
        }
    }

    /// A bracket closes that is around whole brackets only.
    fn close(&mut self, node: Node, private: bool, classes: &Classes) -> Mover {
        let Token::Acquire(lock) = node.token else { return Mover::Mark };
        let left_out = classes.leave_out && !node.counts;
        match (private, left_out && !classes.locks.crosses(lock)) {
            (true, _) => {
                if !left_out {
                    self.count();
                }
                Mover::Both
            }
            (false, true) => {
                self.movers[node.start] = Mover::Opens;
                Mover::Closes
            }
            (false, false) => {
                self.count();
                Mover::Left
            }
        }
    }

    /// Brackets that cross each other all count.
    fn cross(&mut self, token: Token, private: bool) -> Mover {
        if let Some(place) = self.nodes.iter().rposition(|node| node.token == token) {
            self.nodes.remove(place);
        }
        for node in &mut self.nodes {
            node.counts = true;
        }
        if private { Mover::Both } else { Mover::Left }
    }
}

/// Whether the transaction reduces however its events are classified.
pub(super) fn always_reduces(items: &[Item]) -> bool {
    let mut committed = false;
    for item in items {
        match item.word.token() {
            Token::Access(..) if committed => return false,
            Token::Acquire(_) if committed => return false,
            Token::Access(..) | Token::Release(_) => committed = true,
            _ => {}
        }
    }
    true
}

/// The pattern in letters, at most so many: `RBLRBBBL`. What is left out is in brackets.
pub(super) fn letters(movers: &[Mover], most: usize) -> String {
    let mut letters = String::new();
    let moves = movers.iter().filter(|mover| **mover != Mover::Mark);
    for (place, mover) in moves.enumerate() {
        if place == most {
            letters.push('…');
            break;
        }
        letters.push_str(match mover {
            Mover::Right => "R",
            Mover::Left => "L",
            Mover::Both => "B",
            Mover::Non => "N",
            Mover::Opens => "[R",
            Mover::Closes => "L]",
            Mover::Mark => "",
        });
    }
    letters
}
