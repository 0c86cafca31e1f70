//! A method with everything that is put into it.
//!
//! How exceptions leave nothing open: every exception handler of the method begins with `caught`, which
//! closes the window and goes back to the depth of open blocks that the handler has; a handler around the
//! method does the same for what leaves it. Depths are remembered in local variables: one for the
//! method and one for each atomic block in it.

use crate::around::Around;
use crate::copies;
use crate::describe::{At, Description, UsedUp};
use crate::fields::{self, Since, Together};
use crate::guards::Guards;
use crate::loops::{self, Rounds};
use crate::monitors::{self, Held};
use crate::plan::{Action, Plan};
use crate::probe::{CONTEXT, Maker, Probe, RUN};
use crate::repeats::{self, Need, Turn};
use crate::windows::{self, Step};
use interloper_jvm::rewrite::{CodeEdit, LocalKind, Snippet};
use interloper_jvm::{Body, ClassFile, Code, Instruction, LineNumber, Local, Member};
use std::collections::HashMap;

/// A synchronized method's monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Monitor {
    /// The method is not synchronized, or its monitor cannot be named.
    None,
    /// `this`
    This,
    /// The class
    Class,
}

/// A synchronized block that is atomic.
#[derive(Debug, Clone)]
pub(crate) struct AtomicBlock {
    /// Its `monitorenter`.
    pub(crate) enter: usize,
    /// Its number among the methods.
    pub(crate) id: u32,
}

/// What is known about a method before it is woven.
pub(crate) struct Subject<'s, 'a> {
    pub(crate) class: &'s ClassFile<'a>,
    pub(crate) member: &'s Member<'a>,
    pub(crate) code: &'s Code<'a>,
    pub(crate) body: &'s Body<'a>,
    pub(crate) lines: &'s [LineNumber],
    pub(crate) plan: &'s Plan<'a>,
    /// The method's number.
    pub(crate) id: u32,
    /// Whether it begins and ends a block.
    pub(crate) atomic: bool,
    /// It does not if one of these classes is a thread's; separated by spaces.
    pub(crate) unless: Option<String>,
    /// Whether that block is a leaf ([`Plan::is_leaf`]).
    pub(crate) leaf: bool,
    pub(crate) monitor: Monitor,
    /// The atomic blocks in it, and which monitors are held where if there are any.
    pub(crate) blocks: Vec<AtomicBlock>,
    pub(crate) held: Option<Held>,
}

impl Subject<'_, '_> {
    /// Whether the method is in a block for certain, whoever calls it.
    fn is_in_block(&self) -> bool {
        self.atomic && self.unless.is_none()
    }

    /// The line of an instruction, or 0.
    pub(crate) fn line(&self, i: usize) -> u32 {
        line_of(self.lines, self.body, i)
    }

    /// Whether exceptions caught here can come from blocks that were left open, or windows.
    pub(crate) fn needs_depth(&self) -> bool {
        let catches = self.code.handlers.iter().any(|it| self.is_woven_handler(it.handler));
        let opens = self.plan.calls || !self.plan.actions.is_empty();
        (catches && opens) || !self.blocks.is_empty()
    }

    /// Whether there is anything to put into the method.
    pub(crate) fn has_probes(&self) -> bool {
        self.atomic
            || self.monitor != Monitor::None
            || self.needs_depth()
            || !self.plan.actions.is_empty()
    }

    fn is_woven_handler(&self, handler: interloper_jvm::Pc) -> bool {
        self.body.index_at(handler).is_some_and(|i| i >= self.plan.first)
    }
}

/// The line of an instruction, or 0.
pub(crate) fn line_of(lines: &[LineNumber], body: &Body<'_>, i: usize) -> u32 {
    let pc = body.instructions[i].pc;
    let next = lines.partition_point(|it| it.start <= pc);
    next.checked_sub(1).map_or(0, |last| u32::from(lines[last].line))
}

