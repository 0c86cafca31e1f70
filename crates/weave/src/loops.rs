//! Accesses that a loop makes again and again, of the same object or array, while its window stays open.
//!
//! What such a probe finds out holds until the window is closed, and so does what it has told: the thread's number of closed windows says
//! whether that is so. Each of them has a local variable with that number, which is given to the probe and got back from it (*since*);
//! for elements of arrays, it is what has the number that the thread goes through the array with.
//! It must speak of one object: of the value of a local variable, or of a field of that value, and where another object is put there,
//! the number is made one that is never right ([`NEVER`]).
//!
//! Fields count as one object's as long as the method does not write them: others cannot, while the window is open that they were read in.

use crate::plan::{Action, Own, Plan};
use crate::values::Values;
use crate::windows::Step;
use interloper_jvm::{BlockId, Body, ConstantPool, Instruction, Local, PoolIndex, ValueKind};

/// No number of closed windows, which are multiples of four, nor the next.
pub(crate) const NEVER: u32 = 2;

/// A method has so many at most.
const MOST: usize = 16;
/// Loops of a method that are looked through at most.
const MOST_LOOPS: usize = 64;
/// Longer methods are never compiled, and may become too long by what is inserted.
const MOST_INSTRUCTIONS: usize = 1 << 12;
const MOST_BLOCKS: usize = 1 << 10;

/// What an access is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// The elements of an array that is in a local variable.
    Elements(Local),
    /// Of one that is in a field of what is there.
    ElementsIn(Local, PoolIndex),
    /// A field of what is in a local variable.
    Field(Local, PoolIndex),
    /// A static field.
    Static(PoolIndex),
}

impl Subject {
    fn is_array(self) -> bool {
        matches!(self, Subject::Elements(_) | Subject::ElementsIn(..))
    }

    fn local(self) -> Option<Local> {
        match self {
            Subject::Elements(local) | Subject::ElementsIn(local, _) | Subject::Field(local, _) => {
                Some(local)
            }
            Subject::Static(_) => None,
        }
    }
}

/// The accesses of a method that need a number of their own, or share one.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    subjects: Vec<(Subject, bool)>,
    /// By instruction, in order: which number an access has.
    accesses: Vec<(usize, usize)>,
}

impl Rounds {
    /// Finds them.
    pub(crate) fn find(
        plan: &Plan<'_>,
        body: &Body<'_>,
        pool: &ConstantPool<'_>,
        steps: &[Step],
    ) -> Rounds {
        let loops = open_loops(body, steps);
        let mut rounds = Rounds::default();
        if loops.is_empty() {
            return rounds;
        }
        let written = written_fields(body, pool);
        let mut actions = plan.actions.iter().peekable();
        let mut values = Values::default();
        for (block, id) in body.blocks.iter().zip(body.block_ids()) {
            values.forget();
            for i in block.instructions.clone() {
                let instruction = &body.instructions[i].instruction;
                let action = actions.next_if(|(at, _)| *at == i).map(|(_, action)| action);
                let subject = action.and_then(|it| subject(it, instruction, &values));
                if let Some((subject, write)) = subject
                    && !matches!(subject, Subject::ElementsIn(_, field) if is_written(field, pool, &written))
                    && loops.iter().any(|it| it.keeps(id, subject, body))
                {
                    rounds.add(i, subject, write);
                }
                values.step(instruction, pool);
            }
        }
        rounds
    }

    fn add(&mut self, i: usize, subject: Subject, write: bool) {
        // Elements are counted by site.
        let same = |it: &(Subject, bool)| *it == (subject, write) && !subject.is_array();
        let known = self.subjects.iter().position(same);
        let number = match known {
            Some(number) => number,
            None if self.subjects.len() < MOST => {
                self.subjects.push((subject, write));
                self.subjects.len() - 1
            }
            None => return,
        };
        self.accesses.push((i, number));
    }

    /// For each number, whether it is about elements of an array.
    pub(crate) fn about_elements(&self) -> impl Iterator<Item = bool> {
        self.subjects.iter().map(|(subject, _)| subject.is_array())
    }

    /// The number of an access.
    pub(crate) fn number(&self, i: usize) -> Option<usize> {
        let found = self.accesses.binary_search_by_key(&i, |it| it.0).ok()?;
        Some(self.accesses[found].1)
    }

