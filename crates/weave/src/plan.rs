//! What is to be done at which instruction of a method, before anything is written.

use crate::births;
use crate::calls::{self, Effect};
use crate::config::Arrays;
use crate::groups;
use crate::initials;
use crate::leaves::Quiet;
use interloper_jvm::{
    AccessFlags, Body, ClassFile, Code, ConstantPool, FieldType, Instruction, InvokeKind, Located,
    Member, MemberRef, MethodDescriptor, PoolIndex,
};
use std::borrow::Cow;
use std::collections::HashMap;

/// The JVM's name for constructors.
pub(crate) const CONSTRUCTOR: &str = "<init>";
/// The same for what initialises classes.
pub(crate) const INITIALISER: &str = "<clinit>";

/// Something to be told to the probe.
#[derive(Debug, Clone)]
pub(crate) enum Action<'a> {
    /// A field of an object.
    Field { write: bool, wide: bool, own: Own, group: usize, member: MemberRef<'a> },
    /// A field of a class; `foreign` if that may not be initialised yet.
    Static { write: bool, wide: bool, foreign: bool, member: MemberRef<'a>, index: PoolIndex },
    /// An element of an array.
    Element { write: bool, wide: bool },
    /// A monitor is entered.
    Enter,
    /// A monitor is left.
    Exit,
    /// An object is made: the call of its superclass's constructor.
    Made,
    /// An array is made.
    NewArray,
    /// A call of the JDK that may hand objects to other threads.
    HandOver,
    /// A call that synchronises.
    Call { effect: Effect, kind: InvokeKind, member: MemberRef<'a> },
}

/// What the class knows of a field that an access names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Own {
    /// Another class declares it.
    No,
    /// The class declares it.
    Plain,
    /// The class declares it, and it is volatile.
    Volatile,
}

impl Action<'_> {
    /// Whether it reads or writes a variable in a window that may go on.
    pub(crate) fn is_access(&self) -> bool {
        matches!(self, Action::Field { .. } | Action::Static { .. } | Action::Element { .. })
    }

    /// Whether it is something that another thread's doings can come between.
    fn matters(&self) -> bool {
        !matches!(self, Action::Made | Action::NewArray)
    }

    /// Whether it can run in the window of the access before it.
    pub(crate) fn joins_window(&self) -> bool {
        self.is_access() && !matches!(self, Action::Static { foreign: true, .. })
    }
}

/// What is to be done in a method.
#[derive(Debug, Default)]
pub(crate) struct Plan<'a> {
    /// By index of the instruction, in order.
    pub(crate) actions: Vec<(usize, Action<'a>)>,
    /// Reads of fields that need no action and can run in an open window: the class declares them, so
    /// nothing has to be loaded. By index, in order.
    pub(crate) quiet: Vec<usize>,
    /// From which instruction on there is an object to speak of: the first, but in constructors
    /// the first behind the call of another one.
    pub(crate) first: usize,
    /// There are calls, or instructions that can run code of other classes.
    pub(crate) calls: bool,
    /// Among these are some that may meet other probes.
    pub(crate) meets_probes: bool,
    /// There are loops.
    pub(crate) loops: bool,
    /// Accesses of static fields that cannot be told to the probe.
    pub(crate) nameless: usize,
    /// Not all elements of arrays are looked at, so one says nothing about others.
    pub(crate) elements_differ: bool,
}

impl Plan<'_> {
    /// Whether the method cannot be interrupted, whatever others do: it does one thing at most.
    pub(crate) fn is_trivially_atomic(&self) -> bool {
        let mut actions = self.actions.iter().filter(|(_, action)| action.matters());
        let first = actions.next();
        !self.calls
            && !self.loops
            && first.is_none_or(|(_, action)| action.is_access())
            && actions.next().is_none()
    }

    /// Whether it is not a block and has no accesses, either.
    pub(crate) fn tells_nothing(&self) -> bool {
        self.is_trivially_atomic() && !self.actions.iter().any(|(_, action)| action.matters())
    }

    /// Whether a block of the method is one in which no other probes are met than those of accesses in it: a leaf.
    /// (A class loader of the program may run while a name is resolved. It finds the leaf's block ended.)
    pub(crate) fn is_leaf(&self) -> bool {
        let plain = |action: &Action<'_>| action.is_access() || !action.matters();
        !self.meets_probes && self.actions.iter().all(|(_, action)| plain(action))
    }

    /// Whether an exception can find a window, or a wait, open.
    pub(crate) fn leaves_open(&self) -> bool {
        self.actions.iter().any(|(_, action)| match action {
            Action::Call { effect, .. } => effect.spans_call(),
            action => action.is_access(),
        })
    }

    /// How many slots the calls need for what they find on the stack.
    pub(crate) fn temporaries(&self) -> u16 {
        let slots = self.actions.iter().filter_map(|(_, action)| match action {
            Action::Call { member, .. } => {
                let descriptor = MethodDescriptor::parse(&member.descriptor).ok()?;
                u16::try_from(1 + descriptor.parameter_slots()).ok()
            }
            _ => None,
        });
        slots.max().unwrap_or(0)
    }
}

