//! What single instructions do to a frame, and what of it is an [`Event`].
//!
//! Abstract interpretation: a value is the locking expression that denotes it at this point, if there is one. A local
//! variable that holds a copy of something that has a name already (`astore` of what `getfield` brought) is an alias
//! of that name until what the name denotes may have changed by an assignment in this method; from then on, and
//! wherever different names meet, a local variable is named after itself.
//!
//! As in the paper, what callees and other threads assign does not count, and expressions are told apart by
//! their syntax.

use hashbrown::HashMap;
use smallvec::SmallVec;

use super::event::{Event, Site, SiteId};
use super::locals::Locals;
use super::resolve::{CallRef, Loaded, Meaning, Reads, Resolver, loaded};
use super::value::{Frame, Value, depends};
use crate::ir::{ExprId, Interner, LockExpr, RegionKind, Symbol};
use interloper_jvm::{
    ArrayKind, BinaryOp, Flaw, Immediate, Instruction, InvokeKind, Pc, PoolIndex, StackOp,
    ValueKind,
};

/// Why a method cannot be interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    /// It refers to what is not there.
    #[error(transparent)]
    Flaw(#[from] Flaw),
    /// More is taken from the stack than is there, or more put there than it holds.
    #[error("the operand stack does not fit the instructions")]
    Stack,
    /// A local variable that the method does not have.
    #[error("local variable {0} does not exist")]
    Local(u16),
    /// It would take too much time or memory.
    #[error("the method is too complex")]
    Complex,
}

/// Interprets the instructions of one method.
pub(super) struct Interpreter<'m, 'c, 'a> {
    pub resolver: &'m mut Resolver<'c, 'a>,
    pub exprs: Interner,
    pub locals: Locals,
    pub sites: Vec<Site>,
    /// The sites by their instructions.
    pub site_ids: HashMap<usize, SiteId, foldhash::fast::FixedState>,
    pub max_stack: usize,
    /// Fields that got what the field of the same name of another object holds.
    pub handed_on: Vec<Symbol>,
}

/// One instruction, and where it is.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub instruction: Instruction<'a>,
    pub index: usize,
    pub pc: Pc,
    pub line: u32,
}

impl<'a> Interpreter<'_, '_, 'a> {
    /// Applies an instruction to a frame; what it does that matters is appended to `events`.
    pub fn step(
        &mut self,
        step: Step<'a>,
        frame: &mut Frame,
        events: &mut Vec<Event>,
    ) -> Result<(), Unclear> {
        match step.instruction {
            Instruction::Load(kind, local) => self.load(step, frame, kind, local.0)?,
            Instruction::Store(kind, local) => self.store(step, frame, events, kind, local.0)?,
            Instruction::Increment(local, _) => {
                self.set_local(step, frame, events, local.0, Value::OWN)?;
            }
            Instruction::Push(value) => self.push_immediate(frame, value),
            Instruction::LoadConstant(index) => self.load_constant(frame, index)?,
            Instruction::LoadWideConstant(_) => push(frame, 2),
            Instruction::Stack(operation) => shuffle(frame, operation)?,
            Instruction::ArrayLoad(kind) => self.array_load(frame, events, kind)?,
            Instruction::ArrayStore(kind) => self.array_store(step, frame, events, kind)?,
            Instruction::GetStatic(index)
            | Instruction::PutStatic(index)
            | Instruction::GetField(index)
            | Instruction::PutField(index) => self.field(step, frame, events, index)?,
            Instruction::Invoke(kind, index) => self.invoke(step, frame, events, kind, index)?,
            Instruction::New(index) => {
                events.push(Event::Throws);
                let exact = Some(self.resolver.class(index)?);
                frame.stack.push(Value { expr: ExprId::UNKNOWN, exact });
            }
            Instruction::CheckCast(_) => {
                // the value keeps its name
                events.push(Event::Throws);
                let value = pop(frame)?;
                frame.stack.push(value);
            }
            Instruction::MonitorEnter => {
                let lock = pop(frame)?.expr;
                let site = self.site(step, RegionKind::Monitor, lock);
                events.push(Event::Enter(site));
            }
            Instruction::MonitorExit => {
                let lock = pop(frame)?.expr;
                events.push(Event::Throws);
                events.push(Event::Exit { kind: RegionKind::Monitor, lock });
            }
            other => compute(other, frame, events)?,
        }
        if frame.stack.len() > self.max_stack { Err(Unclear::Stack) } else { Ok(()) }
    }

