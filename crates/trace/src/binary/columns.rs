//! Events as columns: all threads with their operations, then all operands, then all sites, each
//! number in as few bytes as the block's largest needs.
//!
//! Thread and operation share a number, `16 * thread + operation`: apart, both would be columns of
//! half-empty bytes, which compress no better together and cost twice to decompress. There are more
//! operations than that leaves room for; those that are rare share the last code, and their operands
//! say which is meant, `8 * operand + kind`. A strip without any is decoded as if there were none.
//!
//! Accesses of several variables have an entry in a fourth column, `256 * more + stride`, which is there only in blocks that have
//! such accesses, and 0 for all other events.
//!
//! Decoding goes in strips that stay in the first-level cache: a strip's columns are widened to
//! 32 bits in plain loops that compile to vector code, checked, then put together into events.

use super::format::{Flaw, TABLE_NAMES, TABLES};
use super::payload::{COLUMNS, Payload, SECTIONS, SPANS};
use crate::event::{Event, Op, OperandKind, Position, SiteId, ThreadId};
use crate::names::Interner;
use std::ops::Range;

/// Events converted at a time.
const STRIP: usize = 512;

/// The number of bits of an operation code.
const OP_BITS: u32 = 4;

/// The code of rare operations: those whose own code is this or larger.
const RARE: u8 = (1 << OP_BITS) - 1;

/// The number of bits in an operand that tell rare operations apart.
const RARE_BITS: u32 = 3;

const _: () = assert!(Op::ALL.len() <= RARE as usize + (1 << RARE_BITS));
const _: () = assert!(Interner::LIMIT <= 1 << (u32::BITS - OP_BITS));
const _: () = assert!(Interner::LIMIT <= 1 << (u32::BITS - RARE_BITS));

/// Operations by code. The last entry is not looked at: rare operations are put in afterwards.
const OPS: [Op; 1 << OP_BITS] = {
    let mut ops = [Op::Dummy; 1 << OP_BITS];
    let mut code = 0;
    while code < RARE as usize {
        ops[code] = Op::ALL[code];
        code += 1;
    }
    ops
};

/// What ids events may mention: everything below a limit.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    tables: [u32; TABLES],
    /// For every operation code. An operation without operand allows 0 only; the entry for rare
    /// operations allows nothing, so that they are looked at one by one.
    operand: [u32; 1 << OP_BITS],
}

impl Limits {
    /// The limits for tables of these lengths (threads, variables, locks, labels, sites).
    pub fn new(tables: [u32; TABLES]) -> Limits {
        let mut operand = [0; 1 << OP_BITS];
        for op in Op::ALL.into_iter().filter(|&op| !is_rare(op)) {
            operand[op as usize] = table_of(op).map_or(1, |table| tables[table]);
        }
        Limits { tables, operand }
    }

    /// Says what is wrong with an event.
    pub fn check(&self, position: Position, event: &Event) -> Result<(), Flaw> {
        self.check_id(position, 0, event.thread.0)?;
        self.check_id(position, 4, event.site.0)?;
        match table_of(event.op) {
            Some(table) => self.check_id(position, table, event.operand)?,
            None if event.operand != 0 => return Err(Flaw::Operand(position, event.operand)),
            None => {}
        }
        self.check_span(position, event)
    }

    /// Says what is wrong with the further variables of an event whose first is right.
    fn check_span(&self, position: Position, event: &Event) -> Result<(), Flaw> {
        let distance = i64::from(event.stride) * i64::from(event.more);
        let last = i64::from(event.operand) + distance;
        let plain = matches!(event.op, Op::Read | Op::Write);
        let sound = match event.more {
            0 => event.stride == 0,
            _ => plain && event.stride != 0 && (0..i64::from(self.tables[1])).contains(&last),
        };
        if sound { Ok(()) } else { Err(Flaw::Span(position)) }
    }

    fn check_id(&self, position: Position, table: usize, id: u32) -> Result<(), Flaw> {
        if id < self.tables[table] {
            Ok(())
        } else {
            Err(Flaw::Id(position, TABLE_NAMES[table], id))
        }
    }
}

/// The table of an operation's operand.
fn table_of(op: Op) -> Option<usize> {
    match op.operand_kind() {
        OperandKind::None => None,
        OperandKind::Thread => Some(0),
        OperandKind::Var | OperandKind::Object => Some(1),
        OperandKind::Lock => Some(2),
        OperandKind::Label => Some(3),
    }
}

const fn is_rare(op: Op) -> bool {
    op as u8 >= RARE
}

/// The numbers of an event in the columns of steps and operands.
fn step_of(event: &Event) -> u32 {
    event.thread.0 << OP_BITS | u32::from((event.op as u8).min(RARE))
}

fn operand_of(event: &Event) -> u32 {
    if is_rare(event.op) {
        event.operand << RARE_BITS | u32::from(event.op as u8 - RARE)
    } else {
        event.operand
    }
}

