//! What a thread does, step by step.

use crate::verdicts::program::{Access, Array, Guard, Item, Object, Program, Walk};

#[derive(Clone, Copy)]
pub enum Step {
    Access(Access),
    Turn,
    Begin(usize),
    End(usize),
    Enter(Guard),
    Exit,
    Wait,
    /// What was let go to wait is taken again.
    Resume,
    Notify,
    /// Values of local variables.
    Locals(Object, Array),
}

/// Something is thrown.
struct Thrown;

/// All steps of a thread; what is thrown ends it.
pub fn steps(thread: &[Item], program: &Program) -> Vec<Step> {
    let mut steps = vec![Step::Turn];
    let _ended = flatten(thread, program, &mut steps);
    steps
}

fn flatten(items: &[Item], program: &Program, out: &mut Vec<Step>) -> Result<(), Thrown> {
    for item in items {
        match item {
            Item::Access(access) => out.push(Step::Access(*access)),
            Item::Turn => out.push(Step::Turn),
            Item::Call(method) => {
                out.push(Step::Begin(*method));
                let result = flatten(&program.methods[*method], program, out);
                out.push(Step::End(*method));
                result?;
            }
            Item::Loop(times, within) => {
                for _ in 0..*times {
                    flatten(within, program, out)?;
                }
            }
            Item::Guarded(guard, within) => {
                out.push(Step::Enter(*guard));
                let result = flatten(within, program, out);
                out.push(Step::Exit);
                result?;
            }
            Item::Try(within) => {
                let _caught = flatten(within, program, out);
            }
            Item::Throw => return Err(Thrown),
            Item::Wait => out.extend([Step::Wait, Step::Turn, Step::Resume]),
            Item::Notify => out.push(Step::Notify),
            Item::With(object, array, within) => {
                out.push(Step::Locals(*object, *array));
                flatten(within, program, out)?;
            }
            Item::Walk(walk) => flatten_walk(walk, out),
            Item::Row(row) => out.extend(row.accesses().map(Step::Access)),
        }
    }
    Ok(())
}

fn flatten_walk(walk: &Walk, out: &mut Vec<Step>) {
    for index in walk.indices() {
        out.push(Step::Access(Access::Element { array: walk.array, index, touch: walk.touch }));
        out.extend(walk.also.iter().map(|access| Step::Access(*access)));
        out.extend(walk.turns.then_some(Step::Turn));
    }
}
