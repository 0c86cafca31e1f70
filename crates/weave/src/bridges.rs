//! Method references to calls that get probes: `lock::lock`, `AtomicInteger::incrementAndGet`.
//!
//! Such a reference is no call in the class: the JVM makes an object that calls the JDK by itself. So the reference
//! is led to a method that is added to the class, a *bridge*, which makes the call, and is woven like every method.
//! A bridge has the type of the call, with the receiver first; if the receiver is captured, of the type that it is captured with, as
//! `LambdaMetafactory` wants these to be the same.
//!
//! Methods can be added to a class only when it is loaded first, and have to stay when it is redefined. So the name
//! of a bridge says what it calls, and it can be made again from its name and descriptor ([`Bridges::Kept`]).
//!
//! Deviations: references are left alone if they can be serialized, as that writes down what they lead to, and if they
//! are to constructors, which let nobody in.

use crate::around::value_kind;
use crate::method::line_of;
use crate::{FIELD, calls, handles};
use interloper_jvm::rewrite::{ClassEdit, NewMethod, Refusal, Snippet};
use interloper_jvm::{
    AccessFlags, BootstrapMethod, ClassFile, Constant, FieldType, Instruction, InvokeKind, Local,
    Member, MemberRef, MethodDescriptor, PoolIndex,
};
use std::collections::{BTreeMap, HashMap};

/// Which bridges a class gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bridges<'l> {
    /// Those it needs.
    #[default]
    Needed,
    /// It is in the JVM already and has these, by name and descriptor.
    Kept(&'l [(String, String)]),
}

/// The argument of a metafactory that is the method referred to.
const IMPLEMENTATION: usize = 1;
/// The argument of `altMetafactory` that holds flags, and the flag of what can be serialized.
const FLAGS: usize = 3;
const SERIALIZABLE: i32 = 1;

/// Whether a method of this name is one that was added to its class: a bridge, or the copy of a method.
pub fn is_bridge(name: &str) -> bool {
    name.strip_prefix(FIELD).is_some_and(|it| it.contains(SEPARATOR))
}

/// What a bridge of this name is called in reports: `Lock::lock`.
pub(crate) fn label(name: &str) -> Option<String> {
    let (owner, name) = name.strip_prefix(FIELD)?.rsplit_once(SEPARATOR)?;
    let (_, owner) = owner.rsplit_once(SEPARATOR)?;
    Some(format!("{owner}::{name}"))
}

/// The class with its bridges; `None` if it has none.
pub(crate) fn add(class: &ClassFile<'_>, wanted: Bridges<'_>) -> Result<Option<Vec<u8>>, Refusal> {
    let mut bridges = BTreeMap::new();
    if let Bridges::Kept(kept) = wanted {
        for (name, descriptor) in kept {
            bridges
                .extend(Bridge::kept(name, descriptor).map(|bridge| (bridge.key(), (bridge, 0))));
        }
        if bridges.is_empty() {
            return Ok(None);
        }
    }
    let references = references(class);
    let mut edit = ClassEdit::new(class);
    let lines = if references.is_empty() { HashMap::new() } else { lines(class) };
    for (site, bridge) in references {
        if wanted != Bridges::Needed && !bridges.contains_key(&bridge.key()) {
            continue;
        }
        let handle = bridge.handle(&mut edit)?;
        edit.set_bootstrap_argument(site, IMPLEMENTATION, handle)?;
        let (_, line) = bridges.entry(bridge.key()).or_insert((bridge, 0));
        if *line == 0 {
            *line = lines.get(&site).copied().unwrap_or(0);
        }
    }
    for (bridge, line) in bridges.values() {
        bridge.add_to(&mut edit, *line)?;
    }
    Ok((!bridges.is_empty()).then(|| edit.finish()))
}

/// The call sites of references that need a bridge.
fn references(class: &ClassFile<'_>) -> Vec<(PoolIndex, Bridge)> {
    let interface = class.access.contains(AccessFlags::INTERFACE);
    if interface && class.major < 52 {
        return vec![];
    }
    let mut table = None;
    let mut found = vec![];
    for (index, constant) in class.pool.constants().iter().enumerate() {
        let Constant::InvokeDynamic { bootstrap, name_and_type } = *constant else { continue };
        let table = table.get_or_insert_with(|| class.bootstrap_methods().unwrap_or_default());
        let Some(method) = table.get(usize::from(bootstrap)) else { continue };
        let Ok(site) = class.pool.name_and_type(name_and_type) else { continue };
        let Some((kind, target)) = referred_to(class, method) else { continue };
        let bridge = Bridge::to(kind, &target, &site.descriptor);
        found.extend(bridge.map(|bridge| (PoolIndex(index as u16), bridge)));
    }
    found
}

