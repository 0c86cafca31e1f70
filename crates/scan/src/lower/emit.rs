//! From events and nesting to the intermediate form.
//!
//! A basic block becomes one block of the intermediate form for each stretch in one region. Only expressions that
//! some call, lock or assignment uses are taken over, and assignments to local variables that no other
//! expression names are left out: nothing can depend on them.

use hashbrown::HashMap;

use super::event::{Event, Site, SiteId};
use super::flow::Events;
use super::locals::Locals;
use super::regions::{Change, Held, Nesting, handlers, may_throw};
use crate::ir::{
    BlockId, ExprId, Interner, Local, LocalId, LockExpr, MethodBuilder, RegionId, Symbol,
};
use interloper_jvm::{BlockId as CodeBlock, Body, Code, Instruction};

type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// Writes one method.
pub(super) struct Emitter<'e> {
    pub builder: MethodBuilder,
    pub exprs: &'e Interner,
    pub locals: &'e Locals,
    /// Names of the variables, by position.
    pub variable_names: Vec<Option<Symbol>>,
    pub sites: &'e [Site],
    /// Where the body lies: the root, or the region of a synchronized method.
    pub base: RegionId,
    /// Expressions of the interpretation that were taken over.
    taken: Map<ExprId, ExprId>,
    /// Variables that were taken over.
    variables: Map<LocalId, LocalId>,
    /// The variables that were taken over, by slot: those that a store changes.
    by_slot: Map<u16, Vec<ExprId>>,
    regions: Map<(RegionId, SiteId), RegionId>,
}

impl<'e> Emitter<'e> {
    pub fn new(
        builder: MethodBuilder,
        exprs: &'e Interner,
        locals: &'e Locals,
        variable_names: Vec<Option<Symbol>>,
        sites: &'e [Site],
        base: RegionId,
    ) -> Self {
        Emitter {
            builder,
            exprs,
            locals,
            variable_names,
            sites,
            base,
            taken: Map::default(),
            variables: Map::default(),
            by_slot: Map::default(),
            regions: Map::default(),
        }
    }

    /// Declares the formal parameters, which are the first variables.
    pub fn formals(&mut self) {
        for (at, variable) in self.locals.variables.iter().enumerate() {
            if variable.formal {
                let local = Local { name: self.variable_names[at], slot: variable.slot };
                let id = self.builder.formal(local);
                self.variables.insert(LocalId::from_index(at), id);
            }
        }
    }

    /// Takes over an expression.
    fn take(&mut self, id: ExprId) -> ExprId {
        if id == ExprId::UNKNOWN {
            return id;
        }
        if let Some(known) = self.taken.get(&id) {
            return *known;
        }
        let node = match self.exprs.get(id) {
            LockExpr::Local(local) => LockExpr::Local(self.take_variable(local)),
            LockExpr::Field(of, name) => LockExpr::Field(self.take(of), name),
            LockExpr::Index(of, index) => LockExpr::Index(self.take(of), self.take(index)),
            other => other,
        };
        let new = self.builder.expr(node);
        self.taken.insert(id, new);
        if let LockExpr::Local(local) = self.exprs.get(id) {
            let variable = self.locals.variables[local.index()];
            if !variable.formal {
                self.by_slot.entry(variable.slot).or_default().push(new);
            }
        }
        new
    }

    fn take_variable(&mut self, id: LocalId) -> LocalId {
        if let Some(known) = self.variables.get(&id) {
            return *known;
        }
        let name = self.variable_names[id.index()];
        let slot = self.locals.variables[id.index()].slot;
        let new = self.builder.local(Local { name, slot });
        self.variables.insert(id, new);
        new
    }

    /// Whether an assignment to a field or an element can matter: if it is of a local variable that nothing else
    /// names, it cannot.
    fn matters(&self, target: ExprId) -> bool {
        match self.exprs.get(target) {
            LockExpr::Field(of, _) => self.matters(of),
            LockExpr::Index(of, index) => self.matters(of) && self.matters(index),
            LockExpr::Local(local) => self.variables.contains_key(&local),
            _ => true,
        }
    }

