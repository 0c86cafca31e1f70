//! Where windows are closed.
//!
//! A window keeps other threads from taking over the objects that are accessed, so it must not be open
//! while its thread blocks or calls. Everything else leaves it open, across jumps, too: opening and closing have their price, and what was found out
//! about an object holds until the window is closed. Whoever waits asks for that, so loops look whether they are asked
//! (*poll*) before they go round. So do writes of a field that was read in the same window: without, `n++` would be atomic in the checked program,
//! and nobody would ever see that it is not. (What can throw an exception, and rarely does, leaves it open, too: the method's handlers close it.)
//!
//! Guarantee: on no way through the code a window that may be open comes to an instruction that may block, run other code,
//! or leave the method, without being closed before; and none goes round in a loop without a poll.

use crate::plan::{Action, Plan, jumps_back};
use interloper_jvm::{Body, Constant, ConstantPool, Instruction, PoolIndex};

/// What to do about the window before an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing.
    Nothing,
    /// It may be open, and has to be closed.
    Close,
    /// It may be open, and somebody may be waiting.
    Poll,
}

/// What to do before each instruction of a method.
pub(crate) fn steps(plan: &Plan<'_>, body: &Body<'_>, pool: &ConstantPool<'_>) -> Vec<Step> {
    let mut windows = Windows {
        steps: vec![Step::Nothing; body.instructions.len()],
        action_at: vec![None; body.instructions.len()],
        plan,
        body,
        pool,
    };
    for (at, action) in &plan.actions {
        windows.action_at[*at] = Some(action);
    }
    // Whether a window may be open when a block begins. In exception handlers it never is.
    let mut open = vec![false; body.blocks.len()];
    let mut todo: Vec<_> = body.block_ids().collect();
    todo.reverse();
    while let Some(block) = todo.pop() {
        let after =
            windows.through(body.blocks[block.index()].instructions.clone(), open[block.index()]);
        for next in body.successors(block).iter().filter(|_| after) {
            if !open[next.index()] {
                open[next.index()] = true;
                todo.push(*next);
            }
        }
    }
    windows.steps
}

struct Windows<'w, 'a> {
    steps: Vec<Step>,
    action_at: Vec<Option<&'w Action<'a>>>,
    plan: &'w Plan<'a>,
    body: &'w Body<'a>,
    pool: &'w ConstantPool<'a>,
}

impl Windows<'_, '_> {
    /// Goes through a block: whether a window may be open behind it.
    fn through(&mut self, block: std::ops::Range<usize>, mut open: bool) -> bool {
        let mut fields_read = vec![];
        for i in block {
            let located = &self.body.instructions[i];
            let action = self.action_at[i];
            let goes_on = goes_on(i, action, &located.instruction, self.plan, self.pool);
            self.steps[i] = match (open, goes_on) {
                (false, _) => Step::Nothing,
                (true, false) => Step::Close,
                (true, true) if jumps_back(located) => Step::Poll,
                (true, true) => match &located.instruction {
                    Instruction::PutField(field) if fields_read.contains(field) => Step::Poll,
                    _ => Step::Nothing,
                },
            };
            if !goes_on {
                fields_read.clear();
            }
            if let (Some(_), Instruction::GetField(field)) = (action, &located.instruction) {
                fields_read.push(*field);
            }
            open = action.is_some_and(Action::is_access) || open && goes_on;
        }
        open
    }
}

/// Whether an open window stays so over an instruction.
pub(crate) fn goes_on(
    i: usize,
    action: Option<&Action<'_>>,
    instruction: &Instruction<'_>,
    plan: &Plan<'_>,
    pool: &ConstantPool<'_>,
) -> bool {
    match action {
        Some(action) => action.joins_window(),
        None => {
            stays_open(instruction, pool)
                || plan.quiet.binary_search(&i).is_ok()
                || jumps(instruction)
        }
    }
}

/// Jumps within the method. (Subroutines of old compilers are not worth following.)
pub(crate) fn jumps(instruction: &Instruction<'_>) -> bool {
    matches!(
        instruction,
        Instruction::IfZero(..)
            | Instruction::IfInt(..)
            | Instruction::IfReference(..)
            | Instruction::IfNull(..)
            | Instruction::Goto(_)
            | Instruction::Switch(_)
    )
}

/// Whether an instruction that has no probe, and goes on to the next, can run in an open window: it runs no other code, not even to find a class.
pub(crate) fn stays_open(instruction: &Instruction<'_>, pool: &ConstantPool<'_>) -> bool {
    match instruction {
        Instruction::Nop
        | Instruction::Push(_)
        | Instruction::Load(..)
        | Instruction::Store(..)
        | Instruction::Increment(..)
        | Instruction::Stack(_)
        | Instruction::Binary(..)
        | Instruction::Negate(_)
        | Instruction::Convert(..)
        | Instruction::Compare(_)
        | Instruction::ArrayLength
        | Instruction::ArrayLoad(_)
        | Instruction::ArrayStore(_) => true,
        Instruction::LoadWideConstant(index) => !is_dynamic(*index, pool),
        Instruction::LoadConstant(index) => {
            // Strings and classes are found when first asked for, which takes locks and time.
            matches!(pool.get(*index), Constant::Integer(_) | Constant::Float(_))
        }
        _ => false,
    }
}

/// A constant of two slots that is computed by a method.
fn is_dynamic(index: PoolIndex, pool: &ConstantPool<'_>) -> bool {
    matches!(pool.get(index), Constant::Dynamic { .. })
}
