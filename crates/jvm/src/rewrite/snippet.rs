//! A few instructions to be inserted.

use crate::instruction::{Local, ValueKind};
use crate::pool::PoolIndex;

/// Straight-line code: instructions one after the other, no jumps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet(Vec<u8>);

impl Snippet {
    /// No instruction.
    pub fn new() -> Snippet {
        Snippet::default()
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether there is no instruction.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn op(mut self, opcode: u8) -> Snippet {
        self.0.push(opcode);
        self
    }

    fn indexed(mut self, opcode: u8, index: PoolIndex) -> Snippet {
        self.0.push(opcode);
        self.0.extend_from_slice(&index.0.to_be_bytes());
        self
    }

    /// An instruction with a local variable: the first four have instructions of their own, `short`
    /// being the first one's.
    fn local(self, long: u8, short: u8, local: Local) -> Snippet {
        match local.0 {
            0..=3 => self.op(short + local.0 as u8),
            4..=255 => self.op(long).op(local.0 as u8),
            _ => self.op(0xc4).indexed(long, PoolIndex(local.0)),
        }
    }

    /// Nothing.
    pub fn nop(self) -> Snippet {
        self.op(0x00)
    }

    /// → int
    pub fn push_int(self, value: i32, constant: impl FnOnce() -> PoolIndex) -> Snippet {
        match value {
            -1..=5 => self.op((0x03 + value) as u8),
            -128..=127 => self.op(0x10).op(value as u8),
            -32_768..=32_767 => {
                let [high, low] = (value as i16).to_be_bytes();
                self.op(0x11).op(high).op(low)
            }
            _ => self.indexed(0x13, constant()),
        }
    }

    /// → constant of the pool
    pub fn load_constant(self, constant: PoolIndex) -> Snippet {
        self.indexed(0x13, constant)
    }

    /// → value of this kind
    pub fn load(self, kind: ValueKind, local: Local) -> Snippet {
        let n = kind_number(kind);
        self.local(0x15 + n, 0x1a + 4 * n, local)
    }

    /// value of this kind →
    pub fn store(self, kind: ValueKind, local: Local) -> Snippet {
        let n = kind_number(kind);
        self.local(0x36 + n, 0x3b + 4 * n, local)
    }

    /// → int
    pub fn load_int(self, local: Local) -> Snippet {
        self.load(ValueKind::Int, local)
    }

    /// int →
    pub fn store_int(self, local: Local) -> Snippet {
        self.store(ValueKind::Int, local)
    }

    /// → reference
    pub fn load_reference(self, local: Local) -> Snippet {
        self.load(ValueKind::Reference, local)
    }

    /// reference →
    pub fn store_reference(self, local: Local) -> Snippet {
        self.store(ValueKind::Reference, local)
    }

    /// `a` →
    pub fn pop(self) -> Snippet {
        self.op(0x57)
    }

    /// `b a` →
    pub fn pop2(self) -> Snippet {
        self.op(0x58)
    }

    /// `a` → `a a`
    pub fn dup(self) -> Snippet {
        self.op(0x59)
    }

    /// `b a` → `a b a`
    pub fn dup_x1(self) -> Snippet {
        self.op(0x5a)
    }

    /// `c b a` → `a c b a`
    pub fn dup_x2(self) -> Snippet {
        self.op(0x5b)
    }

    /// `b a` → `b a b a`
    pub fn dup2(self) -> Snippet {
        self.op(0x5c)
    }

    /// `c b a` → `b a c b a`
    pub fn dup2_x1(self) -> Snippet {
        self.op(0x5d)
    }

    /// `d c b a` → `b a d c b a`
    pub fn dup2_x2(self) -> Snippet {
        self.op(0x5e)
    }

    /// `b a` → `a b`
    pub fn swap(self) -> Snippet {
        self.op(0x5f)
    }

    /// → value
    pub fn get_static(self, field: PoolIndex) -> Snippet {
        self.indexed(0xb2, field)
    }

    /// object → value
    pub fn get_field(self, field: PoolIndex) -> Snippet {
        self.indexed(0xb4, field)
    }

    /// arguments → result
    pub fn invoke_static(self, method: PoolIndex) -> Snippet {
        self.indexed(0xb8, method)
    }

    /// receiver, arguments → result
    pub fn invoke_virtual(self, method: PoolIndex) -> Snippet {
        self.indexed(0xb6, method)
    }

    /// receiver, arguments → result, of a private method
    pub fn invoke_special(self, method: PoolIndex) -> Snippet {
        self.indexed(0xb7, method)
    }

    /// receiver, arguments → result; they take so many slots together
    pub fn invoke_interface(self, method: PoolIndex, slots: u8) -> Snippet {
        self.indexed(0xb9, method).op(slots).op(0)
    }

    /// object → the same object, of this class
    pub fn check_cast(self, class: PoolIndex) -> Snippet {
        self.indexed(0xc0, class)
    }

    /// value →, or nothing → where there is no value
    pub fn return_from_method(self, value: Option<ValueKind>) -> Snippet {
        self.op(value.map_or(0xb1, |kind| 0xac + kind_number(kind)))
    }

    /// throwable →
    pub fn throw(self) -> Snippet {
        self.op(0xbf)
    }
}

/// The order in which opcodes have the kinds.
fn kind_number(kind: ValueKind) -> u8 {
    match kind {
        ValueKind::Int => 0,
        ValueKind::Long => 1,
        ValueKind::Float => 2,
        ValueKind::Double => 3,
        ValueKind::Reference => 4,
    }
}