/// The local variables that are added to a method.
struct Locals {
    context: Local,
    /// What `begin` gave, in atomic methods.
    saved: Option<Local>,
    /// The depth of open blocks in the method.
    depth: Option<Local>,
    /// The same for each atomic block.
    block_depths: Vec<Local>,
    /// The monitor of a synchronized method.
    monitor: Option<Local>,
    /// For calls.
    aside: Option<Local>,
    /// How many windows were closed, for accesses in loops.
    since: Vec<Since>,
    /// The same for accesses that are made together, by their number in the window.
    together: Vec<Local>,
}

/// The edit of a method in the making.
pub(crate) struct MethodWeaver<'w, 'm, 'a, 'n> {
    subject: &'w Subject<'w, 'a>,
    maker: Maker<'m, 'a>,
    description: &'w mut Description<'n>,
    locals: Locals,
    edit: CodeEdit,
    before: Vec<Snippet>,
    after: Vec<Snippet>,
    /// What the accesses need, in order.
    needs: Vec<Need>,
    /// Which of them are made again and again in loops.
    rounds: Rounds,
    /// The first sites of those that are made together, by their number in the window.
    first_sites: Vec<u32>,
    /// What to do about windows.
    steps: Vec<Step>,
    /// The sites of entering and leaving a synchronized method.
    monitor_sites: (u32, u32),
    /// What the method looks at once, if there is a copy of it that looks at everything.
    guards: Option<&'w Guards>,
    /// Whether it is such a copy.
    is_copy: bool,
    /// The sites of accesses by their instructions: those of the copy, or those that were given so far.
    sites: Sites,
}

/// The sites of accesses by their instructions.
pub(crate) type Sites = HashMap<usize, u32>;

/// What becomes of a method.
pub(crate) enum Version<'w> {
    /// It has all probes.
    Whole,
    /// It is the copy of another one, with all probes.
    Copy,
    /// It has those that it needs beside its guards: there is a copy with all of them, whose sites are these.
    Guarded(&'w Guards, Sites),
}

/// An edit of a method, and what is left of making it.
pub(crate) struct Edited<'m, 'a> {
    pub(crate) edit: CodeEdit,
    /// With what the constant pool refused.
    pub(crate) maker: Maker<'m, 'a>,
    /// The sites of accesses by their instructions.
    pub(crate) sites: Sites,
}

impl<'w, 'm, 'a, 'n> MethodWeaver<'w, 'm, 'a, 'n> {
    /// As its version wants it.
    pub(crate) fn weave(
        subject: &'w Subject<'w, 'a>,
        maker: Maker<'m, 'a>,
        description: &'w mut Description<'n>,
        version: Version<'w>,
    ) -> Result<Edited<'m, 'a>, UsedUp> {
        let is_copy = matches!(version, Version::Copy);
        let (guards, sites) = match version {
            Version::Guarded(guards, sites) => (Some(guards), sites),
            Version::Whole | Version::Copy => (None, Sites::new()),
        };
        let mut edit = CodeEdit::for_code(subject.code);
        edit.need_stack(fields::STACK);
        let (plan, body, pool) = (subject.plan, subject.body, &subject.class.pool);
        let steps = windows::steps(plan, body, pool);
        let rounds = Rounds::find(plan, body, pool, &steps);
        let needs = repeats::needs(plan, body, pool, (&rounds, &steps), subject.is_in_block());
        let all_clean = guards.is_some_and(|it| it.all_clean);
        let locals = Locals::add(&mut edit, subject, &needs, &rounds, all_clean);
        let count = subject.body.instructions.len();
        let (before, after) = (vec![Snippet::new(); count], vec![Snippet::new(); count]);
        let monitor_sites = (0, 0);
        let first_sites = vec![0; locals.together.len()];
        let mut weaver = MethodWeaver {
            subject,
            maker,
            description,
            locals,
            edit,
            before,
            after,
            needs,
            rounds,
            first_sites,
            steps,
            monitor_sites,
            guards,
            is_copy,
            sites,
        };
        weaver.monitor_sites()?;
        weaver.entry();
        weaver.guard();
        weaver.handlers();
        weaver.block_ends();
        weaver.instructions()?;
        weaver.on_exception();
        Ok(weaver.finish())
    }

