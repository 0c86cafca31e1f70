//! Locking expressions: `v | this | LE.f | LE[c]`, static fields and class literals, interned per method.
//!
//! Each method has a table of its own: local variables mean nothing outside, and tables that nobody shares can
//! be extended by many threads at once with the same ids in every run.

use hashbrown::HashMap;

use super::{ClassId, ExprId, LocalId, Method, Names, StaticId, Symbol};

/// One node of a locking expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockExpr {
    /// `*`: anything that is no locking expression, or one beyond the size bound.
    Unknown,
    /// `this`.
    This,
    /// A local variable or formal parameter.
    Local(LocalId),
    /// A static field.
    Static(StaticId),
    /// A class literal; also the lock of its static synchronized methods.
    Class(ClassId),
    /// An integral constant: an index or an argument, never a lock.
    Const(i32),
    /// An instance field, by name, as the paper compares expressions by their syntax.
    Field(ExprId, Symbol),
    /// An array element: array and index, which is a constant or an integral locking expression.
    Index(ExprId, ExprId),
}

/// The expressions of a method, without duplicates; [`ExprId::UNKNOWN`] is always there.
#[derive(Clone, Debug)]
pub struct ExprTable {
    nodes: Box<[LockExpr]>,
}

impl ExprTable {
    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is `*`.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, indexed by [`ExprId`]; parts come before wholes.
    pub fn nodes(&self) -> &[LockExpr] {
        &self.nodes
    }

    /// A node.
    pub fn get(&self, id: ExprId) -> LockExpr {
        self.nodes[id.index()]
    }

    /// Replaces every node, by a function that keeps different nodes different and parts as they are.
    pub(super) fn rename(&mut self, new: impl Fn(LockExpr) -> LockExpr) {
        self.nodes.iter_mut().for_each(|node| *node = new(*node));
    }

    /// An expression as the source would have it.
    pub fn show(&self, id: ExprId, method: &Method, names: &Names) -> String {
        show(&self.nodes, id, method, names)
    }
}

/// An expression as the source would have it; locals without a name are `local3` after their slot.
pub(crate) fn show(nodes: &[LockExpr], id: ExprId, method: &Method, names: &Names) -> String {
    let of = |id| show(nodes, id, method, names);
    match nodes[id.index()] {
        LockExpr::Unknown => "*".to_owned(),
        LockExpr::This => "this".to_owned(),
        LockExpr::Local(local) => match method.locals().get(local.index()) {
            Some(l) => {
                l.name.map_or_else(|| format!("local{}", l.slot), |n| names.text(n).to_owned())
            }
            None => format!("arg{}", local.0),
        },
        LockExpr::Static(field) => {
            let (class, name) = names.static_field(field);
            format!("{}.{}", names.class_name(class), names.text(name))
        }
        LockExpr::Class(class) => format!("{}.class", names.class_name(class)),
        LockExpr::Const(value) => value.to_string(),
        LockExpr::Field(base, name) => format!("{}.{}", of(base), names.text(name)),
        LockExpr::Index(base, index) => format!("{}[{}]", of(base), of(index)),
    }
}

/// A table that grows: finds or makes the id of an expression, and keeps to the size bound.
#[derive(Clone, Debug)]
pub struct Interner {
    nodes: Vec<LockExpr>,
    /// How many names and accesses each expression has.
    sizes: Vec<u8>,
    ids: HashMap<LockExpr, ExprId, foldhash::fast::FixedState>,
    bound: u8,
}

impl Interner {
    /// An interner with nothing but `*`. Expressions of more than `bound` names, accesses and indices are `*`.
    pub fn new(bound: u8) -> Self {
        let mut interner = Self {
            nodes: Vec::new(),
            sizes: Vec::new(),
            ids: HashMap::default(),
            bound: bound.max(1),
        };
        interner.insert(LockExpr::Unknown, 1);
        interner
    }

    /// An interner that continues a table: the ids of the table's nodes stay. The first of them is `*`.
    pub fn resume(nodes: &[LockExpr], bound: u8) -> Self {
        let mut interner = Self::new(bound);
        for &node in nodes.iter().skip(1) {
            let size = interner.size_of(node).unwrap_or(u8::MAX);
            interner.insert(node, size);
        }
        interner
    }

    /// The id of an expression whose parts are interned here. `*` for what is beyond the bound, for accesses to `*`,
    /// for accesses to a constant and for indices that are `*`.
    pub fn intern(&mut self, node: LockExpr) -> ExprId {
        match self.size_of(node) {
            Some(size) if size <= self.bound => {
                if let Some(&id) = self.ids.get(&node) {
                    id
                } else {
                    self.insert(node, size)
                }
            }
            _ => ExprId::UNKNOWN,
        }
    }

    /// The id of an expression, if it is here.
    pub fn find(&self, node: LockExpr) -> Option<ExprId> {
        self.ids.get(&node).copied()
    }

    /// A node.
    pub fn get(&self, id: ExprId) -> LockExpr {
        self.nodes[id.index()]
    }

    /// All nodes so far.
    pub fn nodes(&self) -> &[LockExpr] {
        &self.nodes
    }

    /// The finished table.
    pub fn finish(self) -> ExprTable {
        ExprTable { nodes: self.nodes.into_boxed_slice() }
    }

    fn insert(&mut self, node: LockExpr, size: u8) -> ExprId {
        let id = ExprId::from_index(self.nodes.len());
        self.nodes.push(node);
        self.sizes.push(size);
        self.ids.insert(node, id);
        id
    }

    /// The size of an expression, or nothing if it is `*`. Sizes count what is written: a variable, each field, each
    /// array access with the size of its index (constants are free).
    fn size_of(&self, node: LockExpr) -> Option<u8> {
        let size = |id: ExprId| (id != ExprId::UNKNOWN).then(|| self.sizes[id.index()]);
        let base = |id: ExprId| {
            if matches!(self.get(id), LockExpr::Const(_)) { None } else { size(id) }
        };
        match node {
            LockExpr::Unknown => None,
            LockExpr::This | LockExpr::Local(_) | LockExpr::Static(_) | LockExpr::Class(_) => {
                Some(1)
            }
            LockExpr::Const(_) => Some(0),
            LockExpr::Field(of, _) => base(of)?.checked_add(1),
            LockExpr::Index(of, index) => base(of)?.checked_add(1)?.checked_add(size(index)?),
        }
    }
}
