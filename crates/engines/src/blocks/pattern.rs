//! The unserializable patterns: orders of events of two transactions that no serial order is
//! equivalent to.
//!
//! Let `t` and `u` be the transactions. By view equivalence, an order of their events is as good as
//! `t` before `u` unless
//!
//! 1. a read of one of them whose own transaction wrote the variable before reads from the other,
//! 2. an initial read of `t` comes after a write of `u`, or an initial read of `u` before the final
//!    write of `t`, or the final write of `t` after that of `u`, all on one variable.
//!
//! The same with `t` and `u` exchanged, and the order is unserializable if it is as good as neither:
//! if 1 happens, or 2 happens both ways. Both ways on one variable are the patterns of section 6.1, with
//! 1 among them. Both ways on two variables are those of section 6.2. A write that is not final comes
//! before an initial read either together with the final one, or else the read comes between two
//! writes, which is a pattern of 6.1; so section 6.2 needs initial reads and final writes only.
//! Likewise, one initial read of a variable is enough there: if a final write comes between two of
//! them, that is a pattern of 6.1.
//!
//! | on one variable | cut by |
//! |---|---|
//! | `W … W`, no write between | an initial read |
//! | `R … R`, both initial | a write |
//! | `W … R`, no write between | a write |
//! | first initial `R … ` final `W` | a final write |
//!
//! The paper has any read for the first of these. But a read after an own write reads that write if
//! it comes between two writes of the other transaction together with it, and nothing is wrong.
//!
//! On two variables, events `a`, `b` of `t` and `a'`, `b'` of `u`, where `a` and `a'` are on one
//! variable, `b` and `b'` on the other, and both conflict. It takes `a` before `a'` and `b'` before `b`:
//!
//! | order in `t` | order in `u` | possible if |
//! |---|---|---|
//! | `a … b` | `a' … b'` | `u` goes from `a'` to `b'` while `t` is between `a` and `b` |
//! | `a … b` | `b' … a'` | at some time `t` is between `a` and `b`, `u` between `b'` and `a'` |
//! | `b … a` | `b' … a'` | the first line with `t` and `u` exchanged |
//! | `b … a` | `a' … b'` | never |

use super::collect::{PairKind, Roles};

/// Whether an event with these roles cuts such a pair in two if it comes between.
pub(super) fn cuts(event: Roles, kind: PairKind) -> bool {
    event.has(match kind {
        PairKind::WriteWrite => Roles::INITIAL,
        PairKind::ReadRead | PairKind::WriteRead => Roles::WRITE,
        PairKind::ReadWrite => Roles::FINAL,
    })
}

/// Whether two events can be a dependence on one variable that section 6.2 looks at: an initial read
/// and a final write, or two final writes.
pub(super) fn conflict(one: Roles, other: Roles) -> bool {
    let ends = |roles: Roles| roles.has(Roles::FIRST) || roles.has(Roles::FINAL);
    ends(one) && ends(other) && (one.has(Roles::FINAL) || other.has(Roles::FINAL))
}
