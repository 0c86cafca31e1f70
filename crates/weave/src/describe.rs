//! The description of a woven class in the making: methods and sites with their numbers.

use crate::calls::Effect;
use crate::handles;
use crate::plan::Action;
use crate::probe::Probe;
use crate::subclasses;
use crate::weaver::SITE_LIMIT;
use interloper_tap::message::{self, Method, Site, SiteKind};
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the numbers come from: they are unique as long as the weaver lives.
#[derive(Debug)]
pub(crate) struct Numbers {
    pub(crate) next_site: AtomicU32,
    pub(crate) next_method: AtomicU32,
}

/// All numbers of sites are used up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UsedUp;

/// The description of a class in the making.
pub(crate) struct Description<'n> {
    numbers: &'n Numbers,
    pub(crate) class: message::Class,
}

/// How far a description had come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    methods: usize,
    sites: usize,
}

/// The place of a site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    /// The method's number.
    pub(crate) method: u32,
    /// The line, or 0.
    pub(crate) line: u32,
}

impl<'n> Description<'n> {
    /// Nothing is described yet but the class itself.
    pub(crate) fn new(numbers: &'n Numbers, class: message::Class) -> Description<'n> {
        Description { numbers, class }
    }

    /// How far the description has come.
    pub(crate) fn mark(&self) -> Mark {
        Mark { methods: self.class.methods.len(), sites: self.class.sites.len() }
    }

    /// Forgets what was described since.
    pub(crate) fn forget(&mut self, mark: Mark) {
        self.class.methods.truncate(mark.methods);
        self.class.sites.truncate(mark.sites);
    }

    /// A number for a method or block.
    pub(crate) fn method(&mut self, label: String, atomic: bool, line: u32) -> u32 {
        let id = self.numbers.next_method.fetch_add(1, Ordering::Relaxed);
        self.class.methods.push(Method { id, label, atomic, line });
        id
    }

    /// So many numbers, one after the other.
    fn numbers(&mut self, count: u32) -> Result<u32, UsedUp> {
        let first = self.numbers.next_site.fetch_add(count, Ordering::Relaxed);
        if first.saturating_add(count) > SITE_LIMIT {
            // Nobody asks again so often that the number could begin anew.
            self.numbers.next_site.store(SITE_LIMIT, Ordering::Relaxed);
            return Err(UsedUp);
        }
        Ok(first)
    }

    /// Numbers for a site that may turn out to be of several kinds, one after the other.
    fn sites(
        &mut self,
        kinds: &[SiteKind],
        at: At,
        is_static: bool,
        owner: &str,
        member: &str,
    ) -> Result<u32, UsedUp> {
        let first = self.numbers(kinds.len() as u32)?;
        for (id, kind) in (first..).zip(kinds) {
            let At { method, line } = at;
            let (owner, member) = (owner.to_owned(), member.to_owned());
            self.class.sites.push(Site { id, kind: *kind, is_static, owner, member, method, line });
        }
        Ok(first)
    }

    /// A number for what happens at an instruction.
    ///
    /// A call that tries an update has two: a read if it fails, the next one an update if not.
    pub(crate) fn action(&mut self, action: &Action<'_>, at: At) -> Result<u32, UsedUp> {
        match action {
            Action::Field { write, member, .. } => {
                let kind = if *write { SiteKind::Write } else { SiteKind::Read };
                self.sites(&[kind], at, false, &member.class, &member.name)
            }
            Action::Static { write, member, .. } => {
                let kind = if *write { SiteKind::Write } else { SiteKind::Read };
                self.sites(&[kind], at, true, &member.class, &member.name)
            }
            Action::Element { write, .. } => {
                let kind = if *write { SiteKind::ElementWrite } else { SiteKind::ElementRead };
                self.sites(&[kind], at, false, "", "")
            }
            Action::Made => self.monitor(at, "<init>"),
            // They happen nowhere in particular.
            Action::NewArray | Action::HandOver => Ok(0),
            Action::Enter => self.monitor(at, "monitorenter"),
            Action::Exit => self.monitor(at, "monitorexit"),
            // What is accessed there is told when it is known.
            Action::Call { effect: Effect::Handle(_), .. } => self.numbers(handles::SITES),
            Action::Call { effect, kind, member } => {
                let (kinds, pseudo) = kinds(*effect);
                let name = pseudo.unwrap_or(&member.name);
                // The variable inside is the JDK's, whatever fields a class has that extends it.
                let guessed = subclasses::is_guess(*kind, member);
                let owner = if guessed { "" } else { &member.class };
                self.sites(kinds, at, false, owner, name)
            }
        }
    }

    /// A number for entering or leaving a monitor.
    pub(crate) fn monitor(&mut self, at: At, what: &str) -> Result<u32, UsedUp> {
        self.sites(&[SiteKind::Call], at, false, "", what)
    }
}

/// The kinds of site that a call may turn out to be, and the name of the variable if it is one.
fn kinds(effect: Effect) -> (&'static [SiteKind], Option<&'static str>) {
    use SiteKind::{Call, Update, VolatileRead, VolatileWrite};
    let probe = match effect {
        Effect::Handle(access) => access.probe(),
        Effect::Before(probe)
        | Effect::After(probe)
        | Effect::AfterIf(probe, _)
        | Effect::Around(probe, _)
        | Effect::AroundIf(probe, ..)
        | Effect::Result(probe)
        | Effect::Value(probe)
        | Effect::Argument(probe)
        | Effect::Both(probe, _)
        | Effect::AroundValue(probe, _)
        | Effect::Thread(probe)
        | Effect::Window(probe)
        | Effect::Applies(probe)
        | Effect::Try(probe)
        | Effect::Exchange(probe) => probe,
    };
    let value = Some("value");
    match probe {
        Probe::AtomicRead | Probe::AtomicReadElement => (&[VolatileRead], value),
        Probe::AtomicWrite | Probe::AtomicWriteElement => (&[VolatileWrite], value),
        Probe::AtomicUpdate
        | Probe::AtomicUpdateElement
        | Probe::Updated
        | Probe::UpdatedElement => (&[Update], value),
        Probe::Getting => (&[VolatileRead, Call], value),
        Probe::AtomicTry | Probe::AtomicTryElement => (&[VolatileRead, Update], value),
        _ => (&[Call], None),
    }
}
