//! Accesses through variable handles and field updaters.
//!
//! Which field a handle means is known when the program runs, not here: the probe asks the handle and
//! tells the reader then. So such a place has no sites of its own yet, only numbers for them
//! ([`SITES`]); where the coordinates are (object, or array and index) the descriptor of the call tells.
//!
//! Deviations: handles with other coordinates (views of buffers, combinations of handles) have no probes.
//! A `compareAndExchange` whose result is not used, or is of another type than what is expected, counts as a read.
//! The JVM links a call when it is first made, in its window: its classes are loaded by then, but if the user
//! has asked for classes of the JDK that linking uses, their probes end the window early, once a place.

use crate::probe::Probe;
use interloper_jvm::{FieldType, InvokeKind, MemberRef, MethodDescriptor, Primitive};

/// How many numbers a place has: its own, and two for each of the first eight fields that are met there
/// (a read and, for what may fail to write, an update). `InterloperHandles` counts on it.
pub(crate) const SITES: u32 = 1 + 2 * 8;

pub(crate) const HANDLE: &str = "java/lang/invoke/VarHandle";

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Reads as the field itself would be read.
    Get,
    /// Writes likewise.
    Set,
    /// Reads a volatile variable, whatever the field.
    Read,
    /// Writes one.
    Write,
    /// Reads and writes in one step.
    Update,
    /// The same, or reads only: the result tells.
    Try,
    /// The same; the result is what was read.
    Exchange,
}

/// Where the variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variable {
    Static,
    Field,
    Element,
}

impl Variable {
    /// How many arguments say where it is.
    pub(crate) fn coordinates(self) -> usize {
        match self {
            Variable::Static => 0,
            Variable::Field => 1,
            Variable::Element => 2,
        }
    }
}

/// An access through a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) does: Use,
    pub(crate) variable: Variable,
    /// The call runs a function of the program, its last argument, for which no window can be open: it gets another function
    /// that opens one when the program's is done.
    pub(crate) applies: bool,
    /// The call is linked with the types of its descriptor when it is first made.
    pub(crate) links: bool,
}

impl Access {
    /// What a call accesses; none if it is of another kind.
    pub(crate) fn of(kind: InvokeKind, call: &MemberRef<'_>) -> Option<Access> {
        if kind != InvokeKind::Virtual {
            return None;
        }
        if call.class == HANDLE {
            let does = of_handle(&call.name)?;
            let variable = variable(does, &call.descriptor)?;
            return Some(Access { does, variable, applies: false, links: true });
        }
        let is_updater = matches!(
            call.class.strip_prefix("java/util/concurrent/atomic/")?,
            "AtomicIntegerFieldUpdater" | "AtomicLongFieldUpdater" | "AtomicReferenceFieldUpdater"
        );
        let (does, applies) = of_updater(&call.name).filter(|_| is_updater)?;
        Some(Access { does, variable: Variable::Field, applies, links: false })
    }

    /// What the probe is told before the call.
    pub(crate) fn probe(self) -> Probe {
        let (field, element) = match self.does {
            Use::Get => (Probe::HandleGet, Probe::HandleGetElement),
            Use::Set => (Probe::HandleSet, Probe::HandleSetElement),
            Use::Read => (Probe::HandleRead, Probe::HandleReadElement),
            Use::Write => (Probe::HandleWrite, Probe::HandleWriteElement),
            Use::Update => (Probe::HandleUpdate, Probe::HandleUpdateElement),
            Use::Try | Use::Exchange => (Probe::HandleTry, Probe::HandleTryElement),
        };
        if self.variable == Variable::Element { element } else { field }
    }

    /// What it is told after a call that may not have written.
    pub(crate) fn outcome(self) -> Probe {
        match self.variable {
            Variable::Element => Probe::HandleTriedElement,
            Variable::Static | Variable::Field => Probe::HandleTried,
        }
    }
}

