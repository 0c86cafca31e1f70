//! Lowers one method.

use hashbrown::HashMap;

use super::emit::Emitter;
use super::flow::Flow;
use super::interpret::{Interpreter, Unclear};
use super::locals::{Locals, slots_used};
use super::regions::Nesting;
use super::resolve::{Resolver, is_lockable};
use super::value::{Frame, Value};
use super::{Counts, Problem};
use crate::ir::{
    BlockId, ExprId, Interner, LockExpr, Method, MethodBuilder, MethodFlags, MethodRef, RegionId,
    RegionKind, Symbol,
};
use interloper_jvm::{
    AccessFlags, ArrayKind, Body, ClassError, Code, Instruction, InvokeKind, Member,
    MethodDescriptor,
};

/// Why a method was left out.
#[derive(Clone, Debug, thiserror::Error)]
pub enum MethodProblem {
    /// Its code cannot be read.
    #[error("{0}")]
    Class(#[from] ClassError),
    /// Its code makes no sense.
    #[error("class {class}, method {method}: {why}")]
    Unclear {
        /// Internal name of the class.
        class: String,
        /// Name and descriptor.
        method: String,
        /// Why.
        why: Unclear,
    },
}

/// Lowers the methods of one class.
pub(super) struct Lowerer<'c, 'a> {
    pub resolver: Resolver<'c, 'a>,
    pub file: Option<Symbol>,
    pub bound: u8,
    pub counts: Counts,
    pub problems: Vec<Problem>,
    /// See [`super::Lowered::handed_on`].
    pub handed_on: Vec<Symbol>,
}

impl<'a> Lowerer<'_, 'a> {
    /// The method in the intermediate form. If its code makes no sense, that is noted and the method does nothing.
    pub fn method(&mut self, member: &Member<'a>) -> Method {
        self.try_method(member).unwrap_or_else(|problem| {
            self.problems.push(Problem::Method(Box::new(problem)));
            let mut empty = self.builder(member);
            empty.edge(BlockId::ENTRY, BlockId::EXIT);
            empty.finish()
        })
    }

    fn builder(&mut self, member: &Member<'a>) -> MethodBuilder {
        let file = self.resolver.file;
        let names = &mut self.resolver.names;
        let name = MethodRef {
            class: names.class(&file.name),
            name: names.symbol(&file.member_name(member)),
            descriptor: names.symbol(&file.member_descriptor(member)),
        };
        let name = names.method_id(name);
        let flags = MethodFlags {
            is_static: member.access.contains(AccessFlags::STATIC),
            is_synchronized: member.access.contains(AccessFlags::SYNCHRONIZED),
            is_synthetic: member.access.contains(AccessFlags::SYNTHETIC),
        };
        MethodBuilder::new(name, flags, self.file, self.bound)
    }

    fn try_method(&mut self, member: &Member<'a>) -> Result<Method, MethodProblem> {
        let class = self.resolver.file;
        let code = class.code(member)?;
        let body = code.as_ref().map(|code| class.body(member, code)).transpose()?;
        let unclear = |why| MethodProblem::Unclear {
            class: class.name.to_string(),
            method: format!("{}{}", class.member_name(member), class.member_descriptor(member)),
            why,
        };
        let descriptor = class.member_descriptor(member);
        let types = MethodDescriptor::parse(&descriptor).map_err(|flaw| unclear(flaw.into()))?;
        self.counts.methods += 1;
        match (&code, &body) {
            (Some(code), Some(body)) if says_something(body) => {
                self.counts.instructions += body.instructions.len();
                self.lower(member, code, body, &types).map_err(unclear)
            }
            _ => {
                let line = code.as_ref().map_or(0, |code| self.synchronized_at(member, code));
                Ok(self.silent(member, &types, line))
            }
        }
    }

    /// Where a synchronized method begins; of others nobody asks.
    fn synchronized_at(&self, member: &Member<'a>, code: &Code<'a>) -> u32 {
        if !member.access.contains(AccessFlags::SYNCHRONIZED) {
            return 0;
        }
        let lines = self.resolver.file.line_numbers(member, code).unwrap_or_default();
        lines.first().map_or(0, |it| u32::from(it.line))
    }

    /// A method of which only the declaration matters: native, or without locks, calls and assignments inside.
    fn silent(&mut self, member: &Member<'a>, types: &MethodDescriptor<'_>, line: u32) -> Method {
        let mut builder = self.builder(member);
        let first = if member.access.contains(AccessFlags::STATIC) { 0 } else { 1 };
        let mut slot: u16 = first;
        for parameter in &types.parameters {
            builder.formal(crate::ir::Local { name: None, slot });
            slot = slot.saturating_add(parameter.slots());
        }
        let base = self.base_region(member, &mut builder, line);
        let last = match base {
            RegionId::ROOT => BlockId::ENTRY,
            inner => {
                let inner = builder.block(inner);
                builder.edge(BlockId::ENTRY, inner);
                inner
            }
        };
        builder.edge(last, BlockId::EXIT);
        builder.finish()
    }