    /// The numbers that are wrong behind an instruction: it puts something else where their objects are.
    pub(crate) fn ended_by(&self, instruction: &Instruction<'_>) -> impl Iterator<Item = usize> {
        let stored = match *instruction {
            Instruction::Store(ValueKind::Reference, local) => Some(local),
            _ => None,
        };
        let subjects = self.subjects.iter().enumerate();
        subjects.filter(move |(_, (it, _))| stored.is_some() && it.local() == stored).map(|it| it.0)
    }
}

/// What an access is about, if that can stay the same; and whether it is a write.
fn subject(
    action: &Action<'_>,
    instruction: &Instruction<'_>,
    values: &Values,
) -> Option<(Subject, bool)> {
    let above = |write, wide| match (write, wide) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    };
    match (action, *instruction) {
        (
            Action::Field { write, wide, own, .. },
            Instruction::GetField(index) | Instruction::PutField(index),
        ) => {
            // What is written to a volatile field is for others to see, each time.
            if *write && *own != Own::Plain {
                return None;
            }
            let object = values.below_top(above(*write, *wide))?;
            Some((Subject::Field(values.local_with(object)?, index), *write))
        }
        (Action::Element { write, wide }, _) => {
            let array = values.below_top(above(*write, *wide) + 1)?;
            let local = || values.local_with(array).map(Subject::Elements);
            let field = || {
                let (object, field) = values.field_with(array)?;
                Some(Subject::ElementsIn(values.local_with(object)?, field))
            };
            Some((local().or_else(field)?, *write))
        }
        (Action::Static { write: false, foreign: false, .. }, Instruction::GetStatic(index)) => {
            Some((Subject::Static(index), false))
        }
        _ => None,
    }
}

/// The names of the fields that a method writes.
fn written_fields<'a>(body: &Body<'a>, pool: &ConstantPool<'a>) -> Vec<String> {
    let written = body.instructions.iter().filter_map(|it| match it.instruction {
        Instruction::PutField(index) => Some(pool.field(index).ok()?.name.into_owned()),
        _ => None,
    });
    written.collect()
}

fn is_written(field: PoolIndex, pool: &ConstantPool<'_>, written: &[String]) -> bool {
    !pool.field(field).is_ok_and(|it| !written.iter().any(|name| *name == it.name))
}

/// A loop in which the window is never closed.
struct Loop {
    /// By block.
    members: Vec<bool>,
}

impl Loop {
    /// Whether a block is in it, and a subject stays the same all the time.
    fn keeps(&self, block: BlockId, subject: Subject, body: &Body<'_>) -> bool {
        let stores = |block: BlockId| {
            body.code_of(block).iter().any(|it| match it.instruction {
                Instruction::Store(_, local) => Some(local) == subject.local(),
                _ => false,
            })
        };
        self.members[block.index()]
            && !body.block_ids().any(|it| self.members[it.index()] && stores(it))
    }
}

fn open_loops(body: &Body<'_>, steps: &[Step]) -> Vec<Loop> {
    let mut loops = vec![];
    if body.blocks.len() > MOST_BLOCKS || body.instructions.len() > MOST_INSTRUCTIONS {
        return loops;
    }
    let mut before = vec![vec![]; body.blocks.len()];
    for block in body.block_ids() {
        for next in body.successors(block) {
            before[next.index()].push(block);
        }
    }
    for last in body.block_ids() {
        for head in body.successors(last).iter().filter(|it| **it <= last).take(MOST_LOOPS) {
            let members = between(*head, last, &before);
            let closes = |block: BlockId| {
                members[block.index()]
                    && body.blocks[block.index()]
                        .instructions
                        .clone()
                        .any(|i| steps[i] == Step::Close)
            };
            if !body.block_ids().any(closes) && loops.len() < MOST_LOOPS {
                loops.push(Loop { members });
            }
        }
    }
    loops
}

/// The blocks from which the last one can be reached without passing the head, and both.
fn between(head: BlockId, last: BlockId, before: &[Vec<BlockId>]) -> Vec<bool> {
    let mut members = vec![false; before.len()];
    members[head.index()] = true;
    let mut todo = vec![last];
    while let Some(block) = todo.pop() {
        if !std::mem::replace(&mut members[block.index()], true) {
            todo.extend(&before[block.index()]);
        }
    }
    members
}
