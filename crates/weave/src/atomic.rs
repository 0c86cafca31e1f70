//! Which blocks are taken to be atomic.
//!
//! - `methods`: every method but `main(String[])`, `run()`, what is in place of it (lambdas that become a `Runnable`, and
//!   private methods that become one by reference and that their class uses in no other way), and
//!   those that directly wait for, wake or start other threads ([`calls::meets_others`]): `wait`, `notify`,
//!   `notifyAll`, `Thread.start` and `join`, awaiting and signalling conditions, `Future.get`,
//!   latches, barriers, `LockSupport.park` and `unpark`, taking from and putting into blocking queues,
//!   waiting for executors, `fork`, `join` and `invokeAll` of fork-join tasks, parallel streams. Locks, semaphores and `Thread.sleep` are not among them. Whether `start` and `join` of a
//!   class of the program are a thread's or a task's is known when the method runs ([`Atomicity::Unless`]).
//! - `public`: methods that are not private, private ones that are synchronized, and synchronized
//!   blocks in all others; `main` and `run` are not.
//! - `synchronized`: synchronized methods and blocks.
//!
//! Constructors are methods; class initialisers are not, unless they are named (`C.<clinit>`, `C.*`). Bridges and accessors that the compiler
//! or the weaver made are not, lambda bodies are. What is named or annotated is atomic in any case; what is named
//! by `not-atomic` never is.

use crate::config::{Atomic, Config};
use crate::met::Met;
use crate::plan::INITIALISER;
use crate::{bridges, calls};
use interloper_jvm::{
    AccessFlags, ClassFile, Constant, Instruction, InvokeKind, Located, Member, MemberRef,
};

/// Whether a method is atomic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Atomicity {
    No,
    Yes,
    /// Unless one of these classes is a thread's or a task's: it calls their `start` or `join`. With dots.
    Unless(Vec<String>),
}

impl Atomicity {
    /// The names, separated by spaces, if there are any.
    pub(crate) fn unless(self) -> Option<String> {
        match self {
            Atomicity::Unless(names) => Some(names.join(" ")),
            Atomicity::No | Atomicity::Yes => None,
        }
    }
}

/// More names than this are not asked for: no method is written like that.
const MOST_NAMES: usize = 64;
/// Nor longer ones.
const LONGEST_NAME: usize = 512;

/// What the configuration says about the methods of one class.
pub(crate) struct Specification<'s, 'a> {
    config: &'s Config,
    met: &'s Met,
    class: &'s ClassFile<'a>,
    /// The class carries an annotation that makes all of its methods atomic.
    annotated: bool,
    /// Names and descriptors of the methods that are in place of `run()`.
    runnables: Vec<(String, String)>,
}

impl<'s, 'a> Specification<'s, 'a> {
    /// The specification for a class.
    pub(crate) fn new(
        config: &'s Config,
        met: &'s Met,
        class: &'s ClassFile<'a>,
    ) -> Specification<'s, 'a> {
        let mut it = Specification { config, met, class, annotated: false, runnables: vec![] };
        it.annotated = it.carries_annotation(&class.attributes);
        if config.atomic == Atomic::Methods {
            it.runnables = runnables(class).unwrap_or_default();
        }
        it
    }

