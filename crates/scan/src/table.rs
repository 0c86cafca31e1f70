//! TRANSLATELOCK, and the tables it writes to.
//!
//! Deviations from the paper's Figure 7:
//!
//! - Static fields and class literals translate to themselves (the paper's grammar has none).
//! - A formal parameter that its method assigns to is a local variable like any other: what is locked after
//!   the assignment is not what the caller passed. The paper would take it for the caller's argument.

use crate::globals::{GlobalId, Globals, copy};
use crate::ir::{Action, ExprId, Interner, LocalId, LockExpr, Method};

/// How far an expression's meaning reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// The same everywhere.
    Global,
    /// Made of `this` or formal parameters: callers can translate it.
    Caller,
    /// Contains a local variable, or is `*`: meaningless outside of its method.
    Method,
}

/// A lock as a method sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Lock {
    /// By an expression of the method's own table.
    Local(ExprId),
    /// By a global expression.
    Global(GlobalId),
}

/// Which formal parameters are never assigned to; those beyond the 64th are taken to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Formals(u64);

impl Formals {
    /// All of them: for dispatches, which have no body.
    pub(crate) const ALL: Formals = Formals(u64::MAX);

    pub(crate) fn of(method: &Method) -> Self {
        let count = u32::from(method.formals);
        let mut constant = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
        for stmt in method.stmts() {
            if let Action::Assign(target) = stmt.action
                && let LockExpr::Local(LocalId(local @ 0..64)) = method.exprs().get(target)
            {
                constant &= !(1 << local);
            }
        }
        Formals(constant)
    }

    pub(crate) fn contains(self, local: LocalId) -> bool {
        local.0 < 64 && self.0 >> local.0 & 1 == 1
    }
}

/// What `this` and the formal parameters of a callee are for its caller.
#[derive(Clone, Copy)]
pub(crate) enum Binding<'a> {
    /// A call: receiver and arguments.
    Call(ExprId, &'a [ExprId]),
    /// A dispatch, which hands its own on to its targets.
    Forward,
}

impl Binding<'_> {
    /// Whether some element of a callee could mean anything to the caller. Pairs of global locks, which the variant has, need
    /// nothing that is passed.
    pub(crate) fn is_useful(self, variant: bool) -> bool {
        match self {
            Binding::Forward => true,
            Binding::Call(..) if variant => true,
            Binding::Call(receiver, args) => {
                receiver != ExprId::UNKNOWN || args.iter().any(|&a| a != ExprId::UNKNOWN)
            }
        }
    }
}

/// A table that grows, with the reach of each expression.
pub(crate) struct Table {
    exprs: Interner,
    reach: Vec<Reach>,
    formals: Formals,
}

impl Table {
    pub(crate) fn resume(nodes: &[LockExpr], formals: Formals, bound: u8) -> Self {
        let exprs = Interner::resume(nodes, bound);
        let mut table = Self { exprs, reach: Vec::with_capacity(nodes.len() + 4), formals };
        table.classify();
        table
    }

    fn classify(&mut self) {
        for &node in &self.exprs.nodes()[self.reach.len()..] {
            self.reach.push(match node {
                LockExpr::Unknown => Reach::Method,
                LockExpr::This => Reach::Caller,
                LockExpr::Local(local) if self.formals.contains(local) => Reach::Caller,
                LockExpr::Local(_) => Reach::Method,
                LockExpr::Static(_) | LockExpr::Class(_) | LockExpr::Const(_) => Reach::Global,
                LockExpr::Field(base, _) => self.reach[base.index()],
                LockExpr::Index(base, index) => {
                    self.reach[base.index()].max(self.reach[index.index()])
                }
            });
        }
    }

    pub(crate) fn nodes(&self) -> &[LockExpr] {
        self.exprs.nodes()
    }

    pub(crate) fn reach(&self, id: ExprId) -> Reach {
        self.reach[id.index()]
    }

    /// The lock an expression stands for; nothing for `*`.
    pub(crate) fn lock(&self, id: ExprId, globals: &Globals) -> Option<Lock> {
        match self.reach(id) {
            _ if id == ExprId::UNKNOWN => None,
            Reach::Global => Some(Lock::Global(globals.intern(self.nodes(), id))),
            Reach::Caller | Reach::Method => Some(Lock::Local(id)),
        }
    }

    /// The expression of a lock, which is a copy where the lock is global.
    pub(crate) fn expr(&mut self, lock: Lock, global_nodes: &[LockExpr]) -> ExprId {
        match lock {
            Lock::Local(id) => id,
            Lock::Global(id) => {
                let exprs = &mut self.exprs;
                let id = copy(global_nodes, ExprId(id.0), &mut |node| Some(exprs.intern(node)));
                self.classify();
                id.unwrap_or(ExprId::UNKNOWN)
            }
        }
    }

    /// TRANSLATELOCK: a callee's lock as this table's method knows it, or `*`.
    pub(crate) fn translate(
        &mut self,
        callee: &[LockExpr],
        id: ExprId,
        binding: Binding<'_>,
    ) -> ExprId {
        let result = self.rebuild(callee, id, binding);
        self.classify();
        // An integer may be passed for an index, but it is no lock.
        if matches!(self.exprs.get(result), LockExpr::Const(_)) { ExprId::UNKNOWN } else { result }
    }

    fn rebuild(&mut self, callee: &[LockExpr], id: ExprId, binding: Binding<'_>) -> ExprId {
        let node = match (callee[id.index()], binding) {
            (LockExpr::This, Binding::Call(receiver, _)) => return receiver,
            (LockExpr::Local(local), Binding::Call(_, args)) => {
                return args.get(local.index()).copied().unwrap_or(ExprId::UNKNOWN);
            }
            (LockExpr::Field(base, name), _) => {
                LockExpr::Field(self.rebuild(callee, base, binding), name)
            }
            (LockExpr::Index(base, index), _) => LockExpr::Index(
                self.rebuild(callee, base, binding),
                self.rebuild(callee, index, binding),
            ),
            (leaf, _) => leaf,
        };
        self.exprs.intern(node)
    }
}
