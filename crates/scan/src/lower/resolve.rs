//! What the instructions of a class refer to, each looked up once.

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::hierarchy::{Accessor, Hierarchy};
use crate::ir::{CallKind, ClassId, DispatchId, MethodRef, Names, StaticId, Symbol};
use interloper_jvm::{
    ClassFile, Constant, FieldType, Flaw, InvokeKind, MethodDescriptor, PoolIndex, Primitive,
};

/// The package of the explicit locks.
const LOCKS: &str = "java/util/concurrent/locks/";

/// A field of a field instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldRef {
    pub name: Symbol,
    /// How many places its value takes.
    pub slots: u8,
    /// Whether its value can be part of a locking expression.
    pub lockable: bool,
    /// The field as a static one, by the class that declares it.
    pub static_id: StaticId,
}

/// A method of an invoke instruction.
#[derive(Clone, Debug)]
pub(super) struct CallRef {
    pub name: Symbol,
    pub descriptor: Symbol,
    pub dispatch: DispatchId,
    /// The parameters, without the receiver.
    pub parameters: SmallVec<[Parameter; 6]>,
    pub result_slots: u8,
    pub has_receiver: bool,
    /// Whether the class of the receiver decides what is called.
    pub is_virtual: bool,
    pub meaning: Meaning,
}

/// A parameter: how many places it takes, and whether it can be part of a locking expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub slots: u8,
    pub lockable: bool,
}

/// What a call is, in the eyes of the analysis.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// A call.
    Call,
    /// A call of a constructor.
    Construct,
    /// A call of which nothing is known, not even the target.
    Dynamic,
    /// `lock()` of an explicit lock.
    Lock,
    /// `unlock()` of an explicit lock.
    Unlock,
    /// As good as an instance field of the receiver: `readLock()`.
    PseudoField(Symbol),
    /// Reads a field of its argument, or a static one.
    Accessor(Reads),
}

/// What an accessor reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reads {
    Field(Symbol),
    Static(StaticId),
}

/// What lowering needs of the whole program, to read only.
#[derive(Clone, Copy)]
pub(super) struct World<'w> {
    pub names: &'w Names,
    pub hierarchy: &'w Hierarchy,
}

type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// Resolves the constants of one class to names of the part of the program it belongs to.
pub(super) struct Resolver<'c, 'a> {
    pub file: &'c ClassFile<'a>,
    pub names: &'c mut Names,
    world: World<'c>,
    fields: Map<PoolIndex, FieldRef>,
    calls: Map<(PoolIndex, u8), CallRef>,
}

impl<'c, 'a> Resolver<'c, 'a> {
    pub fn new(file: &'c ClassFile<'a>, names: &'c mut Names, world: World<'c>) -> Self {
        Resolver { file, names, world, fields: Map::default(), calls: Map::default() }
    }

    /// The field of a field instruction.
    pub fn field(&mut self, index: PoolIndex) -> Result<FieldRef, Flaw> {
        if let Some(found) = self.fields.get(&index) {
            return Ok(*found);
        }
        let field = self.file.pool.field(index)?;
        let kind = FieldType::parse(&field.descriptor)?;
        let resolved = FieldRef {
            name: self.names.symbol(&field.name),
            slots: kind.slots() as u8,
            lockable: is_lockable(kind),
            static_id: self.static_field(&field.class, &field.name),
        };
        self.fields.insert(index, resolved);
        Ok(resolved)
    }

    /// A static field, under the class that declares it, so that it has one name wherever it is read.
    fn static_field(&mut self, class: &str, field: &str) -> StaticId {
        let world = self.world;
        let declaring = || {
            let class = world.names.find_class(class)?;
            let field = world.names.find_symbol(field)?;
            Some(world.names.class_text(world.hierarchy.declaring_class(class, field)))
        };
        let class = self.names.class(declaring().unwrap_or(class));
        let name = self.names.symbol(field);
        self.names.static_id(class, name)
    }

    /// A class, by its constant.
    pub fn class(&mut self, index: PoolIndex) -> Result<ClassId, Flaw> {
        let name = self.file.pool.class_name(index)?;
        Ok(self.names.class(&name))
    }

    /// The method of an invoke instruction.
    pub fn call(&mut self, kind: InvokeKind, index: PoolIndex) -> Result<&CallRef, Flaw> {
        let key = (index, kind as u8);
        if !self.calls.contains_key(&key) {
            let resolved = self.resolve_call(kind, index)?;
            self.calls.insert(key, resolved);
        }
        Ok(&self.calls[&key])
    }