/// The method that a bootstrap method makes a reference to, if its calls get probes.
fn referred_to<'a>(
    class: &ClassFile<'a>,
    bootstrap: &BootstrapMethod,
) -> Option<(InvokeKind, MemberRef<'a>)> {
    let pool = &class.pool;
    let handle = |index: PoolIndex| match pool.get(index) {
        Constant::MethodHandle { kind, reference } => Some((kind, pool.method(reference).ok()?)),
        _ => None,
    };
    let (_, maker) = handle(bootstrap.method)?;
    if maker.class != "java/lang/invoke/LambdaMetafactory" {
        return None;
    }
    if maker.name == "altMetafactory" {
        let Constant::Integer(flags) = pool.get(*bootstrap.arguments.get(FLAGS)?) else {
            return None;
        };
        if flags & SERIALIZABLE != 0 {
            return None;
        }
    }
    let (kind, target) = handle(*bootstrap.arguments.get(IMPLEMENTATION)?)?;
    let kind = match (kind, target.interface) {
        (5, false) => InvokeKind::Virtual,
        (6, false) => InvokeKind::Static,
        (9, true) => InvokeKind::Interface,
        _ => return None,
    };
    gets_probes(kind, &target).then_some((kind, target))
}

/// Whether a call gets probes. Calls of variable handles are of many types, references of one; copying is protected.
fn gets_probes(kind: InvokeKind, target: &MemberRef<'_>) -> bool {
    target.class != handles::HANDLE
        && target.name != "clone"
        && (calls::effect(kind, target).is_some() || calls::may_hand_over(target))
}

/// The line of each dynamic call site, where it is first used.
fn lines(class: &ClassFile<'_>) -> HashMap<PoolIndex, u16> {
    let mut lines = HashMap::new();
    for method in &class.methods {
        // What cannot be read is for the weaver to complain about.
        let _ = lines_in(class, method, &mut lines);
    }
    lines
}

fn lines_in(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    lines: &mut HashMap<PoolIndex, u16>,
) -> Option<()> {
    let code = class.code(method).ok()??;
    let body = class.body(method, &code).ok()?;
    let numbers = class.line_numbers(method, &code).ok()?;
    for (i, located) in body.instructions.iter().enumerate() {
        let Instruction::Invoke(InvokeKind::Dynamic, index) = located.instruction else { continue };
        lines.entry(index).or_insert(line_of(&numbers, &body, i) as u16);
    }
    Some(())
}

/// Texts in class files have 65,535 bytes at most; no compiler makes names and descriptors of this length.
const LONGEST: usize = 16_000;

/// Stands for `/` in the names of bridges, and between their parts.
const SEPARATOR: char = ':';

/// A method that makes a call which is referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bridge {
    kind: InvokeKind,
    owner: String,
    name: String,
    /// The call's.
    descriptor: String,
    /// The class of the first parameter, if there is a receiver.
    receiver: Option<String>,
}

impl Bridge {
    /// For a reference that is made from what is in the descriptor of its call site.
    fn to(kind: InvokeKind, target: &MemberRef<'_>, site: &str) -> Option<Bridge> {
        let captured = MethodDescriptor::parse(site).ok()?.parameters;
        let receiver = match (kind, captured.first()) {
            (InvokeKind::Static, _) => None,
            (_, None) => Some(target.class.to_string()),
            (_, Some(FieldType::Object(class))) => Some((*class).to_owned()),
            (_, Some(_)) => return None,
        };
        let nameable = !target.class.starts_with('[')
            && ![&target.class, &target.name].iter().any(|it| it.contains(SEPARATOR));
        let bridge = Bridge {
            kind,
            owner: target.class.to_string(),
            name: target.name.to_string(),
            descriptor: target.descriptor.to_string(),
            receiver,
        };
        (nameable && bridge.is_callable()).then_some(bridge)
    }

    /// Whether the descriptor can be read, and nothing is longer than it can be.
    fn is_callable(&self) -> bool {
        let (name, descriptor) = (self.key().0, MethodDescriptor::parse(&self.descriptor));
        let receiver = self.receiver.as_ref().map_or(0, String::len);
        name.len() + self.descriptor.len() + receiver < LONGEST
            && descriptor.is_ok_and(|it| it.parameter_slots() < 255)
    }

    /// The bridge of this name and descriptor.
    fn kept(name: &str, descriptor: &str) -> Option<Bridge> {
        let (kind, target) = name.strip_prefix(FIELD)?.split_once(SEPARATOR)?;
        let (owner, name) = target.rsplit_once(SEPARATOR)?;
        let kind = match kind {
            "virtual" => InvokeKind::Virtual,
            "static" => InvokeKind::Static,
            "interface" => InvokeKind::Interface,
            _ => return None,
        };
        let (receiver, descriptor) = match kind {
            InvokeKind::Static => (None, descriptor.to_owned()),
            _ => {
                let (receiver, rest) = descriptor.strip_prefix("(L")?.split_once(';')?;
                (Some(receiver.to_owned()), format!("({rest}"))
            }
        };
        let owner = owner.replace(SEPARATOR, "/");
        let bridge = Bridge { kind, owner, name: name.to_owned(), descriptor, receiver };
        bridge.is_callable().then_some(bridge)
    }

