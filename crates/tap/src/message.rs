//! Messages from the agent in the JVM to the reader: what the numbers in the logs mean.
//!
//! A frame is a `u32` length (of what follows), a `u8` kind and the body; numbers are little endian, strings
//! and lists have a `u32` length before them. Decoding trusts nothing: every length is checked against the
//! bytes that are there before anything is allocated for it.
//!
//! Names of classes may be written as in class files (`com/acme/Account`, `[D`) or as in Java
//! (`com.acme.Account`): the reader takes both.

use thiserror::Error;

/// The version of messages and logs; both sides must have the same.
pub const VERSION: u32 = 1;

/// The most bytes a message may have: far more than the description of the largest class takes.
pub const MOST_BYTES: usize = 64 << 20;

/// How the note begins that tells why the recorder has stopped.
pub const STOPPED: &str = "recording stopped: ";

/// `ACC_STATIC` of a field.
pub const STATIC: u16 = 0x0008;
/// `ACC_FINAL` of a field.
pub const FINAL: u16 = 0x0010;
/// `ACC_VOLATILE` of a field.
pub const VOLATILE: u16 = 0x0040;

/// The first message of a connection; the arena comes with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hello {
    /// [`VERSION`] of the sender.
    pub version: u32,
    /// The process id.
    pub pid: u32,
    /// Which Java, for people.
    pub java: String,
    /// The command line, for people.
    pub command: String,
}

/// A field of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its access flags as in the class file.
    pub access: u16,
}

/// A method (or a synchronized block) that has probes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Method {
    /// Its number, unique in the JVM.
    pub id: u32,
    /// `com.acme.Account.withdraw`
    pub label: String,
    /// Whether it begins and ends atomic blocks.
    pub atomic: bool,
    /// Its first line; 0 if unknown.
    pub line: u32,
}

/// What a site does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SiteKind {
    /// Reads a field; the reader finds out whether the field is volatile or final.
    Read = 0,
    /// Writes a field; as above.
    Write = 1,
    /// Reads an array element.
    ElementRead = 2,
    /// Writes an array element.
    ElementWrite = 3,
    /// A volatile read, whatever the field.
    VolatileRead = 4,
    /// A volatile write, whatever the field.
    VolatileWrite = 5,
    /// An atomic read-modify-write.
    Update = 6,
    /// A synchronisation operation: the log's tag says which.
    Call = 7,
}

impl SiteKind {
    const ALL: [SiteKind; 8] = [
        SiteKind::Read,
        SiteKind::Write,
        SiteKind::ElementRead,
        SiteKind::ElementWrite,
        SiteKind::VolatileRead,
        SiteKind::VolatileWrite,
        SiteKind::Update,
        SiteKind::Call,
    ];
}

/// A place in the code with a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its number, unique in the JVM, at most [`crate::log::MOST_SITE`].
    pub id: u32,
    /// What it does.
    pub kind: SiteKind,
    /// Whether the field is static: then the variable is the field itself, whatever the object's id.
    pub is_static: bool,
    /// The class in which the instruction looks for the field; empty if none.
    pub owner: String,
    /// The field's name, or a pseudo field such as `.lock`; empty if none.
    pub member: String,
    /// The method that it is in: one of the same message.
    pub method: u32,
    /// The line; 0 if unknown.
    pub line: u32,
}

/// An instrumented class: sent before any of its code can run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Its super class's name; empty if none.
    pub super_name: String,
    /// Its source file.
    pub source: Option<String>,
    /// Its own fields.
    pub fields: Vec<Field>,
    /// Its methods that have probes.
    pub methods: Vec<Method>,
    /// Its sites.
    pub sites: Vec<Site>,
}

