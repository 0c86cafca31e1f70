use super::*;
use crate::ir::MethodRef;

/// A hierarchy of classes without class files: name, superclass, interfaces, methods (all `()V`).
struct World {
    names: Names,
    hierarchy: Hierarchy,
}

impl World {
    fn new(classes: &[(&str, &str, &[&str], &[&str])]) -> World {
        let mut names = Names::default();
        let files: Vec<Vec<u8>> =
            classes.iter().map(|it| class_file(it.0, it.1, it.2, it.3)).collect();
        let mut hierarchy = Hierarchy::default();
        for bytes in &files {
            let file = interloper_jvm::ClassFile::parse(bytes).unwrap();
            assert!(hierarchy.add(&mut names, &file));
            assert!(!hierarchy.add(&mut names, &file), "the second of a name does not count");
        }
        hierarchy.link(&mut names);
        World { names, hierarchy }
    }

    /// The targets of a call of `class.method()V`, as positions of the bodies in the order of declaration.
    fn call(&mut self, kind: CallKind, class: &str, method: &str) -> Vec<u32> {
        let class = self.names.class(class);
        let name = self.names.symbol(method);
        let descriptor = self.names.symbol("()V");
        let method = self.names.method_id(MethodRef { class, name, descriptor });
        let dispatch = self.names.dispatch_id(kind, method);
        let mut targets: Vec<u32> =
            self.hierarchy.targets(&self.names, dispatch).iter().map(|it| it.0).collect();
        targets.sort_unstable();
        targets
    }
}

/// Names that begin with `I` are interfaces; methods with `-` are abstract.
fn class_file(name: &str, superclass: &str, interfaces: &[&str], methods: &[&str]) -> Vec<u8> {
    let mut texts = vec!["()V", "Code", name, superclass];
    texts.extend(interfaces);
    texts.extend(methods.iter().map(|it| it.trim_start_matches('-')));
    let mut file = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];
    let put = |file: &mut Vec<u8>, number: usize| file.extend((number as u16).to_be_bytes());
    put(&mut file, 2 * texts.len() + 1);
    for text in &texts {
        file.push(1);
        put(&mut file, text.len());
        file.extend(text.as_bytes());
    }
    for number in 0..texts.len() {
        file.push(7);
        put(&mut file, number + 1);
    }
    let class = |number: usize| texts.len() + number;
    put(&mut file, if name.starts_with('I') { 0x600 } else { 0x20 });
    put(&mut file, class(3));
    put(&mut file, class(4));
    put(&mut file, interfaces.len());
    (0..interfaces.len()).for_each(|it| put(&mut file, class(5 + it)));
    put(&mut file, 0);
    put(&mut file, methods.len());
    for (number, method) in methods.iter().enumerate() {
        let is_abstract = method.starts_with('-');
        put(&mut file, if is_abstract { 0x400 } else { 0 });
        put(&mut file, 5 + interfaces.len() + number);
        put(&mut file, 1);
        put(&mut file, usize::from(!is_abstract));
        if !is_abstract {
            put(&mut file, 2);
            file.extend([0, 0, 0, 13, 0, 0, 0, 1, 0, 0, 0, 1, 0xb1, 0, 0, 0, 0]);
        }
    }
    put(&mut file, 0);
    file
}

const OBJECT: &str = "java/lang/Object";

#[test]
fn overriding_methods_are_found_below() {
    let mut world = World::new(&[
        ("A", OBJECT, &[], &["m", "n"]), // 0, 1
        ("B", "A", &[], &["m"]),         // 2
        ("C", "B", &[], &["n"]),         // 3
    ]);
    assert_eq!(world.call(CallKind::Virtual, "A", "m"), [0, 2]);
    assert_eq!(world.call(CallKind::Virtual, "B", "m"), [2]);
    assert_eq!(world.call(CallKind::Virtual, "C", "m"), [2]);
    assert_eq!(world.call(CallKind::Virtual, "B", "n"), [1, 3]);
    assert_eq!(world.call(CallKind::Special, "A", "m"), [0]);
    assert_eq!(world.call(CallKind::Special, "C", "m"), [2]);
    assert_eq!(world.call(CallKind::Virtual, "A", "nothing"), []);
    assert_eq!(world.call(CallKind::Virtual, "Elsewhere", "m"), []);
}

#[test]
fn interfaces_are_implemented_by_inheritance_too() {
    let mut world = World::new(&[
        ("I", OBJECT, &[], &["-m"]),
        ("Base", OBJECT, &[], &["m"]), // 0
        ("Derived", "Base", &["I"], &[]),
        ("Other", OBJECT, &["I"], &["m"]),  // 1
        ("Unrelated", OBJECT, &[], &["m"]), // 2
    ]);
    assert_eq!(world.call(CallKind::Interface, "I", "m"), [0, 1]);
}

#[test]
fn default_methods_give_way_to_nearer_ones() {
    let mut world = World::new(&[
        ("I", OBJECT, &[], &["m"]),     // 0
        ("IJ", OBJECT, &["I"], &["m"]), // 1
        ("A", OBJECT, &["I", "IJ"], &[]),
        ("B", "A", &[], &["m"]), // 2
    ]);
    assert_eq!(world.call(CallKind::Special, "A", "m"), [1]);
    assert_eq!(world.call(CallKind::Interface, "I", "m"), [0, 1, 2]);
    assert_eq!(world.call(CallKind::Virtual, "A", "m"), [1, 2]);
}

#[test]
fn classes_known_by_name_only_connect_those_that_are_given() {
    let mut world = World::new(&[
        ("Task", OBJECT, &["java/lang/Runnable"], &["run"]), // 0
        ("Window", "java/awt/Frame", &[], &["run", "toString"]), // 1, 2
    ]);
    assert_eq!(world.call(CallKind::Interface, "java/lang/Runnable", "run"), [0]);
    assert_eq!(world.call(CallKind::Virtual, "java/awt/Frame", "run"), [1]);
    assert_eq!(world.call(CallKind::Virtual, OBJECT, "toString"), [2]);
}

#[test]
fn circles_are_cut() {
    let mut world = World::new(&[
        ("A", "B", &["IA"], &["m"]),
        ("B", "A", &["IB"], &["m"]),
        ("IA", OBJECT, &["IB", "IA"], &["m"]),
        ("IB", OBJECT, &["IA"], &["n"]),
    ]);
    for class in ["A", "B", "IA", "IB"] {
        assert!(!world.call(CallKind::Virtual, class, "m").is_empty());
        let id = world.names.class(class);
        assert!(!world.hierarchy.has_supertype(id, |_| false));
    }
}

#[test]
fn too_many_targets_are_none() {
    let mut world =
        World::new(&[("A", OBJECT, &[], &["m"]), ("B", "A", &[], &["m"]), ("C", "A", &[], &["m"])]);
    world.call(CallKind::Virtual, "A", "m");
    let (all, capped) = world.hierarchy.callees(&world.names, Some(3), true);
    assert_eq!((all.of(DispatchId(0)).len(), capped.dispatches), (3, 0));
    let (none, capped) = world.hierarchy.callees(&world.names, Some(2), true);
    assert_eq!((none.of(DispatchId(0)).len(), capped.dispatches), (0, 1));
}
