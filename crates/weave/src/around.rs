//! Probes around calls: the receiver is got at by putting the arguments aside.

use crate::calls::Effect;
use crate::handles::{Access, Use, Variable};
use crate::probe::{Maker, Probe};
use crate::subclasses::{self, Guard};
use interloper_jvm::rewrite::Snippet;
use interloper_jvm::{
    FieldType, InvokeKind, Local, MemberRef, MethodDescriptor, Primitive, ValueKind,
};

/// A call that is known to synchronise, and where its probes find things.
pub(crate) struct Around {
    effect: Effect,
    parameters: Vec<ValueKind>,
    result: Option<ValueKind>,
    boolean: bool,
    /// Classes that the call is linked with.
    linked_with: Vec<String>,
    /// What is asked of the receiver before it is told; if it is not so, null is told.
    guard: Option<Guard>,
    context: Local,
    /// The receiver is kept here; the arguments are behind it while they are aside.
    aside: Local,
    site: u32,
}

impl Around {
    /// None if the descriptor cannot be read, or is not that of the JDK's method.
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
        let result = descriptor.result.map(value_kind);
        let linked_with = match effect {
            Effect::Handle(Access { links: true, .. }) => classes_in(&descriptor),
            _ => vec![],
        };
        let arguments = (parameters.first().copied(), parameters.last().copied());
        if !fits(effect, arguments, result, boolean) {
            return None;
        }
        let guard = subclasses::guard(kind, call);
        Some(Around {
            effect,
            parameters,
            result,
            boolean,
            linked_with,
            guard,
            context,
            aside,
            site,
        })
    }

    /// Before the call.
    pub(crate) fn before(&self, maker: &mut Maker<'_, '_>, snippet: Snippet) -> Snippet {
        let told = match self.effect {
            Effect::Thread(_) => return snippet,
            Effect::Handle(access) => return self.before_access(access, maker, snippet),
            Effect::Before(probe)
            | Effect::Around(probe, _)
            | Effect::AroundIf(probe, ..)
            | Effect::AroundValue(probe, _)
            | Effect::Argument(probe)
            | Effect::Both(probe, _)
            | Effect::Window(probe)
            | Effect::Try(probe)
            | Effect::Exchange(probe) => Some(probe),
            Effect::After(_)
            | Effect::AfterIf(..)
            | Effect::Result(_)
            | Effect::Value(_)
            | Effect::Applies(_) => None,
        };
        let mut snippet = self.put_aside(snippet);
        if self.effect.keeps_receiver() {
            snippet = self.receiver(maker, snippet).store_reference(self.aside);
        }
        if let Some(probe) = told {
            snippet = match self.effect.keeps_receiver() {
                true => snippet.load_reference(self.aside),
                false => self.receiver(maker, snippet),
            };
            snippet = self.index(snippet);
            if let Effect::Argument(_) | Effect::Both(..) = self.effect
                && let Some((kind, place)) = self.places().next()
            {
                snippet = snippet.load(kind, place);
            }
            snippet = maker.call_at(snippet, probe, self.context, self.site);
        }
        if let Effect::Applies(_) = self.effect {
            snippet = snippet.load_reference(self.aside);
            snippet = self.replace_function(Probe::Updating, maker, snippet);
        }
        self.put_back(snippet)
    }

    /// what the function is to change → ; the call gets another function
    fn replace_function(
        &self,
        probe: Probe,
        maker: &mut Maker<'_, '_>,
        snippet: Snippet,
    ) -> Snippet {
        let Some((_, function)) = self.places().next_back() else { return snippet };
        let snippet = snippet.load_reference(function);
        maker.call_at(snippet, probe, self.context, self.site).store_reference(function)
    }

    /// After the call.
    pub(crate) fn after(&self, maker: &mut Maker<'_, '_>, snippet: Snippet) -> Snippet {
        let (context, site) = (self.context, self.site);
        match self.effect {
            Effect::Before(_) | Effect::Argument(_) => snippet,
            Effect::Thread(probe) => {
                let snippet = maker.current_thread(snippet);
                maker.call_at(snippet, probe, context, site)
            }
            Effect::AfterIf(_, probe) | Effect::AroundIf(_, _, probe) if self.boolean => {
                let snippet = snippet.dup().load_reference(self.aside);
                maker.call_at(snippet, probe, context, site)
            }
            Effect::After(probe)
            | Effect::AfterIf(probe, _)
            | Effect::Around(_, probe)
            | Effect::AroundIf(_, probe, _) => {
                maker.call_at(snippet.load_reference(self.aside), probe, context, site)
            }
            Effect::Value(probe) | Effect::Both(_, probe) | Effect::AroundValue(_, probe) => {
                let snippet = match self.result {
                    Some(ValueKind::Long | ValueKind::Double) => snippet.dup2(),
                    _ => snippet.dup(),
                };
                maker.call_at(snippet.load_reference(self.aside), probe, context, site)
            }
            Effect::Result(probe) => {
                let snippet = snippet.dup().load_reference(self.aside).swap();
                maker.call(snippet, probe)
            }
            Effect::Window(_) => close(maker, snippet, context),
            Effect::Applies(probe) => {
                let snippet = self.index(snippet.load_reference(self.aside));
                let snippet = maker.call_at(snippet, probe, context, site);
                close(maker, snippet, context)
            }
            Effect::Handle(access) => self.after_access(access, maker, snippet),
            Effect::Try(_) => {
                let snippet = maker.call_at(snippet.dup(), Probe::Tried, context, site);
                close(maker, snippet, context)
            }
            Effect::Exchange(_) => {
                let expected = usize::from(self.effect.takes_number());
                let snippet = self.exchanged(expected, maker, snippet);
                let snippet = maker.call_at(snippet, Probe::Tried, context, site);
                close(maker, snippet, context)
            }
        }
    }

    /// receiver → receiver, what is told of it
    fn receiver(&self, maker: &mut Maker<'_, '_>, snippet: Snippet) -> Snippet {
        let snippet = snippet.dup();
        match self.guard {
            Some(guard) => {
                let snippet = maker.number(snippet, guard as u32);
                maker.call(snippet, Probe::Only)
            }
            None => snippet,
        }
    }

    /// Before an access through a handle. What is linked when the call is first made has its classes by
    /// then: to load them takes locks, and may run code of the program, for which no window can be open.
    fn before_access(
        &self,
        access: Access,
        maker: &mut Maker<'_, '_>,
        snippet: Snippet,
    ) -> Snippet {
        let load = |snippet, name: &String| maker.class(snippet, name).pop();
        let snippet = self.linked_with.iter().fold(snippet, load);
        let mut snippet = self.put_aside(snippet).dup().store_reference(self.aside);
        snippet = self.variable(access, snippet);
        snippet = match access.applies {
            true => self.replace_function(Probe::HandleUpdating, maker, snippet),
            false => maker.call_at(snippet, access.probe(), self.context, self.site),
        };
        self.put_back(snippet)
    }

    fn after_access(
        &self,
        access: Access,
        maker: &mut Maker<'_, '_>,
        mut snippet: Snippet,
    ) -> Snippet {
        let may_fail = matches!(access.does, Use::Try | Use::Exchange);
        if access.does == Use::Try {
            snippet = snippet.dup();
        } else if may_fail {
            snippet = self.exchanged(access.variable.coordinates(), maker, snippet);
        }
        if may_fail || access.applies {
            let probe = if may_fail { access.outcome() } else { Probe::HandleUpdated };
            snippet = self.variable(access, snippet);
            snippet = maker.call_at(snippet, probe, self.context, self.site);
        }
        close(maker, snippet, self.context)
    }

    /// result → result, whether it is what was expected: the argument of this number
    fn exchanged(&self, expected: usize, maker: &mut Maker<'_, '_>, snippet: Snippet) -> Snippet {
        let expected = self.places().nth(expected);
        match expected.filter(|(kind, _)| Some(*kind) == self.result) {
            Some((kind, place)) => {
                let (snippet, probe) = match kind {
                    ValueKind::Int => (snippet.dup(), Probe::SameInt),
                    ValueKind::Float => (snippet.dup(), Probe::SameFloat),
                    ValueKind::Reference => (snippet.dup(), Probe::SameReference),
                    ValueKind::Long => (snippet.dup2(), Probe::SameLong),
                    ValueKind::Double => (snippet.dup2(), Probe::SameDouble),
                };
                maker.call(snippet.load(kind, place), probe)
            }
            None => maker.number(snippet, 0),
        }
    }

    /// → handle, object, and the index if there is one; the handle again where there is no object
    fn variable(&self, access: Access, snippet: Snippet) -> Snippet {
        let snippet = snippet.load_reference(self.aside);
        let object = Local(self.aside.0.saturating_add(1));
        match access.variable {
            Variable::Static => snippet.load_reference(self.aside),
            Variable::Field => snippet.load_reference(object),
            Variable::Element => {
                snippet.load_reference(object).load_int(Local(self.aside.0.saturating_add(2)))
            }
        }
    }

    /// → the index, if the variable is an element
    fn index(&self, snippet: Snippet) -> Snippet {
        match self.effect.takes_number() {
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

/// Whether the call has the argument and the result that are told.
fn fits(
    effect: Effect,
    (argument, last): (Option<ValueKind>, Option<ValueKind>),
    result: Option<ValueKind>,
    boolean: bool,
) -> bool {
    let takes = |probe: Probe, behind: &str, given: Option<ValueKind>| {
        let taken = probe.descriptor().strip_prefix(behind).and_then(|it| it.chars().next());
        let given = given.map(|kind| match kind {
            ValueKind::Int => 'I',
            ValueKind::Long => 'J',
            ValueKind::Float => 'F',
            ValueKind::Double => 'D',
            ValueKind::Reference => 'L',
        });
        given.is_some() && given == taken
    };
    let takes_argument = |probe| takes(probe, "(Ljava/lang/Object;", argument);
    let takes_result = |probe| takes(probe, "(", result);
    match effect {
        Effect::Argument(before) => takes_argument(before),
        Effect::Both(before, after) => takes_argument(before) && takes_result(after),
        Effect::Value(after) | Effect::AroundValue(_, after) => takes_result(after),
        Effect::AfterIf(Probe::ValidatedIf, _) => boolean,
        Effect::Applies(_) | Effect::Handle(Access { applies: true, .. }) => {
            last == Some(ValueKind::Reference)
        }
        _ => true,
    }
}

/// Closes the window.
pub(crate) fn close(maker: &mut Maker<'_, '_>, snippet: Snippet, context: Local) -> Snippet {
    maker.call(snippet.load_reference(context), Probe::Close)
}

/// The classes in a descriptor, each once.
fn classes_in(descriptor: &MethodDescriptor<'_>) -> Vec<String> {
    let mut names = vec![];
    for a_type in descriptor.parameters.iter().chain(&descriptor.result) {
        if let FieldType::Object(name) | FieldType::Array(name) = *a_type
            && !names.iter().any(|it| it == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

/// The kind of the values of a type.
pub(crate) fn value_kind(a_type: FieldType<'_>) -> ValueKind {
    match a_type {
        FieldType::Primitive(Primitive::Long) => ValueKind::Long,
        FieldType::Primitive(Primitive::Double) => ValueKind::Double,
        FieldType::Primitive(Primitive::Float) => ValueKind::Float,
        FieldType::Primitive(_) => ValueKind::Int,
        FieldType::Object(_) | FieldType::Array(_) => ValueKind::Reference,
    }
}
