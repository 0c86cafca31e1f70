//! What can be asked of the analysis.

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
        }
    }
}