    fn finish(mut self) -> Edited<'m, 'a> {
        for (i, located) in self.subject.body.instructions.iter().enumerate() {
            let (before, after) =
                (std::mem::take(&mut self.before[i]), std::mem::take(&mut self.after[i]));
            if !before.is_empty() {
                self.edit.before(located.pc, before);
            }
            if !after.is_empty() {
                self.edit.after(located.pc, after);
            }
        }
        Edited { edit: self.edit, maker: self.maker, sites: self.sites }
    }

    fn monitor_sites(&mut self) -> Result<(), UsedUp> {
        if self.subject.monitor != Monitor::None {
            let at = At { method: self.subject.id, line: self.subject.line(0) };
            let entered = self.description.monitor(at, "synchronized")?;
            self.monitor_sites = (entered, self.description.monitor(at, "synchronized")?);
        }
        Ok(())
    }

    fn put_before(&mut self, i: usize, put: impl FnOnce(&mut Maker<'m, 'a>, Snippet) -> Snippet) {
        let snippet = std::mem::take(&mut self.before[i]);
        self.before[i] = put(&mut self.maker, snippet);
    }

    fn put_after(&mut self, i: usize, put: impl FnOnce(&mut Maker<'m, 'a>, Snippet) -> Snippet) {
        let snippet = std::mem::take(&mut self.after[i]);
        self.after[i] = put(&mut self.maker, snippet);
    }

    fn entry(&mut self) {
        let Locals { context, saved, depth, .. } = self.locals;
        let maker = &mut self.maker;
        let mut snippet = maker.call(Snippet::new(), Probe::Here).store_reference(context);
        for since in &self.locals.since {
            snippet = never(maker, snippet, *since);
        }
        if let Some(saved) = saved {
            let Subject { id, unless, class, leaf, .. } = self.subject;
            snippet = match unless {
                _ if self.guards.is_some() => {
                    maker.call(snippet.load_reference(context), Probe::Depth)
                }
                Some(names) => maker.begin_unless(snippet, (context, *id), &class.name, names),
                None if *leaf => maker.call_at(snippet, Probe::BeginLeaf, context, *id),
                None => maker.call_at(snippet, Probe::Begin, context, *id),
            };
            snippet = snippet.store_int(saved);
        }
        if let Some(depth) = depth {
            snippet = maker.call(snippet.load_reference(context), Probe::Depth).store_int(depth);
            for block in &self.locals.block_depths {
                snippet = snippet.load_int(depth).store_int(*block);
            }
        }
        if let Some(monitor) = self.locals.monitor {
            snippet = match self.subject.monitor {
                Monitor::Class => maker.class(snippet, &self.subject.class.name),
                _ => snippet.load_reference(Local(0)),
            };
            snippet = snippet.dup().store_reference(monitor);
            snippet = maker.call_at(snippet, Probe::Entered, context, self.monitor_sites.0);
        }
        self.edit.at_entry(snippet);
    }

    /// What the method looks at once. The copy begins the block itself, and is called with the window closed.
    fn guard(&mut self) {
        let Some(guards) = self.guards else { return };
        let Subject { class, member, leaf, .. } = *self.subject;
        let context = self.locals.context;
        let maker = &mut self.maker;
        let (mut conditions, mut then) = (vec![], Snippet::new());
        if leaf {
            conditions.push(maker.call(Snippet::new().load_reference(context), Probe::IsPlain));
            then = maker.call(then.load_reference(context), Probe::BeginTold);
        }
        for look in &guards.looks {
            // Of a site that is none it is never known where the state is.
            let site = self.sites.get(&look.first).copied().unwrap_or(0);
            let object = Snippet::new().load_reference(look.object);
            conditions.push(maker.call_at(object, look.probe(), context, site));
            if let Some(number) = look.together.filter(|_| !look.ends) {
                self.first_sites[number] = site;
                then = maker.call(then.load_reference(context), Probe::Since);
                then = then.store_int(self.locals.together[number]);
            }
        }
        let otherwise = maker.with_constants(|constants| copies::call(class, member, constants));
        self.edit.need_stack(self.subject.code.max_locals);
        self.edit.guard(conditions, then, otherwise);
    }

