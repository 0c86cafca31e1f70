//! Cuts code into basic blocks and connects them.
//!
//! A block begins at every target of a jump, after every jump, at every handler, and where the set of
//! handlers in charge changes. The handlers of the blocks are found in one sweep over the code with
//! the set of the open ranges, so that a long exception table costs its length plus the edges it makes,
//! of which there may be [`MAX_EDGES`].

use crate::body::{Block, BlockId, Body, MAX_EDGES};
use crate::code::Code;
use crate::error::{Fault, Flaw};
use crate::instruction::Instruction;
use std::collections::BTreeSet;

/// Fills in the blocks of a body whose instructions are decoded.
pub(crate) fn cut(body: &mut Body<'_>, code: &Code<'_>) -> Result<(), Fault> {
    let leaders = leaders(body, code)?;
    let starts: Vec<usize> =
        leaders.iter().enumerate().filter(|(_, leads)| **leads).map(|(index, _)| index).collect();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(body.instructions.len());
        body.blocks.push(Block { instructions: *start..end, successors: 0..0, handlers: 0..0 });
    }
    connect(body, code)?;
    if code.handlers.is_empty() { Ok(()) } else { cover(body, code) }
}

/// For each instruction, whether a block begins with it.
fn leaders(body: &Body<'_>, code: &Code<'_>) -> Result<Vec<bool>, Fault> {
    let mut leads = vec![false; body.instructions.len()];
    leads[0] = true;
    for (index, located) in body.instructions.iter().enumerate() {
        let pc = located.pc;
        if let Some(target) = located.instruction.target() {
            leads[body.target_index(code, pc, target)?] = true;
        }
        if let Instruction::Switch(switch) = located.instruction {
            leads[body.target_index(code, pc, switch.default)?] = true;
            for (_, target) in switch.cases() {
                leads[body.target_index(code, pc, target)?] = true;
            }
        }
        if located.instruction.ends_block()
            && let Some(next) = leads.get_mut(index + 1)
        {
            *next = true;
        }
    }
    for entry in &code.handlers {
        leads[body.target_index(code, entry.handler, entry.handler)?] = true;
        leads[body.target_index(code, entry.start, entry.start)?] = true;
        if usize::from(entry.end.0) < code.bytecode.len() {
            leads[body.target_index(code, entry.end, entry.end)?] = true;
        }
    }
    Ok(leads)
}

/// The edges of jumps and of falling through.
fn connect(body: &mut Body<'_>, code: &Code<'_>) -> Result<(), Fault> {
    let after_jsr = after_jsr(body);
    for number in 0..body.blocks.len() {
        let first = body.successors.len();
        let last = body.instructions[body.blocks[number].instructions.end - 1];
        // no edge leads past the end: the JVM allows code that would run there if it is dead
        if last.instruction.falls_through() && number + 1 < body.blocks.len() {
            body.successors.push(BlockId(number as u32 + 1));
        }
        body.successors.extend(last.instruction.target().and_then(|pc| body.block_at(pc)));
        match last.instruction {
            Instruction::Switch(switch) => {
                let targets: BTreeSet<BlockId> = std::iter::once(switch.default)
                    .chain(switch.cases().map(|(_, target)| target))
                    .filter_map(|pc| body.block_at(pc))
                    .collect();
                body.successors.extend(targets);
            }
            Instruction::Ret(_) => body.successors.extend(&after_jsr),
            _ => {}
        }
        // a jump to the next instruction
        if body.successors.len() == first + 2
            && body.successors[first] == body.successors[first + 1]
        {
            body.successors.pop();
        }
        body.blocks[number].successors = first..body.successors.len();
        check_edges(body, code)?;
    }
    Ok(())
}

/// The blocks behind the subroutine calls.
fn after_jsr(body: &Body<'_>) -> Vec<BlockId> {
    let calls = |block: &Block| {
        let last = body.instructions[block.instructions.end - 1];
        matches!(last.instruction, Instruction::Jsr(_))
    };
    (1..body.blocks.len())
        .filter(|number| calls(&body.blocks[number - 1]))
        .map(|number| BlockId(number as u32))
        .collect()
}

/// The edges to exception handlers.
fn cover(body: &mut Body<'_>, code: &Code<'_>) -> Result<(), Fault> {
    let mut by_start: Vec<u16> = (0..code.handlers.len() as u16)
        .filter(|it| code.handlers[usize::from(*it)].start < code.handlers[usize::from(*it)].end)
        .collect();
    let mut by_end = by_start.clone();
    by_start.sort_by_key(|it| code.handlers[usize::from(*it)].start);
    by_end.sort_by_key(|it| code.handlers[usize::from(*it)].end);
    let (mut opening, mut closing) = (by_start.iter().peekable(), by_end.iter().peekable());
    let mut open = BTreeSet::new();
    for number in 0..body.blocks.len() {
        let pc = body.instructions[body.blocks[number].instructions.start].pc;
        while let Some(it) = closing.next_if(|it| code.handlers[usize::from(**it)].end <= pc) {
            open.remove(it);
        }
        while let Some(it) = opening.next_if(|it| code.handlers[usize::from(**it)].start <= pc) {
            if code.handlers[usize::from(*it)].end > pc {
                open.insert(*it);
            }
        }
        let first = body.handlers.len();
        for entry in &open {
            body.handlers.push(*entry);
            if code.handlers[usize::from(*entry)].catch_type.is_none() {
                break;
            }
        }
        body.blocks[number].handlers = first..body.handlers.len();
        check_edges(body, code)?;
    }
    Ok(())
}

fn check_edges(body: &Body<'_>, code: &Code<'_>) -> Result<(), Fault> {
    if body.successors.len() + body.handlers.len() > MAX_EDGES {
        return Err(Flaw::Edges(MAX_EDGES).at(code.bytecode_span.start));
    }
    Ok(())
}
