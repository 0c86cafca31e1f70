//! The new stack-map table of an edited method: the old frames, moved and extended by the local
//! variables of the edit, and those of islands, copies, the handler around everything and the way round the body.
//!
//! Without local variables of the edit, frames are written as they were, so that nothing changes where
//! nothing is inserted.

use super::Refusal;
use super::code::LocalKind;
use super::emit::Emit;
use super::frames::{self, Extension, Frame, State, Type};
use super::pool::NewConstants;
use super::writer::Writer;
use crate::instruction::Pc;

/// The data of the new stack-map table, if there is to be one.
pub(super) fn stack_maps(
    emit: &Emit<'_, '_>,
    constants: &mut NewConstants<'_>,
) -> Result<Option<Vec<u8>>, Refusal> {
    let table = emit.code.stack_map_table(&emit.class.pool);
    // Before Java 6 there were none.
    if emit.class.major < 50 {
        return Ok(table.map(|table| table.data.to_vec()));
    }
    let frames = table.map_or(Ok(vec![]), |table| frames::read(table.data))?;
    if frames.is_empty() && emit.edit.around.is_none() && emit.edit.guard.is_none() {
        return Ok(None);
    }
    let extension = extension(emit, constants)?;
    let place_of_new = |pc| {
        let i = emit.body.index_at(Pc(pc));
        i.map_or(usize::from(pc), |i| emit.layout.places[i])
    };
    let mut writer = Writer::new(place_of_new);
    let expanded =
        !(extension.is_empty() && emit.copies.is_empty() && emit.layout.islands.is_empty());
    let mut states = vec![];
    if expanded {
        // A table that begins with a frame in full does without the types of the parameters.
        if frames.first().is_some_and(|first| !first.is_full()) {
            writer.begin(frames::initial(emit.class, emit.method, constants)?);
        }
        states = frames::expand(&frames, writer.locals(), &extension)?;
    }
    let moved = Moved { emit, frames: &frames, states: &states, extended: !extension.is_empty() };
    moved.old_frames_and_islands(&mut writer)?;
    for copy in &emit.copies {
        let first = emit.body.instructions[copy.instructions.start].pc;
        writer.state(moved.state_at(first)?, copy.place.start)?;
    }
    if emit.edit.around.is_some() {
        let throwable = Type::object(constants.class("java/lang/Throwable")?);
        let state = State { locals: extension.extend(&[])?, stack: vec![throwable] };
        writer.state(&state, emit.end)?;
    }
    if emit.edit.guard.is_some() {
        let locals = frames::initial(emit.class, emit.method, constants)?;
        writer.state(&State { locals, stack: vec![] }, emit.otherwise())?;
    }
    writer.finish()
}

/// The local variables of the edit, as frames speak of them.
fn extension(emit: &Emit<'_, '_>, constants: &mut NewConstants<'_>) -> Result<Extension, Refusal> {
    let mut extension = Extension::new(emit.code.max_locals);
    for (local, kind) in &emit.edit.own.lasting {
        let a_type = match kind {
            LocalKind::Reference(class) => Type::object(constants.class(class)?),
            LocalKind::Int => Type::INT,
        };
        extension.add(*local, a_type);
    }
    Ok(extension)
}

/// The old frames on their way into the new table.
struct Moved<'m, 'e, 'a> {
    emit: &'m Emit<'e, 'a>,
    frames: &'m [Frame],
    /// The frames in full, where that is needed.
    states: &'m [State],
    /// Whether all frames change.
    extended: bool,
}

impl Moved<'_, '_, '_> {
    fn old_frames_and_islands(
        &self,
        writer: &mut Writer<impl Fn(u16) -> usize>,
    ) -> Result<(), Refusal> {
        let Emit { layout, body, .. } = self.emit;
        let mut islands = layout.islands.iter().zip(&layout.island_places).peekable();
        let mut after_island = false;
        for (i, frame) in self.frames.iter().enumerate() {
            let at = layout.label(body, frame.pc);
            while let Some((island, place)) = islands.next_if(|(_, place)| **place < at) {
                writer.state(self.state_at(body.instructions[island.target].pc)?, *place)?;
                after_island = true;
            }
            match self.extended || after_island {
                true => writer.state(&self.states[i], at)?,
                false => writer.keep(frame, at),
            }
            after_island = false;
        }
        for (island, place) in islands {
            writer.state(self.state_at(body.instructions[island.target].pc)?, *place)?;
        }
        Ok(())
    }

    /// The frame of an instruction that is jumped to.
    fn state_at(&self, pc: Pc) -> Result<&State, Refusal> {
        let found = self.frames.binary_search_by_key(&u32::from(pc.0), |frame| frame.pc);
        found.ok().and_then(|i| self.states.get(i)).ok_or(Refusal::Frames)
    }
}
