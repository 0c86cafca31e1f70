//! What was decided of a finding before: whether it is in the baseline, whether somebody suppressed it.

/// How a finding compares with the baseline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BaselineState {
    /// It is not in the baseline.
    New,
    /// It is in the baseline as it is.
    Unchanged,
    /// It is in the baseline, but there are places now that are not.
    Updated,
}

impl BaselineState {
    /// The word in machine formats; that of SARIF.
    pub fn word(self) -> &'static str {
        match self {
            BaselineState::New => "new",
            BaselineState::Unchanged => "unchanged",
            BaselineState::Updated => "updated",
        }
    }
}

/// Where a suppression stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Suppressor {
    /// In the code: an annotation.
    Source,
    /// In a list.
    List,
}

/// Why nobody wants to hear of a finding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Suppression {
    /// Where that is said.
    pub by: Suppressor,
    /// What is said: the entry of the list, or the annotation; then the reason given, if any.
    pub reason: String,
}

/// What was decided of a finding.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Review {
    /// How it compares with the baseline; `None` if there is none.
    pub baseline: Option<BaselineState>,
    /// Why nobody wants to hear of it; `None` if somebody may.
    pub suppressed: Option<Suppression>,
}

impl Review {
    /// Whether somebody should look at it: it is neither suppressed nor known from the baseline.
    pub fn is_open(&self) -> bool {
        self.suppressed.is_none() && self.baseline != Some(BaselineState::Unchanged)
    }
}
