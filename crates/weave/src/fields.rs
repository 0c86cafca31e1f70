//! Probes before accesses of fields and elements: how the object, and the index, are got at that lie
//! under the value on the stack.

use crate::plan::Action;
use crate::probe::{Maker, Probe};
use crate::repeats::{Need, Turn};
use interloper_jvm::Local;
use interloper_jvm::rewrite::Snippet;

/// The stack that the probes need at most, beyond what the access needs itself.
pub(crate) const STACK: u16 = 5;

/// What a probe is told beside the variable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told {
    pub(crate) need: Need,
    pub(crate) context: Local,
    /// With others of the same object, if it is a field's ([`crate::repeats`]).
    pub(crate) together: Option<Together>,
    /// In a loop: by which it is known whether there is anything to do ([`crate::loops`]).
    pub(crate) since: Option<Since>,
    pub(crate) site: u32,
}

/// A local variable with how many windows were closed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Since {
    /// As a number.
    Number(Local),
    /// With what goes through an array.
    Run(Local),
}

/// Accesses of one object that are made together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Together {
    /// By which the others know whether there is anything to do.
    pub(crate) since: Local,
    /// The first one's site.
    pub(crate) first: u32,
    /// Whether some of them write.
    pub(crate) write: bool,
    /// Which of them this is.
    pub(crate) turn: Turn,
}

/// Before an access. Calls have no place here.
pub(crate) fn before_access(
    maker: &mut Maker<'_, '_>,
    snippet: Snippet,
    action: &Action<'_>,
    told: Told,
) -> Snippet {
    let Told { context, site, .. } = told;
    match action {
        Action::Field { write, wide, .. } => {
            let snippet = match write {
                false => snippet.dup(),
                true => object_under_value(snippet, *wide),
            };
            before_field(maker, snippet, *write, told)
        }
        Action::Static { write, wide, foreign, member, index } => {
            // The class is initialised before the window opens.
            let snippet = match (foreign, wide) {
                (false, _) => snippet,
                (true, false) => snippet.get_static(*index).pop(),
                (true, true) => snippet.get_static(*index).pop2(),
            };
            let snippet = maker.class(snippet, &member.class);
            let probe = if *write { Probe::WriteStatic } else { Probe::ReadStatic };
            match told.since {
                Some(since) => call_since(maker, snippet, Probe::ReadStaticSince, told, since),
                None => maker.call_at(snippet, probe, context, site),
            }
        }
        Action::Element { write, wide } => {
            let snippet = match write {
                false => snippet.dup2(),
                true => element_under_value(snippet, *wide),
            };
            if let Some(since) = told.since {
                let probe = match (write, told.need) {
                    (false, Need::Record) => Probe::ReadElementAgainSince,
                    (false, _) => Probe::ReadElementSince,
                    (true, Need::Record) => Probe::WriteElementAgainSince,
                    (true, _) => Probe::WriteElementSince,
                };
                return call_since(maker, snippet, probe, told, since);
            }
            let probe = match (write, told.need) {
                (false, Need::Record) => Probe::ReadElementAgain,
                (false, _) => Probe::ReadElement,
                (true, Need::Record) => Probe::WriteElementAgain,
                (true, _) => Probe::WriteElement,
            };
            maker.call_at(snippet, probe, context, site)
        }
        Action::Enter
        | Action::Exit
        | Action::Made
        | Action::NewArray
        | Action::HandOver
        | Action::Call { .. } => snippet,
    }
}

/// object →
fn before_field(maker: &mut Maker<'_, '_>, snippet: Snippet, write: bool, told: Told) -> Snippet {
    let Told { context, site, .. } = told;
    if let Some(since) = told.since {
        let probe = if write { Probe::WriteSince } else { Probe::ReadSince };
        return call_since(maker, snippet, probe, told, since);
    }
    if let Some(together) = told.together {
        return together_with(maker, snippet, told, together);
    }
    maker.call_at(snippet, if write { Probe::Write } else { Probe::Read }, context, site)
}

/// object →
fn together_with(
    maker: &mut Maker<'_, '_>,
    snippet: Snippet,
    told: Told,
    together: Together,
) -> Snippet {
    let Together { since, first, write, turn } = together;
    match turn {
        Turn::First => {
            let probe = if write { Probe::WriteFirst } else { Probe::ReadFirst };
            maker.call_at(snippet, probe, told.context, told.site).store_int(since)
        }
        Turn::Next => {
            let probe = if write { Probe::WriteNext } else { Probe::ReadNext };
            call_since(maker, snippet, probe, told, Since::Number(since))
        }
        Turn::Last => {
            let probe = if write { Probe::WriteLast } else { Probe::ReadLast };
            let snippet = maker.number(snippet.load_reference(told.context), told.site);
            let snippet = maker.number(snippet.load_int(since), first);
            maker.call(snippet, probe)
        }
    }
}

/// variable →
fn call_since(
    maker: &mut Maker<'_, '_>,
    snippet: Snippet,
    probe: Probe,
    told: Told,
    since: Since,
) -> Snippet {
    let snippet = maker.number(snippet.load_reference(told.context), told.site);
    match since {
        Since::Number(local) => maker.call(snippet.load_int(local), probe).store_int(local),
        Since::Run(local) => {
            maker.call(snippet.load_reference(local), probe).store_reference(local)
        }
    }
}

/// object, value → object, value, object
fn object_under_value(snippet: Snippet, wide: bool) -> Snippet {
    match wide {
        false => snippet.dup2().pop(),
        true => snippet.dup2_x1().pop2().dup_x2(),
    }
}

/// array, index, value → array, index, value, array, index
fn element_under_value(snippet: Snippet, wide: bool) -> Snippet {
    match wide {
        false => snippet.dup_x2().pop().dup2_x1(),
        true => snippet.dup2_x2().pop2().dup2_x2(),
    }
}
