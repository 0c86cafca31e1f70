//! The elements that an array gets while it is being made: `new int[] {1, 2}`, or the arguments of a call that takes any number of them.
//!
//! Guarantee: up to such an access the array has only been on the operand stack, so nobody else can know it. It is new
//! (in the probe's sense), and the access would be neither logged nor remembered; it needs no probe.

use crate::values::{Value, Values};
use interloper_jvm::{Body, ConstantPool, Instruction, InvokeKind, MethodDescriptor, PoolIndex};

/// The accesses, by index, in order.
pub(crate) fn of_unknown_arrays(body: &Body<'_>, pool: &ConstantPool<'_>) -> Vec<usize> {
    let mut found = vec![];
    let mut values = Values::default();
    for block in &body.blocks {
        values.forget();
        let mut unknown: Vec<Value> = vec![];
        for i in block.instructions.clone() {
            let instruction = &body.instructions[i].instruction;
            if fills(instruction, &values, &unknown) {
                found.push(i);
            }
            give_away(instruction, &values, &mut unknown, pool);
            step(&mut values, instruction, pool);
            if matches!(instruction, Instruction::NewArray(_) | Instruction::NewReferenceArray(_)) {
                unknown.extend(values.below_top(0));
            }
        }
    }
    found
}

/// Whether an instruction writes an element of an array that nobody knows.
fn fills(instruction: &Instruction<'_>, values: &Values, unknown: &[Value]) -> bool {
    let Instruction::ArrayStore(kind) = *instruction else { return false };
    let array = values.below_top(u16::from(kind.slots()) + 1);
    array.is_some_and(|array| unknown.contains(&array))
}

/// Forgets the arrays that an instruction takes from the stack and may show to others.
fn give_away(
    instruction: &Instruction<'_>,
    values: &Values,
    unknown: &mut Vec<Value>,
    pool: &ConstantPool<'_>,
) {
    let slots = match *instruction {
        Instruction::Stack(_) | Instruction::ArrayLength | Instruction::CheckCast(_) => 0,
        // The array itself stays where it is; what is put into it goes with it.
        Instruction::ArrayStore(kind) => u16::from(kind.slots()),
        Instruction::Store(..) | Instruction::PutStatic(_) | Instruction::PutField(_) => 1,
        Instruction::Invoke(kind, index) => match called(kind, index, pool) {
            Some((taken, _)) => taken,
            None => return unknown.clear(),
        },
        // No other takes a reference but to look at it, or it ends the block.
        _ => 0,
    };
    for value in (0..slots).filter_map(|slot| values.below_top(slot)) {
        unknown.retain(|it| *it != value);
    }
}

/// How many slots a call takes, and gives; none if nothing is known of it.
fn called(kind: InvokeKind, index: PoolIndex, pool: &ConstantPool<'_>) -> Option<(u16, u16)> {
    let descriptor = match kind {
        InvokeKind::Dynamic => pool.invoke_dynamic(index).ok()?.descriptor,
        _ => pool.method(index).ok()?.descriptor,
    };
    let descriptor = MethodDescriptor::parse(&descriptor).ok()?;
    let receiver = usize::from(!matches!(kind, InvokeKind::Static | InvokeKind::Dynamic));
    let taken = u16::try_from(receiver + descriptor.parameter_slots()).ok()?;
    Some((taken, u16::try_from(descriptor.result_slots()).ok()?))
}

fn step(values: &mut Values, instruction: &Instruction<'_>, pool: &ConstantPool<'_>) {
    match *instruction {
        Instruction::Invoke(kind, index) => match called(kind, index, pool) {
            Some((taken, given)) => values.exchange(taken, given),
            None => values.forget(),
        },
        Instruction::New(_) => values.exchange(0, 1),
        Instruction::NewReferenceArray(_) | Instruction::InstanceOf(_) => values.exchange(1, 1),
        Instruction::CheckCast(_) => {}
        _ => values.step(instruction, pool),
    }
}
