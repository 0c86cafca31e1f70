//! What instructions there are, grouped by what they do; short and wide forms are one.

use crate::pool::PoolIndex;

/// The place of an instruction in the code of its method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pc(pub u16);

/// A slot for local variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(pub u16);

/// What an instruction works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// `int`, and all that is narrower
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// Objects, arrays, null
    Reference,
}

impl ValueKind {
    /// How many slots a value takes.
    pub fn slots(self) -> u8 {
        match self {
            ValueKind::Long | ValueKind::Double => 2,
            _ => 1,
        }
    }
}

/// The elements of an array, as instructions tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArrayKind {
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// Objects and arrays
    Reference,
    /// `byte` and `boolean`
    Byte,
    /// `char`
    Char,
    /// `short`
    Short,
}

impl ArrayKind {
    /// How many slots an element takes on the stack.
    pub fn slots(self) -> u8 {
        match self {
            ArrayKind::Long | ArrayKind::Double => 2,
            _ => 1,
        }
    }
}

/// A constant that is part of the instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Immediate {
    /// `null`
    Null,
    /// An int
    Int(i32),
    /// A long
    Long(i64),
    /// A float
    Float(f32),
    /// A double
    Double(f64),
}

impl Immediate {
    /// How many slots it takes.
    pub fn slots(self) -> u8 {
        match self {
            Immediate::Long(_) | Immediate::Double(_) => 2,
            _ => 1,
        }
    }
}

/// Instructions that move slots of the operand stack about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StackOp {
    /// Drops one slot
    Pop,
    /// Drops two
    Pop2,
    /// `a` → `a a`
    Dup,
    /// `b a` → `a b a`
    DupX1,
    /// `c b a` → `a c b a`
    DupX2,
    /// `b a` → `b a b a`
    Dup2,
    /// `c b a` → `b a c b a`
    Dup2X1,
    /// `d c b a` → `b a d c b a`
    Dup2X2,
    /// `b a` → `a b`
    Swap,
}

/// Arithmetic on two values of the same kind; but the right one of a shift is an int.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    UShr,
    And,
    Or,
    Xor,
}

impl BinaryOp {
    /// Whether the right operand is an int, whatever the left one is.
    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::Shr | BinaryOp::UShr)
    }
}

/// Conversions between numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// To another kind
    To(ValueKind),
    /// int to byte
    ToByte,
    /// int to char
    ToChar,
    /// int to short
    ToShort,
}

impl Conversion {
    /// How many slots the result takes.
    pub fn slots(self) -> u8 {
        match self {
            Conversion::To(kind) => kind.slots(),
            _ => 1,
        }
    }
}

/// Comparisons that leave an int.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// longs
    Long,
    /// floats; NaN counts as less
    FloatLess,
    /// floats; NaN counts as greater
    FloatGreater,
    /// doubles; NaN counts as less
    DoubleLess,
    /// doubles; NaN counts as greater
    DoubleGreater,
}

impl CompareOp {
    /// How many slots each operand takes.
    pub fn slots(self) -> u8 {
        match self {
            CompareOp::FloatLess | CompareOp::FloatGreater => 1,
            _ => 2,
        }
    }
}

/// When a conditional jump is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Condition {
    Equal,
    NotEqual,
    Less,
    GreaterEqual,
    Greater,
    LessEqual,
}

/// How the method of a call is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InvokeKind {
    /// By the class of the receiver
    Virtual,
    /// The named one: constructors, private methods, `super.m()`
    Special,
    /// The named one, without a receiver
    Static,
    /// By the class of the receiver, which implements an interface
    Interface,
    /// By a bootstrap method
    Dynamic,
}

/// A switch; tables and lookups alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switch<'a> {
    /// Where it goes if no case fits.
    pub default: Pc,
    /// The pc of the switch itself, to which the offsets of the cases are relative.
    pub(crate) pc: Pc,
    /// The key of the first case of a table; none for a lookup.
    pub(crate) low: Option<i32>,
    /// Offsets of a table, or pairs of key and offset of a lookup; known to lead into the code.
    pub(crate) cases: &'a [u8],
}

