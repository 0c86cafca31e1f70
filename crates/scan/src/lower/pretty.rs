//! The intermediate form as text, for tests and for people.

use std::fmt::Write;

use crate::ir::{Action, BlockId, CallKind, ExprId, Method, Names, RegionId, RegionKind};

/// Writes a method: its regions, then its blocks with the region each lies in.
///
/// ```text
/// region 1 in 0: monitor this.lock, line 4
/// block 0 in 0: -> 1
/// block 1 in 1: 5: call virtual p.A.m(this.x); this.lock = _ -> exit
/// ```
pub fn pretty(method: &Method, names: &Names) -> String {
    let mut text = String::new();
    // writing to a string does not fail
    let _ = write_method(&mut text, method, names);
    text
}

fn write_method(text: &mut String, method: &Method, names: &Names) -> std::fmt::Result {
    for (number, region) in method.regions().iter().enumerate().skip(1) {
        let kind = match region.kind {
            RegionKind::Method => "method",
            RegionKind::Monitor => "monitor",
            RegionKind::SynchronizedMethod => "synchronized",
            RegionKind::ExplicitLock => "lock",
        };
        let lock = method.exprs().show(region.lock, method, names);
        let (parent, line) = (region.parent.0, region.line);
        writeln!(text, "region {number} in {parent}: {kind} {lock}, line {line}")?;
    }
    for block in (0..method.block_count()).map(BlockId::from_index) {
        let RegionId(region) = method.region_of(block);
        write!(text, "block {} in {region}:", block.0)?;
        for stmt in method.stmts_of(block).map(|at| method.stmts()[at]) {
            write!(text, " {}: ", stmt.line)?;
            match stmt.action {
                Action::Assign(target) => write!(text, "{} = _;", show(method, names, target))?,
                Action::Call(id) => {
                    write_call(text, method, names, id)?;
                    text.push(';');
                }
            }
        }
        write_edges(text, " ->", method.successors(block))?;
        write_edges(text, " !>", method.handlers(block))?;
        text.push('\n');
    }
    Ok(())
}

fn write_call(
    text: &mut String,
    method: &Method,
    names: &Names,
    id: crate::ir::CallId,
) -> std::fmt::Result {
    let call = method.call(id);
    let (kind, target) = names.dispatch(call.dispatch);
    let kind = match kind {
        CallKind::Static => "static",
        CallKind::Special => "special",
        CallKind::Virtual => "virtual",
        CallKind::Interface => "interface",
    };
    let args: Vec<String> = method.args(id).iter().map(|it| show(method, names, *it)).collect();
    let receiver = show(method, names, call.receiver);
    write!(text, "{kind} {receiver} {}({})", names.qualified(target), args.join(", "))
}

fn show(method: &Method, names: &Names, id: ExprId) -> String {
    method.exprs().show(id, method, names)
}

fn write_edges(text: &mut String, arrow: &str, edges: &[BlockId]) -> std::fmt::Result {
    if edges.is_empty() {
        return Ok(());
    }
    text.push_str(arrow);
    for edge in edges {
        match *edge {
            BlockId::EXIT => write!(text, " exit")?,
            BlockId(number) => write!(text, " {number}")?,
        }
    }
    Ok(())
}
