//! Damaged class files: an error at most, never a panic. And whole ones: every byte accounted for.
#![allow(clippy::unwrap_used)]

mod common;

use common::{class_with, program, skip};
use interloper_jvm::{Attributes, ClassError, ClassFile, Flaw, Instruction, MethodDescriptor};

/// Looks at everything there is to see in a class.
fn read_all(bytes: &[u8]) -> Result<usize, ClassError> {
    let class = ClassFile::parse(bytes)?;
    let mut seen = class.source_file().map_or(0, |it| it.len());
    seen += class.annotation_types(&class.attributes)?.len();
    for method in class.fields.iter().chain(&class.methods) {
        seen += class.annotation_types(&method.attributes)?.len();
        let _ = MethodDescriptor::parse(&class.member_descriptor(method));
        let Some(code) = class.code(method)? else { continue };
        seen += class.line_numbers(method, &code)?.len();
        seen += class.local_variables(method, &code)?.len();
        let body = class.body(method, &code)?;
        for located in &body.instructions {
            if let Instruction::Invoke(_, index) = located.instruction {
                seen += class.pool.method(index).map_or(0, |it| it.name.len());
            }
        }
        seen += body
            .block_ids()
            .map(|it| body.successors(it).len() + body.handlers(it).len())
            .sum::<usize>();
    }
    Ok(seen)
}

#[test]
fn cut_off_anywhere() {
    let Some(classes) = program() else { return skip("no JDK, no class to cut off") };
    for (name, bytes) in classes {
        assert!(read_all(&bytes).unwrap() > 0, "{name}");
        for length in 0..bytes.len() {
            let error = read_all(&bytes[..length]).expect_err(&name);
            assert!(matches!(error.fault.flaw, Flaw::Truncated(_)), "{name} {length}: {error}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(read_all(&longer).unwrap_err().fault.flaw, Flaw::Trailing("the class file"));
    }
}

#[test]
fn changed_anywhere() {
    let Some(classes) = program() else { return skip("no JDK, no class to damage") };
    let mut damaged = 0;
    for (_, mut bytes) in classes {
        for at in 0..bytes.len() {
            let old = bytes[at];
            for new in [0, 1, old ^ 1, old ^ 0x80, old.wrapping_add(1), 0x7f, 0xff] {
                bytes[at] = new;
                damaged += usize::from(read_all(&bytes).is_err());
            }
            bytes[at] = old;
        }
    }
    assert!(damaged > 1000, "{damaged}");
}

#[test]
fn noise_after_a_good_header() {
    // a simple generator is enough: any bytes will do
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..20_000 {
        let code: Vec<u8> = (0..next() % 40 + 1).map(|_| next() as u8).collect();
        let _ = read_all(&class_with(&code, &[]));
    }
}

#[test]
fn small_files_that_claim_to_be_large() {
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0xff, 0xff];
    assert!(read_all(&bytes).is_err());
    bytes.extend([1, 0xff, 0xff]);
    assert!(read_all(&bytes).is_err());
    assert_eq!(read_all(b"PK\x03\x04").unwrap_err().fault.flaw, Flaw::Magic(0x504b_0304));
    let newer = [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 70];
    assert_eq!(read_all(&newer).unwrap_err().fault.flaw, Flaw::Version { major: 70, minor: 0 });
}

/// The parts of an attribute table, one behind the other.
fn attributes(file: &[u8], table: &Attributes<'_>, copy: &mut Vec<u8>) {
    copy.extend((table.len() as u16).to_be_bytes());
    for attribute in table.iter() {
        assert_eq!(&file[attribute.data_span()], attribute.data);
        copy.extend(&file[attribute.span()]);
    }
    assert_eq!(copy.len(), table.span().end);
}

#[test]
fn the_parts_are_the_whole() {
    let Some(classes) = program() else { return skip("no JDK, no class to copy") };
    for (name, bytes) in classes {
        let class = ClassFile::parse(&bytes).unwrap();
        let mut copy = bytes[..8].to_vec();
        copy.extend(&bytes[class.pool.span()]);
        let interfaces = copy.len()..copy.len() + 8 + 2 * class.interfaces.len();
        copy.extend(&bytes[interfaces]);
        for members in [&class.fields, &class.methods] {
            copy.extend((members.len() as u16).to_be_bytes());
            for member in members {
                assert_eq!(copy.len(), member.span.start, "{name}");
                copy.extend(&bytes[copy.len()..copy.len() + 6]);
                attributes(&bytes, &member.attributes, &mut copy);
                let Some(code) = class.code(member).unwrap() else { continue };
                assert_eq!(&bytes[code.bytecode_span.clone()], code.bytecode);
                assert_eq!(code.bytecode_span.end, code.handlers_span.start);
                assert_eq!(code.handlers_span.end, code.attributes.span().start);
                assert_eq!(code.attributes.span().end, code.attribute.span().end);
            }
        }
        attributes(&bytes, &class.attributes, &mut copy);
        assert_eq!(copy, bytes, "{name}");
    }
}