impl<'a> Switch<'a> {
    /// Keys and targets, in the order of the code.
    pub fn cases(&self) -> impl Iterator<Item = (i32, Pc)> + use<'a> {
        let Switch { pc, low, cases, .. } = *self;
        let size = if low.is_some() { 4 } else { 8 };
        cases.chunks_exact(size).enumerate().map(move |(number, case)| {
            let key = match low {
                Some(low) => low.wrapping_add(number as i32),
                None => word(case),
            };
            // the decoder checked that this stays within the code
            let target = i32::from(pc.0).wrapping_add(word(&case[size - 4..]));
            (key, Pc(target as u16))
        })
    }
}

/// The big-endian number in the first four bytes.
pub(crate) fn word(bytes: &[u8]) -> i32 {
    let mut array = [0; 4];
    array.copy_from_slice(&bytes[..4]);
    i32::from_be_bytes(array)
}

/// One instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Instruction<'a> {
    /// Nothing
    Nop,
    /// Pushes a constant of the instruction's own
    Push(Immediate),
    /// Pushes a constant of the pool: ldc, ldc_w
    LoadConstant(PoolIndex),
    /// Pushes a constant of the pool that takes two slots: ldc2_w
    LoadWideConstant(PoolIndex),
    /// Pushes a local variable
    Load(ValueKind, Local),
    /// Pops into a local variable
    Store(ValueKind, Local),
    /// Adds to a local variable
    Increment(Local, i16),
    /// array, index → element
    ArrayLoad(ArrayKind),
    /// array, index, element →
    ArrayStore(ArrayKind),
    /// Moves slots about
    Stack(StackOp),
    /// left, right → result
    Binary(BinaryOp, ValueKind),
    /// value → −value
    Negate(ValueKind),
    /// value → converted value
    Convert(ValueKind, Conversion),
    /// left, right → −1, 0 or 1
    Compare(CompareOp),
    /// Jumps if the int on the stack compares so with zero
    IfZero(Condition, Pc),
    /// Jumps if the two ints on the stack compare so
    IfInt(Condition, Pc),
    /// Jumps if the two references on the stack are equal, or are not (the only two conditions)
    IfReference(Condition, Pc),
    /// Jumps if the reference on the stack is null (`Equal`) or is not
    IfNull(Condition, Pc),
    /// Jumps
    Goto(Pc),
    /// Calls a subroutine: pushes the pc of the next instruction and jumps (before Java 7 only)
    Jsr(Pc),
    /// Returns from a subroutine
    Ret(Local),
    /// Jumps by the int on the stack
    Switch(Switch<'a>),
    /// Returns from the method, with a value or without
    Return(Option<ValueKind>),
    /// → value
    GetStatic(PoolIndex),
    /// value →
    PutStatic(PoolIndex),
    /// object → value
    GetField(PoolIndex),
    /// object, value →
    PutField(PoolIndex),
    /// receiver (but for static and dynamic calls), arguments → result
    Invoke(InvokeKind, PoolIndex),
    /// → object
    New(PoolIndex),
    /// length → array of primitives, by the JVM's code for the element type, 4 to 11
    NewArray(u8),
    /// length → array of this class
    NewReferenceArray(PoolIndex),
    /// as many lengths → array of this type
    NewMultiArray(PoolIndex, u8),
    /// array → length
    ArrayLength,
    /// Throws
    Throw,
    /// object → object, or an exception
    CheckCast(PoolIndex),
    /// object → int
    InstanceOf(PoolIndex),
    /// object →, now locked
    MonitorEnter,
    /// object →, now unlocked
    MonitorExit,
}

impl Instruction<'_> {
    /// Whether the next instruction can follow at once. After `jsr` it follows later.
    pub fn falls_through(&self) -> bool {
        !matches!(
            self,
            Instruction::Goto(_)
                | Instruction::Jsr(_)
                | Instruction::Ret(_)
                | Instruction::Switch(_)
                | Instruction::Return(_)
                | Instruction::Throw
        )
    }

    /// Where it can jump, but for switches, which have many targets.
    pub fn target(&self) -> Option<Pc> {
        match *self {
            Instruction::IfZero(_, target)
            | Instruction::IfInt(_, target)
            | Instruction::IfReference(_, target)
            | Instruction::IfNull(_, target)
            | Instruction::Goto(target)
            | Instruction::Jsr(target) => Some(target),
            _ => None,
        }
    }

    /// Whether a basic block ends with it.
    pub fn ends_block(&self) -> bool {
        self.target().is_some() || !self.falls_through()
    }
}
