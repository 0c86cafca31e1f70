//! Which values are the same in a stretch of straight-line code: what was loaded from the same
//! local variable, with nothing stored there in between, and what was copied on the stack.
//!
//! Guarantee: two slots with the same number hold the same value. Slots with different numbers may, too.

use interloper_jvm::{ConstantPool, FieldType, Instruction, Local, PoolIndex, StackOp, ValueKind};

/// The number of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value(u32);

/// The values on the stack and in the local variables, as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct Values {
    /// By slot; what is below is not known.
    stack: Vec<Value>,
    locals: Vec<(Local, Value)>,
    /// What was read of a field: the value, the object, the field.
    fields: Vec<(Value, Value, PoolIndex)>,
    next: u32,
}

impl Values {
    /// Nothing is known any more.
    pub(crate) fn forget(&mut self) {
        self.stack.clear();
        self.locals.clear();
        self.fields.clear();
    }

    /// The slot so many slots below the uppermost; none if it is not known.
    pub(crate) fn below_top(&self, slots: u16) -> Option<Value> {
        self.stack.iter().rev().nth(usize::from(slots)).copied()
    }

    /// Whether a value is on the stack.
    pub(crate) fn on_stack(&self, value: Value) -> bool {
        self.stack.contains(&value)
    }

    /// The value of a local variable of one slot.
    pub(crate) fn local(&mut self, local: Local) -> Value {
        if let Some((_, known)) = self.locals.iter().find(|(it, _)| *it == local) {
            return *known;
        }
        let value = self.fresh();
        self.locals.push((local, value));
        value
    }

    /// A local variable that has this value.
    pub(crate) fn local_with(&self, value: Value) -> Option<Local> {
        self.locals.iter().find(|(_, it)| *it == value).map(|(local, _)| *local)
    }

    /// The object and the field that a value was read from.
    pub(crate) fn field_with(&self, value: Value) -> Option<(Value, PoolIndex)> {
        self.fields.iter().find(|(it, ..)| *it == value).map(|(_, object, field)| (*object, *field))
    }

    /// Goes on by an instruction.
    pub(crate) fn step(&mut self, instruction: &Instruction<'_>, pool: &ConstantPool<'_>) {
        match *instruction {
            Instruction::Nop => {}
            Instruction::Push(it) => self.replace(0, it.slots()),
            Instruction::LoadConstant(_) => self.replace(0, 1),
            Instruction::LoadWideConstant(_) => self.replace(0, 2),
            Instruction::Load(kind, local) => self.load(kind, local),
            Instruction::Store(kind, local) => self.store(kind, local),
            Instruction::Increment(local, _) => self.locals.retain(|(it, _)| *it != local),
            Instruction::Stack(op) => self.shuffle(op),
            Instruction::Binary(op, kind) => {
                let right = if op.is_shift() { 1 } else { kind.slots() };
                self.replace(kind.slots() + right, kind.slots());
            }
            Instruction::Negate(kind) => self.replace(kind.slots(), kind.slots()),
            Instruction::Convert(from, to) => self.replace(from.slots(), to.slots()),
            Instruction::Compare(op) => self.replace(2 * op.slots(), 1),
            Instruction::ArrayLoad(kind) => self.replace(2, kind.slots()),
            Instruction::ArrayStore(kind) => self.replace(2 + kind.slots(), 0),
            Instruction::ArrayLength | Instruction::NewArray(_) => self.replace(1, 1),
            Instruction::GetStatic(field) => self.field(field, pool, 0, true),
            Instruction::PutStatic(field) => self.field(field, pool, 0, false),
            Instruction::GetField(field) => {
                let object = self.below_top(0);
                self.field(field, pool, 1, true);
                if let (Some(object), Some(value)) = (object, self.below_top(0)) {
                    self.fields.push((value, object, field));
                }
            }
            Instruction::PutField(field) => self.field(field, pool, 1, false),
            _ => self.forget(),
        }
    }

    /// Takes so many slots from the stack and puts others there, of which nothing is known.
    pub(crate) fn exchange(&mut self, away: u16, put: u16) {
        for _ in 0..away {
            self.pop();
        }
        for _ in 0..put {
            let value = self.fresh();
            self.stack.push(value);
        }
    }

    /// The same for what an instruction is known to take and give.
    fn replace(&mut self, away: u8, put: u8) {
        self.exchange(u16::from(away), u16::from(put));
    }

    fn fresh(&mut self) -> Value {
        self.next += 1;
        Value(self.next)
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or_else(|| self.fresh())
    }

    fn field(&mut self, field: PoolIndex, pool: &ConstantPool<'_>, object: u8, loads: bool) {
        let slots = pool.field(field).ok().and_then(|it| slots_of(&it.descriptor));
        match slots {
            Some(slots) if loads => self.replace(object, slots),
            Some(slots) => self.replace(object + slots, 0),
            None => self.forget(),
        }
    }

    fn load(&mut self, kind: ValueKind, local: Local) {
        if kind.slots() == 2 {
            return self.replace(0, 2);
        }
        let value = self.local(local);
        self.stack.push(value);
    }

    fn store(&mut self, kind: ValueKind, local: Local) {
        let value = self.pop();
        let second = Local(local.0.saturating_add(1));
        match kind.slots() {
            1 => {
                self.locals.retain(|(it, _)| *it != local);
                self.locals.push((local, value));
            }
            _ => {
                self.pop();
                self.locals.retain(|(it, _)| *it != local && *it != second);
            }
        }
    }

    fn shuffle(&mut self, op: StackOp) {
        // How many slots are copied, and below how many others they are put.
        let (copied, under) = match op {
            StackOp::Pop => return self.replace(1, 0),
            StackOp::Pop2 => return self.replace(2, 0),
            StackOp::Swap => {
                let (upper, lower) = (self.pop(), self.pop());
                return self.stack.extend([upper, lower]);
            }
            StackOp::Dup => (1, 0),
            StackOp::DupX1 => (1, 1),
            StackOp::DupX2 => (1, 2),
            StackOp::Dup2 => (2, 0),
            StackOp::Dup2X1 => (2, 1),
            StackOp::Dup2X2 => (2, 2),
        };
        let mut slots: Vec<Value> = (0..copied + under).map(|_| self.pop()).collect();
        slots.reverse();
        self.stack.extend_from_slice(&slots[under..]);
        self.stack.extend(slots);
    }
}

fn slots_of(descriptor: &str) -> Option<u8> {
    let slots = FieldType::parse(descriptor).ok()?.slots();
    u8::try_from(slots).ok()
}
