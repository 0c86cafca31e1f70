//! Hash maps and sets by ids. Who makes up a trace chooses names, not the numbers they get, so a hash
//! that is quick and the same in every run will do.

use foldhash::fast::FixedState;
use std::collections::{HashMap, HashSet};

/// A map by ids.
pub(crate) type IdMap<K, V> = HashMap<K, V, FixedState>;
/// A set of ids.
pub(crate) type IdSet<K> = HashSet<K, FixedState>;