    /// Whether nothing can have been told before an instruction: then there is nothing to be counted, nor a block to be ended.
    fn is_untold(&self, i: usize) -> bool {
        self.guards.is_some_and(|it| it.is_untold(i))
    }

    /// Closes the window before an instruction.
    fn close(&mut self, i: usize) {
        let probe = if self.is_untold(i) { Probe::CloseTold } else { Probe::Close };
        let context = self.locals.context;
        self.put_before(i, |maker, snippet| maker.call(snippet.load_reference(context), probe));
    }

    /// `caught` at the beginning of every exception handler.
    fn handlers(&mut self) {
        let Some(depth) = self.locals.depth else { return };
        let context = self.locals.context;
        let handlers = self.subject.code.handlers.iter().map(|it| it.handler);
        let mut pcs: Vec<_> = handlers.filter(|it| self.subject.is_woven_handler(*it)).collect();
        pcs.sort_unstable();
        pcs.dedup();
        for pc in pcs {
            let Some(i) = self.subject.body.index_at(pc) else { continue };
            let depth = self.depth_at_handler(pc).unwrap_or(depth);
            self.put_before(i, |maker, snippet| {
                let snippet = snippet.load_reference(context).load_int(depth);
                maker.call(snippet, Probe::Caught)
            });
        }
    }

    /// The depth of the innermost atomic block that a handler is in.
    fn depth_at_handler(&self, handler: interloper_jvm::Pc) -> Option<Local> {
        let held = self.subject.held.as_ref()?.at(self.subject.body.block_at(handler)?);
        let block = |enter: &usize| self.subject.blocks.iter().position(|it| it.enter == *enter);
        held.iter().rev().find_map(block).map(|block| self.locals.block_depths[block])
    }

    fn instructions(&mut self) -> Result<(), UsedUp> {
        let subject = self.subject;
        let (body, context) = (subject.body, self.locals.context);
        let mut actions = subject.plan.actions.iter().peekable();
        let mut needs = std::mem::take(&mut self.needs).into_iter();
        let steps = std::mem::take(&mut self.steps);
        for (i, step) in steps.into_iter().enumerate() {
            let instruction = &body.instructions[i].instruction;
            let returns = matches!(instruction, Instruction::Return(_));
            match step {
                Step::Close if returns && self.closes_at_end() && !self.is_untold(i) => {}
                Step::Close => self.close(i),
                Step::Poll => self.put_before(i, |maker, snippet| {
                    maker.call(snippet.load_reference(context), Probe::Poll)
                }),
                Step::Nothing => {}
            }
            match actions.next_if(|(at, _)| *at == i).map(|(_, action)| action) {
                Some(action) if action.is_access() => {
                    self.access(i, action, needs.next().unwrap_or(Need::Probe))?;
                }
                Some(action) => self.action(i, action)?,
                None => {}
            }
            if returns && !self.is_untold(i) {
                self.returns(i, step);
            }
            let ended: Vec<_> =
                self.rounds.ended_by(instruction).map(|it| self.locals.since[it]).collect();
            for since in ended {
                self.put_after(i, |maker, snippet| never(maker, snippet, since));
            }
        }
        Ok(())
    }

    fn action(&mut self, i: usize, action: &Action<'a>) -> Result<(), UsedUp> {
        let at = At { method: self.subject.id, line: self.subject.line(i) };
        let context = self.locals.context;
        match action {
            Action::Enter => self.enter(i, at)?,
            Action::Exit => {
                let site = self.description.action(action, at)?;
                self.put_before(i, |maker, snippet| {
                    monitors::exiting(maker, snippet, context, site)
                });
            }
            Action::Made => {
                let site = self.description.action(action, at)?;
                self.put_after(i, |maker, snippet| {
                    let snippet = snippet.load_reference(Local(0));
                    maker.call_at(snippet, Probe::Made, context, site)
                });
            }
            Action::NewArray => self.put_after(i, |maker, snippet| {
                maker.call(snippet.dup().load_reference(context), Probe::MadeArray)
            }),
            Action::HandOver => self.put_before(i, |maker, snippet| {
                maker.call(snippet.load_reference(context), Probe::HandingOver)
            }),
            Action::Call { effect, kind, member } => {
                let Some(aside) = self.locals.aside else { return Ok(()) };
                let site = self.description.action(action, at)?;
                let around = Around::new(*effect, *kind, member, context, aside, site);
                let Some(around) = around else { return Ok(()) };
                self.put_before(i, |maker, snippet| around.before(maker, snippet));
                self.put_after(i, |maker, snippet| around.after(maker, snippet));
            }
            access => self.access(i, access, Need::Probe)?,
        }
        Ok(())
    }

