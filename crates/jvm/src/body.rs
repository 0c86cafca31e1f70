//! The decoded code of a method, cut into basic blocks.

use crate::code::Code;
use crate::decode::Instructions;
use crate::error::{Fault, Flaw};
use crate::flow;
use crate::instruction::{Instruction, Pc};
use std::ops::Range;

/// A control-flow graph may have this many edges. Real methods have a few thousand at most; exception
/// tables in which everything covers everything could ask for billions.
pub const MAX_EDGES: usize = 1 << 21;

/// An instruction and its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located<'a> {
    /// Where it begins.
    pub pc: Pc,
    /// What it does.
    pub instruction: Instruction<'a>,
}

/// The number of a basic block; blocks are numbered in the order of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// As an index into [`Body::blocks`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A basic block: entered at its first instruction only, left after its last only, or by an
/// exception, and then to the same handlers wherever in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its instructions, as indexes into [`Body::instructions`]; never empty.
    pub instructions: Range<usize>,
    pub(crate) successors: Range<usize>,
    pub(crate) handlers: Range<usize>,
}

/// Instructions and control flow of a method.
#[derive(Debug, Clone)]
pub struct Body<'a> {
    /// All instructions, in order.
    pub instructions: Vec<Located<'a>>,
    /// All basic blocks, in order; the first is the entry. They cover all instructions, also those
    /// that cannot be reached.
    pub blocks: Vec<Block>,
    pub(crate) successors: Vec<BlockId>,
    /// Positions in the exception table.
    pub(crate) handlers: Vec<u16>,
    /// For each pc, the index of the instruction that begins there.
    pub(crate) index_at: Vec<u16>,
}

/// Marks a pc at which no instruction begins; there are fewer instructions than this.
const NONE: u16 = u16::MAX;

impl<'a> Body<'a> {
    /// Decodes and cuts into blocks.
    ///
    /// A `ret` is taken to return to behind every `jsr` of the method: more ways than there are.
    pub fn of(code: &Code<'a>, file: &'a [u8]) -> Result<Body<'a>, Fault> {
        // most instructions take two or three bytes
        let mut instructions = Vec::with_capacity(code.bytecode.len() / 2 + 1);
        let mut index_at = vec![NONE; code.bytecode.len()];
        for decoded in Instructions::of(code, file) {
            let (pc, instruction) = decoded?;
            index_at[usize::from(pc.0)] = instructions.len() as u16;
            instructions.push(Located { pc, instruction });
        }
        let mut body = Body {
            instructions,
            index_at,
            blocks: Vec::new(),
            successors: Vec::new(),
            handlers: Vec::new(),
        };
        flow::cut(&mut body, code)?;
        Ok(body)
    }

    /// The index of the instruction at `pc`.
    pub fn index_at(&self, pc: Pc) -> Option<usize> {
        self.index_at.get(usize::from(pc.0)).filter(|it| **it != NONE).map(|it| usize::from(*it))
    }

    /// As [`Body::index_at`], where the instruction at `from` refers to `pc`.
    pub(crate) fn target_index(&self, code: &Code<'_>, from: Pc, pc: Pc) -> Result<usize, Fault> {
        let offset = code.bytecode_span.start + usize::from(from.0);
        self.index_at(pc).ok_or(Flaw::Target(pc.0.into()).at(offset))
    }

    /// The instructions of a block.
    pub fn code_of(&self, block: BlockId) -> &[Located<'a>] {
        &self.instructions[self.blocks[block.index()].instructions.clone()]
    }

    /// The block that begins with the instruction at `pc`.
    pub fn block_at(&self, pc: Pc) -> Option<BlockId> {
        let index = self.index_at(pc)?;
        let found = self.blocks.binary_search_by_key(&index, |it| it.instructions.start).ok()?;
        Some(BlockId(found as u32))
    }

    /// Where a block goes when no exception occurs; each block once, the next one in the code first.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[self.blocks[block.index()].successors.clone()]
    }

    /// Which exception handlers cover a block: positions in the exception table, in order. Those
    /// behind a handler that catches everything are left out, as they are never reached.
    pub fn handlers(&self, block: BlockId) -> &[u16] {
        &self.handlers[self.blocks[block.index()].handlers.clone()]
    }

    /// The numbers of all blocks.
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }
}
