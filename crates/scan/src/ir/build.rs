//! Builds methods: blocks, regions and edges in any order; flat tables in the end.

use hashbrown::HashSet;

use super::{
    Action, Block, BlockId, Call, CallId, DispatchId, ExprId, Interner, Local, LocalId, LockExpr,
    Method, MethodFlags, MethodRefId, Region, RegionId, RegionKind, Stmt, Symbol,
};

/// Builds one method. The entry block ([`BlockId::ENTRY`], in the root) is there from the start.
///
/// Ids given to a builder must come from it.
#[derive(Debug)]
pub struct MethodBuilder {
    name: MethodRefId,
    flags: MethodFlags,
    file: Option<Symbol>,
    formals: u16,
    locals: Vec<Local>,
    exprs: Interner,
    regions: Vec<Region>,
    blocks: Vec<Draft>,
}

/// A block in the making.
#[derive(Debug)]
struct Draft {
    region: RegionId,
    stmts: Vec<DraftStmt>,
    edges: Vec<BlockId>,
    handlers: Vec<BlockId>,
}

#[derive(Debug)]
enum DraftStmt {
    Assign { target: ExprId, line: u32 },
    Call { dispatch: DispatchId, receiver: ExprId, args: Box<[ExprId]>, line: u32 },
}

impl MethodBuilder {
    /// Starts a method. Locking expressions of more than `bound` parts become `*`.
    pub fn new(name: MethodRefId, flags: MethodFlags, file: Option<Symbol>, bound: u8) -> Self {
        let root = Region {
            lock: ExprId::UNKNOWN,
            parent: RegionId::ROOT,
            line: 0,
            kind: RegionKind::Method,
        };
        let mut builder = Self {
            name,
            flags,
            file,
            formals: 0,
            locals: Vec::new(),
            exprs: Interner::new(bound),
            regions: vec![root],
            blocks: Vec::new(),
        };
        builder.block(RegionId::ROOT);
        builder
    }

    /// Declares the next formal parameter (not `this`). All of them come before the first [`Self::local`].
    pub fn formal(&mut self, local: Local) -> LocalId {
        self.formals += 1;
        self.local(local)
    }

    /// Declares a local variable that is no parameter.
    pub fn local(&mut self, local: Local) -> LocalId {
        let id = LocalId::from_index(self.locals.len());
        self.locals.push(local);
        id
    }

    /// The id of an expression; `*` where it is beyond the bound or accesses `*`.
    pub fn expr(&mut self, expr: LockExpr) -> ExprId {
        self.exprs.intern(expr)
    }

    /// What an id stands for.
    pub fn node(&self, id: ExprId) -> LockExpr {
        self.exprs.get(id)
    }

    /// Adds a synchronization block inside another region.
    pub fn region(
        &mut self,
        parent: RegionId,
        lock: ExprId,
        line: u32,
        kind: RegionKind,
    ) -> RegionId {
        let lock =
            if matches!(self.exprs.get(lock), LockExpr::Const(_)) { ExprId::UNKNOWN } else { lock };
        let id = RegionId::from_index(self.regions.len());
        self.regions.push(Region { lock, parent, line, kind });
        id
    }

    /// Adds an empty block.
    pub fn block(&mut self, region: RegionId) -> BlockId {
        let id = BlockId::from_index(self.blocks.len());
        let (stmts, edges, handlers) = (Vec::new(), Vec::new(), Vec::new());
        self.blocks.push(Draft { region, stmts, edges, handlers });
        id
    }

    /// Appends an assignment to a block. An unknown target changes no lock and is dropped.
    pub fn assign(&mut self, block: BlockId, target: ExprId, line: u32) {
        if target != ExprId::UNKNOWN {
            self.blocks[block.index()].stmts.push(DraftStmt::Assign { target, line });
        }
    }

    /// Appends a call to a block.
    pub fn call(
        &mut self,
        block: BlockId,
        dispatch: DispatchId,
        receiver: ExprId,
        args: &[ExprId],
        line: u32,
    ) {
        let args = args.into();
        let stmt = DraftStmt::Call { dispatch, receiver, args, line };
        self.blocks[block.index()].stmts.push(stmt);
    }

    /// Control may go from the end of one block to another, or to [`BlockId::EXIT`].
    pub fn edge(&mut self, from: BlockId, to: BlockId) {
        let edges = &mut self.blocks[from.index()].edges;
        if !edges.contains(&to) {
            edges.push(to);
        }
    }

