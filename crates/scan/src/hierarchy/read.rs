//! Fills the hierarchy from class files.

use super::{Accessor, Class, Declared, Hierarchy, Position};
use crate::ir::{ClassId, MethodId, Names};
use interloper_jvm::{AccessFlags, ClassFile, Member, PoolIndex};

const OBJECT: &str = "java/lang/Object";

impl Hierarchy {
    /// Adds a class and gives its methods ids, in their order: those with code, and native ones that are synchronized.
    /// False if there is a class of that name already: as on a class path, the first one counts.
    pub fn add(&mut self, names: &mut Names, file: &ClassFile<'_>) -> bool {
        let id = names.class(&file.name);
        let position = self.position(id);
        if self.at(position).given {
            return false;
        }
        let superclass = file.super_name().map(|it| self.position(names.class(&it)));
        let interfaces = file.interface_names().map(|it| self.position(names.class(&it))).collect();
        let methods = self.read_methods(names, file, id);
        let annotations = read_annotations(names, file, None);
        let is_static = |it: &&Member<'_>| it.access.contains(AccessFlags::STATIC);
        let statics = file.fields.iter().filter(is_static);
        self.classes[position.index()] = Class {
            id,
            given: true,
            access: file.access,
            superclass,
            interfaces,
            subtypes: Vec::new(),
            methods,
            statics: statics.map(|it| names.symbol(&file.member_name(it))).collect(),
            annotations,
        };
        true
    }

    fn position(&mut self, id: ClassId) -> Position {
        *self.positions.entry(id).or_insert_with(|| {
            let position = Position(self.classes.len() as u32);
            self.classes.push(Class {
                id,
                given: false,
                access: AccessFlags(0),
                superclass: None,
                interfaces: Vec::new(),
                subtypes: Vec::new(),
                methods: Vec::new(),
                statics: Vec::new(),
                annotations: Vec::new(),
            });
            position
        })
    }

    fn read_methods(
        &mut self,
        names: &mut Names,
        file: &ClassFile<'_>,
        class: ClassId,
    ) -> Vec<Declared> {
        let mut methods = Vec::with_capacity(file.methods.len());
        for member in &file.methods {
            let name = names.symbol(&file.member_name(member));
            let descriptor = names.symbol(&file.member_descriptor(member));
            let body = has_body(file, member).then(|| {
                self.bodies += 1;
                MethodId(self.bodies - 1)
            });
            if let Some(body) = body {
                let annotations = read_annotations(names, file, Some(member));
                if !annotations.is_empty() {
                    self.method_annotations.insert(body, annotations);
                }
            }
            if let Some(accessor) = read_accessor(names, file, member) {
                self.accessors.insert((class, name, descriptor), accessor);
            }
            methods.push(Declared { name, descriptor, access: member.access, body });
        }
        methods.sort_by_key(|it| (it.name, it.descriptor));
        methods
    }

    /// Connects classes with their subtypes. Call it once, after the last [`Hierarchy::add`].
    pub fn link(&mut self, names: &mut Names) {
        let object = self.position(names.class(OBJECT));
        for (at, class) in self.classes.iter_mut().enumerate() {
            // classes that are known by name only extend Object, as everything does
            if !class.given && at != object.index() {
                class.superclass = Some(object);
            }
        }
        self.cut_cycles();
        for at in 0..self.classes.len() {
            let class = &self.classes[at];
            let above: Vec<Position> =
                class.superclass.into_iter().chain(class.interfaces.iter().copied()).collect();
            for it in above {
                self.classes[it.index()].subtypes.push(Position(at as u32));
            }
        }
    }

    /// Class files can claim to inherit in circles. No JVM would load them; here the step that closes the circle
    /// is left out.
    fn cut_cycles(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.classes.len()];
        for root in 0..self.classes.len() {
            if marks[root] != Mark::New {
                continue;
            }
            marks[root] = Mark::Open;
            let mut path = vec![(root, 0)];
            while let Some((at, step)) = path.last_mut() {
                let (class, number) = (*at, *step);
                *step += 1;
                let Some(above) = self.classes[class].above(number) else {
                    marks[class] = Mark::Done;
                    path.pop();
                    continue;
                };
                match marks[above.index()] {
                    Mark::New => {
                        marks[above.index()] = Mark::Open;
                        path.push((above.index(), 0));
                    }
                    Mark::Open => {
                        self.classes[class].cut(number);
                        // what stood behind it has its number now
                        if let Some((_, step)) = path.last_mut() {
                            *step = number;
                        }
                    }
                    Mark::Done => {}
                }
            }
        }
    }
}

impl Class {
    /// The supertypes one after the other: the superclass, if any, then the interfaces.
    fn above(&self, number: usize) -> Option<Position> {
        self.superclass.iter().chain(&self.interfaces).nth(number).copied()
    }

    /// Removes the supertype that [`Class::above`] gives for this number.
    fn cut(&mut self, number: usize) {
        match (number, self.superclass) {
            (0, Some(_)) => self.superclass = None,
            (_, superclass) => {
                self.interfaces.remove(number - usize::from(superclass.is_some()));
            }
        }
    }
}

/// Whether a method becomes a method of the program.
pub(crate) fn has_body(file: &ClassFile<'_>, member: &Member<'_>) -> bool {
    let native = member.access.contains(AccessFlags::NATIVE);
    let synchronized = member.access.contains(AccessFlags::SYNCHRONIZED);
    (native && synchronized) || member.attributes.named(&file.pool, "Code").next().is_some()
}

/// The annotations of the class or of a method; a table that cannot be read has none.
fn read_annotations(
    names: &mut Names,
    file: &ClassFile<'_>,
    member: Option<&Member<'_>>,
) -> Vec<ClassId> {
    let attributes = member.map_or(&file.attributes, |it| &it.attributes);
    let types = file.annotation_types(attributes).unwrap_or_default();
    types.iter().map(|it| names.class(it)).collect()
}

/// `access$000` of javac, `access$getLock$p` of kotlinc.
fn read_accessor(names: &mut Names, file: &ClassFile<'_>, member: &Member<'_>) -> Option<Accessor> {
    let flags = AccessFlags(AccessFlags::STATIC.0 | AccessFlags::SYNTHETIC.0);
    if !member.access.contains(flags) || !file.member_name(member).starts_with("access$") {
        return None;
    }
    let code = file.code(member).ok()??;
    match *code.bytecode {
        // aload_0, getfield, return of a value
        [0x2a, 0xb4, high, low, 0xac..=0xb0] => {
            let field = file.pool.field(PoolIndex(u16::from_be_bytes([high, low]))).ok()?;
            Some(Accessor::Field(names.symbol(&field.name)))
        }
        // getstatic, return of a value
        [0xb2, high, low, 0xac..=0xb0] => {
            let field = file.pool.field(PoolIndex(u16::from_be_bytes([high, low]))).ok()?;
            Some(Accessor::Static(names.class(&field.class), names.symbol(&field.name)))
        }
        _ => None,
    }
}
