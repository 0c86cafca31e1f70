//! The stack-map table, put together again: frame by frame, as they were or in their shortest form.

use super::Refusal;
use super::frames::{Frame, Kind, MAX_TABLE, OBJECT, State, Type, UNINITIALIZED};
use std::rc::Rc;

/// Writes a table, frame by frame in the order of the new code.
pub(super) struct Writer<F> {
    bytes: Vec<u8>,
    count: usize,
    /// The place of the frame before.
    last: Option<usize>,
    /// The locals of the frame before, if they are known.
    locals: Option<Rc<[Type]>>,
    /// Where the `new` instruction at an old pc has come to.
    place_of_new: F,
}

impl<F: Fn(u16) -> usize> Writer<F> {
    pub(super) fn new(place_of_new: F) -> Writer<F> {
        Writer { bytes: vec![], count: 0, last: None, locals: None, place_of_new }
    }

    /// Says with which locals the method begins.
    pub(super) fn begin(&mut self, locals: Rc<[Type]>) {
        self.locals = Some(locals);
    }

    /// The locals of the frame before; none where they are not known.
    pub(super) fn locals(&self) -> &[Type] {
        self.locals.as_deref().unwrap_or_default()
    }

    /// Writes a frame as it was, at its new place. The frame before must be the one that was before
    /// it.
    pub(super) fn keep(&mut self, frame: &Frame, at: usize) {
        let delta = self.step(at);
        self.locals = None;
        self.kind(&frame.kind, delta);
    }

    /// Writes a frame in the shortest form.
    pub(super) fn state(&mut self, state: &State, at: usize) -> Result<(), Refusal> {
        let delta = self.step(at);
        match self.locals.as_ref().and_then(|before| difference(before, state)) {
            Some(kind) => self.kind(&kind, delta),
            None => self.full(delta, &state.locals, &state.stack),
        }
        self.locals = Some(state.locals.clone());
        match self.bytes.len() {
            0..=MAX_TABLE => Ok(()),
            _ => Err(Refusal::TableTooLarge),
        }
    }

    /// The data of the attribute; `None` if there is no frame.
    pub(super) fn finish(self) -> Result<Option<Vec<u8>>, Refusal> {
        let count = u16::try_from(self.count).map_err(|_| Refusal::TableTooLarge)?;
        Ok((count > 0).then(|| [&count.to_be_bytes()[..], &self.bytes].concat()))
    }

    fn kind(&mut self, kind: &Kind, delta: u16) {
        match kind {
            Kind::Same { short: true } if delta < 64 => self.bytes.push(delta as u8),
            Kind::Same { .. } => self.tagged(251, delta),
            Kind::SameOne { short: true, stack } if delta < 64 => {
                self.bytes.push(64 + delta as u8);
                self.types(&[*stack]);
            }
            Kind::SameOne { stack, .. } => {
                self.tagged(247, delta);
                self.types(&[*stack]);
            }
            Kind::Chop(count) => self.tagged(251 - count, delta),
            Kind::Append(more) => {
                self.tagged(251 + more.len() as u8, delta);
                self.types(more);
            }
            Kind::Full { locals, stack } => self.full(delta, locals, stack),
        }
    }

    fn full(&mut self, delta: u16, locals: &[Type], stack: &[Type]) {
        self.tagged(255, delta);
        for types in [locals, stack] {
            self.bytes.extend_from_slice(&(types.len() as u16).to_be_bytes());
            self.types(types);
        }
    }

    /// The distance to the frame before, as tables count it.
    fn step(&mut self, at: usize) -> u16 {
        let delta = self.last.map_or(at, |last| at.wrapping_sub(last + 1));
        self.last = Some(at);
        self.count += 1;
        delta as u16
    }

    fn tagged(&mut self, tag: u8, delta: u16) {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(&delta.to_be_bytes());
    }

    fn types(&mut self, types: &[Type]) {
        for a_type in types {
            self.bytes.push(a_type.tag);
            match a_type.tag {
                OBJECT => self.bytes.extend_from_slice(&a_type.operand.to_be_bytes()),
                UNINITIALIZED => {
                    let place = (self.place_of_new)(a_type.operand) as u16;
                    self.bytes.extend_from_slice(&place.to_be_bytes());
                }
                _ => {}
            }
        }
    }
}

/// How to say a frame shortly behind one with these locals.
fn difference(before: &Rc<[Type]>, state: &State) -> Option<Kind> {
    let locals = &state.locals;
    let same = Rc::ptr_eq(before, locals) || before == locals;
    match (same, &*state.stack) {
        (true, []) => Some(Kind::Same { short: true }),
        (true, [one]) => Some(Kind::SameOne { short: true, stack: *one }),
        (false, []) => {
            if let Some(more @ ([_] | [_, _] | [_, _, _])) = locals.strip_prefix(&**before) {
                return Some(Kind::Append(more.to_vec()));
            }
            match before.strip_prefix(&**locals)?.len() {
                fewer @ 1..=3 => Some(Kind::Chop(fewer as u8)),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::PoolIndex;

    /// The bytes of frames behind a beginning with one int.
    fn written(frames: &[(usize, &[Type], &[Type])]) -> Vec<u8> {
        let mut writer = Writer::new(|_| 0);
        writer.begin([Type::INT].into());
        for (at, locals, stack) in frames {
            let state = State { locals: (*locals).into(), stack: stack.to_vec() };
            writer.state(&state, *at).unwrap();
        }
        writer.finish().unwrap().unwrap()
    }

    #[test]
    fn frames_take_their_shortest_form() {
        let object = Type::object(PoolIndex(5));
        let int = Type::INT;
        assert_eq!(written(&[(3, &[int], &[])]), [0, 1, 3], "same");
        assert_eq!(written(&[(64, &[int], &[])]), [0, 1, 251, 0, 64], "same, far");
        assert_eq!(written(&[(2, &[int], &[object])]), [0, 1, 66, 7, 0, 5], "one on the stack");
        assert_eq!(written(&[(2, &[int, object], &[])]), [0, 1, 252, 0, 2, 7, 0, 5], "append");
        assert_eq!(written(&[(2, &[], &[])]), [0, 1, 250, 0, 2], "chop");
        let full = [0, 1, 255, 0, 2, 0, 1, 7, 0, 5, 0, 1, 1];
        assert_eq!(written(&[(2, &[object], &[int])]), full, "full");
        assert_eq!(written(&[(2, &[int], &[]), (5, &[int], &[])]), [0, 2, 2, 2], "distance");
    }
}
