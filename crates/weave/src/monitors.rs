//! Synchronized blocks: which monitors are held where, and the probes at their ends.
//!
//! Blocks that are atomic begin before their `monitorenter` and end after the `monitorexit`s that
//! belong to it. Which those are is found by going through the code with a stack of the monitors
//! that are held; compilers make code in which every way to an instruction holds the same ones. An exception
//! handler holds what is held where its range begins.

use crate::probe::{Maker, Probe};
use interloper_jvm::rewrite::Snippet;
use interloper_jvm::{BlockId, Body, Code, Instruction, Local};

/// The monitors that are held at the beginning of each basic block: indexes of `monitorenter`
/// instructions, outermost first. Nothing is known of blocks that cannot be reached.
#[derive(Debug)]
pub(crate) struct Held {
    at: Vec<Option<Vec<usize>>>,
}

impl Held {
    /// Finds out; none if the code is not properly nested.
    pub(crate) fn find(code: &Code<'_>, body: &Body<'_>) -> Option<Held> {
        let mut held = Held { at: vec![None; body.blocks.len()] };
        held.at[0] = Some(vec![]);
        let mut todo = vec![BlockId(0)];
        while let Some(block) = todo.pop() {
            let before = held.at[block.index()].clone()?;
            let after = through(body, block, before.clone())?;
            let first = body.code_of(block).first()?.pc;
            let caught = body.handlers(block).iter().filter_map(|it| {
                let handler = code.handlers.get(usize::from(*it))?;
                (handler.start == first).then_some(body.block_at(handler.handler)?)
            });
            let next = body.successors(block).iter().map(|it| (*it, &after));
            for (next, state) in next.chain(caught.map(|it| (it, &before))) {
                match &held.at[next.index()] {
                    Some(known) if known == state => {}
                    Some(_) => return None,
                    None => {
                        held.at[next.index()] = Some(state.clone());
                        todo.push(next);
                    }
                }
            }
        }
        Some(held)
    }

    /// What is held when a block begins.
    pub(crate) fn at(&self, block: BlockId) -> &[usize] {
        self.at[block.index()].as_deref().unwrap_or_default()
    }

    /// For every `monitorexit` that can be reached, by index: the `monitorenter` it belongs to.
    pub(crate) fn exits(&self, body: &Body<'_>) -> Vec<(usize, usize)> {
        let mut exits = vec![];
        for block in body.block_ids() {
            let Some(mut state) = self.at[block.index()].clone() else { continue };
            for i in body.blocks[block.index()].instructions.clone() {
                match body.instructions[i].instruction {
                    Instruction::MonitorEnter => state.push(i),
                    Instruction::MonitorExit => exits.extend(state.pop().map(|enter| (i, enter))),
                    _ => {}
                }
            }
        }
        exits
    }
}

/// What is held behind a block; none if it leaves what it has not entered.
fn through(body: &Body<'_>, block: BlockId, mut held: Vec<usize>) -> Option<Vec<usize>> {
    for i in body.blocks[block.index()].instructions.clone() {
        match body.instructions[i].instruction {
            Instruction::MonitorEnter => held.push(i),
            Instruction::MonitorExit => {
                held.pop()?;
            }
            _ => {}
        }
    }
    Some(held)
}

/// Whether an instruction follows the one before it on every way to it, so that what is put before it
/// might as well be behind that.
pub(crate) fn only_follows(i: usize, code: &Code<'_>, body: &Body<'_>) -> bool {
    let Some(located) = body.instructions.get(i) else { return false };
    let Some(block) = body.block_at(located.pc) else { return true };
    let before = body.instructions[i - 1].instruction;
    let jumps_here = body.block_ids().any(|from| {
        let last = body.blocks[from.index()].instructions.end - 1;
        last != i - 1 && body.successors(from).contains(&block)
    });
    before.falls_through()
        && !before.ends_block()
        && !jumps_here
        && code.handlers.iter().all(|it| it.handler != located.pc)
}

/// Before `monitorenter`: keeps the object for [`entered`].
pub(crate) fn entering(snippet: Snippet) -> Snippet {
    snippet.dup()
}

/// After `monitorenter`.
pub(crate) fn entered(
    maker: &mut Maker<'_, '_>,
    snippet: Snippet,
    context: Local,
    site: u32,
) -> Snippet {
    maker.call_at(snippet, Probe::Entered, context, site)
}

/// Before `monitorexit`.
pub(crate) fn exiting(
    maker: &mut Maker<'_, '_>,
    snippet: Snippet,
    context: Local,
    site: u32,
) -> Snippet {
    maker.call_at(snippet.dup(), Probe::Exiting, context, site)
}