/// What the agent says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The first message.
    Hello(Hello),
    /// A class was instrumented.
    Class(Class),
    /// Something was left out.
    Skipped {
        /// What.
        what: String,
        /// Why.
        reason: String,
    },
    /// A thread's name: sent before the first word that mentions the uid, or right after it.
    Thread {
        /// Its number, never reused.
        uid: u32,
        /// Its name.
        name: String,
    },
    /// The name of a class of objects: sent before the first `OBJECT` with this number.
    ClassName {
        /// The number.
        number: u32,
        /// The name; `X.class` for the class object of `X`.
        name: String,
    },
    /// Something that a report should say.
    Note {
        /// What.
        text: String,
    },
    /// The JVM ends in good order.
    Bye {
        /// Why.
        reason: String,
    },
}

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    /// A length beyond [`MOST_BYTES`].
    #[error("a message of {0} bytes")]
    TooLong(usize),
    /// Ends before its end.
    #[error("a message ends early")]
    Short,
    /// Goes on after its end.
    #[error("a message is longer than what it says")]
    Trailing,
    /// A kind that does not exist.
    #[error("a message of unknown kind {0}")]
    Kind(u8),
    /// A number that is not possible here.
    #[error("a message with an impossible value {0}")]
    Value(u32),
    /// A string that is not UTF-8.
    #[error("a message with text that is not UTF-8")]
    Text,
}

impl Message {
    /// Appends the whole frame to `out`. A message beyond [`MOST_BYTES`] is refused and `out` left alone.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), MessageError> {
        let start = out.len();
        let mut writer = Writer(out);
        writer.number(0);
        self.body(&mut writer);
        let length = out.len() - start - 4;
        if length > MOST_BYTES {
            out.truncate(start);
            return Err(MessageError::TooLong(length));
        }
        out[start..start + 4].copy_from_slice(&(length as u32).to_le_bytes());
        Ok(())
    }

    fn body(&self, out: &mut Writer<'_>) {
        match self {
            Message::Hello(Hello { version, pid, java, command }) => {
                out.byte(kind::HELLO).number(*version).number(*pid).text(java).text(command);
            }
            Message::Class(class) => {
                out.byte(kind::CLASS);
                class.body(out);
            }
            Message::Skipped { what, reason } => {
                out.byte(kind::SKIPPED).text(what).text(reason);
            }
            Message::Thread { uid, name } => {
                out.byte(kind::THREAD).number(*uid).text(name);
            }
            Message::ClassName { number, name } => {
                out.byte(kind::CLASS_NAME).number(*number).text(name);
            }
            Message::Note { text } => {
                out.byte(kind::NOTE).text(text);
            }
            Message::Bye { reason } => {
                out.byte(kind::BYE).text(reason);
            }
        }
    }

    /// The first message of `bytes` and how many bytes it takes; `None` if there is not all of it yet.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Message, usize)>, MessageError> {
        let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MOST_BYTES {
            return Err(MessageError::TooLong(length));
        }
        let Some(frame) = rest.get(..length) else { return Ok(None) };
        let mut reader = Reader(frame);
        let message = Message::parse(&mut reader)?;
        if !reader.0.is_empty() {
            return Err(MessageError::Trailing);
        }
        Ok(Some((message, 4 + length)))
    }

    fn parse(from: &mut Reader<'_>) -> Result<Message, MessageError> {
        Ok(match from.byte()? {
            kind::HELLO => Message::Hello(Hello {
                version: from.number()?,
                pid: from.number()?,
                java: from.text()?,
                command: from.text()?,
            }),
            kind::CLASS => Message::Class(Class::parse(from)?),
            kind::SKIPPED => Message::Skipped { what: from.text()?, reason: from.text()? },
            kind::THREAD => Message::Thread { uid: from.number()?, name: from.text()? },
            kind::CLASS_NAME => Message::ClassName { number: from.number()?, name: from.text()? },
            kind::NOTE => Message::Note { text: from.text()? },
            kind::BYE => Message::Bye { reason: from.text()? },
            kind => return Err(MessageError::Kind(kind)),
        })
    }
}

mod kind {
    pub(super) const HELLO: u8 = 1;
    pub(super) const CLASS: u8 = 2;
    pub(super) const SKIPPED: u8 = 3;
    pub(super) const THREAD: u8 = 4;
    pub(super) const CLASS_NAME: u8 = 5;
    pub(super) const NOTE: u8 = 6;
    pub(super) const BYE: u8 = 7;
}

