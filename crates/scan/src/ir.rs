//! What the lock-pattern analysis sees of a program: locks, assignments and calls, nothing else.
//!
//! A [`Method`] is a control-flow graph of blocks ([`BlockId`]). A block holds the few statements that matter
//! ([`Action`]): assignments, which may change what a locking expression denotes, and calls. Everything else
//! of the bytecode is dropped, and so the intermediate form of a whole application stays small: twelve bytes a
//! statement, twelve a call, tables flat, ids of 32 bits.
//!
//! # Synchronization blocks
//!
//! A synchronization block is a [`Region`]: its lock, the region around it and the line where it is entered.
//! [`RegionId::ROOT`] is the method itself, without a lock. Each block lies in exactly one region, the innermost one.
//! Entering and leaving are not statements but what *edges* do:
//!
//! - an edge into a child region acquires the child's lock;
//! - an edge to a region further out releases the locks of all the regions it leaves;
//! - an edge to [`BlockId::EXIT`] (a return, or an exception nobody catches) leaves all of them.
//!
//! So a region may have any number of exits, to any places: falling out at its end, `return`, `break`, `continue`, an exception that
//! leaves for a handler outside. Loops may contain regions and regions loops. [`MethodBuilder::finish`] sees to it that an
//! edge never enters two regions at once, or leaves one and enters another, by putting empty blocks between.
//!
//! A `synchronized` method is a method whose body lies in one region, with an empty first block in the root.
//! An exceptional edge ([`MethodBuilder::handler`]) may be taken from before, between and after all statements of its block.

mod build;
mod expr;
mod names;
mod rename;

pub use build::MethodBuilder;
pub(crate) use expr::show as show_expr;
pub use expr::{ExprTable, Interner, LockExpr};
pub use names::{CallKind, MethodRef, Names};
pub use rename::Renaming;

/// Defines ids: 32-bit indices with a type of their own.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of an index, which must fit into 32 bits; larger ones become the largest id.
            #[inline]
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    )*};
}

ids! {
    /// A string of [`Names`].
    Symbol;
    /// A class: its internal name (`java/util/Vector`).
    ClassId;
    /// A static field: class and name.
    StaticId;
    /// A method by name: class, name, descriptor; whether it exists is another question.
    MethodRefId;
    /// What a call site says it calls: a [`CallKind`] and a [`MethodRef`]. All calls with the same dispatch have the same
    /// possible targets, see [`Callees`].
    DispatchId;
    /// A method with a body: a position in [`Program::methods`].
    MethodId;
    /// A basic block of a method.
    BlockId;
    /// A synchronization block of a method, or the method itself.
    RegionId;
    /// A local variable of a method; the formal parameters (without `this`) come first.
    LocalId;
    /// A locking expression of a method's [`ExprTable`].
    ExprId;
    /// A statement of a method.
    StmtId;
    /// A call of a method.
    CallId;
}

impl RegionId {
    /// The method itself.
    pub const ROOT: RegionId = RegionId(0);
}

impl BlockId {
    /// Where a method begins.
    pub const ENTRY: BlockId = BlockId(0);
    /// Not a block: what an edge that leaves the method leads to.
    pub const EXIT: BlockId = BlockId(u32::MAX);
}

impl ExprId {
    /// `*`, the lock nothing is known of: equal to no lock, not even to itself.
    pub const UNKNOWN: ExprId = ExprId(0);
}

/// Everything that is analysed together.
#[derive(Debug, Default)]
pub struct Program {
    /// The names that ids stand for.
    pub names: Names,
    /// All methods that have a body, indexed by [`MethodId`].
    pub methods: Vec<Method>,
}

