//! The field paths that are part of locks, for what callees assign.
//!
//! What a callee assigns matters to a caller only if its translation is a part of one of the caller's locks. Translation puts
//! something in front of a path and leaves the path as it is, so a path that occurs in no lock of the program will never matter, however
//! far it travels. This is exact, and it is what keeps ASSIGNED small: without it, a chain `this.a.b.c.next` is carried through
//! all callers, although nobody locks anything of that name.
//!
//! Paths are a trie of all stretches of all locks' paths: as every part of a lock is a stretch, and every stretch of a stretch is
//! one, an expression can be looked up link by link, from its root.

use hashbrown::HashMap;

use crate::globals::each_part;
use crate::ir::{ExprId, LockExpr, Symbol};
use crate::table::Binding;

type Seed = foldhash::fast::FixedState;

/// A stretch of a lock's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PathId(u32);

/// The stretch of no links: of a variable, `this` or a static field itself.
const ROOT: PathId = PathId(0);

/// One link of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Link {
    Field(Symbol),
    /// An array element, whatever its index.
    Element,
}

/// All stretches of the paths of some locks.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    next: HashMap<(PathId, Link), PathId, Seed>,
}

impl Paths {
    /// Adds the stretches of a lock, and of the indices in it.
    pub(crate) fn add(&mut self, nodes: &[LockExpr], lock: ExprId) {
        self.add_path(&path(nodes, lock));
        each_part(nodes, lock, &mut |part| {
            if let LockExpr::Index(_, index) = nodes[part.index()] {
                self.add_path(&path(nodes, index));
            }
        });
    }

    fn add_path(&mut self, path: &[Link]) {
        for start in 0..path.len() {
            let mut at = ROOT;
            for &link in &path[start..] {
                let new = PathId(self.next.len() as u32 + 1);
                at = *self.next.entry((at, link)).or_insert(new);
            }
        }
    }

    /// Whether a callee's expression, translated for a caller, can be part of a lock or become one further up.
    pub(crate) fn may_matter(
        &self,
        callee: &[LockExpr],
        expr: ExprId,
        caller: &[LockExpr],
        binding: Binding<'_>,
    ) -> bool {
        self.translated(callee, expr, caller, binding).is_some()
    }

    fn translated(
        &self,
        callee: &[LockExpr],
        expr: ExprId,
        caller: &[LockExpr],
        binding: Binding<'_>,
    ) -> Option<PathId> {
        let of = |base| self.translated(callee, base, caller, binding);
        match (callee[expr.index()], binding) {
            (LockExpr::This, Binding::Call(receiver, _)) => self.find(caller, receiver),
            (LockExpr::Local(local), Binding::Call(_, args)) => {
                self.find(caller, *args.get(local.index())?)
            }
            (LockExpr::Field(base, name), _) => self.follow(of(base)?, Link::Field(name)),
            (LockExpr::Index(base, _), _) => self.follow(of(base)?, Link::Element),
            (LockExpr::Unknown | LockExpr::Const(_), _) => None,
            _ => Some(ROOT),
        }
    }

    /// The path of an expression, if it occurs in locks.
    fn find(&self, nodes: &[LockExpr], expr: ExprId) -> Option<PathId> {
        match nodes[expr.index()] {
            LockExpr::Field(base, name) => self.follow(self.find(nodes, base)?, Link::Field(name)),
            LockExpr::Index(base, _) => self.follow(self.find(nodes, base)?, Link::Element),
            LockExpr::Unknown | LockExpr::Const(_) => None,
            _ => Some(ROOT),
        }
    }

    /// Whether an expression can be part of a lock, here or further up.
    pub(crate) fn contains(&self, nodes: &[LockExpr], expr: ExprId) -> bool {
        self.find(nodes, expr).is_some()
    }

    fn follow(&self, at: PathId, link: Link) -> Option<PathId> {
        self.next.get(&(at, link)).copied()
    }
}

/// The links of an expression, from its root.
fn path(nodes: &[LockExpr], expr: ExprId) -> Vec<Link> {
    let (base, link) = match nodes[expr.index()] {
        LockExpr::Field(base, name) => (base, Link::Field(name)),
        LockExpr::Index(base, _) => (base, Link::Element),
        _ => return Vec::new(),
    };
    let mut path = path(nodes, base);
    path.push(link);
    path
}