    fn load(
        &mut self,
        step: Step<'a>,
        frame: &mut Frame,
        kind: ValueKind,
        slot: u16,
    ) -> Result<(), Unclear> {
        let mut value = *frame.locals.get(usize::from(slot)).ok_or(Unclear::Local(slot))?;
        if !matches!(kind, ValueKind::Reference | ValueKind::Int) {
            push(frame, kind.slots());
            return Ok(());
        }
        if value.is_own() {
            let variable = self.locals.variable(slot, step.pc);
            value.expr = self.exprs.intern(LockExpr::Local(variable));
        }
        frame.stack.push(value);
        Ok(())
    }

    fn store(
        &mut self,
        step: Step<'a>,
        frame: &mut Frame,
        events: &mut Vec<Event>,
        kind: ValueKind,
        slot: u16,
    ) -> Result<(), Unclear> {
        let mut value = pop(frame)?;
        if kind.slots() == 2 {
            value = pop(frame)?;
            self.set_local(step, frame, events, slot.saturating_add(1), Value::OWN)?;
        }
        if !matches!(kind, ValueKind::Reference | ValueKind::Int) {
            value = Value::OWN;
        }
        self.set_local(step, frame, events, slot, value)
    }

    fn set_local(
        &mut self,
        step: Step<'a>,
        frame: &mut Frame,
        events: &mut Vec<Event>,
        slot: u16,
        value: Value,
    ) -> Result<(), Unclear> {
        let Interpreter { exprs, locals, .. } = self;
        let changes = |_: ExprId, node: LockExpr| match node {
            LockExpr::Local(id) => {
                let variable = locals.variables[id.index()];
                variable.slot == slot && !variable.formal
            }
            _ => false,
        };
        frame.forget(|expr| depends(exprs, expr, &changes));
        let nameless =
            value.is_own() || value.expr == ExprId::UNKNOWN || depends(exprs, value.expr, &changes);
        let place = frame.locals.get_mut(usize::from(slot)).ok_or(Unclear::Local(slot))?;
        *place = if nameless { value.own() } else { value };
        events.push(Event::Store { slot, line: step.line });
        Ok(())
    }

    /// A field or an array element gets a value.
    fn assign(
        &mut self,
        step: Step<'a>,
        frame: &mut Frame,
        events: &mut Vec<Event>,
        target: ExprId,
    ) {
        if target != ExprId::UNKNOWN {
            let exprs = &self.exprs;
            frame.forget(|expr| depends(exprs, expr, &|part, _| part == target));
            events.push(Event::Assign { target, line: step.line });
        }
    }

    fn push_immediate(&mut self, frame: &mut Frame, value: Immediate) {
        match value {
            Immediate::Int(value) => {
                frame.stack.push(Value::named(self.exprs.intern(LockExpr::Const(value))));
            }
            other => push(frame, other.slots()),
        }
    }

    fn load_constant(&mut self, frame: &mut Frame, index: PoolIndex) -> Result<(), Unclear> {
        let node = match loaded(self.resolver.file, index) {
            Loaded::Int(value) => LockExpr::Const(value),
            Loaded::Class(class) => LockExpr::Class(self.resolver.class(class)?),
            Loaded::Other => LockExpr::Unknown,
        };
        frame.stack.push(Value::named(self.exprs.intern(node)));
        Ok(())
    }

    fn array_load(
        &mut self,
        frame: &mut Frame,
        events: &mut Vec<Event>,
        kind: ArrayKind,
    ) -> Result<(), Unclear> {
        events.push(Event::Throws);
        let index = pop(frame)?.expr;
        let array = pop(frame)?.expr;
        if matches!(kind, ArrayKind::Reference | ArrayKind::Int) {
            frame.stack.push(Value::named(self.exprs.intern(LockExpr::Index(array, index))));
        } else {
            push(frame, kind.slots());
        }
        Ok(())
    }