/// The operation and the operand that these numbers stand for; the code if there is no such
/// operation.
fn meaning(step: u32, operand: u32) -> Result<(Op, u32), u8> {
    let code = code(step) as u8;
    let (code, operand) = match code {
        RARE => (RARE + (operand & ((1 << RARE_BITS) - 1)) as u8, operand >> RARE_BITS),
        _ => (code, operand),
    };
    Op::from_code(code).map(|op| (op, operand)).ok_or(code)
}

/// Replaces the column sections of a block by those of `events`; gives back their widths.
pub(super) fn encode(events: &[Event], sections: &mut [Vec<u8>; SECTIONS]) -> [u8; COLUMNS] {
    let [_, steps, operands, sites, spans] = sections;
    [
        encode_column(events, steps, step_of),
        encode_column(events, operands, operand_of),
        encode_column(events, sites, |event| event.site.0),
        match events.iter().any(|event| event.more > 0) {
            true => encode_column(events, spans, span_of),
            false => 0,
        },
    ]
}

fn span_of(event: &Event) -> u32 {
    u32::from(event.more) << 8 | u32::from(event.stride as u8)
}

fn encode_column(events: &[Event], section: &mut Vec<u8>, field: impl Fn(&Event) -> u32) -> u8 {
    let width = width(events.iter().map(&field).max().unwrap_or(0));
    match width {
        1 => narrow::<1>(events, section, field),
        2 => narrow::<2>(events, section, field),
        3 => narrow::<3>(events, section, field),
        _ => narrow::<4>(events, section, field),
    }
    width
}

fn narrow<const W: usize>(events: &[Event], section: &mut Vec<u8>, field: impl Fn(&Event) -> u32) {
    section.resize(events.len() * W, 0);
    for (entry, event) in section.as_chunks_mut::<W>().0.iter_mut().zip(events) {
        entry.copy_from_slice(&field(event).to_le_bytes()[..W]);
    }
}

/// The number of bytes that a value needs, at least one.
fn width(value: u32) -> u8 {
    match value {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xff_ffff => 3,
        _ => 4,
    }
}

/// One column of numbers, and the bytes an entry takes.
#[derive(Clone, Copy)]
struct Column<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl<'a> Column<'a> {
    fn new(payload: &'a Payload, number: usize) -> Column<'a> {
        Column { bytes: payload.section(number + 1), width: payload.widths[number].into() }
    }

    fn entries(&self, from: usize, count: usize) -> &'a [u8] {
        &self.bytes[from * self.width..][..count * self.width]
    }

    /// Copies entries from number `from` on into `out`, as many as it takes.
    #[inline]
    fn widen(&self, from: usize, out: &mut [u32]) {
        let bytes = self.entries(from, out.len());
        match self.width {
            0 => out.fill(0),
            1 => out.iter_mut().zip(bytes).for_each(|(value, &byte)| *value = byte.into()),
            2 => {
                for (value, b) in out.iter_mut().zip(bytes.as_chunks::<2>().0) {
                    *value = u16::from_le_bytes(*b).into();
                }
            }
            3 => widen_3(bytes, out),
            _ => {
                for (value, b) in out.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    *value = u32::from_le_bytes(*b);
                }
            }
        }
    }
}

/// Three bytes an entry: four entries at a time from three words.
fn widen_3(bytes: &[u8], out: &mut [u32]) {
    const MASK: u32 = 0xff_ffff;
    let (groups, rest) = bytes.as_chunks::<12>();
    let (out_groups, out_rest) = out.as_chunks_mut::<4>();
    for (values, b) in out_groups.iter_mut().zip(groups) {
        let word = |i: usize| u32::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
        let (x, y, z) = (word(0), word(4), word(8));
        *values = [x & MASK, (x >> 24 | y << 8) & MASK, (y >> 16 | z << 16) & MASK, z >> 8];
    }
    for (value, b) in out_rest.iter_mut().zip(rest.as_chunks::<3>().0) {
        *value = u32::from_le_bytes([b[0], b[1], b[2], 0]);
    }
}

/// The columns of a block.
pub(super) struct Columns<'a> {
    steps: Column<'a>,
    operands: Column<'a>,
    sites: Column<'a>,
    /// If there are any.
    spans: Option<Column<'a>>,
}

