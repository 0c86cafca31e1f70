//! From bytes to instructions.

use crate::code::Code;
use crate::cursor::Cursor;
use crate::error::{Fault, Flaw};
use crate::instruction::{
    ArrayKind, BinaryOp, CompareOp, Condition, Conversion, Immediate, Instruction, InvokeKind,
    Local, Pc, StackOp, Switch, ValueKind, word,
};
use crate::pool::PoolIndex;

const WHAT: &str = "an instruction";

const KINDS: [ValueKind; 5] =
    [ValueKind::Int, ValueKind::Long, ValueKind::Float, ValueKind::Double, ValueKind::Reference];

const ARRAYS: [ArrayKind; 8] = [
    ArrayKind::Int,
    ArrayKind::Long,
    ArrayKind::Float,
    ArrayKind::Double,
    ArrayKind::Reference,
    ArrayKind::Byte,
    ArrayKind::Char,
    ArrayKind::Short,
];

const STACK: [StackOp; 9] = [
    StackOp::Pop,
    StackOp::Pop2,
    StackOp::Dup,
    StackOp::DupX1,
    StackOp::DupX2,
    StackOp::Dup2,
    StackOp::Dup2X1,
    StackOp::Dup2X2,
    StackOp::Swap,
];

const BINARY: [BinaryOp; 5] =
    [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem];

const SHIFTS: [BinaryOp; 3] = [BinaryOp::Shl, BinaryOp::Shr, BinaryOp::UShr];

const LOGIC: [BinaryOp; 3] = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];

const COMPARES: [CompareOp; 5] = [
    CompareOp::Long,
    CompareOp::FloatLess,
    CompareOp::FloatGreater,
    CompareOp::DoubleLess,
    CompareOp::DoubleGreater,
];

const CONDITIONS: [Condition; 6] = [
    Condition::Equal,
    Condition::NotEqual,
    Condition::Less,
    Condition::GreaterEqual,
    Condition::Greater,
    Condition::LessEqual,
];

const INVOKES: [InvokeKind; 3] = [InvokeKind::Virtual, InvokeKind::Special, InvokeKind::Static];

/// Decodes the instructions of a method one after the other; ends after the first error.
#[derive(Debug, Clone)]
pub struct Instructions<'a> {
    cursor: Cursor<'a>,
    /// Where in the file pc 0 is.
    start: usize,
    length: usize,
    failed: bool,
}

