//! Probes around calls: the receiver is got at by putting the arguments aside.

use crate::calls::Effect;
use crate::probe::{Maker, Probe};
use interloper_jvm::rewrite::Snippet;
use interloper_jvm::{
    FieldType, InvokeKind, Local, MemberRef, MethodDescriptor, Primitive, ValueKind,
};

/// A call that is known to synchronise, and where its probes find things.
pub(crate) struct Around {
    effect: Effect,
    parameters: Vec<ValueKind>,
    boolean: bool,
    context: Local,
    /// The receiver is kept here; the arguments are behind it while they are aside.
    aside: Local,
    site: u32,
}

impl Around {
    /// None if the descriptor cannot be read.
    pub(crate) fn new(
        effect: Effect,
        kind: InvokeKind,
        call: &MemberRef<'_>,
        context: Local,
        aside: Local,
        site: u32,
    ) -> Option<Around> {
        let descriptor = MethodDescriptor::parse(&call.descriptor).ok()?;
        let boolean = descriptor.result == Some(FieldType::Primitive(Primitive::Boolean));
        let mut parameters: Vec<ValueKind> =
            descriptor.parameters.iter().map(|it| value_kind(*it)).collect();
        if kind == InvokeKind::Static && !parameters.is_empty() {
            // The first argument has the part of the receiver.
            parameters.remove(0);
        }
        Some(Around { effect, parameters, boolean, context, aside, site })
    }

    /// Before the call.
    pub(crate) fn before(&self, maker: &mut Maker<'_, '_>, snippet: Snippet) -> Snippet {
        let told = match self.effect {
            Effect::Thread(_) => return snippet,
            Effect::Before(probe)
            | Effect::Around(probe, _)
            | Effect::Window(probe)
            | Effect::Try(probe) => Some(probe),
            Effect::After(_) | Effect::AfterIf(..) | Effect::Result(_) | Effect::WindowAfter(_) => {
                None
            }
        };
        let mut snippet = self.put_aside(snippet);
        if self.effect.keeps_receiver() {
            snippet = snippet.dup().store_reference(self.aside);
        }
        if let Some(probe) = told {
            snippet = self.index(snippet.dup());
            snippet = maker.call_at(snippet, probe, self.context, self.site);
        }
        self.put_back(snippet)
    }

    /// After the call.
    pub(crate) fn after(&self, maker: &mut Maker<'_, '_>, snippet: Snippet) -> Snippet {
        let (context, site) = (self.context, self.site);
        match self.effect {
            Effect::Before(_) => snippet,
            Effect::Thread(probe) => {
                let snippet = maker.current_thread(snippet);
                maker.call_at(snippet, probe, context, site)
            }
            Effect::AfterIf(_, probe) if self.boolean => {
                let snippet = snippet.dup().load_reference(self.aside);
                maker.call_at(snippet, probe, context, site)
            }
            Effect::After(probe) | Effect::AfterIf(probe, _) | Effect::Around(_, probe) => {
                maker.call_at(snippet.load_reference(self.aside), probe, context, site)
            }
            Effect::Result(probe) => {
                let snippet = snippet.dup().load_reference(self.aside).swap();
                maker.call(snippet, probe)
            }
            Effect::Window(_) => close(maker, snippet, context),
            Effect::WindowAfter(probe) => {
                let snippet = self.index(snippet.load_reference(self.aside));
                let snippet = maker.call_at(snippet, probe, context, site);
                close(maker, snippet, context)
            }
            Effect::Try(_) => {
                let snippet = maker.call_at(snippet.dup(), Probe::Tried, context, site);
                close(maker, snippet, context)
            }
        }
    }

    /// → the index, if the variable is an element
    fn index(&self, snippet: Snippet) -> Snippet {
        match self.effect.is_element() {
            true => snippet.load_int(Local(self.aside.0.saturating_add(1))),
            false => snippet,
        }
    }

    /// Where the arguments are kept while they are aside.
    fn places(&self) -> impl DoubleEndedIterator<Item = (ValueKind, Local)> + '_ {
        let mut next = self.aside.0;
        let place = move |kind: &ValueKind| {
            let place = Local(next.saturating_add(1));
            next = next.saturating_add(u16::from(kind.slots()));
            (*kind, place)
        };
        self.parameters.iter().map(place).collect::<Vec<_>>().into_iter()
    }

    fn put_aside(&self, snippet: Snippet) -> Snippet {
        self.places().rev().fold(snippet, |snippet, (kind, place)| snippet.store(kind, place))
    }

    fn put_back(&self, snippet: Snippet) -> Snippet {
        self.places().fold(snippet, |snippet, (kind, place)| snippet.load(kind, place))
    }
}

/// Closes the window.
pub(crate) fn close(maker: &mut Maker<'_, '_>, snippet: Snippet, context: Local) -> Snippet {
    maker.call(snippet.load_reference(context), Probe::Close)
}

fn value_kind(a_type: FieldType<'_>) -> ValueKind {
    match a_type {
        FieldType::Primitive(Primitive::Long) => ValueKind::Long,
        FieldType::Primitive(Primitive::Double) => ValueKind::Double,
        FieldType::Primitive(Primitive::Float) => ValueKind::Float,
        FieldType::Primitive(_) => ValueKind::Int,
        FieldType::Object(_) | FieldType::Array(_) => ValueKind::Reference,
    }
}
