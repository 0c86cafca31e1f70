//! What is read from one log.
//!
//! Most of a log are accesses of variables that are known: they have a lane of their own. Everything else is taken entry by
//! entry (`step.rs`).

use super::Need;
use super::classes::{Action, Classes, Place};
use super::objects::Objects;
use super::run::{Merger, Pause};
use super::runs::{Desk, Growing};
use crate::log;
use interloper_trace::{Batch, Event};
use std::sync::atomic::{AtomicU64, Ordering};

/// So many words of a log are looked at ahead.
const AHEAD: usize = 12;

impl Merger {
    /// Reads one log until a position, without counting.
    pub(super) fn read(&mut self, slot: usize, until: u64) -> Pause {
        loop {
            self.read_accesses(slot, until);
            let state = &mut self.slots[slot];
            if state.chunk.is_none() {
                state.chunk = self.arena.first_chunk(slot as u32);
            }
            let (Some(chunk), false) = (state.chunk, state.over) else { return Pause::Empty };
            if self.out.len() >= Batch::SIZE {
                return Pause::Full;
            }
            if state.position >= until {
                return Pause::Enough;
            }
            let entry = self.arena.chunk(chunk).map(|words| (words, words.get(state.index)));
            let Some((words, Some(first))) = entry else { return self.damage(slot) };
            let word = first.load(Ordering::Acquire);
            if word == 0 {
                return Pause::Empty;
            }
            // The second word was written before the first, so it is there.
            let second = words.get(state.index + 1).map(|word| word.load(Ordering::Relaxed));
            let tag = log::tag(word);
            let (length, second) = match (log::length(tag), second) {
                (Some(1), _) => (1, 0),
                (Some(2), Some(second)) => (2, second),
                _ => return self.damage(slot),
            };
            if matches!(tag, log::ACCESS | log::ELEMENT) && self.depth(slot) == 0 {
                self.poll_runs(slot);
            } else if ends_run(tag) {
                self.close_runs(slot);
                if self.ends_region(slot, tag) {
                    self.slots[slot].runs.forget();
                }
            }
            let state = &mut self.slots[slot];
            if tag == log::NEXT {
                self.arena.recycle(chunk);
                (state.chunk, state.index) = (Some(log::id(word)), 0);
                state.position += 1;
                continue;
            }
            if let Err(need) = self.step(slot, word, second) {
                return Pause::Blocked(need);
            }
            let state = &mut self.slots[slot];
            state.index += length;
            state.position += length as u64;
        }
    }

    /// Takes what a log's entries have grown by, because another log goes on from here: it may have got hold of what they
    /// are about.
    pub(super) fn poll_runs(&mut self, slot: usize) {
        let Merger { arena, names, objects, slots, out, counts, .. } = self;
        if let Some(state) = slots.get_mut(slot) {
            state.runs.poll(arena, &mut Desk { objects, names, out, counts });
            state.runs.forget();
        }
    }

    /// The same for the last time.
    fn close_runs(&mut self, slot: usize) {
        let Merger { arena, names, objects, slots, out, counts, .. } = self;
        slots[slot].runs.close(arena, &mut Desk { objects, names, out, counts });
    }

    /// Takes what entries have grown by whose logs do not go on. Whether there is anything.
    pub(super) fn close_all_runs(&mut self) -> bool {
        let before = self.out.len();
        (0..self.slots.len()).for_each(|slot| self.close_runs(slot));
        self.out.len() > before
    }

    /// How many blocks a log's thread has open.
    fn depth(&mut self, slot: usize) -> usize {
        self.slots[slot].thread.map_or(0, |thread| self.threads.get(thread).blocks.len())
    }

    /// Whether accesses that came before this entry may come again: all but those that only go on in another chunk, or enter
    /// or leave a block within a block.
    fn ends_region(&mut self, slot: usize, tag: u8) -> bool {
        let depth = self.depth(slot);
        match tag {
            log::NEXT => false,
            log::BEGIN => depth == 0,
            log::END => depth <= 1,
            _ => true,
        }
    }

    /// A log that makes no sense cannot be read any more. Whoever writes it would wait for chunks sooner or
    /// later, so all are told to stop.
    #[cold]
    fn damage(&mut self, slot: usize) -> Pause {
        self.slots[slot].over = true;
        self.damaged = true;
        self.arena.stop();
        Pause::Empty
    }