impl Program {
    /// A method by its id.
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.index()]
    }

    /// The ids of all methods.
    pub fn method_ids(&self) -> impl ExactSizeIterator<Item = MethodId> + use<> {
        (0..self.methods.len()).map(MethodId::from_index)
    }

    /// A method as people write it: `pack.Line.contains(Location)`.
    pub fn method_name(&self, id: MethodId) -> String {
        self.names.method_name(self.method(id).name)
    }

    /// The methods that a pattern names: `contains`, `Line.contains`, `pack.Line.contains`, each with or without
    /// a descriptor `(Lpack/Location;)Z`.
    pub fn find_methods(&self, pattern: &str) -> Vec<MethodId> {
        let (path, descriptor) = match pattern.find('(') {
            Some(at) => (&pattern[..at], Some(&pattern[at..])),
            None => (pattern, None),
        };
        let path = path.replace('/', ".");
        let fits = |id: &MethodId| {
            let name = self.names.method(self.method(*id).name);
            let full = self.names.qualified(self.method(*id).name);
            let ends = full.strip_suffix(path.as_str());
            ends.is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', '$']))
                && descriptor.is_none_or(|d| {
                    d == self.names.text(name.descriptor) || self.method_name(*id).ends_with(d)
                })
        };
        self.method_ids().filter(fits).collect()
    }
}

/// What a method is marked with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MethodFlags {
    /// It has no `this`.
    pub is_static: bool,
    /// Declared `synchronized`: the whole body is in a region.
    pub is_synchronized: bool,
    /// Made by the compiler: bridges, accessors, lambda bodies.
    pub is_synthetic: bool,
}

/// A local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name in the source, where the class file tells.
    pub name: Option<Symbol>,
    /// Its slot in the frame; only shown, where there is no name.
    pub slot: u16,
}

/// A method with its body. Made by [`MethodBuilder`].
#[derive(Clone, Debug)]
pub struct Method {
    /// Class, name, descriptor.
    pub name: MethodRefId,
    /// How it is declared.
    pub flags: MethodFlags,
    /// The source file's name, where known.
    pub file: Option<Symbol>,
    /// How many of the locals are formal parameters (the first ones; `this` is none of them).
    pub formals: u16,
    locals: Box<[Local]>,
    exprs: ExprTable,
    regions: Box<[Region]>,
    blocks: Box<[Block]>,
    edges: Box<[BlockId]>,
    stmts: Box<[Stmt]>,
    calls: Box<[Call]>,
    args: Box<[ExprId]>,
}

/// A synchronization block (or the method, for [`RegionId::ROOT`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// What is locked, evaluated on entry; [`ExprId::UNKNOWN`] for `*` and for the root.
    pub lock: ExprId,
    /// The region around; the root is its own.
    pub parent: RegionId,
    /// The line where it is entered, 0 if unknown.
    pub line: u32,
    /// What kind of lock.
    pub kind: RegionKind,
}

/// How a region is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// The root: not at all.
    Method,
    /// A `synchronized` statement.
    Monitor,
    /// The body of a `synchronized` method.
    SynchronizedMethod,
    /// `lock()` … `unlock()` of a `java.util.concurrent.locks.Lock`.
    ExplicitLock,
}

/// A basic block; its statements and edges end where those of the next block begin.
#[derive(Clone, Copy, Debug)]
struct Block {
    region: RegionId,
    first_stmt: u32,
    first_edge: u32,
    first_handler: u32,
}

/// A statement: what it does, and on which line (0 if unknown).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it does.
    pub action: Action,
    /// Its line.
    pub line: u32,
}

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Gives a new value to a local variable, a field or an array element. [`ExprId::UNKNOWN`] changes no lock.
    Assign(ExprId),
    /// Calls a method.
    Call(CallId),
}

/// A call: [`Method::args`] has its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// What may be called.
    pub dispatch: DispatchId,
    /// The object the method is called on; [`ExprId::UNKNOWN`] also for static calls and constructors.
    pub receiver: ExprId,
    first_arg: u32,
}

/// Where a method calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The innermost region around.
    pub region: RegionId,
    /// The statement.
    pub stmt: StmtId,
    /// What it calls.
    pub call: CallId,
}

impl Method {
    /// Its local variables, indexed by [`LocalId`], formal parameters first.
    pub fn locals(&self) -> &[Local] {
        &self.locals
    }

    /// Its expressions.
    pub fn exprs(&self) -> &ExprTable {
        &self.exprs
    }

    /// Its regions, indexed by [`RegionId`]; a region comes after the one around it.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// A region.
    pub fn region(&self, id: RegionId) -> Region {
        self.regions[id.index()]
    }

    /// How many blocks it has.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The region a block lies in.
    pub fn region_of(&self, block: BlockId) -> RegionId {
        self.blocks[block.index()].region
    }

