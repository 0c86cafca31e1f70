//! What engines that look beyond the observed order need to know at an event: the locks that its
//! thread holds, the period of the thread it falls into, the blocks around it, whether its object
//! has escaped.

pub(crate) mod blocks;
pub(crate) mod clock;
pub(crate) mod escapes;
pub(crate) mod hashing;
pub(crate) mod held;
pub(crate) mod locksets;
pub(crate) mod owners;
pub(crate) mod periods;
pub(crate) mod rounds;
