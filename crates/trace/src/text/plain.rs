//! The fast lane: lines of the plainest form, `T3|acq(L12)|345`, without a branch on what they say.
//!
//! Generated traces, and recorded ones that were numbered, consist of nothing else. Operations,
//! threads and lengths follow each other there without a pattern, so every branch on them is a
//! misprediction; here a line costs the same handful of arithmetic whatever it says, a third of the
//! time of the general way. A line that is in any respect not plain is refused and goes the general
//! way ([`super::line`]), so this file decides nothing about the format.

use crate::event::Op;
use wide::u8x16;

/// How many bytes of the buffer [`plain`] looks at, whatever the length of the line.
pub(super) const WINDOW: usize = 48;
/// The longest line it takes, line break included.
const LONGEST: usize = 32;

/// A line taken apart: the numbers in its names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Plain {
    pub(super) thread: u32,
    pub(super) op: Op,
    pub(super) operand: u32,
    pub(super) site: u32,
    /// Bytes of the line, without the line break.
    pub(super) length: usize,
}

/// The letters with which names of threads, and operands by operation, must begin.
#[derive(Clone, Copy)]
pub(super) struct Letters {
    pub(super) thread: u8,
    pub(super) operand: [u8; Op::ALL.len()],
}

impl Letters {
    /// Where no name is plain: no name begins with a line break.
    pub(super) const NO_LETTER: u8 = b'\n';
    /// No line is plain.
    pub(super) const NONE: Letters =
        Letters { thread: Letters::NO_LETTER, operand: [Letters::NO_LETTER; Op::ALL.len()] };
}

/// How an action begins, and what it then is.
#[derive(Clone, Copy)]
struct Start {
    /// The first bytes as a number, and which of them count.
    bytes: u64,
    mask: u64,
    op: Op,
    /// Where the operand begins; the action ends before the bar where there is none.
    operand: u8,
    /// How many bytes there are behind the operand.
    behind: u8,
}

impl Start {
    const fn new(text: &[u8], op: Op) -> Start {
        let (mut bytes, mut mask, mut i) = (0, 0, 0);
        while i < text.len() {
            bytes |= (text[i] as u64) << (8 * i);
            mask |= 0xff << (8 * i);
            i += 1;
        }
        let with_operand = !matches!(op, Op::End);
        let operand = if with_operand { text.len() } else { text.len() - 1 };
        Start { bytes, mask, op, operand: operand as u8, behind: with_operand as u8 }
    }

    /// No action begins with a zero byte.
    const NONE: Start = Start { bytes: 1, mask: 0, op: Op::Dummy, operand: 0, behind: 0 };

    /// By [`Start::place`] of the first two bytes.
    const TABLE: [Start; 16] = {
        let starts = [
            Start::new(b"r(", Op::Read),
            Start::new(b"w(", Op::Write),
            Start::new(b"acq(", Op::Acquire),
            Start::new(b"rel(", Op::Release),
            Start::new(b"begin(", Op::Begin),
            Start::new(b"end|", Op::End),
        ];
        let mut table = [Start::NONE; 16];
        let mut i = 0;
        while i < starts.len() {
            let place = Start::place(starts[i].bytes);
            assert!(table[place].mask == 0, "two starts in one place");
            table[place] = starts[i];
            i += 1;
        }
        table
    };

    /// A hash of the first two bytes that tells the six starts apart.
    #[inline(always)]
    const fn place(bytes: u64) -> usize {
        (((bytes & 0xffff) * 5) >> 6) as usize % 16
    }
}

/// Takes apart the line at the start of the window; `None` if it is not plain. `letters` say which
/// names are plain.
#[inline(always)]
pub(super) fn plain(window: &[u8; WINDOW], letters: &Letters) -> Option<Plain> {
    let bars = places(window, b'|');
    let length = places(window, b'\n').trailing_zeros() as usize;
    let first = bars.trailing_zeros() as usize;
    let others = bars & bars.wrapping_sub(1);
    let second = others.trailing_zeros() as usize;
    let third = (others & others.wrapping_sub(1)).trailing_zeros() as usize;
    // With this, every position below is inside the window.
    if !((length < LONGEST) & (second < length) & (third > length)) {
        return None;
    }
    let action = word(window, first + 1);
    let start = &Start::TABLE[Start::place(action)];
    let operand = first + 1 + start.operand as usize;
    let operand_end = second - start.behind as usize;
    let has_operand = start.behind == 1;
    let letter = letters.operand[start.op as usize];

    let thread = number(word(window, 1), first.wrapping_sub(1));
    let value = number(word(window, operand + 1), operand_end.wrapping_sub(operand + 1));
    let site = number(word(window, second + 1), length - second - 1);
    let fine = (action & start.mask == start.bytes)
        & (window[0] == letters.thread)
        & thread.fine
        & site.fine
        & ((window[operand.min(WINDOW - 1)] == letter)
            & (window[operand_end.min(WINDOW - 1)] == b')')
            & value.fine
            | !has_operand & (operand == operand_end));
    fine.then_some(Plain {
        thread: thread.value,
        op: start.op,
        operand: if has_operand { value.value } else { 0 },
        site: site.value,
        length,
    })
}

