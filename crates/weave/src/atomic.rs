//! Which blocks are taken to be atomic.
//!
//! - `methods`: every method but `main(String[])`, `run()`, lambdas that become a `Runnable`, and
//!   those that directly wait for, wake or start other threads ([`calls::meets_others`]): `wait`, `notify`,
//!   `notifyAll`, `Thread.start` and `join`, awaiting and signalling conditions, `Future.get`,
//!   latches, barriers, `LockSupport.park` and `unpark`, taking from and putting into blocking queues,
//!   waiting for executors. Locks, semaphores and `Thread.sleep` are not among them.
//! - `public`: methods that are not private, private ones that are synchronized, and synchronized
//!   blocks in all others; `main` and `run` are not.
//! - `synchronized`: synchronized methods and blocks.
//!
//! Constructors are methods; class initialisers are not. Bridges and accessors that the compiler
//! made are not, lambda bodies are. What is named or annotated is atomic in any case; what is named
//! by `not-atomic` never is.

use crate::calls;
use crate::config::{Atomic, Config};
use interloper_jvm::{AccessFlags, ClassFile, Constant, Instruction, Located, Member, PoolIndex};

/// What the configuration says about the methods of one class.
pub(crate) struct Specification<'s, 'a> {
    config: &'s Config,
    class: &'s ClassFile<'a>,
    /// The class carries an annotation that makes all of its methods atomic.
    annotated: bool,
    /// Names of the lambda bodies that become a `Runnable`.
    runnables: Vec<String>,
}

impl<'s, 'a> Specification<'s, 'a> {
    /// The specification for a class.
    pub(crate) fn new(config: &'s Config, class: &'s ClassFile<'a>) -> Specification<'s, 'a> {
        let mut it = Specification { config, class, annotated: false, runnables: vec![] };
        it.annotated = it.carries_annotation(&class.attributes);
        if config.atomic == Atomic::Methods {
            it.runnables = runnables(class).unwrap_or_default();
        }
        it
    }

    /// Whether a method as a whole is atomic.
    pub(crate) fn method_is_atomic(
        &self,
        method: &Member<'a>,
        label: &str,
        code: &[Located<'a>],
    ) -> bool {
        let name = self.class.member_name(method);
        let descriptor = self.class.member_descriptor(method);
        if name == "<clinit>" || self.is_excluded(label, &descriptor) {
            return false;
        }
        let named = self.config.atomic_methods.iter().any(|it| it.matches(label, &descriptor));
        if named || self.carries_annotation(&method.attributes) {
            return true;
        }
        let made = AccessFlags::SYNTHETIC.0 | AccessFlags::BRIDGE.0;
        if method.access.0 & made != 0 && !name.starts_with("lambda$") {
            return false;
        }
        if self.annotated {
            return true;
        }
        let entry = is_entry(&name, &descriptor);
        let synchronized = method.access.contains(AccessFlags::SYNCHRONIZED);
        let private = method.access.contains(AccessFlags::PRIVATE);
        match self.config.atomic {
            Atomic::Methods => {
                !(entry || self.runnables.iter().any(|it| *it == name) || self.meets_others(code))
            }
            Atomic::Public => (!private || synchronized) && !entry,
            Atomic::Synchronized => synchronized,
            Atomic::None => false,
        }
    }

    /// Whether synchronized blocks are atomic in methods that are not.
    pub(crate) fn blocks_are_atomic(&self) -> bool {
        matches!(self.config.atomic, Atomic::Public | Atomic::Synchronized)
    }

    /// Whether a block or method with this label was said not to be atomic.
    pub(crate) fn is_excluded(&self, label: &str, descriptor: &str) -> bool {
        self.config.not_atomic.iter().any(|it| it.matches(label, descriptor))
    }

    fn carries_annotation(&self, attributes: &interloper_jvm::Attributes<'a>) -> bool {
        if self.config.atomic_annotations.is_empty() {
            return false;
        }
        // Annotations that cannot be read are none.
        let types = self.class.annotation_types(attributes).unwrap_or_default();
        let wanted = |name: &str| {
            let name = name.replace('/', ".");
            // Nested ones can be written as in the source.
            let plain = name.replace('$', ".");
            self.config.atomic_annotations.iter().any(|it| *it == name || *it == plain)
        };
        types.iter().any(|it| wanted(it))
    }

    fn meets_others(&self, code: &[Located<'a>]) -> bool {
        code.iter().any(|it| match it.instruction {
            Instruction::Invoke(kind, index) => {
                let call = self.class.pool.method(index);
                call.is_ok_and(|call| calls::meets_others(kind, &call))
            }
            _ => false,
        })
    }
}

/// Whether threads or programs begin with such a method.
fn is_entry(name: &str, descriptor: &str) -> bool {
    match name {
        "main" => matches!(descriptor, "([Ljava/lang/String;)V" | "()V"),
        "run" => descriptor == "()V",
        _ => false,
    }
}

/// The methods of this class that a `Runnable` is made of by `() -> …` or `this::…`; none if the
/// bootstrap methods cannot be read.
fn runnables(class: &ClassFile<'_>) -> Option<Vec<String>> {
    let pool = &class.pool;
    let mut found = vec![];
    let mut table = None;
    for constant in pool.constants() {
        let Constant::InvokeDynamic { bootstrap, name_and_type } = *constant else { continue };
        let made = pool.name_and_type(name_and_type).ok()?;
        if made.name != "run" || !made.descriptor.ends_with(")Ljava/lang/Runnable;") {
            continue;
        }
        let table = match &table {
            Some(table) => table,
            None => table.insert(bootstrap_arguments(class)?),
        };
        for index in table.get(usize::from(bootstrap))? {
            let Constant::MethodHandle { reference, .. } = pool.get(*index) else { continue };
            let Ok(body) = pool.method(reference) else { continue };
            if body.class == class.name {
                found.push(body.name.into_owned());
            }
        }
    }
    Some(found)
}

/// The arguments of each bootstrap method.
fn bootstrap_arguments(class: &ClassFile<'_>) -> Option<Vec<Vec<PoolIndex>>> {
    let attribute = class.attributes.named(&class.pool, "BootstrapMethods").next()?;
    let mut halves = attribute.data.chunks_exact(2).map(|it| u16::from_be_bytes([it[0], it[1]]));
    let mut table = vec![];
    for _ in 0..halves.next()? {
        halves.next()?;
        let count = usize::from(halves.next()?);
        let arguments: Vec<PoolIndex> = halves.by_ref().take(count).map(PoolIndex).collect();
        table.push(arguments);
    }
    Some(table)
}