impl<'a> Instructions<'a> {
    /// From pc 0 on.
    pub fn of(code: &Code<'a>, file: &'a [u8]) -> Instructions<'a> {
        let span = code.bytecode_span.clone();
        let (start, length) = (span.start, span.len());
        Instructions { cursor: Cursor::new(file, span), start, length, failed: false }
    }

    fn decode(&mut self) -> Result<(Pc, Instruction<'a>), Fault> {
        let pc = Pc((self.cursor.at() - self.start) as u16);
        let opcode = self.cursor.u8(WHAT)?;
        let instruction = match opcode {
            0x00 => Instruction::Nop,
            0x01..=0x14 => self.constant(opcode)?,
            0x15..=0x35 => self.load(opcode)?,
            0x36..=0x56 => self.store(opcode)?,
            0x57..=0x5f => Instruction::Stack(STACK[usize::from(opcode - 0x57)]),
            0x60..=0x83 => arithmetic(opcode - 0x60),
            0x84 => {
                let local = Local(self.cursor.u8(WHAT)?.into());
                Instruction::Increment(local, i16::from(self.cursor.u8(WHAT)? as i8))
            }
            0x85..=0x98 => conversion(opcode),
            0x99..=0xab | 0xc6..=0xc9 => self.jump(opcode, pc)?,
            0xac..=0xb0 => Instruction::Return(Some(KINDS[usize::from(opcode - 0xac)])),
            0xb1 => Instruction::Return(None),
            0xb2..=0xba => self.member(opcode)?,
            0xbb..=0xc3 | 0xc5 => self.object(opcode)?,
            0xc4 => self.wide()?,
            _ => return Err(Flaw::Opcode(opcode).at(self.cursor.at() - 1)),
        };
        Ok((pc, instruction))
    }

    fn index(&mut self) -> Result<PoolIndex, Fault> {
        self.cursor.u16(WHAT).map(PoolIndex)
    }

    fn constant(&mut self, opcode: u8) -> Result<Instruction<'a>, Fault> {
        let number = i32::from(opcode);
        Ok(Instruction::Push(match opcode {
            0x01 => Immediate::Null,
            0x02..=0x08 => Immediate::Int(number - 3),
            0x09 | 0x0a => Immediate::Long(i64::from(number - 0x09)),
            0x0b..=0x0d => Immediate::Float((number - 0x0b) as f32),
            0x0e | 0x0f => Immediate::Double(f64::from(number - 0x0e)),
            0x10 => Immediate::Int(i32::from(self.cursor.u8(WHAT)? as i8)),
            0x11 => Immediate::Int(i32::from(self.cursor.u16(WHAT)? as i16)),
            0x12 => {
                return Ok(Instruction::LoadConstant(PoolIndex(self.cursor.u8(WHAT)?.into())));
            }
            0x13 => return Ok(Instruction::LoadConstant(self.index()?)),
            _ => return Ok(Instruction::LoadWideConstant(self.index()?)),
        }))
    }

    /// 0x15 to 0x35.
    fn load(&mut self, opcode: u8) -> Result<Instruction<'a>, Fault> {
        Ok(match opcode {
            0x15..=0x19 => {
                let local = Local(self.cursor.u8(WHAT)?.into());
                Instruction::Load(KINDS[usize::from(opcode - 0x15)], local)
            }
            0x1a..=0x2d => {
                let (kind, local) = short_form(opcode - 0x1a);
                Instruction::Load(kind, local)
            }
            _ => Instruction::ArrayLoad(ARRAYS[usize::from(opcode - 0x2e)]),
        })
    }

    /// 0x36 to 0x56.
    fn store(&mut self, opcode: u8) -> Result<Instruction<'a>, Fault> {
        Ok(match opcode {
            0x36..=0x3a => {
                let local = Local(self.cursor.u8(WHAT)?.into());
                Instruction::Store(KINDS[usize::from(opcode - 0x36)], local)
            }
            0x3b..=0x4e => {
                let (kind, local) = short_form(opcode - 0x3b);
                Instruction::Store(kind, local)
            }
            _ => Instruction::ArrayStore(ARRAYS[usize::from(opcode - 0x4f)]),
        })
    }

    /// 0x99 to 0xab, and 0xc6 to 0xc9.
    fn jump(&mut self, opcode: u8, pc: Pc) -> Result<Instruction<'a>, Fault> {
        let near = |it: &mut Self| {
            let offset = it.cursor.u16(WHAT)? as i16;
            it.target(pc, offset.into())
        };
        let condition = |first: u8| CONDITIONS[usize::from(opcode - first)];
        Ok(match opcode {
            0x99..=0x9e => Instruction::IfZero(condition(0x99), near(self)?),
            0x9f..=0xa4 => Instruction::IfInt(condition(0x9f), near(self)?),
            0xa5 | 0xa6 => Instruction::IfReference(condition(0xa5), near(self)?),
            0xa7 => Instruction::Goto(near(self)?),
            0xa8 => Instruction::Jsr(near(self)?),
            0xa9 => Instruction::Ret(Local(self.cursor.u8(WHAT)?.into())),
            0xaa => Instruction::Switch(self.switch(pc, true)?),
            0xab => Instruction::Switch(self.switch(pc, false)?),
            0xc6 | 0xc7 => Instruction::IfNull(condition(0xc6), near(self)?),
            _ => {
                let offset = self.cursor.u32(WHAT)? as i32;
                let target = self.target(pc, offset)?;
                if opcode == 0xc8 { Instruction::Goto(target) } else { Instruction::Jsr(target) }
            }
        })
    }

    /// The pc at this distance from `pc`, if the code reaches so far. Whether an instruction begins
    /// there, is seen once all are decoded.
    fn target(&self, pc: Pc, offset: i32) -> Result<Pc, Fault> {
        let target = i64::from(pc.0) + i64::from(offset);
        match u16::try_from(target) {
            Ok(it) if usize::from(it) < self.length => Ok(Pc(it)),
            _ => Err(Flaw::Target(target).at(self.start + usize::from(pc.0))),
        }
    }

    fn switch(&mut self, pc: Pc, table: bool) -> Result<Switch<'a>, Fault> {
        // operands are aligned to four bytes, counted from the beginning of the code
        let padding = 3 - usize::from(pc.0) % 4;
        self.cursor.take(padding, WHAT)?;
        let default = self.cursor.u32(WHAT)? as i32;
        let default = self.target(pc, default)?;
        let offset = self.cursor.at();
        let first = self.cursor.u32(WHAT)? as i32;
        let (count, low, size) = if table {
            let high = self.cursor.u32(WHAT)? as i32;
            (i64::from(high) - i64::from(first) + 1, Some(first), 4)
        } else {
            (i64::from(first), None, 8)
        };
        let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(size));
        let Some(bytes) = bytes else {
            return Err(Flaw::Operand(count).at(offset));
        };
        let cases = self.cursor.take(bytes, WHAT)?;
        for case in cases.chunks_exact(size) {
            self.target(pc, word(&case[size - 4..]))?;
        }
        Ok(Switch { default, pc, low, cases })
    }

    /// 0xb2 to 0xba.
    fn member(&mut self, opcode: u8) -> Result<Instruction<'a>, Fault> {
        let index = self.index()?;
        Ok(match opcode {
            0xb2 => Instruction::GetStatic(index),
            0xb3 => Instruction::PutStatic(index),
            0xb4 => Instruction::GetField(index),
            0xb5 => Instruction::PutField(index),
            0xb6..=0xb8 => Instruction::Invoke(INVOKES[usize::from(opcode - 0xb6)], index),
            _ => {
                // a redundant count of arguments, and zeros
                self.cursor.u16(WHAT)?;
                let dynamic = opcode == 0xba;
                let kind = if dynamic { InvokeKind::Dynamic } else { InvokeKind::Interface };
                Instruction::Invoke(kind, index)
            }
        })
    }

    /// 0xbb to 0xc3, and 0xc5.
    fn object(&mut self, opcode: u8) -> Result<Instruction<'a>, Fault> {
        let offset = self.cursor.at();
        Ok(match opcode {
            0xbb => Instruction::New(self.index()?),
            0xbc => match self.cursor.u8(WHAT)? {
                kind @ 4..=11 => Instruction::NewArray(kind),
                other => return Err(Flaw::Operand(other.into()).at(offset)),
            },
            0xbd => Instruction::NewReferenceArray(self.index()?),
            0xbe => Instruction::ArrayLength,
            0xbf => Instruction::Throw,
            0xc0 => Instruction::CheckCast(self.index()?),
            0xc1 => Instruction::InstanceOf(self.index()?),
            0xc2 => Instruction::MonitorEnter,
            0xc3 => Instruction::MonitorExit,
            _ => {
                let index = self.index()?;
                match self.cursor.u8(WHAT)? {
                    0 => return Err(Flaw::Operand(0).at(offset)),
                    dimensions => Instruction::NewMultiArray(index, dimensions),
                }
            }
        })
    }

    fn wide(&mut self) -> Result<Instruction<'a>, Fault> {
        let offset = self.cursor.at();
        let opcode = self.cursor.u8(WHAT)?;
        let local = Local(self.cursor.u16(WHAT)?);
        Ok(match opcode {
            0x15..=0x19 => Instruction::Load(KINDS[usize::from(opcode - 0x15)], local),
            0x36..=0x3a => Instruction::Store(KINDS[usize::from(opcode - 0x36)], local),
            0x84 => Instruction::Increment(local, self.cursor.u16(WHAT)? as i16),
            0xa9 => Instruction::Ret(local),
            _ => return Err(Flaw::Opcode(opcode).at(offset)),
        })
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<(Pc, Instruction<'a>), Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.cursor.left() == 0 {
            return None;
        }
        let decoded = self.decode();
        self.failed = decoded.is_err();
        Some(decoded)
    }
}

