//! A running transaction as it is recorded: Wang and Stoller's transaction tree (section 5.6), written
//! down as a sequence in the order of events. An `acq` and its `rel` are the brackets of a node; the
//! accesses between two brackets are a set in which a variable occurs once or, if it was accessed more
//! often, twice (`varsOne`, `varsMul`).
//!
//! The paper keeps such sets for a whole node and does not say where in it, between its children, the
//! accesses were. That is enough as long as locks nest (see [`super::judge`]); here they stay where they
//! were, so that locks that do not nest need nothing special.
//!
//! What repeats adds nothing: of equal children of a node the first two are kept. A third can change no
//! verdict: if two do not break the pattern, they contain nothing but both-movers.

use super::item::{Item, Word};
use interloper_trace::{Event, LockId, Op, Position};

/// What an open bracket is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bracket {
    /// A lock that is held.
    Lock(LockId),
    /// An inner block.
    Block,
}

#[derive(Clone, Copy)]
struct Frame {
    bracket: Bracket,
    /// Its first item.
    start: usize,
    /// Where the accesses just before it begin, and when they are to be cleaned up.
    run: Run,
    /// Where its children begin in the list of siblings.
    children: usize,
    /// Everything in it was opened in it and closed in it.
    whole: bool,
}

/// Accesses at the end of the items.
#[derive(Clone, Copy, Default)]
struct Run {
    start: usize,
    /// At this many items duplicates are removed.
    full: usize,
}

impl Run {
    /// More accesses than this are cleaned up now and then: a variable that other threads touch, too,
    /// is written down again each time.
    const ROOM: usize = 1024;

    fn new(start: usize, end: usize) -> Run {
        Run { start, full: end + Run::ROOM.max(end - start) }
    }
}

/// A closed bracket whose parent is still open.
#[derive(Clone, Copy)]
struct Sibling {
    start: usize,
    end: usize,
    twice: bool,
}

/// How many different siblings a closed bracket is compared with: loops whose body has no more repeat
/// for free.
const WINDOW: usize = 64;

/// How often a variable occurs in the accesses between two brackets: their number, and a count in the
/// lowest bits.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen(u64);

/// The running transaction of a thread, if there is one.
#[derive(Default)]
pub(super) struct Recording {
    items: Vec<Item>,
    frames: Vec<Frame>,
    siblings: Vec<Sibling>,
    run: Run,
    /// The number of the accesses since the last bracket, over all threads.
    number: u64,
    runs: bool,
}

/// Numbers for accesses between two brackets.
#[derive(Default)]
pub(super) struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 += 4;
        self.0
    }
}

impl Recording {
    /// Whether a transaction runs.
    #[inline(always)]
    pub(super) fn runs(&self) -> bool {
        self.runs
    }

    /// A transaction begins, with these blocks and locks already there.
    pub(super) fn start(
        &mut self,
        locks: impl Iterator<Item = Item>,
        blocks: impl Iterator<Item = Item>,
        numbers: &mut Numbers,
    ) {
        self.items.clear();
        self.frames.clear();
        self.siblings.clear();
        self.items.extend(locks);
        for (depth, block) in blocks.enumerate() {
            if depth > 0 {
                let (start, run) = (self.items.len(), Run::default());
                let bracket = Bracket::Block;
                self.frames.push(Frame { bracket, start, run, children: 0, whole: false });
            }
            self.items.push(block);
        }
        self.runs = true;
        self.new_run(numbers);
    }

    /// An access.
    #[inline(always)]
    pub(super) fn access(&mut self, word: Word, seen: &mut Seen, at: Position, event: &Event) {
        if seen.0 == self.number + 2 {
            return;
        }
        seen.0 = if seen.0 == self.number + 1 { self.number + 2 } else { self.number + 1 };
        self.items.push(Item::new(word, event.op, at, event.site));
        if self.items.len() >= self.run.full {
            self.clean_up();
        }
    }