    /// Writes the blocks of the method.
    pub fn blocks(
        mut self,
        body: &Body<'_>,
        code: &Code<'_>,
        events: &Events,
        nesting: &Nesting<'_>,
    ) -> MethodBuilder {
        self.take_used(events);
        let first = self.first_blocks(body, code, events, nesting);
        let start = first[0].unwrap_or(BlockId::EXIT);
        if start != BlockId::ENTRY {
            self.builder.edge(BlockId::ENTRY, start);
        }
        for block in body.block_ids() {
            let (Some(at), Some(events)) = (first[block.index()], &events[block.index()]) else {
                continue;
            };
            if self.is_passage(body, code, nesting, block, events) {
                continue;
            }
            let mut writer = Writer {
                at,
                held: nesting.entry(block).into(),
                entering: false,
                moved: false,
                covered: false,
                handlers: handlers(body, code, block).filter_map(|it| first[it.index()]).collect(),
            };
            self.statements(&mut writer, events, nesting);
            let leaves = leaves(body, code, block);
            let next = body.successors(block);
            let elsewhere = |it: &CodeBlock| nesting.entry(*it) != writer.held.as_slice();
            if writer.entering && (leaves || next.iter().any(elsewhere)) {
                self.open(&mut writer);
            }
            for next in next.iter().filter_map(|it| first[it.index()]) {
                self.builder.edge(writer.at, next);
            }
            if leaves {
                self.builder.edge(writer.at, BlockId::EXIT);
            }
        }
        self.builder
    }

    /// Takes over what calls and locks name; it decides which assignments matter.
    fn take_used(&mut self, events: &Events) {
        for event in events.iter().flatten().flatten() {
            match event {
                Event::Call { receiver, args, .. } => {
                    self.take(*receiver);
                    for arg in args {
                        self.take(*arg);
                    }
                }
                Event::Enter(site) => {
                    self.take(self.sites[site.index()].lock);
                }
                _ => {}
            }
        }
    }

    /// The first block of each basic block that is reached. For the first basic block this is the entry block, unless
    /// something jumps back to it or it lies in a region.
    fn first_blocks(
        &mut self,
        body: &Body<'_>,
        code: &Code<'_>,
        events: &Events,
        nesting: &Nesting<'_>,
    ) -> Vec<Option<BlockId>> {
        let entered_again = code.handlers.iter().any(|it| it.handler.0 == 0)
            || body.block_ids().any(|it| body.successors(it).contains(&CodeBlock(0)));
        let separate = entered_again || self.base != RegionId::ROOT;
        let mut first = Vec::with_capacity(body.blocks.len());
        for block in body.block_ids() {
            first.push(match &events[block.index()] {
                None => None,
                Some(events) if self.is_passage(body, code, nesting, block, events) => None,
                Some(_) if block.0 == 0 && !separate => Some(BlockId::ENTRY),
                Some(_) => {
                    let region = self.region(nesting.entry(block));
                    Some(self.builder.block(region))
                }
            });
        }
        for block in body.block_ids().filter(|it| events[it.index()].is_some()) {
            self.follow(body, nesting, block, &mut first);
        }
        first
    }

    /// A block in which nothing happens is the block it leads to, in the end.
    fn follow(
        &mut self,
        body: &Body<'_>,
        nesting: &Nesting<'_>,
        block: CodeBlock,
        first: &mut [Option<BlockId>],
    ) {
        let mut path = Vec::new();
        let mut at = block;
        let end = loop {
            if let Some(found) = first[at.index()] {
                break found;
            }
            path.push(at);
            match body.successors(at).first() {
                // a way longer than all blocks together goes around in circles
                Some(next) if path.len() <= body.blocks.len() => at = *next,
                _ => {
                    let region = self.region(nesting.entry(block));
                    break self.builder.block(region);
                }
            }
        };
        path.iter().for_each(|it| first[it.index()] = Some(end));
    }

    /// Whether nothing happens in a basic block, and it leads to one other in the same region.
    fn is_passage(
        &self,
        body: &Body<'_>,
        code: &Code<'_>,
        nesting: &Nesting<'_>,
        block: CodeBlock,
        events: &[Event],
    ) -> bool {
        let caught = !body.handlers(block).is_empty();
        let silent = |event: &Event| match event {
            Event::Store { slot, .. } => !self.by_slot.contains_key(slot),
            Event::Assign { target, .. } => !self.matters(*target),
            Event::Throws => !caught,
            _ => false,
        };
        let to = match body.successors(block) {
            [to] => *to,
            _ => return false,
        };
        let same = nesting.entry(to) == nesting.entry(block);
        same && to != block && !leaves(body, code, block) && events.iter().all(silent)
    }

