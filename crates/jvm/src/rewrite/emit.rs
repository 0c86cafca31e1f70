//! The new `Code` attribute of an edited method.

use super::Refusal;
use super::code::{CodeEdit, Guard};
use super::layout::{Layout, old_span};
use super::pool::NewConstants;
use super::table;
use crate::attribute::Attribute;
use crate::body::Body;
use crate::class::{ClassFile, Member};
use crate::code::{Code, ExceptionHandler};
use crate::instruction::{Instruction, Pc, Switch};
use std::ops::Range;

/// The code attribute, with name and length.
pub(super) fn code(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    code: &Code<'_>,
    body: &Body<'_>,
    edit: &CodeEdit,
    constants: &mut NewConstants<'_>,
) -> Result<Vec<u8>, Refusal> {
    let inserts = edit.before.keys().chain(edit.after.keys());
    for pc in inserts.chain(edit.around.iter().map(|around| &around.from)) {
        body.index_at(*pc).ok_or(Refusal::NoInstruction(pc.0))?;
    }
    if edit.own.count > 0 && edit.own.behind != code.max_locals {
        return Err(Refusal::OtherCode);
    }
    let layout = Layout::new(body, code, edit)?;
    let handlers = handlers(code, edit);
    let copies = copies(body, code, &handlers, edit, layout.end);
    let end = copies.last().map_or(layout.end, |copy| copy.place.end);
    if end > usize::from(u16::MAX) {
        return Err(Refusal::TooLong(end));
    }
    let emit = Emit { class, method, code, body, edit, layout, handlers, copies, end };
    emit.attribute(constants)
}

/// The exception table of the old code. Entries that cover, among other things, the handler that they lead to and in which something
/// is inserted, are two: what comes before the handler, and the rest.
fn handlers(code: &Code<'_>, edit: &CodeEdit) -> Vec<ExceptionHandler> {
    let mut handlers = Vec::with_capacity(code.handlers.len());
    for &handler in &code.handlers {
        let own = handler.handler;
        if handler.start < own && own < handler.end && edit.before.contains_key(&own) {
            handlers.push(ExceptionHandler { end: own, ..handler });
            handlers.push(ExceptionHandler { start: own, ..handler });
        } else {
            handlers.push(handler);
        }
    }
    handlers
}

/// A copy, without insertions, of the handler that releases a monitor. Compilers refuse methods in
/// which anything but the release itself is covered by such a handler.
pub(super) struct Copy {
    /// The entry of the exception table that leads into what it covers.
    entry: usize,
    /// The instructions that are copied.
    pub(super) instructions: Range<usize>,
    /// Where the copy is.
    pub(super) place: Range<usize>,
}

/// The handlers to be copied: those that cover themselves, have insertions, and are a straight way to
/// a `athrow`.
fn copies(
    body: &Body<'_>,
    code: &Code<'_>,
    handlers: &[ExceptionHandler],
    edit: &CodeEdit,
    end: usize,
) -> Vec<Copy> {
    let mut at = end;
    let mut copies = vec![];
    for (entry, handler) in handlers.iter().enumerate() {
        let covers_itself = handler.catch_type.is_none()
            && handler.start == handler.handler
            && handler.end > handler.handler;
        let Some(first) = body.index_at(handler.handler).filter(|_| covers_itself) else {
            continue;
        };
        let way = body.instructions[first..].iter();
        let length = way.take_while(|it| !it.instruction.ends_block()).count();
        let last = first + length;
        let ends = body.instructions.get(last).map(|it| &it.instruction);
        let releases = body.instructions[first..last]
            .iter()
            .any(|it| it.instruction == Instruction::MonitorExit);
        let instructions = first..last + 1;
        let edited = body.instructions[first..last].iter().chain(body.instructions.get(last));
        let edited = edited
            .into_iter()
            .any(|it| edit.before.contains_key(&it.pc) || edit.after.contains_key(&it.pc));
        if ends != Some(&Instruction::Throw) || !releases || !edited {
            continue;
        }
        let start = usize::from(handler.handler.0);
        let size = old_span(body, code, last).end - start;
        copies.push(Copy { entry, instructions, place: at..at + size });
        at += size;
    }
    copies
}