    fn array_store(
        &mut self,
        step: Step<'a>,
        frame: &mut Frame,
        events: &mut Vec<Event>,
        kind: ArrayKind,
    ) -> Result<(), Unclear> {
        events.push(Event::Throws);
        drop_slots(frame, kind.slots())?;
        let index = pop(frame)?.expr;
        let array = pop(frame)?.expr;
        if matches!(kind, ArrayKind::Reference | ArrayKind::Int) {
            let target = self.exprs.intern(LockExpr::Index(array, index));
            self.assign(step, frame, events, target);
        }
        Ok(())
    }

    fn field(
        &mut self,
        step: Step<'a>,
        frame: &mut Frame,
        events: &mut Vec<Event>,
        index: PoolIndex,
    ) -> Result<(), Unclear> {
        let field = self.resolver.field(index)?;
        let writes =
            matches!(step.instruction, Instruction::PutField(_) | Instruction::PutStatic(_));
        if writes {
            if let Some(value) = frame.stack.last()
                && matches!(self.exprs.get(value.expr), LockExpr::Field(_, name) if name == field.name)
                && !self.handed_on.contains(&field.name)
            {
                self.handed_on.push(field.name);
            }
            drop_slots(frame, field.slots)?;
        }
        let node = match step.instruction {
            Instruction::GetStatic(_) | Instruction::PutStatic(_) => {
                LockExpr::Static(field.static_id)
            }
            _ => LockExpr::Field(pop(frame)?.expr, field.name),
        };
        // `this` is never null, and so reading its lock before taking it throws nothing
        if !matches!(node, LockExpr::Field(of, _) if self.exprs.get(of) == LockExpr::This) {
            events.push(Event::Throws);
        }
        let node = if field.lockable { node } else { LockExpr::Unknown };
        let expr = self.exprs.intern(node);
        if writes {
            self.assign(step, frame, events, expr);
        } else if field.slots == 1 {
            frame.stack.push(Value::named(expr));
        } else {
            push(frame, field.slots);
        }
        Ok(())
    }

    fn invoke(
        &mut self,
        step: Step<'a>,
        frame: &mut Frame,
        events: &mut Vec<Event>,
        kind: InvokeKind,
        index: PoolIndex,
    ) -> Result<(), Unclear> {
        let call = self.resolver.call(kind, index)?.clone();
        let mut args: SmallVec<[ExprId; 4]> = SmallVec::with_capacity(call.parameters.len());
        for parameter in call.parameters.iter().rev() {
            let value = pop(frame)?;
            if parameter.slots == 2 {
                pop(frame)?;
            }
            args.push(if parameter.lockable { value.expr } else { ExprId::UNKNOWN });
        }
        args.reverse();
        let receiver = if call.has_receiver { pop(frame)? } else { Value::UNKNOWN };
        let result = match call.meaning {
            Meaning::PseudoField(name) => LockExpr::Field(receiver.expr, name),
            Meaning::Accessor(Reads::Static(id)) => LockExpr::Static(id),
            Meaning::Accessor(Reads::Field(name)) => match args.first() {
                Some(object) => LockExpr::Field(*object, name),
                None => LockExpr::Unknown,
            },
            Meaning::Lock => {
                let site = self.site(step, RegionKind::ExplicitLock, receiver.expr);
                events.push(Event::Enter(site));
                LockExpr::Unknown
            }
            Meaning::Unlock => {
                events.push(Event::Throws);
                events.push(Event::Exit { kind: RegionKind::ExplicitLock, lock: receiver.expr });
                LockExpr::Unknown
            }
            Meaning::Dynamic => {
                events.push(Event::Throws);
                LockExpr::Unknown
            }
            Meaning::Call | Meaning::Construct => {
                self.call(step, events, &call, receiver, args);
                LockExpr::Unknown
            }
        };
        match (call.result_slots, result) {
            (1, node) => frame.stack.push(Value::named(self.exprs.intern(node))),
            (slots, _) => push(frame, slots),
        }
        Ok(())
    }