    /// The region of a synchronized method, or the root.
    fn base_region(
        &mut self,
        member: &Member<'a>,
        builder: &mut MethodBuilder,
        line: u32,
    ) -> RegionId {
        if !member.access.contains(AccessFlags::SYNCHRONIZED) {
            return RegionId::ROOT;
        }
        self.counts.synchronized_methods += 1;
        let lock = if member.access.contains(AccessFlags::STATIC) {
            LockExpr::Class(self.resolver.names.class(&self.resolver.file.name))
        } else {
            LockExpr::This
        };
        let lock = builder.expr(lock);
        builder.region(RegionId::ROOT, lock, line, RegionKind::SynchronizedMethod)
    }

    fn lower(
        &mut self,
        member: &Member<'a>,
        code: &Code<'a>,
        body: &Body<'a>,
        types: &MethodDescriptor<'_>,
    ) -> Result<Method, Unclear> {
        let class = self.resolver.file;
        let lines = class.line_numbers(member, code).unwrap_or_default();
        let mut interpreter = Interpreter {
            exprs: Interner::new(self.bound),
            locals: Locals::new(class, member, code),
            sites: Vec::new(),
            site_ids: HashMap::default(),
            max_stack: usize::from(code.max_stack),
            handed_on: Vec::new(),
            resolver: &mut self.resolver,
        };
        let first = first_frame(&mut interpreter, member, body, types);
        let events = Flow::new(&mut interpreter, body, code, &lines).run(first)?;
        let Interpreter { exprs, locals, sites, mut handed_on, .. } = interpreter;
        self.handed_on.append(&mut handed_on);
        let nesting = Nesting::solve(body, code, &events, &sites);
        self.count(&sites, nesting.unstructured);
        let mut builder = self.builder(member);
        let line = lines.first().map_or(0, |it| u32::from(it.line));
        let base = self.base_region(member, &mut builder, line);
        let variable_names = self.variable_names(&locals);
        let mut emitter = Emitter::new(builder, &exprs, &locals, variable_names, &sites, base);
        emitter.formals();
        Ok(emitter.blocks(body, code, &events, &nesting).finish())
    }

    fn count(&mut self, sites: &[super::event::Site], unstructured: usize) {
        let explicit = sites.iter().filter(|it| it.kind == RegionKind::ExplicitLock).count();
        self.counts.explicit_locks += explicit;
        self.counts.monitors += sites.len() - explicit;
        self.counts.unstructured += unstructured;
        self.counts.unstructured_methods += usize::from(unstructured > 0);
    }

    fn variable_names(&mut self, locals: &Locals) -> Vec<Option<Symbol>> {
        let (pool, names) = (&self.resolver.file.pool, &mut self.resolver.names);
        let name = |it: &super::locals::Variable| {
            it.name.and_then(|name| pool.utf8(name).ok()).map(|name| names.symbol(&name))
        };
        locals.variables.iter().map(name).collect()
    }
}

/// Whether code locks, calls, or assigns what may be part of a lock.
fn says_something(body: &Body<'_>) -> bool {
    body.instructions.iter().any(|it| match it.instruction {
        Instruction::MonitorEnter | Instruction::PutField(_) | Instruction::PutStatic(_) => true,
        Instruction::ArrayStore(kind) => kind == ArrayKind::Reference,
        Instruction::Invoke(kind, _) => kind != InvokeKind::Dynamic,
        _ => false,
    })
}

/// What local variables hold at the beginning: `this` and the arguments.
fn first_frame(
    interpreter: &mut Interpreter<'_, '_, '_>,
    member: &Member<'_>,
    body: &Body<'_>,
    types: &MethodDescriptor<'_>,
) -> Frame {
    let mut held: Vec<Value> = Vec::new();
    if !member.access.contains(AccessFlags::STATIC) {
        held.push(Value::named(interpreter.exprs.intern(LockExpr::This)));
    }
    for parameter in &types.parameters {
        let formal = interpreter.locals.formal(held.len() as u16);
        held.push(match is_lockable(*parameter) {
            true => Value::named(interpreter.exprs.intern(LockExpr::Local(formal))),
            false => Value::OWN,
        });
        held.extend((1..parameter.slots()).map(|_| Value::OWN));
    }
    debug_assert!(held.iter().all(|it| it.expr != ExprId::UNKNOWN));
    let slots = slots_used(&body.instructions).max(held.len());
    held.resize(slots, Value::OWN);
    Frame { locals: held, stack: Vec::new() }
}