/// An edited method with everything in its place.
pub(super) struct Emit<'e, 'a> {
    pub(super) class: &'e ClassFile<'a>,
    pub(super) method: &'e Member<'a>,
    pub(super) code: &'e Code<'a>,
    pub(super) body: &'e Body<'a>,
    pub(super) edit: &'e CodeEdit,
    pub(super) layout: Layout,
    handlers: Vec<ExceptionHandler>,
    pub(super) copies: Vec<Copy>,
    /// The end of the old code and the copies, where the handler around all of it begins.
    pub(super) end: usize,
}

impl Emit<'_, '_> {
    fn attribute(&self, constants: &mut NewConstants<'_>) -> Result<Vec<u8>, Refusal> {
        let bytecode = self.bytecode();
        let handlers = self.exception_table();
        if bytecode.len().max(handlers.len()) > usize::from(u16::MAX) {
            return Err(Refusal::TooLong(bytecode.len()));
        }
        // The jumps of a guard have no long form.
        if self.edit.guard.is_some() && bytecode.len() > i16::MAX as usize {
            return Err(Refusal::Jump(0));
        }
        let old = (self.class.major, self.class.minor) < (45, 3);
        let most = if old { u16::from(u8::MAX) } else { u16::MAX };
        let within = |slots: u32| match u16::try_from(slots) {
            Ok(slots) if slots <= most => Ok(slots),
            _ => Err(Refusal::TooManySlots(slots)),
        };
        let (stack, locals) = (within(self.max_stack())?, within(self.max_locals())?);
        let mut data = vec![];
        if old {
            // The very first JDK had shorter fields.
            data.extend_from_slice(&[stack as u8, locals as u8]);
            data.extend_from_slice(&(bytecode.len() as u16).to_be_bytes());
        } else {
            for half in [stack, locals] {
                data.extend_from_slice(&half.to_be_bytes());
            }
            data.extend_from_slice(&(bytecode.len() as u32).to_be_bytes());
        }
        data.extend_from_slice(&bytecode);
        data.extend_from_slice(&(handlers.len() as u16).to_be_bytes());
        for half in handlers.iter().flatten() {
            data.extend_from_slice(&half.to_be_bytes());
        }
        self.attributes(constants, &mut data)?;
        let mut attribute = self.code.attribute.name.0.to_be_bytes().to_vec();
        attribute.extend_from_slice(&(data.len() as u32).to_be_bytes());
        attribute.append(&mut data);
        Ok(attribute)
    }

    fn max_stack(&self) -> u32 {
        // The handler around everything finds the throwable on the stack.
        let least = u16::from(self.edit.around.is_some());
        u32::from(self.code.max_stack.max(least)) + u32::from(self.edit.more_stack)
    }

    fn max_locals(&self) -> u32 {
        u32::from(self.code.max_locals).saturating_add(self.edit.own.count)
    }

