//! The accesses by which a constructor fills in its object while nobody else can know it.
//!
//! Such an object is new (in the probe's sense) and made by the running transaction, so its accesses would be
//! neither logged nor remembered; they need no probe. Guarantee: up to the last of them the constructor has
//! called nothing, has written nothing but its own fields and elements of arrays, and has put `this` nowhere.

use crate::plan::{Own, Planner};
use crate::values::{Value, Values};
use crate::windows;
use interloper_jvm::{ArrayKind, Body, Code, Instruction, Local};

const THIS: Local = Local(0);

/// The accesses, by index; `first` is the first instruction behind the call of `Object`'s constructor.
pub(crate) fn of_unknown_object(
    planner: &Planner<'_>,
    code: &Code<'_>,
    body: &Body<'_>,
    first: usize,
) -> Vec<usize> {
    let mut found = vec![];
    // What comes later in the code must come later in time, and `this` must stay where it is.
    let winds = body.instructions.iter().any(|it| {
        crate::plan::jumps_back(it) || matches!(it.instruction, Instruction::Store(_, THIS))
    });
    if winds || !code.handlers.is_empty() {
        return found;
    }
    let mut values = Values::default();
    for block in &body.blocks {
        values.forget();
        let this = values.local(THIS);
        for i in block.instructions.clone().filter(|i| *i >= first) {
            let instruction = &body.instructions[i].instruction;
            match step(planner, &values, this, instruction) {
                Some(Step::Own) => found.push(i),
                Some(Step::Other) => {}
                None => return found,
            }
            values.step(instruction, planner.pool());
        }
        if values.on_stack(this) {
            return found;
        }
    }
    found
}

/// What an instruction does that keeps `this` unknown.
enum Step {
    /// Accesses a field of `this`.
    Own,
    /// Anything else.
    Other,
}

/// None if others may know `this` afterwards.
fn step(
    planner: &Planner<'_>,
    values: &Values,
    this: Value,
    instruction: &Instruction<'_>,
) -> Option<Step> {
    let is_this = |slots| values.below_top(slots) == Some(this);
    match *instruction {
        Instruction::GetField(index) if is_this(0) => {
            (planner.own(index) == Own::Plain).then_some(Step::Own)
        }
        Instruction::PutField(index) => {
            let plain = planner.own(index) == Own::Plain;
            (plain && !is_this(0) && is_this(planner.slots(index)?)).then_some(Step::Own)
        }
        Instruction::Store(..) | Instruction::ArrayStore(ArrayKind::Reference) => {
            (!is_this(0)).then_some(Step::Other)
        }
        Instruction::GetField(_)
        | Instruction::ArrayLoad(_)
        | Instruction::ArrayStore(_)
        | Instruction::ArrayLength
        | Instruction::NewArray(_)
        | Instruction::Binary(..)
        | Instruction::Return(_) => Some(Step::Other),
        _ if instruction.ends_block() && instruction.target().is_some() => {
            (!values.on_stack(this)).then_some(Step::Other)
        }
        _ => windows::stays_open(instruction, planner.pool()).then_some(Step::Other),
    }
}
