//! A class file as a whole: header, members, attributes.

use crate::annotation;
use crate::attribute::Attributes;
use crate::body::Body;
use crate::code::{Code, LineNumber, LocalVariable};
use crate::cursor::Cursor;
use crate::error::{ClassError, Fault, Flaw};
use crate::pool::{ConstantPool, PoolIndex};
use std::borrow::Cow;
use std::ops::Range;

/// The newest class-file version that is read: Java 25.
pub const NEWEST_MAJOR: u16 = 69;

const MAGIC: u32 = 0xcafe_babe;

/// Access flags of a class, field or method. Which flag a bit stands for depends on which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AccessFlags(pub u16);

impl AccessFlags {
    /// `public`
    pub const PUBLIC: AccessFlags = AccessFlags(0x0001);
    /// `private`
    pub const PRIVATE: AccessFlags = AccessFlags(0x0002);
    /// `protected`
    pub const PROTECTED: AccessFlags = AccessFlags(0x0004);
    /// `static`, of fields and methods
    pub const STATIC: AccessFlags = AccessFlags(0x0008);
    /// `final`
    pub const FINAL: AccessFlags = AccessFlags(0x0010);
    /// `synchronized`, of methods
    pub const SYNCHRONIZED: AccessFlags = AccessFlags(0x0020);
    /// `volatile`, of fields
    pub const VOLATILE: AccessFlags = AccessFlags(0x0040);
    /// A bridge method
    pub const BRIDGE: AccessFlags = AccessFlags(0x0040);
    /// `transient`, of fields
    pub const TRANSIENT: AccessFlags = AccessFlags(0x0080);
    /// `native`, of methods
    pub const NATIVE: AccessFlags = AccessFlags(0x0100);
    /// An interface, of classes
    pub const INTERFACE: AccessFlags = AccessFlags(0x0200);
    /// `abstract`
    pub const ABSTRACT: AccessFlags = AccessFlags(0x0400);
    /// Made by the compiler
    pub const SYNTHETIC: AccessFlags = AccessFlags(0x1000);
    /// An annotation interface, of classes
    pub const ANNOTATION: AccessFlags = AccessFlags(0x2000);
    /// An enum, or a constant of one
    pub const ENUM: AccessFlags = AccessFlags(0x4000);
    /// `module-info`
    pub const MODULE: AccessFlags = AccessFlags(0x8000);

    /// Whether all of these flags are set.
    pub fn contains(self, flags: AccessFlags) -> bool {
        self.0 & flags.0 == flags.0
    }
}

/// A field or a method.
#[derive(Debug, Clone)]
pub struct Member<'a> {
    /// Its access flags.
    pub access: AccessFlags,
    /// Index of its name; known to be a text.
    pub name: PoolIndex,
    /// Index of its descriptor; known to be a text.
    pub descriptor: PoolIndex,
    /// Its attributes.
    pub attributes: Attributes<'a>,
    /// Where it stands in the file, from its access flags to the end of its attributes.
    pub span: Range<usize>,
}

/// A class file, parsed over borrowed bytes.
#[derive(Debug, Clone)]
pub struct ClassFile<'a> {
    /// The bytes of the file; every offset counts in them.
    pub bytes: &'a [u8],
    /// Minor version; 65535 marks preview features.
    pub minor: u16,
    /// Major version; 52 is Java 8, and so on.
    pub major: u16,
    /// The constants. What stands between them and the interfaces takes six bytes.
    pub pool: ConstantPool<'a>,
    /// The access flags of the class.
    pub access: AccessFlags,
    /// Internal name of the class.
    pub name: Cow<'a, str>,
    /// The constant that is the class itself.
    pub this_class: PoolIndex,
    /// The constant that is the superclass; none for `java/lang/Object` and `module-info`.
    pub super_class: Option<PoolIndex>,
    /// The constants that are the interfaces.
    pub interfaces: Vec<PoolIndex>,
    /// The fields.
    pub fields: Vec<Member<'a>>,
    /// The methods.
    pub methods: Vec<Member<'a>>,
    /// The attributes of the class itself; the last thing in the file.
    pub attributes: Attributes<'a>,
}

