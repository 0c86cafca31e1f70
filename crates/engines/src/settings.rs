//! How engines can be set.

/// What users can change about engines; the defaults are what most want.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// How far `blocks` looks.
    pub blocks: BlockRule,
    /// The improvements of Wang and Stoller's paper that are switched off.
    pub without: Without,
}

/// Which violations the block-based engine looks for; each rule includes the ones before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum BlockRule {
    /// Two transactions, one variable at a time (Theorem 3).
    OneVariable,
    /// Two transactions, two variables (Theorem 4).
    #[default]
    TwoVariables,
    /// Cycles of three and more transactions (Theorem 5).
    Cycles,
}

/// Improvements of `reduction` and `blocks` that can be switched off, to see what each is worth (the
/// columns of Tables 2 and 3 in Wang and Stoller's paper).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Without {
    /// Take no notice of `escape`: all accesses count. Offline reduction then also uses von Praun and
    /// Gross's race detection instead of a lockset that starts at the escape.
    pub escape: bool,
    /// Take no notice of `fork`, `join` and `barrier` when asking whether two events can be
    /// concurrent.
    pub happens_before: bool,
    /// Use one lockset a variable instead of many.
    pub multilockset: bool,
    /// Use Theorem 1 instead of Theorem 2: a lock acquired and released around accesses that cannot
    /// matter counts like any other.
    pub acq_rel: bool,
}