    /// The fast lane: accesses of variables that are known, and blocks within blocks. Stops at anything else.
    #[inline]
    fn read_accesses(&mut self, slot: usize, until: u64) {
        let Merger { arena, names, classes, objects, threads, slots, out, counts, .. } = self;
        let state = &mut slots[slot];
        let (Some(thread), Some(chunk)) = (state.thread, state.chunk) else { return };
        let Some(words) = arena.chunk(chunk).filter(|_| !state.over) else { return };
        let outside = threads.get(thread).blocks.is_empty();
        let start = state.index;
        let last =
            words.len().min(start.saturating_add(until.saturating_sub(state.position) as usize));
        let mut index = start;
        while index < last && out.len() < Batch::SIZE {
            let word = words[index].load(Ordering::Acquire);
            let (id, tag, site) = (log::id(word), log::tag(word), log::site(word));
            let Ok(place) = classes.place(site) else { break };
            fetch_ahead(words, index + AHEAD, classes, objects);
            // Outside of blocks, every access is a block of its own, and comes before what follows.
            if outside && word != 0 {
                state.runs.poll(arena, &mut Desk { objects, names, out, counts });
                state.runs.forget();
            }
            match (tag, place.action) {
                (log::ACCESS, Action::Field | Action::Static) => {
                    match objects.field(id, place.field, &classes.fields, names) {
                        Ok(Some(var)) => {
                            out.push(Event::new(thread, place.op, var.0, place.location));
                        }
                        Ok(None) => counts.dropped += 1,
                        Err(_) => break,
                    }
                    index += 1;
                }
                (log::ELEMENT, Action::Element) if index + 1 < last => {
                    let second = words[index + 1].load(Ordering::Acquire);
                    if (second as i32) < 0 {
                        break;
                    }
                    let Ok(first) = objects.element(id, second as u32, names) else { break };
                    let run = Growing { thread, place, id, chunk, index: index + 1, taken: 0 };
                    let mut desk = Desk { objects, names, out, counts };
                    state.runs.begin(arena, site, run, (second, first), &mut desk);
                    index += 2;
                }
                (log::BEGIN | log::END, _) => {
                    let Some(event) = threads.nest(thread, word, classes) else { break };
                    state.runs.close(arena, &mut Desk { objects, names, out, counts });
                    out.push(event);
                    index += 1;
                }
                _ => break,
            }
        }
        state.index = index;
        state.position += (index - start) as u64;
    }

    /// An access of elements, where the fast lane has stopped.
    pub(super) fn elements(
        &mut self,
        slot: usize,
        word: u64,
        place: Place,
        second: u64,
    ) -> Result<(), Need> {
        let Merger { arena, names, objects, slots, out, counts, .. } = self;
        let state = &mut slots[slot];
        let (Some(thread), Some(chunk)) = (state.thread, state.chunk) else { return Ok(()) };
        let (id, index) = (log::id(word), state.index + 1);
        let first = objects.element(id, second as u32, names)?;
        let run = Growing { thread, place, id, chunk, index, taken: 0 };
        let mut desk = Desk { objects, names, out, counts };
        state.runs.begin(arena, log::site(word), run, (second, first), &mut desk);
        Ok(())
    }
}

/// Has the memory fetched that an access will need. (What is at that place may be something else, or not written yet: then it is in vain.)
#[inline(always)]
fn fetch_ahead(words: &[AtomicU64], index: usize, classes: &Classes, objects: &Objects) {
    let Some([first, second]) = words.get(index..).and_then(|it| it.first_chunk()) else { return };
    let word = first.load(Ordering::Relaxed);
    let Ok(place) = classes.place(log::site(word)) else { return };
    match log::tag(word) {
        log::ACCESS => objects.fetch_field(log::id(word), place.field),
        log::ELEMENT => objects.fetch_element(log::id(word), second.load(Ordering::Relaxed) as u32),
        _ => {}
    }
}

/// Whether entries before this one grow no more.
fn ends_run(tag: u8) -> bool {
    !matches!(tag, log::ACCESS | log::ELEMENT | log::OBJECT | log::DEAD)
}