    /// Its own name and descriptor.
    fn key(&self) -> (String, String) {
        let kind = match self.kind {
            InvokeKind::Static => "static",
            InvokeKind::Interface => "interface",
            _ => "virtual",
        };
        let owner = self.owner.replace('/', ":");
        let name = format!("{FIELD}{kind}{SEPARATOR}{owner}{SEPARATOR}{}", self.name);
        let descriptor = match &self.receiver {
            Some(class) => format!("(L{class};{}", self.descriptor.trim_start_matches('(')),
            None => self.descriptor.clone(),
        };
        (name, descriptor)
    }

    /// A handle for it.
    fn handle(&self, edit: &mut ClassEdit<'_>) -> Result<PoolIndex, Refusal> {
        let class = edit.class();
        let (name, descriptor) = self.key();
        let constants = edit.constants();
        let method = match class.access.contains(AccessFlags::INTERFACE) {
            true => constants.interface_method(&class.name, &name, &descriptor)?,
            false => constants.method(&class.name, &name, &descriptor)?,
        };
        constants.static_handle(method)
    }

    fn add_to(&self, edit: &mut ClassEdit<'_>, line: u16) -> Result<(), Refusal> {
        let (name, descriptor) = self.key();
        // It is callable, so the descriptor can be read.
        let Ok(parsed) = MethodDescriptor::parse(&descriptor) else { return Ok(()) };
        let mut code = Snippet::new();
        let mut slots = 0;
        for parameter in &parsed.parameters {
            code = code.load(value_kind(*parameter), Local(slots));
            if let (0, Some(class)) = (slots, self.cast(&edit.class().name)) {
                code = code.check_cast(edit.constants().class(class)?);
            }
            slots += parameter.slots();
        }
        let constants = edit.constants();
        let (owner, called, of_call) = (&self.owner, &self.name, &self.descriptor);
        code = match self.kind {
            InvokeKind::Static => code.invoke_static(constants.method(owner, called, of_call)?),
            InvokeKind::Interface => {
                let method = constants.interface_method(owner, called, of_call)?;
                code.invoke_interface(method, slots as u8)
            }
            _ => code.invoke_virtual(constants.method(owner, called, of_call)?),
        };
        code = code.return_from_method(parsed.result.map(value_kind));
        let flags = [AccessFlags::PRIVATE, AccessFlags::STATIC, AccessFlags::SYNTHETIC];
        edit.add_method(&NewMethod {
            access: AccessFlags(flags.iter().fold(0, |all, flag| all | flag.0)),
            name: &name,
            descriptor: &descriptor,
            code,
            max_stack: slots.max(parsed.result_slots() as u16),
            max_locals: slots,
            line,
        })
    }

    /// What the receiver has to be cast to. Without a cast the verifier would have to load its class; of the
    /// class that the bridge is in, it knows what it is.
    fn cast(&self, class: &str) -> Option<&str> {
        let receiver = self.receiver.as_deref()?;
        (receiver != self.owner && receiver != class).then_some(&self.owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::tests::call;

    #[test]
    fn bridges_can_be_made_again_from_their_names() {
        let lock = call("java/util/concurrent/locks/Lock", "tryLock", "(J)Z");
        for (kind, site) in [
            (InvokeKind::Interface, "()Ljava/lang/Runnable;"),
            (InvokeKind::Interface, "(La/MyLock;)Ljava/lang/Runnable;"),
            (InvokeKind::Virtual, "(La/MyLock;I)Ljava/lang/Runnable;"),
            (InvokeKind::Static, "()Ljava/lang/Runnable;"),
        ] {
            let bridge = Bridge::to(kind, &lock, site).unwrap();
            let (name, descriptor) = bridge.key();
            assert!(is_bridge(&name));
            assert_eq!(label(&name).as_deref(), Some("Lock::tryLock"));
            assert_eq!(Bridge::kept(&name, &descriptor), Some(bridge));
        }
    }

    #[test]
    fn other_methods_are_no_bridges() {
        for name in ["lock", "$interloper$", "lambda$main$0", "a:b:c"] {
            assert!(!is_bridge(name));
            assert_eq!(Bridge::kept(name, "()V"), None);
            assert_eq!(label(name), None);
        }
    }

    #[test]
    fn receivers_are_cast_only_if_the_verifier_would_have_to_load_them() {
        let lock = call("java/util/concurrent/locks/ReentrantLock", "lock", "()V");
        let cast =
            |site| Bridge::to(InvokeKind::Virtual, &lock, site).unwrap().cast("a/Host").is_some();
        assert!(!cast("()Lx/F;"));
        assert!(!cast("(Ljava/util/concurrent/locks/ReentrantLock;)Lx/F;"));
        assert!(!cast("(La/Host;)Lx/F;"));
        assert!(cast("(La/MyLock;)Lx/F;"));
    }
}
