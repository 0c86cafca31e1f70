//! Ways that need something to happen twice that mostly happens once.
//!
//! - A call that *comes to itself*: on the way from the block that holds the context to an acquisition, the same call is made twice, and
//!   the second time with the receiver and the arguments that it had the first time. Had nothing else changed, it would be made for ever; so
//!   something has, and mostly the inner call finds what the outer one was missing (`if (!has(key)) { make(key); return get(key); }` in
//!   `get`), and goes another way. A call that comes to itself once is told: then the outer and the inner call take different ways.
//! - A call of a loop that takes *another object* each time, and of whose targets only some acquire the lock. The pattern needs two objects that
//!   do, and nothing tells whether the loop meets two. If all targets acquire it, any two objects will do.
//!
//! Both are about what is likely, not about what is proven: an instance may hide behind either.

use crate::globals::each_part;
use crate::ir::{
    Action, BlockId, CallId, CallKind, ExprId, LocalId, LockExpr, Method, MethodId, StmtId,
};
use crate::search::Step;
use crate::table::{Formals, Lock};
use crate::world::World;

/// Whether a chain of calls makes one of them twice, with the same arguments.
pub(crate) fn comes_to_itself(world: &World<'_>, steps: &[Step]) -> bool {
    let again = |at: usize| {
        let step = steps[at];
        let next = steps[at + 1..].iter().position(|other| *other == step);
        next.is_some_and(|next| passes_on(world, &steps[at..=at + next]))
    };
    (0..steps.len()).any(again)
}

/// Whether some calls, of which the last one calls the method that makes the first one, hand its receiver and its arguments on.
fn passes_on(world: &World<'_>, calls: &[Step]) -> bool {
    let (Some(first), Some(last)) = (calls.first(), calls.last()) else { return false };
    let formals = (0..u32::from(world.method(first.method).formals)).map(LocalId);
    let this = (!is_static(world, *last)).then_some(LockExpr::This);
    this.into_iter().chain(formals.map(LockExpr::Local)).all(|name| {
        let outer = calls.iter().rev().try_fold(name, |name, step| passed(world, *step, name));
        outer == Some(name)
    })
}

fn is_static(world: &World<'_>, step: Step) -> bool {
    let method = world.method(step.method);
    let Action::Call(call) = method.stmts()[step.stmt.index()].action else { return false };
    world.program.names.dispatch(method.call(call).dispatch).0 == CallKind::Static
}

/// What a caller passes for `this` or a formal parameter, if that is its own `this` or formal parameter as it came.
fn passed(world: &World<'_>, step: Step, name: LockExpr) -> Option<LockExpr> {
    let method = world.method(step.method);
    let Action::Call(call) = method.stmts()[step.stmt.index()].action else { return None };
    let expr = match name {
        LockExpr::This => method.call(call).receiver,
        LockExpr::Local(local) => *method.args(call).get(local.index())?,
        _ => return None,
    };
    match method.exprs().get(expr) {
        LockExpr::Local(local) if !Formals::of(method).contains(local) => None,
        name @ (LockExpr::This | LockExpr::Local(_)) => Some(name),
        _ => None,
    }
}

/// Whether a call is repeated with another receiver each time, and only some of its targets acquire a lock.
pub(crate) fn is_left_to_chance(world: &World<'_>, id: MethodId, stmt: StmtId, lock: Lock) -> bool {
    let method = world.method(id);
    let Action::Call(call) = method.stmts()[stmt.index()].action else { return false };
    let targets = world.targets.of(method.call(call).dispatch);
    targets.iter().any(|&target| !acquires(world, id, call, target, lock))
        && !may_repeat(method, stmt, method.call(call).receiver)
}

/// Whether a target of a call acquires a lock, by its name in the caller.
fn acquires(
    world: &World<'_>,
    caller: MethodId,
    call: CallId,
    target: MethodId,
    lock: Lock,
) -> bool {
    let Some(set) = world.held_by(target) else { return false };
    if let Lock::Global(global) = lock
        && set.globals.contains(global.0)
    {
        return true;
    }
    let mut table = world.table(caller);
    let method = world.method(caller);
    let mut known = set
        .exported()
        .iter()
        .map(|elem| world.translate(&mut table, method, call, world.nodes(target), elem.second));
    known.any(|known| known == Some(lock))
}

/// Whether control may come from a call to the same call again without an assignment to its receiver.
fn may_repeat(method: &Method, stmt: StmtId, receiver: ExprId) -> bool {
    if receiver == ExprId::UNKNOWN {
        return true;
    }
    let mut parts = Vec::new();
    each_part(method.exprs().nodes(), receiver, &mut |part| parts.push(part));
    let mut blocks = (0..method.block_count()).map(BlockId::from_index);
    let Some(start) = blocks.find(|&b| method.stmts_of(b).contains(&stmt.index())) else {
        return true;
    };
    let assigns =
        |at: usize| matches!(method.stmts()[at].action, Action::Assign(to) if parts.contains(&to));
    let mut seen = vec![false; method.block_count()];
    let mut queue = vec![(start, stmt.index() + 1)];
    while let Some((block, from)) = queue.pop() {
        let range = from..method.stmts_of(block).end;
        let end = range.clone().find(|&at| at == stmt.index() || assigns(at));
        if end == Some(stmt.index()) {
            return true;
        }
        // An exception may come before the assignment.
        let through = if end.is_none() { method.successors(block) } else { &[] };
        for &to in through.iter().chain(method.handlers(block)).filter(|&&to| to != BlockId::EXIT) {
            if !std::mem::replace(&mut seen[to.index()], true) {
                queue.push((to, method.stmts_of(to).start));
            }
        }
    }
    false
}