    fn bytecode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.end + 16);
        out.extend_from_slice(self.edit.entry.bytes());
        if let Some(guard) = &self.edit.guard {
            self.conditions(guard, &mut out);
        }
        let mut islands = self.layout.islands.iter().peekable();
        for (i, located) in self.body.instructions.iter().enumerate() {
            if let Some(snippet) = self.edit.before.get(&located.pc) {
                out.extend_from_slice(snippet.bytes());
            }
            self.instruction(i, &mut out);
            if let Some(snippet) = self.edit.after.get(&located.pc) {
                out.extend_from_slice(snippet.bytes());
            }
            while let Some(island) = islands.next_if(|island| island.behind == i) {
                let offset = self.layout.labels[island.target] as i32 - out.len() as i32;
                out.push(0xc8);
                out.extend_from_slice(&offset.to_be_bytes());
            }
        }
        for copy in &self.copies {
            for i in copy.instructions.clone() {
                out.extend_from_slice(&self.code.bytecode[old_span(self.body, self.code, i)]);
            }
        }
        if let Some(around) = &self.edit.around {
            out.extend_from_slice(around.handler.bytes());
        }
        if let Some(guard) = &self.edit.guard {
            out.extend_from_slice(guard.otherwise.bytes());
        }
        out
    }

    fn conditions(&self, guard: &Guard, out: &mut Vec<u8>) {
        for condition in &guard.conditions {
            out.extend_from_slice(condition.bytes());
            let offset = self.otherwise() as i32 - out.len() as i32;
            out.push(0x99);
            out.extend_from_slice(&(offset as i16).to_be_bytes());
        }
        out.extend_from_slice(guard.then.bytes());
    }

    /// Where a guard leads to: behind everything else.
    pub(super) fn otherwise(&self) -> usize {
        self.end + self.edit.around.as_ref().map_or(0, |around| around.handler.bytes().len())
    }

    fn instruction(&self, i: usize, out: &mut Vec<u8>) {
        let located = &self.body.instructions[i];
        let old = &self.code.bytecode[old_span(self.body, self.code, i)];
        let place = out.len();
        if let Instruction::Switch(switch) = &located.instruction {
            return self.switch(switch, old[0], place, out);
        }
        let target = located.instruction.target().and_then(|target| self.body.index_at(target));
        let Some(target) = target else {
            return out.extend_from_slice(old);
        };
        let offset = self.layout.goal(i, target) as i32 - place as i32;
        match (old.len(), self.layout.long[i]) {
            (3, false) => {
                out.push(old[0]);
                out.extend_from_slice(&(offset as i16).to_be_bytes());
            }
            // `goto` and `jsr` have long forms, `goto_w` and `jsr_w`.
            (3, true) => {
                out.push(old[0] + 0x21);
                out.extend_from_slice(&offset.to_be_bytes());
            }
            _ => {
                out.push(old[0]);
                out.extend_from_slice(&offset.to_be_bytes());
            }
        }
    }

    fn switch(&self, switch: &Switch<'_>, opcode: u8, place: usize, out: &mut Vec<u8>) {
        out.push(opcode);
        out.resize(out.len() + 3 - place % 4, 0);
        let offset = |target: Pc| {
            let label = self.layout.label(self.body, target.0.into());
            (label as i32 - place as i32).to_be_bytes()
        };
        out.extend_from_slice(&offset(switch.default));
        let count = switch.cases().count() as i32;
        match switch.low {
            Some(low) => {
                out.extend_from_slice(&low.to_be_bytes());
                out.extend_from_slice(&low.wrapping_add(count - 1).to_be_bytes());
            }
            None => out.extend_from_slice(&count.to_be_bytes()),
        }
        for (key, target) in switch.cases() {
            if switch.low.is_none() {
                out.extend_from_slice(&key.to_be_bytes());
            }
            out.extend_from_slice(&offset(target));
        }
    }

    /// The exception table: start, end, handler and type of each entry.
    fn exception_table(&self) -> Vec<[u16; 4]> {
        let mut entries = Vec::with_capacity(self.handlers.len() + 1);
        let mut entry = |start: usize, end: usize, handler: usize, catch_type: u16| {
            entries.push([start as u16, end as u16, handler as u16, catch_type]);
        };
        for (i, handler) in self.handlers.iter().enumerate() {
            let goal = self.handler_goal(i);
            entry(
                self.covers_from(goal, handler),
                self.covers_to(handler),
                goal,
                catch_type(handler),
            );
        }
        for copy in &self.copies {
            // What covers the original covers the copy: the handler itself and those around it.
            let first = usize::from(self.handlers[copy.entry].handler.0);
            let inside = |pc: Pc| usize::from(pc.0).saturating_sub(first).min(copy.place.len());
            for (i, handler) in self.handlers.iter().enumerate() {
                let (start, end) = (inside(handler.start), inside(handler.end));
                if start < end {
                    let place = copy.place.start;
                    let goal = self.handler_goal(i);
                    entry(place + start, place + end, goal, catch_type(handler));
                }
            }
        }
        if let Some(around) = &self.edit.around {
            let from = match self.edit.guard {
                Some(_) => self.edit.entry.bytes().len(),
                None => self.layout.label(self.body, around.from.0.into()),
            };
            entry(from, self.end, self.end, 0);
        }
        entries
    }

    /// Where a handler's range begins. If that is with the handler itself, then behind what is inserted there: a `finally` covers its
    /// own first instruction, which throws nothing, and compilers refuse methods in which something there can throw.
    fn covers_from(&self, goal: usize, handler: &ExceptionHandler) -> usize {
        let own = self.body.index_at(handler.handler).filter(|_| handler.start == handler.handler);
        match own {
            Some(i) if self.layout.labels[i] == goal => self.layout.places[i],
            // With what is inserted behind a `monitorenter`, if it begins behind one.
            _ => self.edge(handler.start, &Instruction::MonitorEnter),
        }
    }

    /// Where an entry of the old exception table leads to.
    fn handler_goal(&self, entry: usize) -> usize {
        match self.copies.binary_search_by_key(&entry, |copy| copy.entry) {
            Ok(copy) => self.copies[copy].place.start,
            Err(_) => self.layout.label(self.body, self.handlers[entry].handler.0.into()),
        }
    }

    /// Where a handler's range ends: before what is inserted behind a `monitorexit`, if it ends with
    /// one. If that threw, the monitor would be released again.
    fn covers_to(&self, handler: &ExceptionHandler) -> usize {
        self.edge(handler.end, &Instruction::MonitorExit)
    }

    /// An edge of a handler's range; before what is inserted behind the instruction before it, if that
    /// is this one.
    fn edge(&self, pc: Pc, behind: &Instruction<'_>) -> usize {
        let before = self.body.instructions.partition_point(|it| it.pc < pc).checked_sub(1);
        match before {
            Some(i) if self.body.instructions[i].instruction == *behind => self.layout.afters[i],
            _ => self.layout.label(self.body, pc.0.into()),
        }
    }

    fn attributes(
        &self,
        constants: &mut NewConstants<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        const TABLE: &str = "StackMapTable";
        let start = out.len();
        let mut count = 0u16;
        out.extend_from_slice(&count.to_be_bytes());
        let mut frames = table::stack_maps(self, constants)?;
        let mut write = |name: u16, data: &[u8]| {
            count += 1;
            out.extend_from_slice(&name.to_be_bytes());
            out.extend_from_slice(&(data.len() as u32).to_be_bytes());
            out.extend_from_slice(data);
        };
        for attribute in self.code.attributes.iter() {
            let name = self.class.pool.utf8(attribute.name).unwrap_or_default();
            let data = match &*name {
                TABLE => frames.take(),
                "LineNumberTable" => Some(self.line_numbers(&attribute)),
                "LocalVariableTable" | "LocalVariableTypeTable" => Some(self.variables(&attribute)),
                // They name places in the code, and nobody but compilers ever reads them.
                "RuntimeVisibleTypeAnnotations" | "RuntimeInvisibleTypeAnnotations"
                    if !self.edit.is_empty() =>
                {
                    None
                }
                _ => Some(attribute.data.to_vec()),
            };
            if let Some(data) = data {
                write(attribute.name.0, &data);
            }
        }
        if let Some(data) = frames {
            write(constants.utf8(TABLE)?.0, &data);
        }
        out[start..start + 2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }

    /// A pc at the beginning of every entry of a table, moved.
    fn line_numbers(&self, attribute: &Attribute<'_>) -> Vec<u8> {
        let mut data = attribute.data.to_vec();
        for entry in data.iter_mut().skip(2).collect::<Vec<_>>().chunks_exact_mut(4) {
            let pc = u16::from_be_bytes([*entry[0], *entry[1]]);
            let [high, low] = (self.layout.label(self.body, pc.into()) as u16).to_be_bytes();
            (*entry[0], *entry[1]) = (high, low);
        }
        data
    }

    /// A range at the beginning of every entry of a table, moved.
    fn variables(&self, attribute: &Attribute<'_>) -> Vec<u8> {
        let mut data = attribute.data.to_vec();
        for entry in data.get_mut(2..).unwrap_or_default().chunks_exact_mut(10) {
            let half = |at: usize| u32::from(u16::from_be_bytes([entry[at], entry[at + 1]]));
            let (start, end) = (half(0), half(0) + half(2));
            let from = self.layout.label(self.body, start);
            let to = self.layout.label(self.body, end).max(from);
            entry[..2].copy_from_slice(&(from as u16).to_be_bytes());
            entry[2..4].copy_from_slice(&((to - from) as u16).to_be_bytes());
        }
        data
    }
}

/// The type that a handler catches, as the exception table has it.
fn catch_type(handler: &ExceptionHandler) -> u16 {
    handler.catch_type.map_or(0, |class| class.0)
}
