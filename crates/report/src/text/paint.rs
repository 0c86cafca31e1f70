//! Colours: the few this report uses, and none where they are off.

use annotate_snippets::renderer::{AnsiColor, Effects, Style};
use interloper_findings::Certainty;

/// Paints if it is on.
#[derive(Clone, Copy)]
pub(super) struct Paint {
    pub on: bool,
}

pub(super) const VIOLATION: Style = AnsiColor::BrightRed.on_default().effects(Effects::BOLD);
pub(super) const PREDICTED: Style = AnsiColor::BrightMagenta.on_default().effects(Effects::BOLD);
pub(super) const POSSIBLE: Style = AnsiColor::BrightCyan.on_default().effects(Effects::BOLD);
pub(super) const INTERLOPER: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);
pub(super) const FRAME: Style = AnsiColor::BrightBlue.on_default().effects(Effects::BOLD);
pub(super) const CLEAR: Style = AnsiColor::BrightGreen.on_default().effects(Effects::BOLD);
pub(super) const STRONG: Style = Style::new().effects(Effects::BOLD);
pub(super) const FAINT: Style = Style::new().effects(Effects::DIMMED);
pub(super) const PLAIN: Style = Style::new();

/// The colour of how sure something is.
pub(super) fn tint(certainty: Certainty) -> Style {
    match certainty {
        Certainty::Observed => VIOLATION,
        Certainty::Predicted => PREDICTED,
        Certainty::Possible => POSSIBLE,
    }
}

impl Paint {
    /// The text in this style.
    pub fn paint(self, style: Style, text: &str) -> String {
        if self.on && !text.is_empty() && !style.is_plain() {
            format!("{}{text}{}", style.render(), style.render_reset())
        } else {
            text.to_string()
        }
    }
}
