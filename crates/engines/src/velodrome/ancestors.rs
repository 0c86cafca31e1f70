//! Which running transactions come before each node.
//!
//! A table of one row a node and one column a running transaction. A cell holds a serial number;
//! it counts only if it is the serial number of the transaction that runs in this column now. So
//! the end of a transaction empties its whole column by one addition, and columns are reused.

use super::step::NodeId;

/// A column: the place of a running transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot(u32);

/// The table.
pub(super) struct Ancestors {
    /// How many columns there is room for.
    width: usize,
    cells: Vec<u32>,
    /// For each column in use so far, the serial number that counts. Never 0, the empty cell.
    serials: Vec<u32>,
    free: Vec<Slot>,
    /// The columns that the row changed last has gained.
    pub gained: Vec<Slot>,
}

impl Ancestors {
    pub fn new() -> Ancestors {
        Ancestors { width: 8, cells: vec![], serials: vec![], free: vec![], gained: vec![] }
    }

    /// A column for a transaction that starts.
    pub fn start(&mut self) -> Slot {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        let slot = Slot(self.serials.len() as u32);
        self.serials.push(1);
        if self.serials.len() > self.width {
            self.widen();
        }
        slot
    }

    fn widen(&mut self) {
        let (old, new) = (self.width, (self.width + self.width / 4 + 1).next_multiple_of(8));
        let mut cells = vec![0; self.cells.len() / old * new];
        for (from, to) in self.cells.chunks(old).zip(cells.chunks_mut(new)) {
            to[..old].copy_from_slice(from);
        }
        self.cells = cells;
        self.width = new;
    }

    /// The transaction of this column has ended: it is nobody's running ancestor any more.
    pub fn end(&mut self, slot: Slot) {
        let serial = &mut self.serials[slot.0 as usize];
        *serial = serial.wrapping_add(1).max(1);
        self.free.push(slot);
    }

    /// Empties the row of a node that is born; makes it if there is none.
    pub fn clear(&mut self, node: NodeId) {
        let start = node.index() * self.width;
        let end = start + self.width;
        if self.cells.len() < end {
            self.cells.resize(end, 0);
        }
        self.cells[start..start + self.serials.len()].fill(0);
    }

    /// Whether the transaction of this column comes before the node.
    #[inline(always)]
    pub fn has(&self, node: NodeId, slot: Slot) -> bool {
        let slot = slot.0 as usize;
        self.cells[node.index() * self.width + slot] == self.serials[slot]
    }

    /// Whatever comes before `from` comes before `to`, and so does the transaction of `running`.
    /// What is new is left in `gained`.
    pub fn inherit(&mut self, from: NodeId, running: Option<Slot>, to: NodeId) {
        self.gained.clear();
        let (from, to) = (from.index() * self.width, to.index() * self.width);
        for (i, &serial) in self.serials.iter().enumerate() {
            if self.cells[from + i] == serial && self.cells[to + i] != serial {
                self.cells[to + i] = serial;
                self.gained.push(Slot(i as u32));
            }
        }
        if let Some(slot) = running {
            let (i, serial) = (slot.0 as usize, self.serials[slot.0 as usize]);
            if self.cells[to + i] != serial {
                self.cells[to + i] = serial;
                self.gained.push(slot);
            }
        }
    }

    /// Passes `gained` on to a further node; whether any of it was new there.
    pub fn pass_on(&mut self, to: NodeId) -> bool {
        let row = to.index() * self.width;
        let mut new = false;
        for slot in &self.gained {
            let (cell, serial) =
                (&mut self.cells[row + slot.0 as usize], self.serials[slot.0 as usize]);
            new |= *cell != serial;
            *cell = serial;
        }
        new
    }
}
