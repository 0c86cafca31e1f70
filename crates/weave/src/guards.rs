//! Small methods that look once at what they use, and then run without probes.
//!
//! A probe is cheap as long as it finds that there is nothing to do, but the call that it would make otherwise keeps compiled
//! code from holding anything in registers, and a method full of probes is too large to be inlined. So a method whose first
//! accesses are of fields of its parameters asks at its entry what the first probe of each object (and group of fields) would
//! have asked. If there is nothing to do for any of them, these accesses need no probes: the window is open, and nobody takes the objects until it is closed. If there is,
//! the call goes on in a copy of the method (`copies.rs`) that has all probes. That is where everything is told, so
//! what is in the log is the same, and so is its order.
//!
//! Guarantee: the accesses without probes are made on every way through the method, with nothing between them and the entry that
//! closes the window, or that lets others in before a write (`windows.rs`): what comes after that has its probes. A parameter that is null is none of the guard's business: the access throws where it
//! stands. No other exception can come from the methods that are chosen, but when memory or the stack is used up. If it comes from the copy, as there was something
//! to do for another object, that is left out of its stack trace (`InterloperCopies.java`).

use crate::loops::Rounds;
use crate::plan::{Action, CONSTRUCTOR, Own, Plan, Planner, jumps_back};
use crate::probe::Probe;
use crate::repeats::{self, Need, Turn};
use crate::values::{Value, Values};
use crate::windows::{self, Step};
use interloper_jvm::{
    AccessFlags, BinaryOp, Body, ClassFile, Code, FieldType, Instruction, InvokeKind, Local,
    Member, MethodDescriptor, ValueKind,
};

/// Longer methods are hardly inlined, and the copy costs room.
const MOST_INSTRUCTIONS: usize = 200;

/// The JVM allows no more, with the receiver.
const MOST_SLOTS: usize = 255;

/// What a method looks at, and what it does without.
#[derive(Debug, Default)]
pub(crate) struct Guards {
    pub(crate) looks: Vec<Look>,
    /// The accesses that have no probes, by index of the instruction, in order.
    clean: Vec<usize>,
    /// The instructions before which nothing with a probe can have been done, in order.
    untold: Vec<usize>,
    /// Whether all accesses of the method are clean.
    pub(crate) all_clean: bool,
}

/// A look at an object, and a group of its fields.
#[derive(Debug)]
pub(crate) struct Look {
    /// The parameter.
    pub(crate) object: Local,
    /// Whether one of the accesses writes.
    pub(crate) write: bool,
    /// The first access, by index of the instruction.
    pub(crate) first: usize,
    /// Its number, if several accesses are made together.
    pub(crate) together: Option<usize>,
    /// Whether none of these has a probe.
    pub(crate) ends: bool,
}

impl Look {
    /// What asks whether there is nothing to do.
    pub(crate) fn probe(&self) -> Probe {
        match (self.together, self.write) {
            (None, false) => Probe::ReadTold,
            (None, true) => Probe::WriteTold,
            (Some(_), false) => Probe::ReadsTold,
            (Some(_), true) => Probe::WritesTold,
        }
    }
}