/// Kind and slot of `iload_0` and its like, counted from `iload_0` or `istore_0`.
fn short_form(number: u8) -> (ValueKind, Local) {
    (KINDS[usize::from(number / 4)], Local(u16::from(number % 4)))
}

/// iadd to lxor, counted from iadd.
fn arithmetic(number: u8) -> Instruction<'static> {
    let kind = |count: u8| KINDS[usize::from(number % count)];
    let operator =
        |of: &[BinaryOp], first: u8, kinds: u8| of[usize::from((number - first) / kinds)];
    match number {
        0..=19 => Instruction::Binary(operator(&BINARY, 0, 4), kind(4)),
        20..=23 => Instruction::Negate(kind(4)),
        24..=29 => Instruction::Binary(operator(&SHIFTS, 24, 2), kind(2)),
        _ => Instruction::Binary(operator(&LOGIC, 30, 2), kind(2)),
    }
}

/// i2l to dcmpg.
fn conversion(opcode: u8) -> Instruction<'static> {
    match opcode {
        0x85..=0x90 => {
            // from each of int, long, float, double to the three others, in order
            let number = usize::from(opcode - 0x85);
            let (from, to) = (number / 3, number % 3);
            let to = if to < from { to } else { to + 1 };
            Instruction::Convert(KINDS[from], Conversion::To(KINDS[to]))
        }
        0x91 => Instruction::Convert(ValueKind::Int, Conversion::ToByte),
        0x92 => Instruction::Convert(ValueKind::Int, Conversion::ToChar),
        0x93 => Instruction::Convert(ValueKind::Int, Conversion::ToShort),
        _ => Instruction::Compare(COMPARES[usize::from(opcode - 0x94)]),
    }
}