    /// Before an access.
    fn access(&mut self, i: usize, access: &Action<'a>, need: Need) -> Result<(), UsedUp> {
        if need == Need::Nothing || self.guards.is_some_and(|it| it.is_clean(i)) {
            return Ok(());
        }
        let site = self.site(i, access)?;
        let context = self.locals.context;
        let since = self.rounds.number(i).map(|it| self.locals.since[it]);
        let together = self.together(need, site);
        let told = fields::Told { need, context, together, since, site };
        self.put_before(i, |maker, snippet| fields::before_access(maker, snippet, access, told));
        Ok(())
    }

    /// The site of an access.
    fn site(&mut self, i: usize, access: &Action<'a>) -> Result<u32, UsedUp> {
        if let Some(site) = self.sites.get(&i) {
            return Ok(*site);
        }
        let at = At { method: self.subject.id, line: self.subject.line(i) };
        let site = self.description.action(access, at)?;
        self.sites.insert(i, site);
        Ok(site)
    }

    /// What is known of the accesses that this one is made together with.
    fn together(&mut self, need: Need, site: u32) -> Option<Together> {
        let Need::Together { number, write, turn } = need else { return None };
        if turn == Turn::First {
            self.first_sites[number] = site;
        }
        let first = self.first_sites[number];
        Some(Together { since: self.locals.together[number], first, write, turn })
    }

    fn enter(&mut self, i: usize, at: At) -> Result<(), UsedUp> {
        let site = self.description.action(&Action::Enter, at)?;
        let context = self.locals.context;
        let block = self.subject.blocks.iter().position(|it| it.enter == i);
        if let Some(block) = block {
            let (id, depth) = (self.subject.blocks[block].id, self.locals.block_depths[block]);
            self.put_before(i, |maker, snippet| {
                let snippet = maker.call_at(snippet, Probe::BeginBlock, context, id);
                maker.call(snippet.load_reference(context), Probe::Depth).store_int(depth)
            });
        }
        self.put_before(i, |_, snippet| monitors::entering(snippet));
        self.put_after(i, |maker, snippet| monitors::entered(maker, snippet, context, site));
        Ok(())
    }

    /// `endBlock` behind the `monitorexit`s of atomic blocks. Comes before [`Self::instructions`], as
    /// it is the first that is put before the next instruction.
    fn block_ends(&mut self) {
        let Some(held) = &self.subject.held else { return };
        let Subject { code, body, blocks, .. } = self.subject;
        let context = self.locals.context;
        for (exit, enter) in held.exits(body) {
            if !blocks.iter().any(|it| it.enter == enter) {
                continue;
            }
            let end = |maker: &mut Maker<'m, 'a>, snippet: Snippet| {
                maker.call(snippet.load_reference(context), Probe::EndBlock)
            };
            // The monitor's exception handler covers its `monitorexit` and what is put behind it, where
            // the monitor is no longer held: compilers refuse such methods.
            match monitors::only_follows(exit + 1, code, body) {
                true => self.put_before(exit + 1, end),
                false => self.put_after(exit, end),
            }
        }
    }

    /// Whether the end of the block closes the window: there is a block, and nothing comes before its end.
    fn closes_at_end(&self) -> bool {
        self.locals.saved.is_some() && self.locals.monitor.is_none()
    }