/// What is known about a class in general.
pub(crate) struct Planner<'a> {
    class: &'a ClassFile<'a>,
    arrays: Arrays,
    /// Whether objects of this class get their state from it.
    pub(crate) makes: bool,
    /// Whether even accesses of objects are wanted that nobody else knows.
    pub(crate) all_accesses: bool,
    /// What can be called in leaves.
    pub(crate) quiet: Quiet,
    /// Which of its fields have one state in common.
    pub(crate) grouping: Grouping,
    /// The fields of this class, by name and descriptor: their flags and positions.
    fields: HashMap<(Cow<'a, str>, Cow<'a, str>), (AccessFlags, usize)>,
}

/// Which fields of a class have one state in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// All of them.
    One,
    /// As the name of the field for further states tells.
    Named(String),
    /// That was decided before: nobody knows here.
    Unknown,
}

impl<'a> Planner<'a> {
    /// For the methods of a class.
    pub(crate) fn new(class: &'a ClassFile<'a>, arrays: Arrays) -> Planner<'a> {
        let fields = class.fields.iter().enumerate().map(|(position, it)| {
            ((class.member_name(it), class.member_descriptor(it)), (it.access, position))
        });
        let (fields, grouping) = (fields.collect(), Grouping::One);
        let (makes, all_accesses, quiet) = (false, false, Quiet::default());
        Planner { class, arrays, makes, all_accesses, quiet, grouping, fields }
    }

    /// What is to be done in a method; or why it has to be left alone.
    pub(crate) fn plan(
        &self,
        name: &str,
        code: &Code<'a>,
        body: &Body<'a>,
    ) -> Result<Plan<'a>, &'static str> {
        let elements_differ = matches!(self.arrays, Arrays::Below(_));
        let mut plan = Plan { elements_differ, ..Plan::default() };
        let mut unknown = match self.all_accesses {
            true => vec![],
            false => initials::of_unknown_arrays(body, self.pool()),
        };
        if name == CONSTRUCTOR {
            plan.first = self.behind_other_constructor(code, body)?;
            let other = &body.instructions[plan.first - 1].instruction;
            if self.makes && self.calls_super(other) {
                plan.actions.push((plan.first - 1, Action::Made));
                if !self.all_accesses && !self.may_call(other) {
                    unknown.extend(births::of_unknown_object(self, code, body, plan.first));
                    unknown.sort_unstable();
                }
            }
        }
        for (i, located) in body.instructions.iter().enumerate() {
            let may_call = self.may_call(&located.instruction);
            plan.calls |= may_call;
            plan.meets_probes |= may_call && !self.quiet.allows(self.class, &located.instruction);
            plan.loops |= jumps_back(located);
            if i < plan.first || unknown.binary_search(&i).is_ok() {
                continue;
            }
            match self.action(&located.instruction, &mut plan) {
                Some(action) => plan.actions.push((i, action)),
                None if self.is_quiet(&located.instruction) => plan.quiet.push(i),
                None => {}
            }
        }
        Ok(plan)
    }

    fn action(&self, instruction: &Instruction<'a>, plan: &mut Plan<'a>) -> Option<Action<'a>> {
        match *instruction {
            Instruction::GetField(index) => self.field(index, false),
            Instruction::PutField(index) => self.field(index, true),
            Instruction::GetStatic(index) => self.static_field(index, false, plan),
            Instruction::PutStatic(index) => self.static_field(index, true, plan),
            Instruction::ArrayLoad(kind) => self.element(kind.slots() == 2, false),
            Instruction::ArrayStore(kind) => self.element(kind.slots() == 2, true),
            Instruction::NewArray(_) | Instruction::NewReferenceArray(_) => self.new_array(),
            Instruction::MonitorEnter => Some(Action::Enter),
            Instruction::MonitorExit => Some(Action::Exit),
            Instruction::Invoke(kind, index) if kind != InvokeKind::Dynamic => {
                let member = self.class.pool.method(index).ok()?;
                let kind = self.kind_of_call(kind, &member);
                match calls::effect(kind, &member) {
                    Some(effect) => Some(Action::Call { effect, kind, member }),
                    None if calls::makes_array(kind, &member) => self.new_array(),
                    None => calls::may_hand_over(&member).then_some(Action::HandOver),
                }
            }
            _ => None,
        }
    }

    /// `super.lock()` is a call like others, unless the class overrides the method: then it is part of what is seen from outside.
    fn kind_of_call(&self, kind: InvokeKind, call: &MemberRef<'_>) -> InvokeKind {
        let class = self.class;
        let of_super = kind == InvokeKind::Special && call.class != class.name;
        let is_it = |it: &Member<'a>| {
            class.member_name(it) == call.name && class.member_descriptor(it) == call.descriptor
        };
        match of_super && call.name != CONSTRUCTOR && !class.methods.iter().any(is_it) {
            true => InvokeKind::Virtual,
            false => kind,
        }
    }

    fn new_array(&self) -> Option<Action<'a>> {
        (self.arrays != Arrays::Off).then_some(Action::NewArray)
    }

    fn element(&self, wide: bool, write: bool) -> Option<Action<'a>> {
        (self.arrays != Arrays::Off).then_some(Action::Element { write, wide })
    }

    fn field(&self, index: PoolIndex, write: bool) -> Option<Action<'a>> {
        let member = self.class.pool.field(index).ok()?;
        if self.is_left_out(&member) {
            return None;
        }
        let (own, group) = (self.own(index), self.group(&member));
        Some(Action::Field { write, wide: is_wide(&member), own, group, member })
    }

    fn is_quiet(&self, instruction: &Instruction<'a>) -> bool {
        matches!(*instruction, Instruction::GetField(index) if self.own(index) != Own::No)
    }

    /// The class.
    pub(crate) fn class(&self) -> &ClassFile<'a> {
        self.class
    }

    /// Whether a class that has an object is initialised for certain, so that making another one runs no code: this class, if there is no such code.
    pub(crate) fn is_ready(&self, name: &str) -> bool {
        let class = self.class;
        let initialises = |it: &Member<'a>| class.member_name(it) == INITIALISER;
        name == class.name
            && class.super_name().is_some_and(|it| it == "java/lang/Object")
            && class.interfaces.is_empty()
            && !class.methods.iter().any(initialises)
    }

    /// The constants of the class.
    pub(crate) fn pool(&self) -> &ConstantPool<'a> {
        &self.class.pool
    }

    /// What the class knows of a field.
    pub(crate) fn own(&self, index: PoolIndex) -> Own {
        match self.class.pool.field(index).ok().and_then(|it| self.own_field(&it)) {
            None => Own::No,
            Some(flags) if flags.contains(AccessFlags::VOLATILE) => Own::Volatile,
            Some(_) => Own::Plain,
        }
    }

    /// The group of a field; where nothing is known, each is one.
    fn group(&self, member: &MemberRef<'a>) -> usize {
        match (&self.grouping, self.declared(member)) {
            (Grouping::Named(further), Some((_, position))) => groups::group_of(further, position),
            (Grouping::Unknown, Some((_, position))) => position,
            _ => 0,
        }
    }

    /// How many slots a field's value takes.
    pub(crate) fn slots(&self, index: PoolIndex) -> Option<u16> {
        let member = self.class.pool.field(index).ok()?;
        Some(if is_wide(&member) { 2 } else { 1 })
    }

    fn static_field(
        &self,
        index: PoolIndex,
        write: bool,
        plan: &mut Plan<'a>,
    ) -> Option<Action<'a>> {
        let member = self.class.pool.field(index).ok()?;
        if self.is_left_out(&member) {
            // A class initialiser shows others what nobody is seen to read.
            let shows = write && member.descriptor.starts_with(['L', '[']);
            return shows.then_some(Action::HandOver);
        }
        // Older classes cannot name classes as values.
        if self.class.major < 49 {
            plan.nameless += 1;
            return None;
        }
        let foreign = self.own_field(&member).is_none();
        Some(Action::Static { write, wide: is_wide(&member), foreign, member, index })
    }

    /// Whether accesses of a field are of no interest: it is final, as far as this class knows, or
    /// not of the program.
    fn is_left_out(&self, member: &MemberRef<'a>) -> bool {
        let own = self.own_field(member);
        member.name.starts_with(crate::FIELD)
            || own.is_some_and(|it| it.contains(AccessFlags::FINAL))
    }

    /// The flags of a field that this class declares itself: if it is running, that is initialised.
    /// One that it inherits may be of an interface that is not.
    fn own_field(&self, member: &MemberRef<'a>) -> Option<AccessFlags> {
        self.declared(member).map(|(flags, _)| flags)
    }

    /// The flags and the position of a field that this class declares itself.
    fn declared(&self, member: &MemberRef<'a>) -> Option<(AccessFlags, usize)> {
        let declared = || self.fields.get(&(member.name.clone(), member.descriptor.clone()));
        (member.class == self.class.name).then(declared).flatten().copied()
    }

    /// Whether code of other methods can run in an instruction.
    fn may_call(&self, instruction: &Instruction<'a>) -> bool {
        match *instruction {
            // There is nothing in the constructor of Object.
            Instruction::Invoke(InvokeKind::Special, index) if self.constructs(index) => {
                let method = self.class.pool.method(index);
                !method.is_ok_and(|it| it.class == "java/lang/Object")
            }
            Instruction::Invoke(..) | Instruction::New(_) => true,
            // The class may have to be initialised.
            Instruction::GetStatic(index) | Instruction::PutStatic(index) => {
                self.class.pool.field(index).is_ok_and(|it| self.own_field(&it).is_none())
            }
            Instruction::LoadConstant(index) | Instruction::LoadWideConstant(index) => {
                let constant = self.class.pool.get(index);
                matches!(constant, interloper_jvm::Constant::Dynamic { .. })
            }
            _ => false,
        }
    }

    /// The instruction behind the one call of another constructor of the same object.
    fn behind_other_constructor(
        &self,
        code: &Code<'a>,
        body: &Body<'a>,
    ) -> Result<usize, &'static str> {
        const NONE: &str = "no call of another constructor was found in this constructor";
        const MANY: &str = "more than one call of another constructor in this constructor";
        let mut new_objects = 0usize;
        let mut found = None;
        for (i, located) in body.instructions.iter().enumerate() {
            match located.instruction {
                Instruction::New(_) => new_objects += 1,
                Instruction::Invoke(InvokeKind::Special, index) if self.constructs(index) => {
                    if new_objects > 0 {
                        new_objects -= 1;
                    } else if found.replace(i + 1).is_some() {
                        return Err(MANY);
                    }
                }
                _ => {}
            }
        }
        let first = found.filter(|first| *first < body.instructions.len()).ok_or(NONE)?;
        match goes_round(first, code, body) {
            true => Err("a jump goes round the call of another constructor in this constructor"),
            false => Ok(first),
        }
    }

    fn calls_super(&self, instruction: &Instruction<'a>) -> bool {
        let Instruction::Invoke(_, index) = instruction else { return false };
        self.class.pool.method(*index).is_ok_and(|it| it.class != self.class.name)
    }

    fn constructs(&self, method: PoolIndex) -> bool {
        self.class.pool.method(method).is_ok_and(|it| it.name == CONSTRUCTOR)
    }
}

/// Whether something before an instruction leads to something behind it without passing it.
fn goes_round(first: usize, code: &Code<'_>, body: &Body<'_>) -> bool {
    let behind = |pc| body.index_at(pc).is_some_and(|index| index >= first);
    let jumps = body.instructions[..first].iter().any(|it| match it.instruction {
        Instruction::Switch(switch) => {
            behind(switch.default) || switch.cases().any(|(_, target)| behind(target))
        }
        instruction => instruction.target().is_some_and(behind),
    });
    let throws =
        code.handlers.iter().any(|it| it.start < it.end && !behind(it.start) && behind(it.handler));
    jumps || throws
}

pub(crate) fn jumps_back(located: &Located<'_>) -> bool {
    match located.instruction {
        Instruction::Switch(switch) => {
            switch.default <= located.pc || switch.cases().any(|(_, target)| target <= located.pc)
        }
        instruction => instruction.target().is_some_and(|target| target <= located.pc),
    }
}

fn is_wide(member: &MemberRef<'_>) -> bool {
    FieldType::parse(&member.descriptor).is_ok_and(|it| it.slots() == 2)
}