impl Guards {
    /// For a method, if it is worth the while.
    pub(crate) fn find(
        planner: &Planner<'_>,
        member: &Member<'_>,
        code: &Code<'_>,
        body: &Body<'_>,
        (plan, in_block): (&Plan<'_>, bool),
    ) -> Option<Guards> {
        let parameters = Parameters::of(planner.class(), member)?;
        if !is_simple(planner, code, body, plan, &parameters) {
            return None;
        }
        let steps = windows::steps(plan, body, planner.pool());
        let no_rounds = Rounds::default();
        let needs = repeats::needs(plan, body, planner.pool(), (&no_rounds, &steps), in_block);
        let mut search = Search { planner, parameters, guards: Guards::default(), probes: 0 };
        search.go(plan, body, &needs, &steps);
        let Search { mut guards, probes, .. } = search;
        guards.all_clean = guards.clean.len() == plan.actions.len();
        guards.find_untold(plan, body);
        (probes > guards.looks.len()).then_some(guards)
    }

    /// All jumps lead on, so one pass is enough.
    fn find_untold(&mut self, plan: &Plan<'_>, body: &Body<'_>) {
        let mut told = vec![false; body.blocks.len()];
        let mut accesses = plan.actions.iter().map(|(at, _)| *at).peekable();
        for (block, id) in body.blocks.iter().zip(body.block_ids()) {
            let mut told_here = told[id.index()];
            for i in block.instructions.clone() {
                told_here |= accesses.next_if_eq(&i).is_some_and(|it| !self.is_clean(it));
                if !told_here {
                    self.untold.push(i);
                }
            }
            for next in body.successors(id) {
                told[next.index()] |= told_here;
            }
        }
    }

    /// Whether nothing can have been told before an instruction, so that there is nothing to be counted or ended.
    pub(crate) fn is_untold(&self, i: usize) -> bool {
        self.untold.binary_search(&i).is_ok()
    }

    /// Whether an access has no probe.
    pub(crate) fn is_clean(&self, i: usize) -> bool {
        self.clean.binary_search(&i).is_ok()
    }
}

/// A quick look at whether a method may have guards.
pub(crate) fn may_have_some(class: &ClassFile<'_>, member: &Member<'_>, code: &Code<'_>) -> bool {
    let short = code.bytecode.len() <= 3 * MOST_INSTRUCTIONS && code.handlers.is_empty();
    short && Parameters::of(class, member).is_some()
}

/// The parameters that are objects, with the slots of all.
struct Parameters {
    objects: Vec<Local>,
    slots: u16,
}

impl Parameters {
    fn of(class: &ClassFile<'_>, member: &Member<'_>) -> Option<Parameters> {
        let no = AccessFlags::SYNCHRONIZED.0 | AccessFlags::STATIC.0 | AccessFlags::SYNTHETIC.0;
        let descriptor = class.member_descriptor(member);
        let descriptor = MethodDescriptor::parse(&descriptor).ok()?;
        if descriptor.parameter_slots() >= MOST_SLOTS {
            return None;
        }
        let interface = class.access.contains(AccessFlags::INTERFACE);
        if member.access.0 & no != 0 || interface || class.member_name(member) == CONSTRUCTOR {
            return None;
        }
        let (mut objects, mut slots) = (vec![Local(0)], 1);
        for parameter in &descriptor.parameters {
            if matches!(parameter, FieldType::Object(_)) {
                objects.push(Local(slots));
            }
            slots += parameter.slots();
        }
        Some(Parameters { objects, slots })
    }

