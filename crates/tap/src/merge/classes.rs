//! What the agent has told: classes, fields, methods and sites, and what they mean in a trace.
//!
//! Sites and methods are put into words when they are first used, not when they are told: by then all
//! classes that matter to the site are loaded, so its field is found where it is declared, and most sites are
//! never used.

use super::{Hashed, Need};
use crate::log;
use crate::message::{Class, FINAL, Site, SiteKind, VOLATILE};
use interloper_trace::{Interner, LabelId, Names, Op, SiteId};

/// What becomes of an access at a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// Not told, or not yet put into words.
    Unknown,
    /// An access of a field of the object.
    Field,
    /// An access of a static field.
    Static,
    /// An access of an element of the object.
    Element,
    /// Nothing: the field is final, or the site is for calls.
    Nothing,
}

/// A site in a form for quick use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) action: Action,
    pub(super) op: Op,
    pub(super) location: SiteId,
    /// The field's number in [`Classes::fields`].
    pub(super) field: u32,
}

const UNKNOWN: Place =
    Place { action: Action::Unknown, op: Op::Dummy, location: SiteId::UNKNOWN, field: 0 };

/// A field, as it appears in names of variables.
pub(super) struct Member {
    /// With the dot before it.
    pub(super) suffix: String,
    /// The class that declares it, as far as known; empty if it does not matter.
    pub(super) class: String,
}

/// An atomic block in a form for quick use.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) label: LabelId,
    pub(super) location: SiteId,
}

struct Shape {
    super_name: String,
    fields: Hashed<String, u16>,
}

struct Told {
    site: Site,
    label: String,
    source: Option<String>,
}

/// The tables.
pub(super) struct Classes {
    shapes: Hashed<String, Shape>,
    told_sites: Hashed<u32, Told>,
    told_blocks: Hashed<u32, (String, String)>,
    places: Vec<Place>,
    blocks: Hashed<u32, Block>,
    field_numbers: Interner,
    pub(super) fields: Vec<Member>,
}

impl Classes {
    pub(super) fn new() -> Classes {
        let no_place = Place { action: Action::Nothing, ..UNKNOWN };
        Classes {
            shapes: Hashed::default(),
            told_sites: Hashed::default(),
            told_blocks: Hashed::default(),
            places: vec![no_place; log::NO_SITE as usize + 1],
            blocks: Hashed::default(),
            field_numbers: Interner::default(),
            fields: Vec::new(),
        }
    }

    /// Takes in a class.
    pub(super) fn learn(&mut self, class: Class) {
        let source = class.source;
        let mut labels = Hashed::default();
        for method in class.methods {
            let location = location(&method.label, source.as_deref(), method.line);
            labels.insert(method.id, method.label.clone());
            self.told_blocks.insert(method.id, (method.label, location));
        }
        for site in class.sites {
            let label = labels.get(&site.method).cloned().unwrap_or_else(|| dotted(&class.name));
            self.told_sites.insert(site.id, Told { site, label, source: source.clone() });
        }
        let fields = class.fields.into_iter().map(|field| (field.name, field.access)).collect();
        let super_name = dotted(&class.super_name);
        self.shapes.insert(dotted(&class.name), Shape { super_name, fields });
    }

    /// The site's meaning, if it was put into words.
    #[inline(always)]
    pub(super) fn place(&self, site: u32) -> Result<Place, Need> {
        match self.places.get(site as usize) {
            Some(place) if place.action != Action::Unknown => Ok(*place),
            _ => Err(Need::Site(site)),
        }
    }

    /// The block that a method is, if it was put into words.
    #[inline(always)]
    pub(super) fn block(&self, method: u32) -> Result<Block, Need> {
        self.blocks.get(&method).copied().ok_or(Need::Method(method))
    }

    /// Puts a site into words, if it was told.
    pub(super) fn settle_site(&mut self, id: u32, names: &mut Names) -> bool {
        let Some(Told { site, label, source }) = self.told_sites.remove(&id) else { return false };
        let location = names.site(&clean(&location(&label, source.as_deref(), site.line)));
        let place = self.meaning(&site, location);
        self.put_place(id, place);
        true
    }

    /// Gives up on a site that was never told: what happens there is left out.
    pub(super) fn give_up_site(&mut self, id: u32) {
        self.put_place(id, Place { action: Action::Nothing, ..UNKNOWN });
    }

    fn put_place(&mut self, id: u32, place: Place) {
        let id = id as usize;
        if id >= self.places.len() {
            self.places.resize(id + 1, UNKNOWN);
        }
        self.places[id] = place;
    }

    /// Puts a method into words, if it was told.
    pub(super) fn settle_method(&mut self, id: u32, names: &mut Names) -> bool {
        let Some((label, location)) = self.told_blocks.remove(&id) else { return false };
        let (label, location) = (names.label(&clean(&label)), names.site(&clean(&location)));
        self.blocks.insert(id, Block { label, location });
        true
    }