    /// Before a return.
    fn returns(&mut self, i: usize, step: Step) {
        let Locals { context, saved, monitor, .. } = self.locals;
        let site = self.monitor_sites.1;
        let end = match (self.subject.leaf, step) {
            (true, Step::Close) => Probe::CloseLeaf,
            (true, _) => Probe::EndLeaf,
            (false, _) => Probe::End,
        };
        let saved = saved.map(|saved| (saved, end));
        self.put_before(i, |maker, snippet| ending(maker, snippet, context, saved, monitor, site));
    }

    /// When an exception leaves the method.
    fn on_exception(&mut self) {
        let Locals { context, saved, depth, monitor, .. } = self.locals;
        let plan = self.subject.plan;
        let needed = saved.is_some() || monitor.is_some() || depth.is_some() || plan.leaves_open();
        let Some(from) = self.subject.body.instructions.get(plan.first).filter(|_| needed) else {
            return;
        };
        let maker = &mut self.maker;
        let site = self.monitor_sites.1;
        let mut snippet = Snippet::new();
        // Nothing else must come in an open window.
        match depth {
            Some(depth) => {
                snippet = snippet.load_reference(context).load_int(depth);
                snippet = maker.call(snippet, Probe::Caught);
            }
            None if plan.leaves_open() => {
                snippet = maker.call(snippet.load_reference(context), Probe::Leave);
            }
            None => {}
        }
        // This is right for leaves, too, and whatever may have happened in them.
        let saved = saved.map(|saved| (saved, Probe::End));
        snippet = ending(maker, snippet, context, saved, monitor, site);
        if self.is_copy {
            snippet = maker.call(snippet.dup(), Probe::LeavingCopy);
        }
        self.edit.on_exception(from.pc, snippet.throw());
    }
}

/// What is known in a loop is not known of what follows.
fn never(maker: &mut Maker<'_, '_>, snippet: Snippet, since: Since) -> Snippet {
    match since {
        Since::Number(local) => maker.number(snippet, loops::NEVER).store_int(local),
        Since::Run(local) => maker.call(snippet, Probe::Nowhere).store_reference(local),
    }
}

/// What ends a method: the monitor is left, then the block.
fn ending(
    maker: &mut Maker<'_, '_>,
    mut snippet: Snippet,
    context: Local,
    saved: Option<(Local, Probe)>,
    monitor: Option<Local>,
    site: u32,
) -> Snippet {
    if let Some(monitor) = monitor {
        snippet = snippet.load_reference(monitor);
        snippet = maker.call_at(snippet, Probe::Exiting, context, site);
    }
    if let Some((saved, end)) = saved {
        snippet = maker.call(snippet.load_reference(context).load_int(saved), end);
    }
    snippet
}

impl Locals {
    fn add(
        edit: &mut CodeEdit,
        subject: &Subject<'_, '_>,
        needs: &[Need],
        rounds: &Rounds,
        all_clean: bool,
    ) -> Locals {
        let context = edit.add_local(LocalKind::Reference(CONTEXT.to_owned()));
        // If there is nothing to be told, the block is not in the log.
        let saved = (subject.atomic && !all_clean).then(|| edit.add_local(LocalKind::Int));
        let depth = subject.needs_depth().then(|| edit.add_local(LocalKind::Int));
        let block_depths = subject.blocks.iter().map(|_| edit.add_local(LocalKind::Int)).collect();
        let object = LocalKind::Reference("java/lang/Object".to_owned());
        let monitor = (subject.monitor != Monitor::None).then(|| edit.add_local(object));
        let slots = subject.plan.temporaries();
        let aside = (slots > 0).then(|| edit.temporaries(slots));
        let since = |elements| match elements {
            false => Since::Number(edit.add_local(LocalKind::Int)),
            true => Since::Run(edit.add_local(LocalKind::Reference(RUN.to_owned()))),
        };
        let since = rounds.about_elements().map(since).collect();
        let together = (0..needs.iter().map(Need::together).max().unwrap_or(0))
            .map(|_| edit.temporaries(1))
            .collect();
        Locals { context, saved, depth, block_depths, monitor, aside, since, together }
    }
}
