//! Accesses of several variables at once.
//!
//! Such an access stands for an event for each of its variables, one after the other. All that tells these apart is what comes in
//! between: an arrival, by a dependence of one of them on another thread, which later ones come after and earlier ones do not.
//! So the access is taken in pieces, each of which begins where a dependence arrives that has not arrived before. Within
//! a piece there is no arrival but at its first event, so no question that is ever asked of the times
//! of its events has different answers for them: all get the time of the first.

use super::cells::{CellId, Part};
use super::memory::Record;
use super::table::{Stamp, Time};
use super::{Frontier, Now};
use interloper_findings::Sink;
use interloper_trace::{Event, Op};
use smallvec::SmallVec;

/// Room for what is known of the access in hand.
#[derive(Default)]
pub(super) struct Ranges {
    /// Whether the batch in hand has any such access.
    pub(super) in_batch: bool,
    parts: Vec<Part>,
    homes: Vec<CellId>,
    /// What the access depends on so far; at most so much of it that a look at all of it costs little.
    arrived: SmallVec<[Stamp; ARRIVED]>,
}

const ARRIVED: usize = 8;

impl Frontier {
    /// An access of several variables. Those that were always accessed together have one cell, and so are like one variable.
    pub(super) fn range(&mut self, now: Now, sink: &mut dyn Sink) {
        let Some(cell) = self.memory.common_cell(now.event) else {
            return self.pieces(now, sink);
        };
        let record = self.record(now);
        match now.event.op {
            Op::Write => self.write_cell(now, record, cell),
            _ => self.read_cell(now, record, cell),
        }
        if !self.closing.is_empty() {
            self.violated(now, sink);
        }
    }

    /// An access of several variables: piece by piece.
    fn pieces(&mut self, now: Now, sink: &mut dyn Sink) {
        self.ranges.arrived.clear();
        // Mostly all of it is one piece. Where it is not, there may be as many pieces as variables: not all of the rest is looked at
        // for each of them.
        let (mut from, mut window) = (0, u16::MAX);
        loop {
            let rest = now.event.more - from;
            let ahead =
                Event { operand: now.event.operand_at(from), more: rest.min(window), ..*now.event };
            let more = self.piece(now, &ahead);
            let seen = if more == ahead.more { window } else { more + 1 };
            window = seen.saturating_mul(4);
            let piece = Event { more, ..ahead };
            let time = Time(now.time.0 + u64::from(from));
            let now = Now { event: &piece, operand: piece.operand, time, ..now };
            let record = self.record(now);
            match piece.op {
                Op::Write => self.write_gathered(now, record),
                _ => self.read_gathered(now, record),
            }
            if !self.closing.is_empty() {
                self.violated(now, sink);
            }
            if more == rest {
                return;
            }
            from += more + 1;
        }
    }

    /// How many variables beside the first can be taken together with it. From then on the first one's dependences have arrived,
    /// and the parts of the piece are gathered.
    fn piece(&mut self, now: Now, rest: &Event) -> u16 {
        let mut parts = std::mem::take(&mut self.ranges.parts);
        self.memory.gather(rest, &mut parts);
        let mut more = rest.more;
        for part in &parts {
            if part.at > more {
                break;
            }
            if self.arrives(now, part) {
                if part.at > 0 {
                    more = part.at - 1;
                    break;
                }
                self.note_arrivals(rest.op, part);
            }
        }
        if more < rest.more {
            self.memory.forget(&parts);
            self.memory.gather(&Event { more, ..*rest }, &mut parts);
        }
        self.ranges.parts = parts;
        more
    }

    /// Whether an access of this part depends on something that the access has not depended on before.
    fn arrives(&self, now: Now, part: &Part) -> bool {
        let Some(cell) = part.cell else { return false };
        let mut any = false;
        self.memory.for_each_source(cell, now.event.op == Op::Write, |source| {
            let remembered = !self.table.is_forgotten(source.slot(), source.time());
            let foreign = source.slot() != now.slot;
            any |= remembered && foreign && !self.ranges.arrived.contains(&source.stamp());
        });
        any
    }

    fn note_arrivals(&mut self, op: Op, part: &Part) {
        let (Some(cell), arrived) = (part.cell, &mut self.ranges.arrived) else { return };
        self.memory.for_each_source(cell, op == Op::Write, |source| {
            if arrived.len() == ARRIVED {
                arrived.remove(0);
            }
            arrived.push(source.stamp());
        });
    }

    /// A read where variables may share cells.
    pub(super) fn read_parts(&mut self, now: Now, record: Record) {
        self.memory.gather(now.event, &mut self.ranges.parts);
        self.read_gathered(now, record);
    }

    fn read_gathered(&mut self, now: Now, record: Record) {
        let mut homes = std::mem::take(&mut self.ranges.homes);
        let parts = std::mem::take(&mut self.ranges.parts);
        self.memory.take_out(now.event, &parts, &mut homes);
        for (part, &home) in parts.iter().zip(&homes) {
            self.read_cell(Now { operand: part.var, ..now }, record, home);
        }
        (self.ranges.parts, self.ranges.homes) = (parts, homes);
    }

    /// A write where variables may share cells.
    pub(super) fn write_parts(&mut self, now: Now, record: Record) {
        self.memory.gather(now.event, &mut self.ranges.parts);
        self.write_gathered(now, record);
    }

    fn write_gathered(&mut self, now: Now, record: Record) {
        let parts = std::mem::take(&mut self.ranges.parts);
        for part in &parts {
            if let Some(cell) = part.cell {
                self.depend_on_cell(Now { operand: part.var, ..now }, cell, part.whole);
            }
        }
        self.memory.overwrite(now.event, &parts, record);
        self.ranges.parts = parts;
    }
}
