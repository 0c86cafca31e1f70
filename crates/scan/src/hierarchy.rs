//! Which classes there are, how they inherit, and which methods a call may reach.
//!
//! Class hierarchy analysis (Dean, Grove, Chambers, 1995): a call reaches the method that the named class has or
//! inherits, and every method that overrides it in a subtype. The world is open: abstract classes count as well as
//! others, as somebody may extend them. Classes that are named but not given (those of the JDK, mostly) are known
//! by name only; whether calls on them reach the given classes that extend or implement them is up to who asks.
//!
//! Deviations: a call on an object whose class is known exactly is a [`CallKind::Special`] of that class; a private
//! method is reached only by calls that name it; package-private methods of the same name and type in
//! different packages are taken to override each other.

mod read;
mod select;
#[cfg(test)]
mod tests;

use hashbrown::HashMap;

pub(crate) use read::has_body;

use crate::ir::{CallKind, Callees, ClassId, DispatchId, MethodId, Names, Symbol};
use interloper_jvm::AccessFlags;
use rayon::prelude::*;

/// A position in [`Hierarchy::classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Position(u32);

impl Position {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A method as its class declares it.
#[derive(Clone, Copy, Debug)]
struct Declared {
    name: Symbol,
    descriptor: Symbol,
    access: AccessFlags,
    /// None for abstract and native methods.
    body: Option<MethodId>,
}

/// What is known of a class.
#[derive(Clone, Debug)]
struct Class {
    id: ClassId,
    /// Whether its class file was given; otherwise it is only named by others.
    given: bool,
    access: AccessFlags,
    superclass: Option<Position>,
    interfaces: Vec<Position>,
    /// The classes and interfaces that name it as superclass or interface.
    subtypes: Vec<Position>,
    /// Sorted by name and descriptor.
    methods: Vec<Declared>,
    /// Names of the static fields.
    statics: Vec<Symbol>,
    annotations: Vec<ClassId>,
}

/// A method that only reads a field: how compilers let nested classes read private fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accessor {
    /// The instance field of the first argument.
    Field(Symbol),
    /// A static field.
    Static(ClassId, Symbol),
}

type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// All classes. Filled by [`Hierarchy::add`], usable after [`Hierarchy::link`].
#[derive(Debug, Default)]
pub struct Hierarchy {
    classes: Vec<Class>,
    positions: Map<ClassId, Position>,
    accessors: Map<(ClassId, Symbol, Symbol), Accessor>,
    method_annotations: Map<MethodId, Vec<ClassId>>,
    bodies: u32,
}

/// What [`Hierarchy::callees`] had to leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capped {
    /// How many dispatches had too many targets, and got none.
    pub dispatches: usize,
    /// How many dispatches on types that were not given had targets, and got none.
    pub callbacks: usize,
}

impl Hierarchy {
    /// How many methods with a body there are: one more than the largest [`MethodId`].
    pub fn body_count(&self) -> usize {
        self.bodies as usize
    }

    /// How many classes were given.
    pub fn class_count(&self) -> usize {
        self.classes.iter().filter(|it| it.given).count()
    }

    fn find(&self, class: ClassId) -> Option<Position> {
        self.positions.get(&class).copied()
    }

    fn at(&self, position: Position) -> &Class {
        &self.classes[position.index()]
    }

    /// Whether the class file of a class was given.
    pub fn is_given(&self, class: ClassId) -> bool {
        self.find(class).is_some_and(|it| self.at(it).given)
    }

    /// The annotations of a class.
    pub fn class_annotations(&self, class: ClassId) -> &[ClassId] {
        self.find(class).map_or(&[], |it| &self.at(it).annotations)
    }

    /// The annotations of a method.
    pub fn method_annotations(&self, method: MethodId) -> &[ClassId] {
        self.method_annotations.get(&method).map_or(&[], |it| it)
    }

    /// What a static method reads and returns, if it does nothing else.
    pub fn accessor(&self, class: ClassId, name: Symbol, descriptor: Symbol) -> Option<Accessor> {
        self.accessors.get(&(class, name, descriptor)).copied()
    }

    /// Whether a class or interface of which `accept` holds is `class` or above it.
    pub fn has_supertype(&self, class: ClassId, mut accept: impl FnMut(ClassId) -> bool) -> bool {
        let Some(start) = self.find(class) else { return accept(class) };
        self.supertypes(start).into_iter().any(|it| accept(self.at(it).id))
    }

    /// The class or interface that declares a static field which `class` has or inherits; `class` itself where
    /// that is not known.
    pub fn declaring_class(&self, class: ClassId, field: Symbol) -> ClassId {
        let Some(start) = self.find(class) else { return class };
        if self.at(start).statics.contains(&field) {
            return class;
        }
        let all = self.supertypes(start);
        let found = all.into_iter().find(|it| self.at(*it).statics.contains(&field));
        found.map_or(class, |it| self.at(it).id)
    }

    /// The methods that each dispatch of a program may reach. A dispatch with more than `cap` targets gets none: so
    /// many say nothing of the call. Without `callbacks`, a virtual call on a type that was not given gets none either: that
    /// type has other implementations, most likely, than the ones that happen to be given.
    pub fn callees(&self, names: &Names, cap: Option<usize>, callbacks: bool) -> (Callees, Capped) {
        let cap = cap.unwrap_or(usize::MAX);
        let all: Vec<(Vec<MethodId>, bool)> = (0..names.dispatch_count())
            .into_par_iter()
            .map(|at| {
                let dispatch = DispatchId::from_index(at);
                (self.targets(names, dispatch), !callbacks && self.is_open(names, dispatch))
            })
            .collect();
        let mut callees = Callees::default();
        let mut capped = Capped::default();
        for (targets, open) in all {
            let many = targets.len() > cap;
            capped.callbacks += usize::from(open && !targets.is_empty());
            capped.dispatches += usize::from(many && !open);
            callees.push(if many || open { Vec::new() } else { targets });
        }
        (callees, capped)
    }

    /// Whether a dispatch asks the class of an object whose type was not given.
    fn is_open(&self, names: &Names, dispatch: DispatchId) -> bool {
        let (kind, method) = names.dispatch(dispatch);
        matches!(kind, CallKind::Virtual | CallKind::Interface)
            && !self.is_given(names.method(method).class)
    }

    /// The methods that a dispatch may reach, in no particular order, perhaps some of them twice.
    pub fn targets(&self, names: &Names, dispatch: DispatchId) -> Vec<MethodId> {
        let (kind, method) = names.dispatch(dispatch);
        let method = names.method(method);
        let Some(class) = self.find(method.class) else { return Vec::new() };
        let key = (method.name, method.descriptor);
        match kind {
            CallKind::Static | CallKind::Special => self.select(class, key),
            CallKind::Virtual | CallKind::Interface => self.overriders(class, key),
        }
    }
}