    /// An exception raised anywhere in a block may go to another block, or out of the method.
    pub fn handler(&mut self, from: BlockId, to: BlockId) {
        let handlers = &mut self.blocks[from.index()].handlers;
        if !handlers.contains(&to) {
            handlers.push(to);
        }
    }

    /// The finished method.
    pub fn finish(mut self) -> Method {
        let silent =
            self.regions.len() == 1 && !self.blocks.iter().any(|b| b.stmts.iter().any(is_call));
        if silent {
            self.keep_assignments();
        }
        self.split_edges();
        self.flatten()
    }

    /// Of a method that neither locks nor calls, callers only ask what it assigns to; the order does not matter. Assignments to
    /// formal parameters stay: they say that the parameter is not what the caller passed.
    fn keep_assignments(&mut self) {
        let mut stmts: Vec<DraftStmt> = Vec::new();
        let mut seen: HashSet<ExprId, foldhash::fast::FixedState> = HashSet::default();
        let mut for_callers = false;
        for stmt in self.blocks.drain(..).flat_map(|block| block.stmts) {
            let DraftStmt::Assign { target, .. } = stmt else { continue };
            let local = match self.exprs.get(target) {
                LockExpr::Local(local) => Some(local.index()),
                _ => None,
            };
            if local.is_none_or(|local| local < usize::from(self.formals)) && seen.insert(target) {
                for_callers |= local.is_none();
                stmts.push(stmt);
            }
        }
        if !for_callers {
            stmts.clear();
            self.exprs = Interner::new(1);
        }
        let (edges, handlers) = (vec![BlockId::EXIT], Vec::new());
        self.blocks.push(Draft { region: RegionId::ROOT, stmts, edges, handlers });
    }

    /// Puts empty blocks on edges that would enter more than one region, or leave one to enter another.
    fn split_edges(&mut self) {
        for at in 0..self.blocks.len() {
            let region = self.blocks[at].region;
            for slot in 0..self.blocks[at].edges.len() {
                self.blocks[at].edges[slot] = self.bridge(region, self.blocks[at].edges[slot]);
            }
            for slot in 0..self.blocks[at].handlers.len() {
                self.blocks[at].handlers[slot] =
                    self.bridge(region, self.blocks[at].handlers[slot]);
            }
        }
    }

    /// The first block on the way from a region to a block: the block itself, where one step suffices.
    fn bridge(&mut self, from: RegionId, to: BlockId) -> BlockId {
        if to == BlockId::EXIT {
            return to;
        }
        let (mut target, mut region) = (to, self.blocks[to.index()].region);
        while !self.encloses(region, from) {
            let parent = self.regions[region.index()].parent;
            if parent == from {
                break;
            }
            let between = self.block(parent);
            self.blocks[between.index()].edges.push(target);
            (target, region) = (between, parent);
        }
        target
    }

    fn encloses(&self, outer: RegionId, mut inner: RegionId) -> bool {
        while inner.0 > outer.0 {
            inner = self.regions[inner.index()].parent;
        }
        inner == outer
    }

    fn flatten(self) -> Method {
        let (mut blocks, mut edges) = (Vec::with_capacity(self.blocks.len()), Vec::new());
        let (mut stmts, mut calls, mut args) = (Vec::new(), Vec::new(), Vec::new());
        for draft in self.blocks {
            let (first_stmt, first_edge) = (stmts.len() as u32, edges.len() as u32);
            for stmt in draft.stmts {
                stmts.push(match stmt {
                    DraftStmt::Assign { target, line } => {
                        Stmt { action: Action::Assign(target), line }
                    }
                    DraftStmt::Call { dispatch, receiver, args: actual, line } => {
                        let id = CallId::from_index(calls.len());
                        calls.push(Call { dispatch, receiver, first_arg: args.len() as u32 });
                        args.extend_from_slice(&actual);
                        Stmt { action: Action::Call(id), line }
                    }
                });
            }
            edges.extend_from_slice(&draft.edges);
            let first_handler = edges.len() as u32;
            edges.extend_from_slice(&draft.handlers);
            blocks.push(Block { region: draft.region, first_stmt, first_edge, first_handler });
        }
        Method {
            name: self.name,
            flags: self.flags,
            file: self.file,
            formals: self.formals,
            locals: self.locals.into(),
            exprs: self.exprs.finish(),
            regions: self.regions.into(),
            blocks: blocks.into(),
            edges: edges.into(),
            stmts: stmts.into(),
            calls: calls.into(),
            args: args.into(),
        }
    }
}

fn is_call(stmt: &DraftStmt) -> bool {
    matches!(stmt, DraftStmt::Call { .. })
}