    /// The region in which these locks are held.
    fn region(&mut self, held: &[SiteId]) -> RegionId {
        let mut region = self.base;
        for site in held {
            let key = (region, *site);
            region = match self.regions.get(&key) {
                Some(known) => *known,
                None => {
                    let Site { kind, lock, line } = self.sites[site.index()];
                    let lock = self.take(lock);
                    let new = self.builder.region(region, lock, line, kind);
                    self.regions.insert(key, new);
                    new
                }
            };
        }
        region
    }

    /// Writes the statements of a basic block. Entering and leaving a region is what edges do; a block of its own
    /// comes into being only when something happens in the region.
    fn statements(&mut self, writer: &mut Writer, events: &[Event], nesting: &Nesting<'_>) {
        for event in events {
            let before = writer.held.clone();
            let change = nesting.apply(event, &mut writer.held);
            if writer.held != before {
                if writer.entering {
                    let after = std::mem::replace(&mut writer.held, before);
                    self.open(writer);
                    writer.held = after;
                }
                writer.entering = change == Change::Entered;
                writer.moved = true;
                continue;
            }
            if !self.is_written(event, writer) {
                continue;
            }
            if writer.moved {
                self.open(writer);
            }
            if may_throw(event) && !writer.covered {
                // javac lets the handler that exits a monitor cover itself, which changes nothing
                for handler in writer.handlers.iter().filter(|it| **it != writer.at) {
                    self.builder.handler(writer.at, *handler);
                }
                writer.covered = true;
            }
            self.statement(writer.at, event);
        }
    }

    /// Whether an event needs a block to stand in.
    fn is_written(&self, event: &Event, writer: &Writer) -> bool {
        match event {
            Event::Store { slot, .. } => self.by_slot.contains_key(slot),
            Event::Assign { target, .. } => self.matters(*target),
            Event::Throws => !writer.handlers.is_empty(),
            _ => true,
        }
    }

    /// Begins a new block, in the region of the locks that are held now.
    fn open(&mut self, writer: &mut Writer) {
        let region = self.region(&writer.held);
        let next = self.builder.block(region);
        self.builder.edge(writer.at, next);
        writer.at = next;
        (writer.entering, writer.moved, writer.covered) = (false, false, false);
    }

    fn statement(&mut self, block: BlockId, event: &Event) {
        match event {
            Event::Store { slot, line } => {
                for target in self.by_slot.get(slot).into_iter().flatten() {
                    self.builder.assign(block, *target, *line);
                }
            }
            Event::Assign { target, line } if self.matters(*target) => {
                let target = self.take(*target);
                self.builder.assign(block, target, *line);
            }
            Event::Call { dispatch, receiver, args, line } => {
                let receiver = self.take(*receiver);
                let args: Vec<ExprId> = args.iter().map(|it| self.take(*it)).collect();
                self.builder.call(block, *dispatch, receiver, &args, *line);
            }
            _ => {}
        }
    }
}

/// Writes the blocks of one basic block.
struct Writer {
    /// The block that is written to.
    at: BlockId,
    /// The locks held at this point of the events.
    held: Held,
    /// Whether a lock was taken after the last event that was written, and no block lies in its region yet.
    entering: bool,
    /// Whether `at` does not lie in the region of `held`.
    moved: bool,
    /// Whether `at` has its handlers.
    covered: bool,
    handlers: Vec<BlockId>,
}

/// Whether the method may end with this block: by a return, or by a throw that is not caught for sure.
fn leaves(body: &Body<'_>, code: &Code<'_>, block: CodeBlock) -> bool {
    let catches_all = |entry: &u16| code.handlers[usize::from(*entry)].catch_type.is_none();
    match body.code_of(block).last().map(|it| it.instruction) {
        Some(Instruction::Return(_)) => true,
        Some(Instruction::Throw) => !body.handlers(block).iter().any(catches_all),
        _ => false,
    }
}