    /// Gives up on a method that was never told: its blocks have no name.
    pub(super) fn give_up_method(&mut self, id: u32) {
        let block = Block { label: LabelId::UNNAMED, location: SiteId::UNKNOWN };
        self.blocks.insert(id, block);
    }

    fn meaning(&mut self, site: &Site, location: SiteId) -> Place {
        let op = match site.kind {
            SiteKind::Read | SiteKind::ElementRead => Op::Read,
            SiteKind::Write | SiteKind::ElementWrite => Op::Write,
            SiteKind::VolatileRead => Op::VolatileRead,
            SiteKind::VolatileWrite => Op::VolatileWrite,
            SiteKind::Update => Op::Update,
            SiteKind::Call => Op::Dummy,
        };
        let mut place = Place { action: Action::Nothing, op, location, field: 0 };
        match site.kind {
            SiteKind::Call => return place,
            SiteKind::ElementRead | SiteKind::ElementWrite => {
                place.action = Action::Element;
                return place;
            }
            _ => {}
        }
        let plain = matches!(site.kind, SiteKind::Read | SiteKind::Write);
        let (declared_in, access) = self.declared_in(&dotted(&site.owner), &site.member);
        match access {
            Some(access) if access & FINAL != 0 && plain => return place,
            Some(access) if access & VOLATILE != 0 && plain => {
                place.op = if op == Op::Read { Op::VolatileRead } else { Op::VolatileWrite };
            }
            _ => {}
        }
        place.action = if site.is_static { Action::Static } else { Action::Field };
        // The variable inside an atomic is the same whatever class the caller thinks it has.
        let class = if plain || access.is_some() { declared_in.as_str() } else { "" };
        place.field = self.field_number(class, &site.member);
        place
    }

    /// Where a field is declared: the first class upwards that declares it or that nothing is known about;
    /// and its access flags.
    fn declared_in(&self, owner: &str, member: &str) -> (String, Option<u16>) {
        let mut class = owner;
        // Bounded: a hostile agent could send a circle.
        for _ in 0..1000 {
            let Some(shape) = self.shapes.get(class) else { break };
            if let Some(access) = shape.fields.get(member) {
                return (class.to_string(), Some(*access));
            }
            class = &shape.super_name;
        }
        (class.to_string(), None)
    }

    fn field_number(&mut self, class: &str, member: &str) -> u32 {
        let number = self.field_numbers.intern(&format!("{class} {member}"));
        if number as usize == self.fields.len() {
            let dot = if member.is_empty() || member.starts_with('.') { "" } else { "." };
            let suffix = clean(&format!("{dot}{member}"));
            self.fields.push(Member { suffix, class: class.to_string() });
        }
        number
    }
}

/// `com.acme.Account.withdraw(Account.java:12)`, as stack traces have it.
fn location(label: &str, source: Option<&str>, line: u32) -> String {
    match (source, line) {
        (None, _) => format!("{label}(Unknown Source)"),
        (Some(source), 0) => format!("{label}({source})"),
        (Some(source), line) => format!("{label}({source}:{line})"),
    }
}

/// A class's name as Java has it.
pub(super) fn dotted(name: &str) -> String {
    name.replace('/', ".")
}

/// A class's name without its package; arrays as `double[]`, class objects as `Account.class`.
pub(super) fn simple(name: &str) -> String {
    let name = dotted(name);
    let (name, ending) = match name.strip_suffix(".class") {
        Some(name) if !name.is_empty() => (name, ".class"),
        _ => (name.as_str(), ""),
    };
    let element = name.trim_start_matches('[');
    let brackets = "[]".repeat(name.len() - element.len());
    let element = match (brackets.is_empty(), element) {
        (false, "Z") => "boolean",
        (false, "B") => "byte",
        (false, "C") => "char",
        (false, "S") => "short",
        (false, "I") => "int",
        (false, "J") => "long",
        (false, "F") => "float",
        (false, "D") => "double",
        (false, element) => element.trim_start_matches('L').trim_end_matches(';'),
        (true, element) => element,
    };
    let element = element.rsplit('.').next().unwrap_or(element);
    clean(&format!("{element}{brackets}{ending}"))
}

/// A name without what no text trace can hold. Names come from the checked program and can be anything.
pub(super) fn clean(name: &str) -> String {
    name.chars().map(|c| if c == '|' || c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes_are_short_and_readable() {
        for (name, short) in [
            ("com.acme.Account", "Account"),
            ("com/acme/Outer$Inner", "Outer$Inner"),
            ("[D", "double[]"),
            ("[[Lcom.acme.Account;", "Account[][]"),
            ("com.acme.Account.class", "Account.class"),
            ("Plain", "Plain"),
            ("a|b", "a_b"),
        ] {
            assert_eq!(simple(name), short);
        }
    }

    #[test]
    fn locations_look_like_those_of_stack_traces() {
        assert_eq!(location("a.B.c", Some("B.java"), 12), "a.B.c(B.java:12)");
        assert_eq!(location("a.B.c", Some("B.java"), 0), "a.B.c(B.java)");
        assert_eq!(location("a.B.c", None, 12), "a.B.c(Unknown Source)");
    }
}
