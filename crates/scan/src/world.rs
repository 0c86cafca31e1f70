//! What is known of the whole program once LOCKSHELD is solved; all later steps only read it.

use crate::assigned::Assigned;
use crate::bits::BitSet;
use crate::globals::Globals;
use crate::graph::{Graph, Targets};
use crate::ir::{CallId, ExprId, LockExpr, Method, MethodId, Program};
use crate::options::Options;
use crate::solution::{Set, Solution, Tables};
use crate::table::{Binding, Formals, Lock, Table};

/// The program, its call graph, its locks.
pub(crate) struct World<'a> {
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    pub(crate) targets: Targets<'a>,
    pub(crate) graph: Graph,
    pub(crate) tables: Tables<'a>,
    /// LOCKSHELD.
    pub(crate) held: Solution,
    pub(crate) globals: Globals,
    /// The global locks by id.
    pub(crate) global_nodes: Vec<LockExpr>,
    pub(crate) assigned: Assigned,
}

impl World<'_> {
    pub(crate) fn method(&self, id: MethodId) -> &Method {
        self.program.method(id)
    }

    /// A method's expressions, those that its callees brought in included.
    pub(crate) fn nodes(&self, id: MethodId) -> &[LockExpr] {
        self.tables.nodes(self.graph.of_method(id))
    }

    /// A method's table, to translate into.
    pub(crate) fn table(&self, id: MethodId) -> Table {
        Table::resume(self.nodes(id), Formals::of(self.method(id)), self.options.size_bound)
    }

    /// LOCKSHELD of a method.
    pub(crate) fn held_by(&self, id: MethodId) -> Option<&Set> {
        self.held.get(self.graph.of_method(id))
    }

    /// LOCKSHELD of all that a call may reach, in terms of the callee; and the table it is written in.
    pub(crate) fn held_by_call(
        &self,
        method: &Method,
        call: CallId,
    ) -> Option<(&Set, &[LockExpr])> {
        let node = self.graph.of_dispatch(method.call(call).dispatch);
        self.held.get(node).map(|set| (set, self.tables.nodes(node)))
    }

    /// ASSIGNED of all that a call may reach, in terms of the callee; the table it is written in; and the global locks that
    /// depend on it.
    pub(crate) fn assigned_by_call(
        &self,
        method: &Method,
        call: CallId,
    ) -> Option<(&Set, &[LockExpr], Option<&BitSet>)> {
        let node = self.graph.of_dispatch(method.call(call).dispatch);
        let set = self.assigned.sets.get(node)?;
        Some((set, self.tables.nodes(node), self.assigned.killed_by(node)))
    }

    /// A callee's expression as a caller knows it, or `*`.
    pub(crate) fn translate_expr(
        &self,
        table: &mut Table,
        method: &Method,
        call: CallId,
        callee: &[LockExpr],
        expr: ExprId,
    ) -> ExprId {
        let binding = Binding::Call(method.call(call).receiver, method.args(call));
        table.translate(callee, expr, binding)
    }

    /// The same as a lock.
    pub(crate) fn translate(
        &self,
        table: &mut Table,
        method: &Method,
        call: CallId,
        callee: &[LockExpr],
        expr: ExprId,
    ) -> Option<Lock> {
        let id = self.translate_expr(table, method, call, callee, expr);
        table.lock(id, &self.globals)
    }

    /// A lock in words.
    pub(crate) fn show(&self, id: MethodId, lock: Lock) -> String {
        let (nodes, expr) = match lock {
            Lock::Local(expr) => (self.nodes(id), expr),
            Lock::Global(global) => (self.global_nodes.as_slice(), ExprId(global.0)),
        };
        crate::ir::show_expr(nodes, expr, self.method(id), &self.program.names)
    }
}