    /// The parameter that a value is, where none is ever stored to.
    fn with(&self, values: &Values, value: Value) -> Option<Local> {
        values.local_with(value).filter(|it| self.objects.contains(it))
    }
}

/// Whether a method is small, goes straight to its end, and throws nothing but what a parameter that is null makes it throw.
fn is_simple(
    planner: &Planner<'_>,
    code: &Code<'_>,
    body: &Body<'_>,
    plan: &Plan<'_>,
    parameters: &Parameters,
) -> bool {
    let small = body.instructions.len() <= MOST_INSTRUCTIONS && code.handlers.is_empty();
    if !small || !plan.is_leaf() {
        return false;
    }
    let mut values = Values::default();
    body.blocks.iter().all(|block| {
        values.forget();
        block.instructions.clone().all(|i| {
            let instruction = &body.instructions[i].instruction;
            let simple = !jumps_back(&body.instructions[i])
                && is_simple_instruction(planner, instruction, &values, parameters);
            values.step(instruction, planner.pool());
            simple
        })
    })
}

fn is_simple_instruction(
    planner: &Planner<'_>,
    instruction: &Instruction<'_>,
    values: &Values,
    parameters: &Parameters,
) -> bool {
    let of_parameter =
        |above| values.below_top(above).is_some_and(|it| parameters.with(values, it).is_some());
    match *instruction {
        Instruction::ArrayLength | Instruction::ArrayLoad(_) | Instruction::ArrayStore(_) => false,
        Instruction::Binary(BinaryOp::Div | BinaryOp::Rem, kind) => {
            matches!(kind, ValueKind::Float | ValueKind::Double)
        }
        Instruction::Store(_, local) | Instruction::Increment(local, _) => {
            local.0 >= parameters.slots
        }
        Instruction::GetField(field) => planner.own(field) != Own::No && of_parameter(0),
        Instruction::PutField(field) => {
            planner.own(field) != Own::No && planner.slots(field).is_some_and(of_parameter)
        }
        Instruction::Invoke(InvokeKind::Special, _) | Instruction::New(_) => true,
        // Functions of whole numbers may divide, or count too far.
        Instruction::Invoke(_, method) => {
            planner.pool().method(method).is_ok_and(|it| it.descriptor.ends_with(")D"))
        }
        Instruction::Return(_) => true,
        ref it => windows::jumps(it) || windows::stays_open(it, planner.pool()),
    }
}

/// Goes from the entry as far as accesses need no probes.
struct Search<'s, 'a> {
    planner: &'s Planner<'a>,
    parameters: Parameters,
    guards: Guards,
    /// So many probes are left out.
    probes: usize,
}

impl Search<'_, '_> {
    fn go(&mut self, plan: &Plan<'_>, body: &Body<'_>, needs: &[Need], steps: &[Step]) {
        let Some(entry) = body.blocks.first() else { return };
        let mut accesses = plan.actions.iter().zip(needs).peekable();
        let mut values = Values::default();
        for i in entry.instructions.clone() {
            let instruction = &body.instructions[i].instruction;
            if steps[i] != Step::Nothing {
                return;
            }
            let goes_on = match accesses.next_if(|((at, _), _)| *at == i) {
                Some(((_, action), need)) => self.access(i, action, *need, &values),
                None => self.stays_open(i, instruction, plan),
            };
            if goes_on.is_none() {
                return;
            }
            values.step(instruction, self.planner.pool());
        }
    }

    /// None if it needs a probe.
    fn access(&mut self, i: usize, action: &Action<'_>, need: Need, values: &Values) -> Option<()> {
        let Action::Field { write, wide, own: Own::Plain, .. } = *action else { return None };
        let above = u16::from(write) + u16::from(write && wide);
        let object = self.parameters.with(values, values.below_top(above)?)?;
        let look = |together| Look { object, write, first: i, together, ends: false };
        match need {
            Need::Nothing => {}
            Need::Probe => self.guards.looks.push(look(None)),
            Need::Together { number, write, turn: Turn::First } => {
                self.guards.looks.push(Look { write, ..look(Some(number)) });
            }
            // The first one is here, too: it is of the same object in the same window.
            Need::Together { number, turn, .. } => {
                let first = self.guards.looks.iter_mut().find(|it| it.together == Some(number))?;
                first.ends = turn == Turn::Last;
            }
            Need::Record => return None,
        }
        self.guards.clean.push(i);
        self.probes += usize::from(need != Need::Nothing);
        Some(())
    }

    /// None if an instruction that has no probe must not be run with the window open.
    fn stays_open(&self, i: usize, instruction: &Instruction<'_>, plan: &Plan<'_>) -> Option<()> {
        let runs = match *instruction {
            Instruction::New(class) => {
                let name = self.planner.pool().class_name(class);
                name.is_ok_and(|it| self.planner.is_ready(&it))
            }
            _ => {
                windows::stays_open(instruction, self.planner.pool())
                    || plan.quiet.binary_search(&i).is_ok()
            }
        };
        runs.then_some(())
    }
}
