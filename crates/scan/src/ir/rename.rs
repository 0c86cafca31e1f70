//! Brings methods that were made with names of their own together under the names of one program.
//!
//! Methods are made by many threads. Were they all to intern in one table, ids would depend on who came
//! first; so each part of the program is made with its own [`Names`], and the parts are absorbed one after
//! the other, in an order that is the same in every run.

use super::{
    ClassId, DispatchId, LockExpr, Method, MethodRef, MethodRefId, Names, StaticId, Symbol,
};

/// For each id of the absorbed names, the id it has now.
#[derive(Debug)]
pub struct Renaming {
    symbols: Vec<Symbol>,
    statics: Vec<StaticId>,
    methods: Vec<MethodRefId>,
    dispatches: Vec<DispatchId>,
}

impl Names {
    /// Interns all that `other` has interned, in the same order.
    pub fn absorb(&mut self, other: &Names) -> Renaming {
        let symbols: Vec<Symbol> = (0..other.symbol_count())
            .map(|at| self.symbol(other.text(Symbol::from_index(at))))
            .collect();
        let class = |id: ClassId| ClassId(symbols[id.index()].0);
        let statics = (0..other.static_count())
            .map(|at| {
                let (owner, name) = other.static_field(StaticId::from_index(at));
                self.static_id(class(owner), symbols[name.index()])
            })
            .collect();
        let methods: Vec<MethodRefId> = (0..other.method_count())
            .map(|at| {
                let method = other.method(MethodRefId::from_index(at));
                self.method_id(MethodRef {
                    class: class(method.class),
                    name: symbols[method.name.index()],
                    descriptor: symbols[method.descriptor.index()],
                })
            })
            .collect();
        let dispatches = (0..other.dispatch_count())
            .map(|at| {
                let (kind, method) = other.dispatch(DispatchId::from_index(at));
                self.dispatch_id(kind, methods[method.index()])
            })
            .collect();
        Renaming { symbols, statics, methods, dispatches }
    }
}

impl Renaming {
    /// Gives a method that was made with the absorbed names the new ids.
    pub fn apply(&self, method: &mut Method) {
        method.name = self.methods[method.name.index()];
        method.file = method.file.map(|file| self.symbols[file.index()]);
        for local in &mut method.locals {
            local.name = local.name.map(|name| self.symbols[name.index()]);
        }
        for call in &mut method.calls {
            call.dispatch = self.dispatches[call.dispatch.index()];
        }
        // different names stay different, so that the table stays free of duplicates
        method.exprs.rename(|node| match node {
            LockExpr::Static(id) => LockExpr::Static(self.statics[id.index()]),
            LockExpr::Class(id) => LockExpr::Class(ClassId(self.symbols[id.index()].0)),
            LockExpr::Field(of, name) => LockExpr::Field(of, self.symbols[name.index()]),
            other => other,
        });
    }
}
