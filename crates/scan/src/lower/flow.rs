//! Interprets all reachable code of a method until nothing changes.
//!
//! Guarantee: in the end every name that a value has at a point is right on all ways to it. Blocks are visited in
//! the order of the code. A variable that is assigned to in a loop has only its own name at the loop's head from the
//! start, so that code made by compilers is visited once or twice; whatever else differs between ways is found by
//! joining. Work and memory are bounded ([`Unclear::Complex`]) for code that no compiler made.

use std::collections::BTreeSet;

use super::event::Event;
use super::interpret::{Interpreter, Step, Unclear};
use super::locals::stored;
use super::value::{Frame, Value, join_locals};
use interloper_jvm::{BlockId, Body, Code, LineNumber};

/// An instruction may be visited this many times, on average.
const VISITS: usize = 64;
/// Work that is always allowed: instructions visited, and edges by what there is to join.
const BASE_BUDGET: usize = 1 << 20;
/// The frames of all blocks may have this many places together.
const PLACES: usize = 1 << 22;

/// What happens in each block; none for blocks that are never reached.
pub(super) type Events = Vec<Option<Vec<Event>>>;

/// The method being interpreted.
pub(super) struct Flow<'f, 'm, 'c, 'a> {
    pub interpreter: &'f mut Interpreter<'m, 'c, 'a>,
    pub body: &'f Body<'a>,
    pub code: &'f Code<'a>,
    pub lines: &'f [LineNumber],
    entries: Vec<Option<Frame>>,
    waiting: BTreeSet<BlockId>,
    /// For each block that is the head of a loop, the slots that change in the loop.
    changing: Vec<Vec<u16>>,
}

impl<'f, 'm, 'c, 'a> Flow<'f, 'm, 'c, 'a> {
    pub fn new(
        interpreter: &'f mut Interpreter<'m, 'c, 'a>,
        body: &'f Body<'a>,
        code: &'f Code<'a>,
        lines: &'f [LineNumber],
    ) -> Self {
        let count = body.blocks.len();
        Flow {
            interpreter,
            body,
            code,
            lines,
            entries: vec![None; count],
            waiting: BTreeSet::new(),
            changing: Vec::new(),
        }
    }

    /// Interprets from a first frame on; what happens in each block, with names that are right in the end.
    pub fn run(mut self, first: Frame) -> Result<Events, Unclear> {
        let count = self.body.blocks.len();
        if count.saturating_mul(first.locals.len() + 1) > PLACES {
            return Err(Unclear::Complex);
        }
        self.changing = changing_slots(self.body, first.locals.len());
        let mut events: Events = vec![None; count];
        let places = first.locals.len() / 8 + 1;
        let mut budget = BASE_BUDGET + VISITS * self.body.instructions.len();
        self.enter(BlockId(0), first)?;
        while let Some(block) = self.waiting.pop_first() {
            let size = self.body.blocks[block.index()].instructions.len();
            let edges = self.body.successors(block).len() + self.body.handlers(block).len();
            budget = budget.checked_sub(size + edges * places).ok_or(Unclear::Complex)?;
            let Some(frame) = self.entries[block.index()].clone() else { continue };
            events[block.index()] = Some(self.visit(block, frame)?);
        }
        Ok(events)
    }

    /// Interprets a block, and brings what it leaves to those that follow.
    fn visit(&mut self, block: BlockId, mut frame: Frame) -> Result<Vec<Event>, Unclear> {
        let mut events = Vec::new();
        let covered = !self.body.handlers(block).is_empty();
        // what variables hold at any point of the block, for exceptions
        let mut ever = if covered { frame.locals.clone() } else { Vec::new() };
        let range = self.body.blocks[block.index()].instructions.clone();
        let mut line = self.line_at(range.start);
        for index in range {
            let located = self.body.instructions[index];
            line.advance(self.lines, located.pc.0);
            let step =
                Step { instruction: located.instruction, index, pc: located.pc, line: line.line };
            let before = events.len();
            self.interpreter.step(step, &mut frame, &mut events)?;
            let changed = |it: &Event| matches!(it, Event::Store { .. } | Event::Assign { .. });
            if covered && events[before..].iter().any(changed) {
                join_locals(&mut ever, &frame.locals);
            }
        }
        for entry in self.body.handlers(block) {
            let handler = self.code.handlers[usize::from(*entry)].handler;
            if let Some(target) = self.body.block_at(handler) {
                let frame = Frame { locals: ever.clone(), stack: vec![Value::UNKNOWN] };
                self.enter(target, frame)?;
            }
        }
        let successors = self.body.successors(block);
        for target in successors {
            self.enter(*target, frame.clone())?;
        }
        Ok(events)
    }

    /// A frame arrives at a block.
    fn enter(&mut self, block: BlockId, mut frame: Frame) -> Result<(), Unclear> {
        for slot in &self.changing[block.index()] {
            if let Some(value) = frame.locals.get_mut(usize::from(*slot)) {
                *value = Value::OWN;
            }
        }
        let changed = match &mut self.entries[block.index()] {
            Some(known) => known.join(&frame).ok_or(Unclear::Stack)?,
            none => {
                *none = Some(frame);
                true
            }
        };
        if changed {
            self.waiting.insert(block);
        }
        Ok(())
    }

    fn line_at(&self, index: usize) -> LineCursor {
        let pc = self.body.instructions[index].pc.0;
        let next = self.lines.partition_point(|it| it.start.0 <= pc);
        let line = next.checked_sub(1).map_or(0, |at| u32::from(self.lines[at].line));
        LineCursor { next, line }
    }
}

/// The line of an instruction, found by going along with the instructions.
struct LineCursor {
    next: usize,
    line: u32,
}

impl LineCursor {
    fn advance(&mut self, lines: &[LineNumber], pc: u16) {
        while let Some(entry) = lines.get(self.next).filter(|it| it.start.0 <= pc) {
            self.line = u32::from(entry.line);
            self.next += 1;
        }
    }
}

/// For each block to which a later one jumps back, the slots that are assigned to from there to that later block.
fn changing_slots(body: &Body<'_>, slots: usize) -> Vec<Vec<u16>> {
    let mut last = vec![None; body.blocks.len()];
    for block in body.block_ids() {
        for target in body.successors(block) {
            if *target <= block {
                last[target.index()] = Some(block);
            }
        }
    }
    let mut changing = vec![Vec::new(); body.blocks.len()];
    if last.iter().all(Option::is_none) {
        return changing;
    }
    let mut stores: Vec<Vec<u32>> = vec![Vec::new(); slots];
    for (index, located) in body.instructions.iter().enumerate() {
        if let Some((local, size)) = stored(&located.instruction) {
            for slot in local.0..local.0.saturating_add(size.into()) {
                stores.get_mut(usize::from(slot)).into_iter().for_each(|it| it.push(index as u32));
            }
        }
    }
    for (head, last) in last.iter().enumerate() {
        let Some(last) = last else { continue };
        let start = body.blocks[head].instructions.start as u32;
        let end = body.blocks[last.index()].instructions.end as u32;
        let within = |stores: &Vec<u32>| {
            let next = stores.partition_point(|it| *it < start);
            stores.get(next).is_some_and(|it| *it < end)
        };
        let slots = (0..slots).filter(|slot| within(&stores[*slot]));
        changing[head] = slots.map(|slot| slot as u16).collect();
    }
    changing
}
