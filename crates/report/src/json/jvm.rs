//! A Java program that was checked while it ran, in the report for tools.

use crate::model::{Jvm, LeftAlone};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct JvmJson<'a> {
    pid: u32,
    java: &'a str,
    classes: u64,
    methods: u64,
    atomic: u64,
    blocks: u64,
    left_alone: Vec<LeftAloneJson<'a>>,
}

#[derive(Serialize)]
struct LeftAloneJson<'a> {
    reason: &'a str,
    count: u64,
    examples: &'a [String],
}

pub(super) fn jvm(jvm: &Jvm) -> JvmJson<'_> {
    JvmJson {
        pid: jvm.pid,
        java: &jvm.java,
        classes: jvm.classes,
        methods: jvm.methods,
        atomic: jvm.atomic,
        blocks: jvm.blocks,
        left_alone: jvm.left_alone.iter().map(left_alone).collect(),
    }
}

fn left_alone(left_alone: &LeftAlone) -> LeftAloneJson<'_> {
    let LeftAlone { reason, count, examples } = left_alone;
    LeftAloneJson { reason, count: *count, examples }
}
