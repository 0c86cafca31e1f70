//! What can be asked of the analysis.

use std::collections::{BTreeSet, HashSet};

/// Options of the analysis. The default is the paper's analysis.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many parts a locking expression may have (`this.a.b` has three); longer ones are `*`. The same bound should be
    /// given to the [`MethodBuilder`](crate::ir::MethodBuilder).
    pub size_bound: u8,
    /// Also report two *different* locks that are acquired and released one after the other.
    pub variant: bool,
    /// Classes, by internal name, whose own locking is not reported: commonly used by one thread only.
    pub library_classes: Vec<String>,
    /// Report them all the same.
    pub keep_library: bool,
    /// Calls that could reach more methods than this are taken to reach none: class hierarchy analysis says nothing about them.
    pub callee_cap: usize,
    /// Whether static fields and class literals are followed across calls. Beyond the paper, whose translation makes
    /// them `*`.
    pub statics_cross_calls: bool,
    /// How many places of a warning are told in full; others are counted.
    pub places_per_warning: usize,
    /// With `variant`: how many pairs of different locks are handed from a method to its callers.
    pub pair_cap: usize,
    /// How many locks that are known by names of its own a method hands to its callers; static locks do not count.
    pub lock_cap: usize,
    /// What else is not reported.
    pub filters: Filters,
}

/// Places that are not reported, but counted. The default reports them all.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// Those that chains of more calls than this lead to: the longer a chain, the less likely it is possible.
    pub depth: Option<usize>,
    /// Those whose witness and context both end in one of these fields, by name: objects hand their contents on to each other
    /// (`mutex = owner.mutex`), and the two may well be one lock. See [`Lowered::handed_on`](crate::lower::Lowered::handed_on).
    pub handed_on: BTreeSet<String>,
    /// Those where a path may lead from who holds the context back to it: `this.child.parent.lock`.
    pub leads_back: bool,
    /// Those that a call leads to which comes to itself with the arguments it had before: mostly it goes another way then.
    pub comes_to_itself: bool,
    /// Those where a loop calls another object each time, and not all that it may call acquire the lock: whether two of the objects do, nothing
    /// tells.
    pub some_targets: bool,
    /// Those where only these classes take part, by internal name: they are there to be called.
    pub elsewhere: HashSet<String>,
}

/// Synchronized classes of the Java library that mostly serve one thread or one owner.
pub const LIBRARY_CLASSES: &[&str] = &[
    "java/util/Vector",
    "java/util/Stack",
    "java/util/Hashtable",
    "java/util/Properties",
    "java/lang/StringBuffer",
    "java/io/StringWriter",
    "java/io/CharArrayWriter",
    "java/io/CharArrayReader",
    "java/io/StringReader",
    "java/io/ByteArrayOutputStream",
    "java/io/ByteArrayInputStream",
    "java/io/BufferedInputStream",
    "java/io/BufferedOutputStream",
    "java/io/BufferedReader",
    "java/io/BufferedWriter",
    "java/io/PrintStream",
    "java/io/PrintWriter",
    "java/io/Reader",
    "java/io/Writer",
    "java/util/Random",
];

impl Default for Options {
    fn default() -> Self {
        Self {
            size_bound: 4,
            variant: false,
            library_classes: LIBRARY_CLASSES.iter().map(|&c| c.to_owned()).collect(),
            keep_library: false,
            callee_cap: 16,
            statics_cross_calls: true,
            places_per_warning: 10,
            pair_cap: 64,
            lock_cap: 512,
            filters: Filters::default(),
        }
    }
}