    fn call(
        &mut self,
        step: Step<'a>,
        events: &mut Vec<Event>,
        call: &CallRef,
        receiver: Value,
        args: SmallVec<[ExprId; 4]>,
    ) {
        let dispatch = match receiver.exact {
            Some(class) if call.is_virtual => {
                self.resolver.exact_dispatch(class, call.name, call.descriptor)
            }
            _ => call.dispatch,
        };
        // an object under construction is nobody's lock yet
        let constructs = matches!(call.meaning, Meaning::Construct);
        let receiver = if constructs { ExprId::UNKNOWN } else { receiver.expr };
        events.push(Event::Call { dispatch, receiver, args, line: step.line });
    }

    /// The site of this instruction. It may be interpreted several times; the last time counts.
    fn site(&mut self, step: Step<'a>, kind: RegionKind, lock: ExprId) -> SiteId {
        let next = SiteId(self.sites.len() as u32);
        let id = *self.site_ids.entry(step.index).or_insert(next);
        let site = Site { kind, lock, line: step.line };
        match self.sites.get_mut(id.index()) {
            Some(known) => *known = site,
            None => self.sites.push(site),
        }
        id
    }
}

fn pop(frame: &mut Frame) -> Result<Value, Unclear> {
    frame.stack.pop().ok_or(Unclear::Stack)
}

fn drop_slots(frame: &mut Frame, slots: u8) -> Result<(), Unclear> {
    let left = frame.stack.len().checked_sub(usize::from(slots)).ok_or(Unclear::Stack)?;
    frame.stack.truncate(left);
    Ok(())
}

fn push(frame: &mut Frame, slots: u8) {
    (0..slots).for_each(|_| frame.stack.push(Value::UNKNOWN));
}

/// Moves slots of the stack about.
fn shuffle(frame: &mut Frame, operation: StackOp) -> Result<(), Unclear> {
    // how many slots are copied, and below how many others the copies go
    let (copied, below) = match operation {
        StackOp::Pop => return drop_slots(frame, 1),
        StackOp::Pop2 => return drop_slots(frame, 2),
        StackOp::Swap => {
            let (a, b) = (pop(frame)?, pop(frame)?);
            frame.stack.extend([a, b]);
            return Ok(());
        }
        StackOp::Dup => (1, 0),
        StackOp::DupX1 => (1, 1),
        StackOp::DupX2 => (1, 2),
        StackOp::Dup2 => (2, 0),
        StackOp::Dup2X1 => (2, 1),
        StackOp::Dup2X2 => (2, 2),
    };
    let depth = frame.stack.len();
    let at = depth.checked_sub(copied + below).ok_or(Unclear::Stack)?;
    let copies: SmallVec<[Value; 2]> = frame.stack[depth - copied..].into();
    frame.stack.splice(at..at, copies);
    Ok(())
}

/// Instructions that only compute: what they take, what they leave, whether they can throw.
fn compute(
    instruction: Instruction<'_>,
    frame: &mut Frame,
    events: &mut Vec<Event>,
) -> Result<(), Unclear> {
    let (takes, leaves, throws) = match instruction {
        Instruction::Binary(operator, kind) => {
            let right = if operator.is_shift() { 1 } else { kind.slots() };
            let whole = matches!(kind, ValueKind::Int | ValueKind::Long);
            let throws = whole && matches!(operator, BinaryOp::Div | BinaryOp::Rem);
            (kind.slots() + right, kind.slots(), throws)
        }
        Instruction::Negate(kind) => (kind.slots(), kind.slots(), false),
        Instruction::Convert(from, to) => (from.slots(), to.slots(), false),
        Instruction::Compare(compare) => (2 * compare.slots(), 1, false),
        Instruction::IfZero(..) | Instruction::IfNull(..) | Instruction::Switch(_) => (1, 0, false),
        Instruction::IfInt(..) | Instruction::IfReference(..) => (2, 0, false),
        Instruction::Jsr(_) => (0, 1, false),
        Instruction::NewArray(_) | Instruction::NewReferenceArray(_) => (1, 1, true),
        Instruction::NewMultiArray(_, dimensions) => (dimensions, 1, true),
        Instruction::ArrayLength | Instruction::InstanceOf(_) => (1, 1, true),
        Instruction::Throw => (1, 0, true),
        // what is left on the stack at a return does not matter
        _ => (0, 0, false),
    };
    drop_slots(frame, takes)?;
    push(frame, leaves);
    if throws {
        events.push(Event::Throws);
    }
    Ok(())
}
