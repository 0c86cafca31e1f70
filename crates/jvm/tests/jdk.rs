//! The classes of real JDKs, against what their own `javap` says.
#![allow(clippy::unwrap_used)]

mod common;

use common::{classes_in, jdks, program, run, skip, unpack};
use interloper_jvm::{ClassFile, Constant, FieldType, Instruction, MethodDescriptor};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// All of them, or one in sixteen where tests have to be quick.
fn slice(classes: Vec<PathBuf>) -> Vec<PathBuf> {
    let step = if std::env::var_os("CI").is_some() { 16 } else { 1 };
    classes.into_iter().step_by(step).collect()
}

fn check(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    for field in &class.fields {
        FieldType::parse(&class.member_descriptor(field)).unwrap();
    }
    for method in &class.methods {
        let name = format!("{}.{}", class.name, class.member_name(method));
        MethodDescriptor::parse(&class.member_descriptor(method)).unwrap();
        class.annotation_types(&method.attributes).unwrap();
        let Some(code) = class.code(method).unwrap() else { continue };
        class.line_numbers(method, &code).unwrap();
        class.local_variables(method, &code).unwrap();
        let body = class.body(method, &code).unwrap();
        for located in &body.instructions {
            check_operand(&class, located.instruction, &name);
        }
        let covered: usize = body.blocks.iter().map(|it| it.instructions.len()).sum();
        assert_eq!(covered, body.instructions.len(), "{name}");
    }
}

fn check_operand(class: &ClassFile<'_>, instruction: Instruction<'_>, name: &str) {
    match instruction {
        Instruction::Invoke(interloper_jvm::InvokeKind::Dynamic, index) => {
            class.pool.invoke_dynamic(index).expect(name);
        }
        Instruction::Invoke(_, index) => {
            class.pool.method(index).expect(name);
        }
        Instruction::GetField(index)
        | Instruction::PutField(index)
        | Instruction::GetStatic(index)
        | Instruction::PutStatic(index) => {
            class.pool.field(index).expect(name);
        }
        Instruction::New(index) | Instruction::CheckCast(index) => {
            class.pool.class_name(index).expect(name);
        }
        Instruction::LoadConstant(index) => {
            assert_ne!(class.pool.get(index), Constant::Unusable, "{name}");
        }
        _ => {}
    }
}

#[test]
fn every_class_of_java_base() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK under JAVA_HOME or /usr/lib/jvm");
    }
    for jdk in jdks {
        let folder = tempfile::tempdir().unwrap();
        unpack(&jdk, folder.path());
        let classes = classes_in(folder.path());
        assert!(classes.len() > 1000, "{}: {} classes", jdk.display(), classes.len());
        slice(classes).iter().for_each(|it| check(it));
    }
}

/// Pcs and line numbers, in the manner of `javap -c -l`.
fn outline(bytes: &[u8]) -> String {
    let class = ClassFile::parse(bytes).unwrap();
    let mut text = String::new();
    for method in &class.methods {
        let Some(code) = class.code(method).unwrap() else { continue };
        let body = class.body(method, &code).unwrap();
        body.instructions.iter().for_each(|it| write!(text, "{} ", it.pc.0).unwrap());
        for line in class.line_numbers(method, &code).unwrap() {
            write!(text, "line {}: {} ", line.line, line.start.0).unwrap();
        }
        for entry in &code.handlers {
            write!(text, "{} {} {} ", entry.start.0, entry.end.0, entry.handler.0).unwrap();
        }
        for variable in class.local_variables(method, &code).unwrap() {
            let name = class.pool.utf8(variable.name).unwrap();
            let length = variable.end - u32::from(variable.start.0);
            write!(text, "{} {length} {} {name} ", variable.start.0, variable.slot.0).unwrap();
        }
        text.push('\n');
    }
    text
}

/// The same from what `javap -c -l -p` printed.
fn outline_of_javap(printed: &str) -> String {
    let mut methods = Vec::new();
    let mut part = "";
    // pcs, lines, handlers, variables: javap prints handlers before lines
    let mut texts = [const { String::new() }; 4];
    for line in printed.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let header = ["Code:", "LineNumberTable:", "LocalVariableTable:", "Exception"];
        if let Some(found) = header.into_iter().find(|it| words.first() == Some(it)) {
            if found == "Code:" && !texts[0].is_empty() {
                methods.push(std::mem::take(&mut texts).concat());
            }
            part = found;
            continue;
        }
        match (part, &words[..]) {
            ("Code:", [pc, _, ..]) if is_pc(line) => {
                write!(texts[0], "{} ", pc.trim_end_matches(':')).unwrap();
            }
            ("LineNumberTable:", ["line", line, pc]) => {
                write!(texts[1], "line {line} {pc} ").unwrap();
            }
            ("Exception", [from, to, target, ..]) if from.parse::<u16>().is_ok() => {
                write!(texts[2], "{from} {to} {target} ").unwrap();
            }
            ("LocalVariableTable:", [start, length, slot, name, _]) if *start != "Start" => {
                write!(texts[3], "{start} {length} {slot} {name} ").unwrap();
            }
            _ => {}
        }
    }
    methods.push(texts.concat());
    methods.join("\n") + "\n"
}

/// Whether a line of `javap -c` is an instruction and not a case of a switch, which is indented more.
fn is_pc(line: &str) -> bool {
    let trimmed = line.trim_start();
    let digits = trimmed.find(':').is_some_and(|at| trimmed[..at].parse::<u16>().is_ok());
    digits && line.find(':').is_some_and(|at| at <= 11)
}

#[test]
fn pcs_lines_and_variables_are_those_of_javap() {
    let (Some(jdk), Some(classes)) = (jdks().into_iter().next(), program()) else {
        return skip("no JDK, no javap");
    };
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in classes {
        let path = folder.path().join(&name);
        std::fs::write(&path, &bytes).unwrap();
        let printed = run(&jdk, "javap", &["-c", "-l", "-p", path.to_str().unwrap()]);
        if !outline(&bytes).is_empty() {
            assert_eq!(outline(&bytes), outline_of_javap(&printed), "{name}\n{printed}");
        }
    }
}

#[test]
fn what_a_class_says_of_itself() {
    let Some(classes) = program() else { return skip("no JDK") };
    let bytes = |name: &str| classes.iter().find(|it| it.0 == name).unwrap().1.clone();
    let bytes = bytes("Program.class");
    let class = ClassFile::parse(&bytes).unwrap();
    assert_eq!(class.name, "Program");
    assert_eq!(class.super_name().unwrap(), "java/lang/Object");
    assert_eq!(class.interface_names().collect::<Vec<_>>(), ["java/lang/Runnable"]);
    assert_eq!(class.source_file().unwrap(), "Program.java");
    assert_eq!(class.annotation_types(&class.attributes).unwrap(), ["java/lang/Deprecated"]);
    let run = class.methods.iter().find(|it| class.member_name(it) == "run").unwrap();
    assert!(run.access.contains(interloper_jvm::AccessFlags::SYNCHRONIZED));
    assert_eq!(class.annotation_types(&run.attributes).unwrap(), ["java/lang/Deprecated"]);
    let code = class.code(run).unwrap().unwrap();
    assert!(code.stack_map_table(&class.pool).is_some());
    let texts: Vec<_> = (1..class.pool.constants().len() as u16)
        .filter_map(|it| class.pool.utf8(interloper_jvm::PoolIndex(it)).ok())
        .collect();
    let odd = "zero \0, pair \u{1f600}, half \u{fffd}";
    assert!(texts.iter().any(|it| it == odd), "{texts:?}");
}
