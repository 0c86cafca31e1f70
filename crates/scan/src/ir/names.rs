//! The names that ids stand for.

use hashbrown::HashMap;

use super::{ClassId, DispatchId, MethodRefId, StaticId, Symbol};

/// A method by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodRef {
    /// Its class.
    pub class: ClassId,
    /// Its simple name, `<init>` for constructors.
    pub name: Symbol,
    /// Its descriptor, such as `(I)V`.
    pub descriptor: Symbol,
}

/// How a call finds its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallKind {
    /// `invokestatic`.
    Static,
    /// Exactly the named method: `invokespecial`, or a receiver whose class is known exactly.
    Special,
    /// `invokevirtual`.
    Virtual,
    /// `invokeinterface`.
    Interface,
}

type Index<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// All names of a program, interned. Ids follow the order of interning, so intern in an order that is the
/// same in every run.
#[derive(Debug, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    symbols: Index<Box<str>, Symbol>,
    statics: Vec<(ClassId, Symbol)>,
    static_ids: Index<(ClassId, Symbol), StaticId>,
    methods: Vec<MethodRef>,
    method_ids: Index<MethodRef, MethodRefId>,
    dispatches: Vec<(CallKind, MethodRefId)>,
    dispatch_ids: Index<(CallKind, MethodRefId), DispatchId>,
}

/// Finds or adds a value.
macro_rules! intern {
    ($value:expr, $list:expr, $ids:expr, $id:ident) => {{
        let value = $value;
        if let Some(&id) = $ids.get(&value) {
            id
        } else {
            let id = $id::from_index($list.len());
            $list.push(value);
            $ids.insert(value, id);
            id
        }
    }};
}

impl Names {
    /// The id of a string.
    pub fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(&id) = self.symbols.get(text) {
            return id;
        }
        let id = Symbol::from_index(self.texts.len());
        self.texts.push(text.into());
        self.symbols.insert(text.into(), id);
        id
    }

    /// The id of a string, if it was ever interned.
    pub fn find_symbol(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// The id of a class, by its internal name (`java/util/Vector`; arrays by their descriptor).
    pub fn class(&mut self, internal: &str) -> ClassId {
        ClassId(self.symbol(internal).0)
    }

    /// The id of a class, if its name was ever interned.
    pub fn find_class(&self, internal: &str) -> Option<ClassId> {
        self.find_symbol(internal).map(|s| ClassId(s.0))
    }

    /// The id of a static field. The class should be the one that declares it: equal locks must get equal ids.
    pub fn static_id(&mut self, class: ClassId, name: Symbol) -> StaticId {
        intern!((class, name), self.statics, self.static_ids, StaticId)
    }

    /// The id of a method's name.
    pub fn method_id(&mut self, method: MethodRef) -> MethodRefId {
        intern!(method, self.methods, self.method_ids, MethodRefId)
    }

    /// The id of a method's name, if it was ever interned.
    pub fn find_method(&self, method: &MethodRef) -> Option<MethodRefId> {
        self.method_ids.get(method).copied()
    }

    /// The id of what a call site names.
    pub fn dispatch_id(&mut self, kind: CallKind, method: MethodRefId) -> DispatchId {
        intern!((kind, method), self.dispatches, self.dispatch_ids, DispatchId)
    }

    /// How many strings were interned.
    pub fn symbol_count(&self) -> usize {
        self.texts.len()
    }

    /// The string of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.index()]
    }

    /// A class's internal name.
    pub fn class_text(&self, class: ClassId) -> &str {
        &self.texts[class.index()]
    }

    /// A class's name with dots.
    pub fn class_name(&self, class: ClassId) -> String {
        self.class_text(class).replace('/', ".")
    }

    /// A static field's class and name.
    pub fn static_field(&self, id: StaticId) -> (ClassId, Symbol) {
        self.statics[id.index()]
    }

    /// How many static fields were interned.
    pub fn static_count(&self) -> usize {
        self.statics.len()
    }

    /// A method's parts.
    pub fn method(&self, id: MethodRefId) -> MethodRef {
        self.methods[id.index()]
    }

    /// How many method names were interned.
    pub fn method_count(&self) -> usize {
        self.methods.len()
    }

    /// A dispatch's kind and the method it names.
    pub fn dispatch(&self, id: DispatchId) -> (CallKind, MethodRefId) {
        self.dispatches[id.index()]
    }

    /// How many dispatches were interned.
    pub fn dispatch_count(&self) -> usize {
        self.dispatches.len()
    }

    /// Class and name with dots: `pack.Line.contains`.
    pub fn qualified(&self, id: MethodRefId) -> String {
        let method = self.method(id);
        format!("{}.{}", self.class_name(method.class), self.text(method.name))
    }

    /// A method as people write it: `pack.Line.contains(Location, int)`.
    pub fn method_name(&self, id: MethodRefId) -> String {
        let types = parameter_types(self.text(self.method(id).descriptor));
        format!("{}({})", self.qualified(id), types.join(", "))
    }
}

/// The simple names of a descriptor's parameter types; stops where the descriptor is not one.
fn parameter_types(descriptor: &str) -> Vec<String> {
    let mut types = Vec::new();
    let mut rest = descriptor.strip_prefix('(').unwrap_or("");
    while let Some((name, after)) = parameter_type(rest) {
        types.push(name);
        rest = after;
    }
    types
}

fn parameter_type(text: &str) -> Option<(String, &str)> {
    let element = text.trim_start_matches('[');
    let arrays = text.len() - element.len();
    let (name, rest) = match element.as_bytes().first()? {
        b'B' => ("byte", &element[1..]),
        b'C' => ("char", &element[1..]),
        b'D' => ("double", &element[1..]),
        b'F' => ("float", &element[1..]),
        b'I' => ("int", &element[1..]),
        b'J' => ("long", &element[1..]),
        b'S' => ("short", &element[1..]),
        b'Z' => ("boolean", &element[1..]),
        b'L' => {
            let end = element.find(';')?;
            let simple = element[1..end].rsplit('/').next().unwrap_or("");
            (simple, &element[end + 1..])
        }
        _ => return None,
    };
    Some((format!("{name}{}", "[]".repeat(arrays)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_read_like_source() {
        assert_eq!(
            parameter_types("(I[Ljava/lang/String;[[JLp/A$B;)V"),
            ["int", "String[]", "long[][]", "A$B"]
        );
        assert!(parameter_types("()V").is_empty());
        assert!(parameter_types("(Lbroken").is_empty());
        assert!(parameter_types("").is_empty());
    }

    #[test]
    fn equal_names_get_equal_ids() {
        let mut names = Names::default();
        let class = names.class("p/A");
        let name = names.symbol("f");
        assert_eq!(names.static_id(class, name), names.static_id(class, name));
        assert_eq!(names.find_class("p/A"), Some(class));
        assert_eq!(names.find_class("p/B"), None);
        let descriptor = names.symbol("(I)V");
        let method = names.method_id(MethodRef { class, name, descriptor });
        assert_eq!(names.method_name(method), "p.A.f(int)");
        let virtual_call = names.dispatch_id(CallKind::Virtual, method);
        assert_ne!(virtual_call, names.dispatch_id(CallKind::Special, method));
    }
}
