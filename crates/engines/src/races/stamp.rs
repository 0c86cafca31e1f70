//! When an access was, what kind it was and in which transaction, in eight bytes.

use interloper_trace::{LabelId, Position};

/// Position, kind and label of an access. Positions beyond 2^40 and labels beyond eight million do
/// not fit: a trace with so many events takes a day to read, and no program has so many blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp(u64);

const LABEL_BITS: u32 = 23;
const LABEL_MASK: u64 = (1 << LABEL_BITS) - 1;
const WRITE: u64 = 1 << 63;

impl Stamp {
    /// Of no access.
    pub(super) const NONE: Stamp = Stamp(LABEL_MASK);

    #[inline(always)]
    pub(super) fn new(at: Position, write: bool, label: LabelId) -> Stamp {
        let write = if write { WRITE } else { 0 };
        let label = u64::from(label.0).min(LABEL_MASK);
        Stamp(write | (at << LABEL_BITS & !WRITE) | label)
    }

    pub(super) fn at(self) -> Position {
        (self.0 & !WRITE) >> LABEL_BITS
    }

    #[inline(always)]
    pub(super) fn is_write(self) -> bool {
        self.0 & WRITE != 0
    }

    #[inline(always)]
    pub(super) fn is_before(self, other: Stamp) -> bool {
        self.0 & !WRITE < other.0 & !WRITE
    }

    /// The label of the transaction; [`LabelId::OUTSIDE`] outside blocks.
    pub(super) fn label(self) -> LabelId {
        match self.0 & LABEL_MASK {
            LABEL_MASK => LabelId::OUTSIDE,
            label => LabelId(label as u32),
        }
    }

    /// Something of it, to load it.
    #[inline(always)]
    pub(super) fn touch(self) -> u32 {
        self.0 as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_comes_back() {
        for at in [0, 1, 77, (1 << 40) - 1] {
            for (label, back) in [
                (LabelId::UNNAMED, LabelId::UNNAMED),
                (LabelId(5), LabelId(5)),
                (LabelId::OUTSIDE, LabelId::OUTSIDE),
                (LabelId(1 << 23), LabelId::OUTSIDE),
            ] {
                for write in [false, true] {
                    let stamp = Stamp::new(at, write, label);
                    assert_eq!((stamp.at(), stamp.is_write(), stamp.label()), (at, write, back));
                }
            }
        }
        let [early, late] = [3, 4].map(|at| Stamp::new(at, at == 3, LabelId(9)));
        assert!(early.is_before(late) && !late.is_before(early) && !early.is_before(early));
    }
}