    #[cold]
    fn clean_up(&mut self) {
        canonical(&mut self.items, self.run.start);
        self.run = Run::new(self.run.start, self.items.len());
    }

    fn new_run(&mut self, numbers: &mut Numbers) {
        self.run = Run::new(self.items.len(), self.items.len());
        self.number = numbers.next();
    }

    /// A lock is acquired or an inner block begins.
    #[inline]
    pub(super) fn open(&mut self, bracket: Bracket, item: Item, numbers: &mut Numbers) {
        let (start, children) = (self.items.len(), self.siblings.len());
        self.frames.push(Frame { bracket, start, run: self.run, children, whole: true });
        self.items.push(item);
        self.new_run(numbers);
    }

    /// A lock is released or an inner block ends.
    #[inline]
    pub(super) fn close(&mut self, bracket: Bracket, item: Item, numbers: &mut Numbers) {
        self.items.push(item);
        match self.frames.pop_if(|frame| frame.bracket == bracket) {
            None => self.cross(bracket),
            Some(frame) if frame.whole => {
                self.siblings.truncate(frame.children);
                canonical(&mut self.items, frame.start);
                if self.is_old(&frame) {
                    self.items.truncate(frame.start);
                    self.run = frame.run;
                    self.number = numbers.next();
                    return;
                }
            }
            Some(frame) => self.siblings.truncate(frame.children),
        }
        self.new_run(numbers);
    }

    /// Whether there are two like the bracket just closed, which is noted, already.
    fn is_old(&mut self, frame: &Frame) -> bool {
        let parents = self.frames.last().map_or(0, |parent| parent.children);
        let (start, end) = (frame.start, self.items.len());
        let items = &self.items;
        let recent = self.siblings[parents..].iter_mut().rev().take(WINDOW);
        for sibling in recent {
            let theirs = &items[sibling.start..sibling.end];
            if theirs.len() == end - start
                && theirs.iter().zip(&items[start..]).all(|(a, b)| a.word == b.word)
            {
                return std::mem::replace(&mut sibling.twice, true);
            }
        }
        self.siblings.push(Sibling { start, end, twice: false });
        false
    }

    /// A lock is released, or a block ends, that is not the innermost: brackets that cross each other, or
    /// one that was there before the transaction.
    #[cold]
    fn cross(&mut self, bracket: Bracket) {
        if let Some(place) = self.frames.iter().rposition(|frame| frame.bracket == bracket) {
            self.frames.remove(place);
        }
        self.siblings.clear();
        for frame in &mut self.frames {
            frame.whole = false;
            frame.children = 0;
        }
    }

    /// The transaction ends. Its items, in a form that is equal for equal transactions.
    pub(super) fn finish(&mut self) -> &[Item] {
        self.runs = false;
        canonical(&mut self.items, 0);
        &self.items
    }
}

/// From an item on: sorts accesses between brackets and leaves at most two of each variable, the first
/// ones.
fn canonical(items: &mut Vec<Item>, start: usize) {
    let (mut from, mut to) = (start, start);
    while from < items.len() {
        let rest = &mut items[from..];
        let run = rest.iter().position(|item| !item.word.is_access()).unwrap_or(rest.len());
        let accesses = &mut rest[..run];
        if !accesses.is_sorted_by_key(|item| item.word) {
            accesses.sort_by_key(|item| item.word);
        }
        let start = to;
        for place in from..from + run {
            let item = items[place];
            if to < start + 2 || items[to - 2].word != item.word {
                items[to] = item;
                to += 1;
            }
        }
        from += run;
        if from < items.len() {
            items[to] = items[from];
            (from, to) = (from + 1, to + 1);
        }
    }
    items.truncate(to);
}

/// The item of a lock operation.
#[inline(always)]
pub(super) fn lock_item(at: Position, event: &Event) -> Item {
    let word = match event.op {
        Op::Acquire => Word::acquire(event.lock()),
        _ => Word::release(event.lock()),
    };
    Item::new(word, event.op, at, event.site)
}
