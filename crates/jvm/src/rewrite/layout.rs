//! Where everything goes: instructions and insertions are laid out one after the other, jumps that
//! no longer reach are made longer, until nothing changes any more.
//!
//! A `goto` that does not reach becomes a `goto_w`. A conditional jump has no long form: it jumps to
//! an island, a `goto_w` of its own behind some instruction that nothing falls through, with the frame
//! of the final target.

use super::Refusal;
use super::code::CodeEdit;
use crate::body::Body;
use crate::code::Code;
use crate::instruction::{Instruction, Pc};
use std::ops::Range;

/// The size of an island: one `goto_w`.
pub(super) const ISLAND: usize = 5;
/// How far a conditional jump reaches, less room for what islands add on the way.
const REACH: usize = 0x7fff - 0x400;

/// An instruction that keeps a jump from being too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Island {
    /// The instruction it stands behind.
    pub(super) behind: usize,
    /// The instruction it leads to.
    pub(super) target: usize,
}

/// Where everything goes. Instructions are known by their index.
pub(super) struct Layout {
    /// Where jumps to an instruction go: to what is inserted before it.
    pub(super) labels: Vec<usize>,
    /// Where the instruction itself is.
    pub(super) places: Vec<usize>,
    /// Where what is inserted behind it is.
    pub(super) afters: Vec<usize>,
    /// Which jumps take their long form.
    pub(super) long: Vec<bool>,
    /// Ordered by the instructions they stand behind.
    pub(super) islands: Vec<Island>,
    /// Where each island is.
    pub(super) island_places: Vec<usize>,
    /// For a conditional jump, the island it goes to.
    pub(super) via: Vec<Option<Island>>,
    /// The end of the old code, where copies and handlers begin.
    pub(super) end: usize,
}

/// The bytes that instruction `i` has in the old code.
pub(super) fn old_span(body: &Body<'_>, code: &Code<'_>, i: usize) -> Range<usize> {
    let start = usize::from(body.instructions[i].pc.0);
    let end = body.instructions.get(i + 1).map_or(code.bytecode.len(), |it| usize::from(it.pc.0));
    start..end
}

impl Layout {
    /// Lays the code out.
    pub(super) fn new(
        body: &Body<'_>,
        code: &Code<'_>,
        edit: &CodeEdit,
    ) -> Result<Layout, Refusal> {
        let count = body.instructions.len();
        let mut layout = Layout {
            labels: vec![0; count],
            places: vec![0; count],
            afters: vec![0; count],
            long: vec![false; count],
            islands: vec![],
            island_places: vec![],
            via: vec![None; count],
            end: 0,
        };
        layout.place(body, code, edit);
        // Jumps only ever become longer, so this ends.
        while layout.lengthen(body)? {
            layout.place(body, code, edit);
        }
        match layout.end {
            end if end > usize::from(u16::MAX) => Err(Refusal::TooLong(end)),
            _ => Ok(layout),
        }
    }

    /// Where an instruction of the old code, or its end, has come to; in between, where the
    /// instruction has come to that it is part of.
    pub(super) fn label(&self, body: &Body<'_>, pc: u32) -> usize {
        let next = body.instructions.partition_point(|it| u32::from(it.pc.0) < pc);
        match body.instructions.get(next) {
            Some(it) if u32::from(it.pc.0) == pc || next == 0 => self.labels[next],
            Some(_) => self.labels[next - 1],
            None => self.end,
        }
    }

    fn place(&mut self, body: &Body<'_>, code: &Code<'_>, edit: &CodeEdit) {
        let size = |snippets: &std::collections::BTreeMap<Pc, super::Snippet>, pc: Pc| {
            snippets.get(&pc).map_or(0, |snippet| snippet.bytes().len())
        };
        self.island_places.clear();
        let mut at = edit.entry_size();
        for (i, located) in body.instructions.iter().enumerate() {
            self.labels[i] = at;
            at += size(&edit.before, located.pc);
            self.places[i] = at;
            let old = old_span(body, code, i).len();
            at += match &located.instruction {
                Instruction::Switch(_) => {
                    let padding = |pc: usize| 3 - pc % 4;
                    old - padding(usize::from(located.pc.0)) + padding(at)
                }
                _ if self.long[i] => old + 2,
                _ => old,
            };
            self.afters[i] = at;
            at += size(&edit.after, located.pc);
            let behind = self.islands[self.island_places.len()..].iter();
            for _ in behind.take_while(|island| island.behind == i) {
                self.island_places.push(at);
                at += ISLAND;
            }
        }
        self.end = at;
    }

    /// Gives jumps that do not reach their target a longer form; whether there were any.
    fn lengthen(&mut self, body: &Body<'_>) -> Result<bool, Refusal> {
        let mut changed = false;
        for i in 0..body.instructions.len() {
            let located = &body.instructions[i];
            let Some(target) = located.instruction.target() else { continue };
            let Some(target) = body.index_at(target) else { continue };
            if self.long[i] || self.was_long(body, i) || self.reaches(i, self.goal(i, target)) {
                continue;
            }
            changed = true;
            match located.instruction {
                Instruction::Goto(_) | Instruction::Jsr(_) => self.long[i] = true,
                _ => {
                    let island = self.island(body, i, target)?;
                    self.via[i] = Some(island);
                    if !self.islands.contains(&island) {
                        let place = self.islands.partition_point(|it| it.behind <= island.behind);
                        self.islands.insert(place, island);
                        // Places are worked out anew before they are used again.
                        self.island_places.insert(place, self.afters[island.behind]);
                    }
                }
            }
        }
        Ok(changed)
    }

    /// Whether the old code has the long form already.
    fn was_long(&self, body: &Body<'_>, i: usize) -> bool {
        let next = body.instructions.get(i + 1);
        let size = next.map(|next| next.pc.0 - body.instructions[i].pc.0);
        matches!(body.instructions[i].instruction, Instruction::Goto(_) | Instruction::Jsr(_))
            && size == Some(5)
    }

    /// Where a jump goes to: its target, or its island.
    pub(super) fn goal(&self, i: usize, target: usize) -> usize {
        let island = self.via[i].and_then(|via| self.islands.iter().position(|it| *it == via));
        island.map_or(self.labels[target], |island| self.island_places[island])
    }

    fn reaches(&self, i: usize, goal: usize) -> bool {
        i16::try_from(goal as i64 - self.places[i] as i64).is_ok()
    }

    /// An island for a jump: one that is there, or a new one as far on the way as it reaches.
    fn island(&self, body: &Body<'_>, i: usize, target: usize) -> Result<Island, Refusal> {
        let place = self.places[i];
        let near = |at: usize| at.abs_diff(place) < REACH;
        let there = self.islands.iter().zip(&self.island_places);
        let fits = |(island, at): &(&Island, &usize)| island.target == target && near(**at);
        if let Some((island, _)) = there.into_iter().find(fits) {
            return Ok(*island);
        }
        let free = |&behind: &usize| {
            !body.instructions[behind].instruction.falls_through() && near(self.afters[behind])
        };
        let goal = self.labels[target];
        let behind = (0..body.instructions.len())
            .filter(free)
            .min_by_key(|&behind| self.afters[behind].abs_diff(goal));
        match behind {
            Some(behind) => Ok(Island { behind, target }),
            None => Err(Refusal::Jump(body.instructions[i].pc.0)),
        }
    }
}