    /// Which statements a block has.
    pub fn stmts_of(&self, block: BlockId) -> std::ops::Range<usize> {
        let end =
            self.blocks.get(block.index() + 1).map_or(self.stmts.len() as u32, |b| b.first_stmt);
        self.blocks[block.index()].first_stmt as usize..end as usize
    }

    /// All statements, indexed by [`StmtId`].
    pub fn stmts(&self) -> &[Stmt] {
        &self.stmts
    }

    /// The blocks that may follow a block.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        let block = &self.blocks[block.index()];
        &self.edges[block.first_edge as usize..block.first_handler as usize]
    }

    /// Where an exception raised anywhere in a block may lead.
    pub fn handlers(&self, block: BlockId) -> &[BlockId] {
        let end =
            self.blocks.get(block.index() + 1).map_or(self.edges.len() as u32, |b| b.first_edge);
        &self.edges[self.blocks[block.index()].first_handler as usize..end as usize]
    }

    /// All calls, indexed by [`CallId`].
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// A call.
    pub fn call(&self, id: CallId) -> &Call {
        &self.calls[id.index()]
    }

    /// The arguments of a call, without the receiver. Integral constants are [`LockExpr::Const`].
    pub fn args(&self, id: CallId) -> &[ExprId] {
        let end = self.calls.get(id.index() + 1).map_or(self.args.len(), |c| c.first_arg as usize);
        &self.args[self.calls[id.index()].first_arg as usize..end]
    }

    /// All calls with the region and the statement they are in, in the order of the blocks.
    pub fn sites(&self) -> impl Iterator<Item = Site> + '_ {
        (0..self.blocks.len()).map(BlockId::from_index).flat_map(move |block| {
            let region = self.region_of(block);
            self.stmts_of(block).filter_map(move |at| match self.stmts[at].action {
                Action::Call(call) => Some(Site { region, stmt: StmtId::from_index(at), call }),
                Action::Assign(_) => None,
            })
        })
    }

    /// How many synchronization blocks lie around a region, itself included.
    pub fn depth(&self, mut region: RegionId) -> usize {
        let mut depth = 0;
        while region != RegionId::ROOT {
            region = self.region(region).parent;
            depth += 1;
        }
        depth
    }

    /// Whether a region is another one or lies in it.
    pub fn is_within(&self, mut inner: RegionId, outer: RegionId) -> bool {
        // Parents have smaller numbers.
        while inner.0 > outer.0 {
            inner = self.region(inner).parent;
        }
        inner == outer
    }
}

/// Which methods each dispatch may reach: the call graph. Filled by class hierarchy analysis.
#[derive(Clone, Debug, Default)]
pub struct Callees {
    ends: Vec<u32>,
    targets: Vec<MethodId>,
}

impl Callees {
    /// Asks for the targets of each dispatch of a program in turn. Targets are sorted and freed of duplicates.
    pub fn from_fn<I: IntoIterator<Item = MethodId>>(
        dispatches: usize,
        mut targets_of: impl FnMut(DispatchId) -> I,
    ) -> Self {
        let mut callees = Self::default();
        for index in 0..dispatches {
            callees.push(targets_of(DispatchId::from_index(index)));
        }
        callees
    }

    /// Adds the targets of the next dispatch.
    pub fn push(&mut self, targets: impl IntoIterator<Item = MethodId>) {
        let start = self.targets.len();
        self.targets.extend(targets);
        self.targets[start..].sort_unstable();
        let mut kept = start;
        for at in start..self.targets.len() {
            if kept == start || self.targets[kept - 1] != self.targets[at] {
                self.targets[kept] = self.targets[at];
                kept += 1;
            }
        }
        self.targets.truncate(kept);
        self.ends.push(kept as u32);
    }

    /// The methods a dispatch may reach; none for a dispatch it was not told of.
    pub fn of(&self, dispatch: DispatchId) -> &[MethodId] {
        let Some(&end) = self.ends.get(dispatch.index()) else { return &[] };
        let start = if dispatch.0 == 0 { 0 } else { self.ends[dispatch.index() - 1] };
        &self.targets[start as usize..end as usize]
    }

    /// How many dispatches it knows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}