impl<'a> ClassFile<'a> {
    /// Parses a class file; code is not looked at before [`ClassFile::code`].
    pub fn parse(bytes: &'a [u8]) -> Result<ClassFile<'a>, ClassError> {
        let mut cursor = Cursor::new(bytes, 0..bytes.len());
        let (minor, major) = read_header(bytes, &mut cursor)?;
        let pool = ConstantPool::read(bytes, &mut cursor)?;
        let access = AccessFlags(cursor.u16(WHAT)?);
        let offset = cursor.at();
        let this_class = PoolIndex(cursor.u16(WHAT)?);
        let name = pool.class_name(this_class).map_err(|flaw| flaw.at(offset))?;
        let mut class = ClassFile {
            bytes,
            minor,
            major,
            access,
            this_class,
            super_class: None,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Attributes::read(&[0, 0], &mut Cursor::new(&[0, 0], 0..2))?,
            pool,
            name,
        };
        match class.read_rest(&mut cursor) {
            Ok(()) => Ok(class),
            Err(fault) => Err(class.error(None, fault)),
        }
    }

    /// What follows the name of the class.
    fn read_rest(&mut self, cursor: &mut Cursor<'a>) -> Result<(), Fault> {
        let offset = cursor.at();
        let super_class = PoolIndex(cursor.u16(WHAT)?);
        if super_class.0 != 0 {
            self.pool.class_name(super_class).map_err(|flaw| flaw.at(offset))?;
            self.super_class = Some(super_class);
        }
        for _ in 0..cursor.u16(WHAT)? {
            let offset = cursor.at();
            let interface = PoolIndex(cursor.u16(WHAT)?);
            self.pool.class_name(interface).map_err(|flaw| flaw.at(offset))?;
            self.interfaces.push(interface);
        }
        self.fields = self.read_members(cursor)?;
        self.methods = self.read_members(cursor)?;
        self.attributes = Attributes::read(self.bytes, cursor)?;
        self.attributes.check_names(&self.pool)?;
        cursor.finish("the class file")
    }

    fn read_members(&self, cursor: &mut Cursor<'a>) -> Result<Vec<Member<'a>>, Fault> {
        const WHAT: &str = "a field or method";
        let count = cursor.u16(WHAT)?;
        // a member takes eight bytes at least: what the file cannot hold is not allocated
        let mut members = Vec::with_capacity(usize::from(count).min(cursor.left() / 8));
        for _ in 0..count {
            let start = cursor.at();
            let access = AccessFlags(cursor.u16(WHAT)?);
            let name = PoolIndex(cursor.u16(WHAT)?);
            let descriptor = PoolIndex(cursor.u16(WHAT)?);
            let text = |index| self.pool.utf8_bytes(index).map_err(|flaw| flaw.at(start));
            text(name)?;
            text(descriptor)?;
            let attributes = Attributes::read(self.bytes, cursor)?;
            attributes.check_names(&self.pool)?;
            let span = start..cursor.at();
            members.push(Member { access, name, descriptor, attributes, span });
        }
        Ok(members)
    }

    /// The name of a field or method of this class.
    pub fn member_name(&self, member: &Member<'a>) -> Cow<'a, str> {
        self.pool.utf8(member.name).unwrap_or_default()
    }

    /// The descriptor of a field or method of this class.
    pub fn member_descriptor(&self, member: &Member<'a>) -> Cow<'a, str> {
        self.pool.utf8(member.descriptor).unwrap_or_default()
    }

    /// Internal name of the superclass.
    pub fn super_name(&self) -> Option<Cow<'a, str>> {
        self.super_class.and_then(|index| self.pool.class_name(index).ok())
    }

    /// Internal names of the interfaces.
    pub fn interface_names(&self) -> impl Iterator<Item = Cow<'a, str>> + '_ {
        self.interfaces.iter().filter_map(|index| self.pool.class_name(*index).ok())
    }

    /// The name of the source file (`Account.java`), if the class tells.
    pub fn source_file(&self) -> Option<Cow<'a, str>> {
        let attribute = self.attributes.named(&self.pool, "SourceFile").next()?;
        let index: [u8; 2] = attribute.data.try_into().ok()?;
        self.pool.utf8(PoolIndex(u16::from_be_bytes(index))).ok()
    }

    /// Internal names of the annotations among these attributes of the class or of a member.
    pub fn annotation_types(
        &self,
        attributes: &Attributes<'a>,
    ) -> Result<Vec<Cow<'a, str>>, ClassError> {
        annotation::types(attributes, &self.pool, self.bytes)
            .map_err(|fault| self.error(None, fault))
    }

    /// The code of a method; none if it is abstract or native.
    pub fn code(&self, method: &Member<'a>) -> Result<Option<Code<'a>>, ClassError> {
        let Some(attribute) = method.attributes.named(&self.pool, "Code").next() else {
            return Ok(None);
        };
        // the very first JDK had shorter fields in this attribute
        let old = (self.major, self.minor) < (45, 3);
        Code::read(self.bytes, attribute, old)
            .map(Some)
            .map_err(|fault| self.error(Some(method), fault))
    }

    /// The instructions and basic blocks of a method's code.
    pub fn body(&self, method: &Member<'a>, code: &Code<'a>) -> Result<Body<'a>, ClassError> {
        Body::of(code, self.bytes).map_err(|fault| self.error(Some(method), fault))
    }

    /// The line numbers of a method's code, ordered by pc.
    pub fn line_numbers(
        &self,
        method: &Member<'a>,
        code: &Code<'a>,
    ) -> Result<Vec<LineNumber>, ClassError> {
        code.line_numbers(self.bytes, &self.pool).map_err(|fault| self.error(Some(method), fault))
    }

    /// The local variables of a method's code.
    pub fn local_variables(
        &self,
        method: &Member<'a>,
        code: &Code<'a>,
    ) -> Result<Vec<LocalVariable>, ClassError> {
        code.local_variables(self.bytes, &self.pool)
            .map_err(|fault| self.error(Some(method), fault))
    }

    /// The fault, with class and method.
    pub fn error(&self, method: Option<&Member<'a>>, fault: Fault) -> ClassError {
        let signature =
            |it: &Member<'a>| format!("{}{}", self.member_name(it), self.member_descriptor(it));
        ClassError { class: Some(self.name.to_string()), method: method.map(signature), fault }
    }
}

const WHAT: &str = "the class file";

/// Magic number and version: minor, major.
fn read_header(bytes: &[u8], cursor: &mut Cursor<'_>) -> Result<(u16, u16), Fault> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(Flaw::TooLarge(bytes.len()).at(0));
    }
    let magic = cursor.u32(WHAT)?;
    if magic != MAGIC {
        return Err(Flaw::Magic(magic).at(0));
    }
    let minor = cursor.u16(WHAT)?;
    let major = cursor.u16(WHAT)?;
    if major > NEWEST_MAJOR {
        return Err(Flaw::Version { major, minor }.at(4));
    }
    Ok((minor, major))
}
