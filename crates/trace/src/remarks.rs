//! What whoever recorded a trace has to say of it, beside its events: that they are not all, above all.

/// How much of what happened a recording holds; the later, the less it is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// Everything that was to be recorded.
    #[default]
    Whole,
    /// What came before the program was killed, or was no longer watched.
    Cut,
    /// What came before the recorder reached a limit.
    Limited,
    /// The recorder failed: what there is is in doubt.
    Doubtful,
}

impl Extent {
    /// All of them.
    pub const ALL: [Extent; 4] = [Extent::Whole, Extent::Cut, Extent::Limited, Extent::Doubtful];

    /// What is to be said of a recording that is not whole.
    pub fn shortcoming(self) -> Option<&'static str> {
        match self {
            Extent::Whole => None,
            Extent::Cut => Some("the recording is incomplete: it does not go to the end"),
            Extent::Limited => Some("the recording is incomplete: it stopped at a limit"),
            Extent::Doubtful => Some("the recording failed: what it holds is in doubt"),
        }
    }
}

/// The remarks of a recorder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// How much of what happened is there.
    pub extent: Extent,
    /// What a report is to say, in sentences.
    pub notes: Vec<String>,
}

impl Remarks {
    /// Whether there is nothing to remark.
    pub fn is_empty(&self) -> bool {
        self.extent == Extent::Whole && self.notes.is_empty()
    }
}