/// Where a byte stands in the first 32 bytes, as bits.
#[inline(always)]
fn places(window: &[u8; WINDOW], byte: u8) -> u32 {
    let half = |from: usize| {
        let bytes: [u8; 16] = std::array::from_fn(|i| window[from + i]);
        u8x16::from(bytes).simd_eq(u8x16::splat(byte)).to_bitmask()
    };
    half(0) | half(16) << 16
}

/// Eight bytes from `at` on; anything if that is outside the window.
#[inline(always)]
fn word(window: &[u8; WINDOW], at: usize) -> u64 {
    let at = at.min(WINDOW - 8);
    u64::from_le_bytes(std::array::from_fn(|i| window[at + i]))
}

struct Number {
    value: u32,
    fine: bool,
}

/// The decimal number of `length` digits at the start of `bytes`; not fine if there are other bytes
/// among them, none, more than eight, or a leading zero.
#[inline(always)]
fn number(bytes: u64, length: usize) -> Number {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    const HIGH: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    let bits = (length as u32).wrapping_mul(4) & 63;
    // The digits move to the high end; zeros fill in before them.
    let digits = (bytes << (32 - bits.min(32)) << (32 - bits.min(32))) | (ZEROS >> bits >> bits);
    let are_digits = (digits & HIGH) | ((digits.wrapping_add(0x0606_0606_0606_0606) & HIGH) >> 4);
    let pairs = (digits & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
    let eight = (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32;
    let leading_zero = (bytes as u8 == b'0') & (length > 1);
    let fine = (are_digits == 0x3333_3333_3333_3333) & (length.wrapping_sub(1) < 8) & !leading_zero;
    Number { value: eight as u32, fine }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::OperandKind;
    use crate::text::line;
    use proptest::prelude::*;

    fn letters() -> Letters {
        let operand = std::array::from_fn(|i| match Op::ALL[i].operand_kind() {
            OperandKind::Var | OperandKind::Object => b'V',
            OperandKind::Lock => b'L',
            OperandKind::Label => b'm',
            OperandKind::Thread | OperandKind::None => 0,
        });
        Letters { thread: b'T', operand }
    }

    fn take(text: &str) -> Option<Plain> {
        let mut window = [b'9'; WINDOW];
        let n = text.len().min(WINDOW);
        window[..n].copy_from_slice(&text.as_bytes()[..n]);
        plain(&window, &letters())
    }

    #[test]
    fn plain_lines() {
        let plain =
            |thread, op, operand, site, length| Some(Plain { thread, op, operand, site, length });
        assert_eq!(take("T0|r(V123)|345\n"), plain(0, Op::Read, 123, 345, 14));
        assert_eq!(take("T12|w(V0)|0\nT1|"), plain(12, Op::Write, 0, 0, 11));
        assert_eq!(take("T7|acq(L99999999)|1\n"), plain(7, Op::Acquire, 99_999_999, 1, 19));
        assert_eq!(take("T7|rel(L10)|12345678\n"), plain(7, Op::Release, 10, 12_345_678, 20));
        assert_eq!(take("T3|begin(m5)|464\n"), plain(3, Op::Begin, 5, 464, 16));
        assert_eq!(take("T3|end|464\n"), plain(3, Op::End, 0, 464, 10));
    }

    #[test]
    fn lines_that_are_not() {
        for text in [
            "T0|r(V123)|345",
            "T0|r(V123)|345\r\n",
            "T0|r(V123)|\n",
            "T0|r(V)|1\n",
            "T0|r(V01)|1\n",
            "T0|r(X1)|1\n",
            "t0|r(V1)|1\n",
            "T|r(V1)|1\n",
            "T0|r(V1)|01\n",
            "T0|r(V1)|1|2\n",
            "T0|r(V1|1\n",
            "T0|r(V123456789)|1\n",
            "T0|rx(V1)|1\n",
            "T0|fork(T1)|1\n",
            "T0|vr(V1)|1\n",
            "T0|begin|1\n",
            "T0|end(m1)|1\n",
            "T0|ending|1\n",
            "T0|endx|1\n",
            "\n",
            "||\n",
            "T0||1\n",
            "T0|r(|1\n",
            "T0|r()|1\n",
            "|r(V1)|1\n",
            "T0|acq(L1)|a\n",
            "T0|r(V1)x|1\n",
            "T0|rel(L1)|12345678901234567890\n",
        ] {
            assert_eq!(take(text), None, "{text:?}");
        }
    }

    proptest! {
        /// What the fast lane takes, the general way takes, and understands in the same way.
        #[test]
        fn agrees_with_the_general_way(text in "[T0-9|rwacqelbgind()VLm]{0,24}\n|T[0-9]{1,2}\\|(r\\(V|w\\(V|acq\\(L|rel\\(L|begin\\(m|end)[0-9]{0,9}\\)?\\|[0-9]{0,9}\n") {
            if let Some(plain) = take(&text) {
                let length = text.find('\n').unwrap();
                prop_assert_eq!(plain.length, length);
                let general = line::parse(&text.as_bytes()[..length]).unwrap();
                prop_assert_eq!(plain.op, general.op);
                let (thread, site) = (format!("T{}", plain.thread), plain.site.to_string());
                prop_assert_eq!(thread.as_bytes(), general.thread);
                prop_assert_eq!(site.as_bytes(), general.site);
                if plain.op != Op::End {
                    let letter = letters().operand[plain.op as usize] as char;
                    let name = format!("{letter}{}", plain.operand);
                    prop_assert_eq!(name.as_bytes(), general.operand);
                }
            }
        }
    }
}