    /// Whether a method as a whole is atomic.
    pub(crate) fn atomicity(
        &self,
        method: &Member<'a>,
        label: &str,
        code: &[Located<'a>],
    ) -> Atomicity {
        let name = self.class.member_name(method);
        let descriptor = self.class.member_descriptor(method);
        if bridges::is_bridge(&name) {
            return Atomicity::No;
        }
        let named = self.met.atomic_method(self.config, label, &descriptor);
        let named = self.carries_annotation(&method.attributes) || named;
        if self.is_excluded(label, &descriptor) {
            return Atomicity::No;
        }
        if named {
            return Atomicity::Yes;
        }
        if name == INITIALISER {
            return Atomicity::No;
        }
        let made = AccessFlags::SYNTHETIC.0 | AccessFlags::BRIDGE.0;
        if method.access.0 & made != 0 && !name.starts_with("lambda$") {
            return Atomicity::No;
        }
        if self.annotated {
            return Atomicity::Yes;
        }
        let entry = is_entry(&name, &descriptor);
        let synchronized = method.access.contains(AccessFlags::SYNCHRONIZED);
        let private = method.access.contains(AccessFlags::PRIVATE);
        let atomic = match self.config.atomic {
            Atomic::Methods => {
                let in_place = |it: &(String, String)| it.0 == name && it.1 == descriptor;
                !(entry || self.runnables.iter().any(in_place) || self.meets_others(code))
            }
            Atomic::Public => (!private || synchronized) && !entry,
            Atomic::Synchronized => synchronized,
            Atomic::None => false,
        };
        match atomic {
            true if self.config.atomic == Atomic::Methods => self.unless_joined(code),
            true => Atomicity::Yes,
            false => Atomicity::No,
        }
    }

    /// Whether synchronized blocks are atomic in methods that are not.
    pub(crate) fn blocks_are_atomic(&self) -> bool {
        matches!(self.config.atomic, Atomic::Public | Atomic::Synchronized)
    }

    /// Whether a block or method with this label was said not to be atomic.
    pub(crate) fn is_excluded(&self, label: &str, descriptor: &str) -> bool {
        self.met.not_atomic(self.config, label, descriptor)
    }

    fn carries_annotation(&self, attributes: &interloper_jvm::Attributes<'a>) -> bool {
        if self.config.atomic_annotations.is_empty() {
            return false;
        }
        // Annotations that cannot be read are none.
        let types = self.class.annotation_types(attributes).unwrap_or_default();
        // Not `any`: all that are met count as met.
        types.iter().filter(|it| self.met.annotation(self.config, it)).count() > 0
    }

    fn meets_others(&self, code: &[Located<'a>]) -> bool {
        self.calls(code).any(|(kind, call)| calls::meets_others(kind, &call))
    }

    /// Of a method that is atomic but for the threads that it may start and join, and tasks.
    fn unless_joined(&self, code: &[Located<'a>]) -> Atomicity {
        let mut names: Vec<String> = vec![];
        for (kind, call) in self.calls(code) {
            if !calls::meets_others_if_joined(kind, &call) {
                continue;
            }
            match self.is_joined(&call.class) {
                Some(true) => return Atomicity::No,
                Some(false) => continue,
                None => {}
            }
            let name = call.class.replace('/', ".");
            if !names.contains(&name) && name.len() <= LONGEST_NAME && names.len() < MOST_NAMES {
                names.push(name);
            }
        }
        if names.is_empty() { Atomicity::Yes } else { Atomicity::Unless(names) }
    }

    /// Whether a class of the program is a thread's or a task's, if this class can tell. Old classes cannot ask later, so they have
    /// to go by the name.
    fn is_joined(&self, name: &str) -> Option<bool> {
        let super_name = self.class.super_name().unwrap_or_default();
        match &*super_name {
            above if name == self.class.name && calls::is_joined_of_jdk(above) => Some(true),
            "java/lang/Object" if name == self.class.name => Some(false),
            _ if self.class.major < 49 => Some(name.ends_with("Thread")),
            _ => None,
        }
    }

    /// The calls in a method, but for dynamic ones.
    fn calls(&self, code: &[Located<'a>]) -> impl Iterator<Item = (InvokeKind, MemberRef<'a>)> {
        code.iter().filter_map(|it| match it.instruction {
            Instruction::Invoke(kind, index) => Some((kind, self.class.pool.method(index).ok()?)),
            _ => None,
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

/// The methods of this class that are in place of `run()`: bodies of lambdas that become a `Runnable`, and private methods that
/// become one by a reference, unless the class uses them in another way, too. None if the bootstrap methods cannot be read.
fn runnables(class: &ClassFile<'_>) -> Option<Vec<(String, String)>> {
    let pool = &class.pool;
    let (mut found, mut others) = (vec![], vec![]);
    let mut table = None;
    for constant in pool.constants() {
        let Constant::InvokeDynamic { bootstrap, name_and_type } = *constant else { continue };
        let made = pool.name_and_type(name_and_type).ok()?;
        let runs = made.name == "run" && made.descriptor.ends_with(")Ljava/lang/Runnable;");
        let table = match &table {
            Some(table) => table,
            None => table.insert(class.bootstrap_methods()?),
        };
        for index in &table.get(usize::from(bootstrap))?.arguments {
            let Constant::MethodHandle { reference, .. } = pool.get(*index) else { continue };
            let Ok(body) = pool.method(reference) else { continue };
            if body.class == class.name {
                let body = (body.name.into_owned(), body.descriptor.into_owned());
                if runs { &mut found } else { &mut others }.push(body);
            }
        }
    }
    let access = |body: &(String, String)| {
        let mut methods = class.methods.iter();
        let same = |it: &&Member<'_>| {
            class.member_name(it) == body.0 && class.member_descriptor(it) == body.1
        };
        methods.find(same).map(|it| it.access)
    };
    found.retain(|body| match access(body) {
        Some(access) if access.contains(AccessFlags::SYNTHETIC) => true,
        Some(access) if access.contains(AccessFlags::PRIVATE) => {
            !others.contains(body) && !is_called(class, body)
        }
        _ => false,
    });
    Some(found)
}

/// Whether a class calls a method of its own.
fn is_called(class: &ClassFile<'_>, method: &(String, String)) -> bool {
    let calls = |located: &Located<'_>| match located.instruction {
        Instruction::Invoke(kind, index) if kind != InvokeKind::Dynamic => {
            class.pool.method(index).is_ok_and(|it| {
                it.class == class.name && it.name == method.0 && it.descriptor == method.1
            })
        }
        _ => false,
    };
    // Methods that cannot be read call nothing that is known.
    class.methods.iter().any(|member| {
        let code = class.code(member).ok().flatten();
        let body = code.and_then(|code| class.body(member, &code).ok());
        body.is_some_and(|body| body.instructions.iter().any(calls))
    })
}
