//! Over which instructions a window stays open.
//!
//! A window keeps other threads from taking over the object that is accessed, so it must not be open
//! while its thread blocks, calls or jumps. What follows an access in its basic block and can do
//! none of these, nor throw, leaves it open, and so saves pairs of opening and closing. (Accesses can throw: the method's
//! handlers close the window.)

use crate::plan::{Action, Plan};
use interloper_jvm::{BinaryOp, Constant, ConstantPool, Instruction, ValueKind};

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
        None => stays_open(instruction, pool) || plan.quiet.binary_search(&i).is_ok(),
    }
}

/// Whether an instruction that has no probe can run in an open window.
pub(crate) fn stays_open(instruction: &Instruction<'_>, pool: &ConstantPool<'_>) -> bool {
    match instruction {
        Instruction::Nop
        | Instruction::Push(_)
        | Instruction::LoadWideConstant(_)
        | Instruction::Load(..)
        | Instruction::Store(..)
        | Instruction::Increment(..)
        | Instruction::Stack(_)
        | Instruction::Negate(_)
        | Instruction::Convert(..)
        | Instruction::Compare(_) => !is_dynamic(instruction, pool),
        Instruction::LoadConstant(index) => {
            // Strings and classes are found when first asked for, which takes locks and time.
            matches!(pool.get(*index), Constant::Integer(_) | Constant::Float(_))
        }
        Instruction::Binary(op, kind) => {
            let throws = matches!(op, BinaryOp::Div | BinaryOp::Rem)
                && matches!(kind, ValueKind::Int | ValueKind::Long);
            !throws
        }
        _ => false,
    }
}

/// A constant of two slots that is computed by a method.
fn is_dynamic(instruction: &Instruction<'_>, pool: &ConstantPool<'_>) -> bool {
    match instruction {
        Instruction::LoadWideConstant(index) => {
            matches!(pool.get(*index), Constant::Dynamic { .. })
        }
        _ => false,
    }
}