impl<'a> Columns<'a> {
    /// The columns of an unpacked payload.
    pub fn new(payload: &'a Payload) -> Columns<'a> {
        let [steps, operands, sites] = std::array::from_fn(|number| Column::new(payload, number));
        let spans = (payload.widths[SPANS - 1] > 0).then(|| Column::new(payload, SPANS - 1));
        Columns { steps, operands, sites, spans }
    }

    /// Whether some of the events are about several variables.
    pub fn has_spans(&self) -> bool {
        self.spans.is_some()
    }

    /// Checks and appends a range of the block's events. `position` is that of the first of them.
    pub fn decode(
        &self,
        Range { start, end }: Range<usize>,
        mut position: Position,
        limits: &Limits,
        events: &mut Vec<Event>,
    ) -> Result<(), Flaw> {
        let mut buffers = Buffers::default();
        events.reserve(end - start);
        for from in (start..end).step_by(STRIP) {
            let len = STRIP.min(end - from);
            let strip = buffers.load(self, from, len);
            if strip.is_within(limits) {
                let ids = strip.operands.iter().zip(strip.sites);
                events.extend(strip.steps.iter().zip(ids).map(|(&step, (&operand, &site))| {
                    Event::new(ThreadId(step >> OP_BITS), OPS[code(step)], operand, SiteId(site))
                }));
            } else {
                strip.decode_slowly(limits, position, events)?;
            }
            position += match self.spans {
                Some(spans) => {
                    let start = events.len() - len;
                    add_spans(spans, from, position, limits, &mut events[start..])?
                }
                None => len as u64,
            };
        }
        Ok(())
    }
}

/// Makes events of a strip be about as many variables as the column says; tells how many positions they take.
fn add_spans(
    spans: Column<'_>,
    from: usize,
    first: Position,
    limits: &Limits,
    events: &mut [Event],
) -> Result<u64, Flaw> {
    let mut strip = [0; STRIP];
    let strip = &mut strip[..events.len()];
    spans.widen(from, strip);
    let mut position = first;
    for (event, &mut span) in events.iter_mut().zip(strip) {
        if span != 0 {
            let more = u16::try_from(span >> 8).map_err(|_| Flaw::Span(position))?;
            *event = Event { more, stride: span as u8 as i8, ..*event };
            limits.check_span(position, event)?;
        }
        position += u64::from(event.more) + 1;
    }
    Ok(position - first)
}

/// The operation code of a step.
#[inline(always)]
fn code(step: u32) -> usize {
    (step & ((1 << OP_BITS) - 1)) as usize
}

/// Buffers for the widened columns of a strip.
struct Buffers {
    steps: [u32; STRIP],
    operands: [u32; STRIP],
    sites: [u32; STRIP],
}

impl Default for Buffers {
    fn default() -> Buffers {
        Buffers { steps: [0; STRIP], operands: [0; STRIP], sites: [0; STRIP] }
    }
}

impl Buffers {
    fn load(&mut self, columns: &Columns<'_>, from: usize, len: usize) -> Strip<'_> {
        columns.steps.widen(from, &mut self.steps[..len]);
        columns.operands.widen(from, &mut self.operands[..len]);
        columns.sites.widen(from, &mut self.sites[..len]);
        Strip {
            steps: &self.steps[..len],
            operands: &self.operands[..len],
            sites: &self.sites[..len],
        }
    }
}

/// The widened columns of a strip, all of the same length.
struct Strip<'a> {
    steps: &'a [u32],
    operands: &'a [u32],
    sites: &'a [u32],
}

impl Strip<'_> {
    /// Whether all numbers are within the limits.
    #[inline]
    fn is_within(&self, limits: &Limits) -> bool {
        let mut bad = false;
        for (&step, &operand) in self.steps.iter().zip(self.operands) {
            bad |= operand >= limits.operand[code(step)];
        }
        let max = |values: &[u32]| values.iter().fold(0, |max, &value| max.max(value));
        let thread = max(self.steps) >> OP_BITS;
        !bad && thread < limits.tables[0] && max(self.sites) < limits.tables[4]
    }

    /// Appends the events one by one; names the first number that is not within the limits.
    #[cold]
    fn decode_slowly(
        &self,
        limits: &Limits,
        first: Position,
        events: &mut Vec<Event>,
    ) -> Result<(), Flaw> {
        let ids = self.operands.iter().zip(self.sites);
        for (position, (&step, (&operand, &site))) in (first..).zip(self.steps.iter().zip(ids)) {
            let (op, operand) =
                meaning(step, operand).map_err(|code| Flaw::Operation(position, code))?;
            let event = Event::new(ThreadId(step >> OP_BITS), op, operand, SiteId(site));
            limits.check(position, &event)?;
            events.push(event);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_is_widened_back() {
        for (max, expected) in [(0, 1), (0xff, 1), (0x100, 2), (0xffff, 2), (0x1_0000, 3)]
            .into_iter()
            .chain([(0xff_ffff, 3), (0x100_0000, 4), (u32::MAX, 4)])
        {
            let values: Vec<u32> = (0..23).map(|i| max - (max / 23) * i).collect();
            let width = width(max);
            assert_eq!(width, expected);
            let bytes: Vec<u8> = values
                .iter()
                .flat_map(|v| v.to_le_bytes().into_iter().take(width.into()))
                .collect();
            let column = Column { bytes: &bytes, width: width.into() };
            for from in 0..23 {
                for len in 0..=23 - from {
                    let mut out = vec![0; len];
                    column.widen(from, &mut out);
                    assert_eq!(out, values[from..from + len]);
                }
            }
        }
    }
}