    fn resolve_call(&mut self, kind: InvokeKind, index: PoolIndex) -> Result<CallRef, Flaw> {
        let (class, name, descriptor) = match kind {
            InvokeKind::Dynamic => {
                let site = self.file.pool.invoke_dynamic(index)?;
                ("".into(), site.name, site.descriptor)
            }
            _ => {
                let method = self.file.pool.method(index)?;
                (method.class, method.name, method.descriptor)
            }
        };
        let types = MethodDescriptor::parse(&descriptor)?;
        let is_virtual = matches!(kind, InvokeKind::Virtual | InvokeKind::Interface);
        let call_kind = match kind {
            InvokeKind::Static | InvokeKind::Dynamic => CallKind::Static,
            InvokeKind::Special => CallKind::Special,
            InvokeKind::Virtual => CallKind::Virtual,
            InvokeKind::Interface => CallKind::Interface,
        };
        let meaning = match kind {
            InvokeKind::Dynamic => Meaning::Dynamic,
            _ if &*name == "<init>" => Meaning::Construct,
            InvokeKind::Static => self.accessor(&class, &name, &descriptor),
            _ => self.lock_method(&class, &name, &descriptor),
        };
        let parameter =
            |it: &FieldType<'_>| Parameter { slots: it.slots() as u8, lockable: is_lockable(*it) };
        let dispatch = match meaning {
            Meaning::Call | Meaning::Construct => {
                let class = self.names.class(&class);
                self.dispatch(call_kind, class, &name, &descriptor)
            }
            _ => DispatchId(u32::MAX),
        };
        Ok(CallRef {
            name: self.names.symbol(&name),
            descriptor: self.names.symbol(&descriptor),
            dispatch,
            parameters: types.parameters.iter().map(parameter).collect(),
            result_slots: types.result_slots() as u8,
            has_receiver: !matches!(kind, InvokeKind::Static | InvokeKind::Dynamic),
            is_virtual,
            meaning,
        })
    }

    fn dispatch(&mut self, kind: CallKind, class: ClassId, name: &str, types: &str) -> DispatchId {
        let name = self.names.symbol(name);
        let descriptor = self.names.symbol(types);
        let method = self.names.method_id(MethodRef { class, name, descriptor });
        self.names.dispatch_id(kind, method)
    }

    /// The dispatch of a virtual call on an object of exactly this class.
    pub fn exact_dispatch(&mut self, class: ClassId, name: Symbol, types: Symbol) -> DispatchId {
        let method = MethodRef { class, name, descriptor: types };
        let method = self.names.method_id(method);
        self.names.dispatch_id(CallKind::Special, method)
    }

    fn accessor(&mut self, class: &str, name: &str, descriptor: &str) -> Meaning {
        if !name.starts_with("access$") {
            return Meaning::Call;
        }
        let world = self.world;
        let find = || {
            let class = world.names.find_class(class)?;
            let name = world.names.find_symbol(name)?;
            let descriptor = world.names.find_symbol(descriptor)?;
            world.hierarchy.accessor(class, name, descriptor)
        };
        match find() {
            Some(Accessor::Field(field)) => {
                Meaning::Accessor(Reads::Field(self.names.symbol(world.names.text(field))))
            }
            Some(Accessor::Static(class, field)) => {
                let (class, field) = (world.names.class_text(class), world.names.text(field));
                Meaning::Accessor(Reads::Static(self.static_field(class, field)))
            }
            None => Meaning::Call,
        }
    }

    fn lock_method(&mut self, class: &str, name: &str, descriptor: &str) -> Meaning {
        match name {
            "lock" | "lockInterruptibly" if descriptor == "()V" && self.is_lock(class, "Lock") => {
                Meaning::Lock
            }
            "unlock" if descriptor == "()V" && self.is_lock(class, "Lock") => Meaning::Unlock,
            "readLock" | "writeLock" if is_parameterless_lock(descriptor) => {
                self.pseudo_field(class, name, "ReadWriteLock")
            }
            "asReadLock" | "asWriteLock" if is_parameterless_lock(descriptor) => {
                self.pseudo_field(class, name, "StampedLock")
            }
            _ => Meaning::Call,
        }
    }

    fn pseudo_field(&mut self, class: &str, name: &str, ending: &str) -> Meaning {
        if self.is_lock(class, ending) {
            Meaning::PseudoField(self.names.symbol(&format!("{name}()")))
        } else {
            Meaning::Call
        }
    }

    /// Whether a class is, extends or implements one of the explicit locks whose name ends so.
    fn is_lock(&self, class: &str, ending: &str) -> bool {
        let is_one = |name: &str| name.starts_with(LOCKS) && name.ends_with(ending);
        let names = self.world.names;
        is_one(class)
            || names.find_class(class).is_some_and(|id| {
                self.world.hierarchy.has_supertype(id, |it| is_one(names.class_text(it)))
            })
    }
}

/// `()Ljava/util/concurrent/locks/Lock;` and the like.
fn is_parameterless_lock(descriptor: &str) -> bool {
    descriptor.strip_prefix("()L").is_some_and(|result| result.starts_with(LOCKS))
}

/// Whether a value of this type can be a lock, lead to one, or be the index of one.
pub(super) fn is_lockable(kind: FieldType<'_>) -> bool {
    match kind {
        FieldType::Primitive(primitive) => matches!(
            primitive,
            Primitive::Int | Primitive::Short | Primitive::Byte | Primitive::Char
        ),
        _ => true,
    }
}

/// What `ldc` pushes, as far as locking expressions go.
pub(super) enum Loaded {
    Int(i32),
    Class(PoolIndex),
    Other,
}

/// Looks at the constant of an `ldc`.
pub(super) fn loaded(file: &ClassFile<'_>, index: PoolIndex) -> Loaded {
    match file.pool.get(index) {
        Constant::Integer(value) => Loaded::Int(value),
        Constant::Class(_) => Loaded::Class(index),
        _ => Loaded::Other,
    }
}