impl Class {
    fn body(&self, out: &mut Writer<'_>) {
        out.text(&self.name).text(&self.super_name);
        out.flag(self.source.is_some()).text(self.source.as_deref().unwrap_or_default());
        out.number(self.fields.len() as u32);
        for Field { name, access } in &self.fields {
            out.text(name).number(u32::from(*access));
        }
        out.number(self.methods.len() as u32);
        for Method { id, label, atomic, line } in &self.methods {
            out.number(*id).text(label).flag(*atomic).number(*line);
        }
        out.number(self.sites.len() as u32);
        for Site { id, kind, is_static, owner, member, method, line } in &self.sites {
            out.number(*id).byte(*kind as u8).flag(*is_static).text(owner).text(member);
            out.number(*method).number(*line);
        }
    }

    fn parse(from: &mut Reader<'_>) -> Result<Class, MessageError> {
        let (name, super_name) = (from.text()?, from.text()?);
        let (has_source, source) = (from.flag()?, from.text()?);
        Ok(Class {
            name,
            super_name,
            source: has_source.then_some(source),
            fields: from.list(8, |from| {
                let (name, access) = (from.text()?, from.number()?);
                let access = u16::try_from(access).map_err(|_| MessageError::Value(access))?;
                Ok(Field { name, access })
            })?,
            methods: from.list(13, |from| {
                Ok(Method {
                    id: from.number()?,
                    label: from.text()?,
                    atomic: from.flag()?,
                    line: from.number()?,
                })
            })?,
            sites: from.list(22, Site::parse)?,
        })
    }
}

impl Site {
    fn parse(from: &mut Reader<'_>) -> Result<Site, MessageError> {
        let id = from.number()?;
        if id > crate::log::MOST_SITE {
            return Err(MessageError::Value(id));
        }
        let kind = from.byte()?;
        let kind = SiteKind::ALL.get(usize::from(kind)).copied();
        Ok(Site {
            id,
            kind: kind.ok_or(MessageError::Value(id))?,
            is_static: from.flag()?,
            owner: from.text()?,
            member: from.text()?,
            method: from.number()?,
            line: from.number()?,
        })
    }
}

struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    fn byte(&mut self, byte: u8) -> &mut Self {
        self.0.push(byte);
        self
    }

    fn flag(&mut self, flag: bool) -> &mut Self {
        self.byte(u8::from(flag))
    }

    fn number(&mut self, number: u32) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        // A text that is too long for its length makes the message too long, which is refused later.
        self.number(u32::try_from(text.len()).unwrap_or(u32::MAX));
        self.0.extend_from_slice(text.as_bytes());
        self
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, MessageError> {
        let (&byte, rest) = self.0.split_first().ok_or(MessageError::Short)?;
        self.0 = rest;
        Ok(byte)
    }

    fn flag(&mut self) -> Result<bool, MessageError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(MessageError::Value(u32::from(other))),
        }
    }

    fn number(&mut self) -> Result<u32, MessageError> {
        let (bytes, rest) = self.0.split_first_chunk::<4>().ok_or(MessageError::Short)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*bytes))
    }

    fn text(&mut self) -> Result<String, MessageError> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length).ok_or(MessageError::Short)?;
        self.0 = rest;
        Ok(std::str::from_utf8(text).map_err(|_| MessageError::Text)?.to_string())
    }

    /// A list whose items take at least so many bytes each: a longer one than can be there is refused
    /// before there is memory for it.
    fn list<T>(
        &mut self,
        least: usize,
        item: impl Fn(&mut Self) -> Result<T, MessageError>,
    ) -> Result<Vec<T>, MessageError> {
        let length = self.number()? as usize;
        if length > self.0.len() / least {
            return Err(MessageError::Short);
        }
        (0..length).map(|_| item(self)).collect()
    }
}