fn of_handle(name: &str) -> Option<Use> {
    Some(match name {
        "get" => Use::Get,
        "set" => Use::Set,
        "getVolatile" | "getOpaque" | "getAcquire" => Use::Read,
        "setVolatile" | "setOpaque" | "setRelease" => Use::Write,
        "compareAndSet"
        | "weakCompareAndSet"
        | "weakCompareAndSetPlain"
        | "weakCompareAndSetAcquire"
        | "weakCompareAndSetRelease" => Use::Try,
        _ if name.starts_with("compareAndExchange") => Use::Exchange,
        _ if name.starts_with("getAndSet")
            || name.starts_with("getAndAdd")
            || name.starts_with("getAndBitwise") =>
        {
            Use::Update
        }
        _ => return None,
    })
}

fn of_updater(name: &str) -> Option<(Use, bool)> {
    Some(match name {
        "get" => (Use::Read, false),
        "set" | "lazySet" => (Use::Write, false),
        "compareAndSet" | "weakCompareAndSet" => (Use::Try, false),
        "getAndUpdate" | "updateAndGet" | "getAndAccumulate" | "accumulateAndGet" => {
            (Use::Update, true)
        }
        _ if name.starts_with("getAnd") || name.ends_with("AndGet") => (Use::Update, false),
        _ => return None,
    })
}

/// The kind of variable that a call of a handle has arguments for: what precedes the values.
fn variable(does: Use, descriptor: &str) -> Option<Variable> {
    let values = match does {
        Use::Get | Use::Read => 0,
        Use::Set | Use::Write | Use::Update => 1,
        Use::Try | Use::Exchange => 2,
    };
    let parameters = MethodDescriptor::parse(descriptor).ok()?.parameters;
    let coordinates = parameters.len().checked_sub(values)?;
    match parameters[..coordinates] {
        [] => Some(Variable::Static),
        [object] if object.is_reference() => Some(Variable::Field),
        [array, FieldType::Primitive(index)] if array.is_reference() && is_index(index) => {
            Some(Variable::Element)
        }
        _ => None,
    }
}

/// Whether values of a type are taken as an `int`, which they are on the stack, too.
fn is_index(a_type: Primitive) -> bool {
    matches!(a_type, Primitive::Byte | Primitive::Char | Primitive::Short | Primitive::Int)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(class: &str, name: &str, descriptor: &str) -> Option<(Use, Variable, bool)> {
        let call = MemberRef {
            class: class.to_owned().into(),
            name: name.to_owned().into(),
            descriptor: descriptor.to_owned().into(),
            interface: false,
        };
        let access = Access::of(InvokeKind::Virtual, &call)?;
        Some((access.does, access.variable, access.applies))
    }

    #[test]
    fn the_descriptor_tells_where_the_variable_is() {
        let handle = |name, descriptor| access(HANDLE, name, descriptor).map(|it| (it.0, it.1));
        assert_eq!(handle("get", "()I"), Some((Use::Get, Variable::Static)));
        assert_eq!(handle("setRelease", "(La/B;J)V"), Some((Use::Write, Variable::Field)));
        assert_eq!(handle("compareAndSet", "([JIJJ)Z"), Some((Use::Try, Variable::Element)));
        assert_eq!(handle("set", "([JBJ)V"), Some((Use::Set, Variable::Element)));
        assert_eq!(handle("getAndAddAcquire", "(La/B;I)I"), Some((Use::Update, Variable::Field)));
    }

    #[test]
    fn other_coordinates_are_left_alone() {
        assert_eq!(access(HANDLE, "get", "(La/B;J)I"), None);
        assert_eq!(access(HANDLE, "get", "(I)I"), None);
        assert_eq!(access(HANDLE, "compareAndSet", "(I)Z"), None);
        assert_eq!(access(HANDLE, "coordinateTypes", "()Ljava/util/List;"), None);
    }

    #[test]
    fn functions_given_to_updaters_open_windows_themselves() {
        let class = "java/util/concurrent/atomic/AtomicIntegerFieldUpdater";
        let descriptor = "(Ljava/lang/Object;Ljava/util/function/IntUnaryOperator;)I";
        let told = access(class, "updateAndGet", descriptor);
        assert_eq!(told, Some((Use::Update, Variable::Field, true)));
        let told = access(class, "incrementAndGet", "(Ljava/lang/Object;)I");
        assert_eq!(told, Some((Use::Update, Variable::Field, false)));
        assert_eq!(access(class, "toString", "()Ljava/lang/String;"), None);
    }
}
