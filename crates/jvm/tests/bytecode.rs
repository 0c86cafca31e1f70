//! Every opcode, and control flow, on code made by hand.
#![allow(clippy::unwrap_used)]

mod common;

use common::class_with;
use interloper_jvm::{
    ArrayKind, BinaryOp, BlockId, Body, ClassError, ClassFile, CompareOp, Condition, Conversion,
    Flaw, Immediate, Instruction, InvokeKind, Local, Pc, PoolIndex, StackOp, ValueKind,
};

/// What `test` sees of the body of the only method.
fn with_body<T>(
    bytecode: &[u8],
    handlers: &[(u16, u16, u16, bool)],
    test: impl FnOnce(Result<Body<'_>, ClassError>) -> T,
) -> T {
    let bytes = class_with(bytecode, handlers);
    let class = ClassFile::parse(&bytes).unwrap();
    let method = &class.methods[0];
    let code = class.code(method).unwrap().unwrap();
    test(class.body(method, &code))
}

fn flaw(bytecode: &[u8]) -> Flaw {
    with_body(bytecode, &[], |body| body.unwrap_err().fault.flaw)
}

/// The first instruction of code that goes on with `return`.
fn first(bytecode: &[u8], check: impl FnOnce(Instruction<'_>)) {
    let padded = [bytecode, &[0xb1; 64]].concat();
    with_body(&padded, &[], |body| {
        let body = body.unwrap();
        check(body.instructions[0].instruction);
        assert_eq!(usize::from(body.instructions[1].pc.0), bytecode.len(), "{bytecode:x?}");
    });
}

#[track_caller]
fn is(bytecode: &[u8], expected: Instruction<'_>) {
    first(bytecode, |it| assert_eq!(it, expected, "{bytecode:x?}"));
}

#[test]
fn constants_loads_and_stores() {
    is(&[0x00], Instruction::Nop);
    is(&[0x01], Instruction::Push(Immediate::Null));
    for value in -1..=5_i32 {
        is(&[(value + 3) as u8], Instruction::Push(Immediate::Int(value)));
    }
    is(&[0x0a], Instruction::Push(Immediate::Long(1)));
    is(&[0x0d], Instruction::Push(Immediate::Float(2.0)));
    is(&[0x0f], Instruction::Push(Immediate::Double(1.0)));
    is(&[0x10, 0xff], Instruction::Push(Immediate::Int(-1)));
    is(&[0x11, 0x80, 0], Instruction::Push(Immediate::Int(-32768)));
    is(&[0x12, 200], Instruction::LoadConstant(PoolIndex(200)));
    is(&[0x13, 1, 0], Instruction::LoadConstant(PoolIndex(256)));
    is(&[0x14, 1, 0], Instruction::LoadWideConstant(PoolIndex(256)));
    let kinds = [
        ValueKind::Int,
        ValueKind::Long,
        ValueKind::Float,
        ValueKind::Double,
        ValueKind::Reference,
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        let number = number as u8;
        is(&[0x15 + number, 200], Instruction::Load(kind, Local(200)));
        is(&[0x36 + number, 200], Instruction::Store(kind, Local(200)));
        is(&[0xc4, 0x15 + number, 1, 2], Instruction::Load(kind, Local(258)));
        is(&[0xc4, 0x36 + number, 1, 2], Instruction::Store(kind, Local(258)));
        for slot in 0..4 {
            is(&[0x1a + 4 * number + slot], Instruction::Load(kind, Local(slot.into())));
            is(&[0x3b + 4 * number + slot], Instruction::Store(kind, Local(slot.into())));
        }
        is(&[0xac + number], Instruction::Return(Some(kind)));
    }
    is(&[0x84, 7, 0xfe], Instruction::Increment(Local(7), -2));
    is(&[0xc4, 0x84, 1, 2, 0xff, 0], Instruction::Increment(Local(258), -256));
    is(&[0xc4, 0xa9, 1, 2], Instruction::Ret(Local(258)));
    is(&[0xa9, 9], Instruction::Ret(Local(9)));
    let arrays = [
        ArrayKind::Int,
        ArrayKind::Long,
        ArrayKind::Float,
        ArrayKind::Double,
        ArrayKind::Reference,
        ArrayKind::Byte,
        ArrayKind::Char,
        ArrayKind::Short,
    ];
    for (number, kind) in arrays.into_iter().enumerate() {
        is(&[0x2e + number as u8], Instruction::ArrayLoad(kind));
        is(&[0x4f + number as u8], Instruction::ArrayStore(kind));
    }
}

#[test]
fn computation() {
    is(&[0x57], Instruction::Stack(StackOp::Pop));
    is(&[0x5b], Instruction::Stack(StackOp::DupX2));
    is(&[0x5f], Instruction::Stack(StackOp::Swap));
    is(&[0x60], Instruction::Binary(BinaryOp::Add, ValueKind::Int));
    is(&[0x65], Instruction::Binary(BinaryOp::Sub, ValueKind::Long));
    is(&[0x6e], Instruction::Binary(BinaryOp::Div, ValueKind::Float));
    is(&[0x73], Instruction::Binary(BinaryOp::Rem, ValueKind::Double));
    is(&[0x74], Instruction::Negate(ValueKind::Int));
    is(&[0x77], Instruction::Negate(ValueKind::Double));
    is(&[0x79], Instruction::Binary(BinaryOp::Shl, ValueKind::Long));
    is(&[0x7a], Instruction::Binary(BinaryOp::Shr, ValueKind::Int));
    is(&[0x7d], Instruction::Binary(BinaryOp::UShr, ValueKind::Long));
    is(&[0x7e], Instruction::Binary(BinaryOp::And, ValueKind::Int));
    is(&[0x81], Instruction::Binary(BinaryOp::Or, ValueKind::Long));
    is(&[0x83], Instruction::Binary(BinaryOp::Xor, ValueKind::Long));
    let to = |from, to| Instruction::Convert(from, Conversion::To(to));
    is(&[0x85], to(ValueKind::Int, ValueKind::Long));
    is(&[0x87], to(ValueKind::Int, ValueKind::Double));
    is(&[0x88], to(ValueKind::Long, ValueKind::Int));
    is(&[0x89], to(ValueKind::Long, ValueKind::Float));
    is(&[0x8b], to(ValueKind::Float, ValueKind::Int));
    is(&[0x8d], to(ValueKind::Float, ValueKind::Double));
    is(&[0x8e], to(ValueKind::Double, ValueKind::Int));
    is(&[0x90], to(ValueKind::Double, ValueKind::Float));
    is(&[0x92], Instruction::Convert(ValueKind::Int, Conversion::ToChar));
    is(&[0x94], Instruction::Compare(CompareOp::Long));
    is(&[0x98], Instruction::Compare(CompareOp::DoubleGreater));
}

#[test]
fn members_and_objects() {
    let index = PoolIndex(0x102);
    is(&[0xb2, 1, 2], Instruction::GetStatic(index));
    is(&[0xb3, 1, 2], Instruction::PutStatic(index));
    is(&[0xb4, 1, 2], Instruction::GetField(index));
    is(&[0xb5, 1, 2], Instruction::PutField(index));
    is(&[0xb6, 1, 2], Instruction::Invoke(InvokeKind::Virtual, index));
    is(&[0xb7, 1, 2], Instruction::Invoke(InvokeKind::Special, index));
    is(&[0xb8, 1, 2], Instruction::Invoke(InvokeKind::Static, index));
    is(&[0xb9, 1, 2, 1, 0], Instruction::Invoke(InvokeKind::Interface, index));
    is(&[0xba, 1, 2, 0, 0], Instruction::Invoke(InvokeKind::Dynamic, index));
    is(&[0xbb, 1, 2], Instruction::New(index));
    is(&[0xbc, 10], Instruction::NewArray(10));
    is(&[0xbd, 1, 2], Instruction::NewReferenceArray(index));
    is(&[0xbe], Instruction::ArrayLength);
    is(&[0xbf], Instruction::Throw);
    is(&[0xc0, 1, 2], Instruction::CheckCast(index));
    is(&[0xc1, 1, 2], Instruction::InstanceOf(index));
    is(&[0xc2], Instruction::MonitorEnter);
    is(&[0xc3], Instruction::MonitorExit);
    is(&[0xc5, 1, 2, 3], Instruction::NewMultiArray(index, 3));
}

#[test]
fn jumps() {
    is(&[0x99, 0, 5], Instruction::IfZero(Condition::Equal, Pc(5)));
    is(&[0x9e, 0, 5], Instruction::IfZero(Condition::LessEqual, Pc(5)));
    is(&[0x9f, 0, 5], Instruction::IfInt(Condition::Equal, Pc(5)));
    is(&[0xa2, 0, 5], Instruction::IfInt(Condition::GreaterEqual, Pc(5)));
    is(&[0xa5, 0, 5], Instruction::IfReference(Condition::Equal, Pc(5)));
    is(&[0xa6, 0, 5], Instruction::IfReference(Condition::NotEqual, Pc(5)));
    is(&[0xa7, 0, 5], Instruction::Goto(Pc(5)));
    is(&[0xa8, 0, 5], Instruction::Jsr(Pc(5)));
    is(&[0xc6, 0, 5], Instruction::IfNull(Condition::Equal, Pc(5)));
    is(&[0xc7, 0, 5], Instruction::IfNull(Condition::NotEqual, Pc(5)));
    is(&[0xc8, 0, 0, 0, 6], Instruction::Goto(Pc(6)));
    is(&[0xc9, 0, 0, 0, 6], Instruction::Jsr(Pc(6)));
}

#[test]
fn switches() {
    let mut table = vec![0xaa, 9, 9, 9, 0, 0, 0, 30];
    table.extend((-1_i32).to_be_bytes());
    table.extend(1_i32.to_be_bytes());
    table.extend([0, 0, 0, 31, 0, 0, 0, 32, 0, 0, 0, 33]);
    first(&table, |it| {
        let Instruction::Switch(switch) = it else { panic!("{it:?}") };
        assert_eq!(switch.default, Pc(30));
        let cases: Vec<_> = switch.cases().collect();
        assert_eq!(cases, [(-1, Pc(31)), (0, Pc(32)), (1, Pc(33))]);
    });
    let lookup = [
        0xab, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 2, 0x80, 0, 0, 0, 0, 0, 0, 31, 0, 0, 0, 7, 0, 0, 0, 32,
    ];
    first(&lookup, |it| {
        let Instruction::Switch(switch) = it else { panic!("{it:?}") };
        let cases: Vec<_> = switch.cases().collect();
        assert_eq!(cases, [(i32::MIN, Pc(31)), (7, Pc(32))]);
    });
}

#[test]
fn flaws_of_code() {
    assert_eq!(flaw(&[0xca]), Flaw::Opcode(0xca));
    assert_eq!(flaw(&[0xff]), Flaw::Opcode(0xff));
    assert_eq!(flaw(&[0xc4, 0x60, 0, 0]), Flaw::Opcode(0x60));
    assert_eq!(flaw(&[0xbc, 3]), Flaw::Operand(3));
    assert_eq!(flaw(&[0xc5, 0, 5, 0]), Flaw::Operand(0));
    assert_eq!(flaw(&[0xa7, 0xff, 0xff]), Flaw::Target(-1));
    assert_eq!(flaw(&[0xa7, 0, 3]), Flaw::Target(3));
    assert_eq!(flaw(&[0xa7, 0, 1]), Flaw::Target(1));
    assert_eq!(flaw(&[0xb6, 0]), Flaw::Truncated("an instruction"));
    // a table from 0 to 2^31 - 1, and a lookup of -1 pairs
    let table = [0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff];
    assert_eq!(flaw(&table), Flaw::Truncated("an instruction"));
    let lookup = [0xab, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
    assert_eq!(flaw(&lookup), Flaw::Operand(-1));
}

#[test]
fn errors_name_class_method_and_offset() {
    let bytes = class_with(&[0, 0, 0xfe], &[]);
    let class = ClassFile::parse(&bytes).unwrap();
    let method = &class.methods[0];
    let code = class.code(method).unwrap().unwrap();
    let error = class.body(method, &code).unwrap_err();
    let offset = code.bytecode_span.start + 2;
    assert_eq!(
        error.to_string(),
        format!("class A, method m()V, at offset {offset}: unknown opcode 0xfe")
    );
    assert_eq!(bytes[offset], 0xfe);
}

fn starts(body: &Body<'_>) -> Vec<u16> {
    body.blocks.iter().map(|it| body.instructions[it.instructions.start].pc.0).collect()
}

#[test]
fn blocks_of_a_loop() {
    // 0: iconst_0  1: istore_1  2: iload_1  3: ifeq 12  6: iinc 1 1  9: goto 2  12: return
    let code = [3, 0x3c, 0x1b, 0x99, 0, 9, 0x84, 1, 1, 0xa7, 0xff, 0xf9, 0xb1];
    with_body(&code, &[], |body| {
        let body = body.unwrap();
        assert_eq!(starts(&body), [0, 2, 6, 12]);
        let successors: Vec<&[BlockId]> = body.block_ids().map(|it| body.successors(it)).collect();
        let expected: [&[BlockId]; 4] =
            [&[BlockId(1)], &[BlockId(2), BlockId(3)], &[BlockId(1)], &[]];
        assert_eq!(successors, expected);
    });
}

#[test]
fn handlers_of_blocks() {
    // handlers: 0 covers 1..3 (typed), 1 covers 2..4 (all), 2 covers 0..4 (typed)
    let code = [0, 0, 0, 0, 0xb1];
    let handlers = [(1, 3, 4, false), (2, 4, 4, true), (0, 4, 4, false)];
    with_body(&code, &handlers, |body| {
        let body = body.unwrap();
        assert_eq!(starts(&body), [0, 1, 2, 3, 4]);
        let found: Vec<&[u16]> = body.block_ids().map(|it| body.handlers(it)).collect();
        let expected: [&[u16]; 5] = [&[2], &[0, 2], &[0, 1], &[1], &[]];
        assert_eq!(found, expected);
    });
}

#[test]
fn subroutines_return_behind_every_call() {
    // 0: jsr 7  3: jsr 7  6: return  7: astore_1  8: ret 1
    let code = [0xa8, 0, 7, 0xa8, 0, 4, 0xb1, 0x4c, 0xa9, 1];
    with_body(&code, &[], |body| {
        let body = body.unwrap();
        assert_eq!(starts(&body), [0, 3, 6, 7]);
        assert_eq!(body.successors(BlockId(0)), [BlockId(3)]);
        assert_eq!(body.successors(BlockId(3)), [BlockId(1), BlockId(2)]);
    });
}

#[test]
fn quadratic_exception_tables_are_refused() {
    let code = [vec![0; 9000], vec![0xb1]].concat();
    let handlers: Vec<_> = (0..9000).map(|it| (it, 9000, 0, false)).collect();
    with_body(&code, &handlers, |body| {
        assert!(matches!(body.unwrap_err().fault.flaw, Flaw::Edges(_)));
    });
}
