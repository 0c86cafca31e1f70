//! What is known of the values in local variables and on the operand stack.

use crate::ir::{ClassId, ExprId, Interner, LockExpr};

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// A locking expression that has this value now; `*` if there is none.
    pub expr: ExprId,
    /// The class of the object, if exactly known.
    pub exact: Option<ClassId>,
}

/// In a local variable: a value that has no other name than that of the variable.
const OWN: ExprId = ExprId(u32::MAX);

impl Value {
    /// A value of which nothing is known.
    pub const UNKNOWN: Value = Value { expr: ExprId::UNKNOWN, exact: None };
    /// What a local variable holds when nothing is known of it.
    pub const OWN: Value = Value { expr: OWN, exact: None };

    /// A value with a name.
    pub fn named(expr: ExprId) -> Value {
        Value { expr, exact: None }
    }

    /// The same value under the name of the variable that holds it.
    pub fn own(self) -> Value {
        Value { expr: OWN, exact: self.exact }
    }

    /// Whether it is a variable's value without another name.
    pub fn is_own(self) -> bool {
        self.expr == OWN
    }

    /// What is known if the value is one or the other; `other_name` if they have different names.
    fn join(self, other: Value, other_name: ExprId) -> Value {
        Value {
            expr: if self.expr == other.expr { self.expr } else { other_name },
            exact: if self.exact == other.exact { self.exact } else { None },
        }
    }
}

/// Local variables and operand stack. Longs and doubles take two places, as in the JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub locals: Vec<Value>,
    pub stack: Vec<Value>,
}

/// Joins what two ways bring into local variables; whether this changed `into`.
pub(super) fn join_locals(into: &mut [Value], from: &[Value]) -> bool {
    let mut changed = false;
    for (into, from) in into.iter_mut().zip(from) {
        let joined = into.join(*from, OWN);
        changed |= joined != *into;
        *into = joined;
    }
    changed
}

impl Frame {
    /// Joins another frame into this one; whether this changed it. None if the stacks differ in depth, which no
    /// verified code does.
    pub fn join(&mut self, from: &Frame) -> Option<bool> {
        if self.stack.len() != from.stack.len() {
            return None;
        }
        let mut changed = join_locals(&mut self.locals, &from.locals);
        for (into, from) in self.stack.iter_mut().zip(&from.stack) {
            let joined = into.join(*from, ExprId::UNKNOWN);
            changed |= joined != *into;
            *into = joined;
        }
        Some(changed)
    }

    /// Takes their names from all values whose name is affected by a change.
    pub fn forget(&mut self, mut affected: impl FnMut(ExprId) -> bool) {
        for value in &mut self.locals {
            if !value.is_own() && value.expr != ExprId::UNKNOWN && affected(value.expr) {
                *value = value.own();
            }
        }
        for value in &mut self.stack {
            if value.expr != ExprId::UNKNOWN && affected(value.expr) {
                value.expr = ExprId::UNKNOWN;
            }
        }
    }
}

/// Whether some part of an expression satisfies `test`: the paper's DEPENDS.
pub(super) fn depends(
    exprs: &Interner,
    expr: ExprId,
    test: &impl Fn(ExprId, LockExpr) -> bool,
) -> bool {
    let node = exprs.get(expr);
    test(expr, node)
        || match node {
            LockExpr::Field(of, _) => depends(exprs, of, test),
            LockExpr::Index(of, index) => depends(exprs, of, test) || depends(exprs, index, test),
            _ => false,
        }
}
