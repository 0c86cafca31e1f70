//! Which fields of an object change hands together.
//!
//! The recorder keeps a state for each group of an object's fields, so that threads that use different
//! groups do not take the object from each other. Any grouping is right; a good one has the fields
//! together that threads use together. Fields that some method of the class writes together are in one
//! group. Constructors tell nothing, nor do methods that use one field only: an object with a
//! setter for each field would fall apart. Fields of which nothing is told (most are never written) are a group, too.
//!
//! The first group has its state beside the object's number, in [`FIELD`](crate::FIELD). The others have theirs in one
//! more field, and the groups are its name: a digit for each field that the class declares, in order. So
//! whoever sees a class knows its groups, whichever loader it is from.

use crate::plan::CONSTRUCTOR;
use interloper_jvm::{AccessFlags, ClassFile, Instruction, Instructions, Member, PoolIndex};
use std::collections::{BTreeSet, HashMap};

/// As many states as there is room for: an `int` holds one, a `long` two, beside the first.
const MOST: usize = 3;

/// The field for the states of all groups but the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Further {
    pub(crate) name: String,
    pub(crate) descriptor: &'static str,
}

impl Further {
    /// As the methods of a class suggest; `None`: the fields of its objects are one group.
    pub(crate) fn suggested(class: &ClassFile<'_>) -> Option<Further> {
        let groups = groups(class);
        let of = |field| groups.iter().position(|group| group.contains(&field)).unwrap_or(0);
        let digits: String = (0..class.fields.len()).map(|field| digit(of(field))).collect();
        (groups.len() > 1).then(|| Further::named(&format!("{}{digits}", crate::FIELD)))
    }

    /// The field of this name.
    pub(crate) fn named(name: &str) -> Further {
        let two = name.contains(digit(MOST - 1));
        Further { name: name.to_owned(), descriptor: if two { "J" } else { "I" } }
    }
}

fn digit(group: usize) -> char {
    char::from(b'0' + group as u8)
}

/// Whether a field of this name holds states of further groups.
pub fn is_further(name: &str) -> bool {
    name.len() > crate::FIELD.len() && name.starts_with(crate::FIELD)
}

/// The group of the field at this position of a class, by the name of the field for the further states.
pub fn group_of(further: &str, position: usize) -> usize {
    let digits = further.strip_prefix(crate::FIELD).unwrap_or_default().as_bytes();
    digits.get(position).map_or(0, |digit| usize::from(digit.saturating_sub(b'0')))
}

/// The groups of a class's own fields by their positions. The largest that is written is the first: it is also that of the fields
/// of subclasses.
fn groups(class: &ClassFile<'_>) -> Vec<BTreeSet<usize>> {
    let fields = variables(class);
    if fields.len() < 2 {
        return vec![];
    }
    let mut groups: Vec<BTreeSet<usize>> = vec![];
    for method in class.methods.iter().filter(|it| class.member_name(it) != CONSTRUCTOR) {
        let mut together = written_together(class, method, &fields);
        if together.is_empty() {
            continue;
        }
        groups.retain(|group| {
            let apart = group.is_disjoint(&together);
            if !apart {
                together.extend(group);
            }
            apart
        });
        groups.push(together);
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let told = |field: &&usize| groups.iter().any(|group| group.contains(field));
    let rest: BTreeSet<usize> = fields.values().filter(|it| !told(it)).copied().collect();
    groups.extend(Some(rest).filter(|rest| !rest.is_empty()));
    while groups.len() > MOST {
        let small = groups.remove(2);
        groups[1].extend(small);
    }
    groups
}

/// Name and descriptor of a field.
type Name<'a> = (std::borrow::Cow<'a, str>, std::borrow::Cow<'a, str>);

/// The positions of the fields that are looked at.
fn variables<'a>(class: &ClassFile<'a>) -> HashMap<Name<'a>, usize> {
    let is = |field: &Member<'_>, flags| field.access.contains(flags);
    let fields = class.fields.iter().enumerate();
    let fields = fields
        .filter(|(_, it)| !is(it, AccessFlags::STATIC) && !is(it, AccessFlags::FINAL))
        .map(|(position, it)| ((class.member_name(it), class.member_descriptor(it)), position));
    fields.collect()
}

/// The fields that a method writes, unless it uses one only.
fn written_together<'a>(
    class: &ClassFile<'a>,
    method: &Member<'a>,
    fields: &HashMap<Name<'a>, usize>,
) -> BTreeSet<usize> {
    let (mut used, mut written) = (BTreeSet::new(), BTreeSet::new());
    // What cannot be read is left alone by the weaver, too.
    let Ok(Some(code)) = class.code(method) else { return written };
    let own = |index: PoolIndex| {
        let member = class.pool.field(index).ok().filter(|it| it.class == class.name)?;
        fields.get(&(member.name, member.descriptor)).copied()
    };
    for (_, instruction) in Instructions::of(&code, class.bytes).map_while(Result::ok) {
        match instruction {
            Instruction::GetField(index) => used.extend(own(index)),
            Instruction::PutField(index) => written.extend(own(index)),
            _ => {}
        }
    }
    used.extend(&written);
    if used.len() == 1 { BTreeSet::new() } else { written }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_groups() {
        let further = Further::named("$interloper$0110");
        assert_eq!(further.descriptor, "I");
        assert_eq!(Further::named("$interloper$0120").descriptor, "J");
        let groups: Vec<usize> = (0..6).map(|field| group_of(&further.name, field)).collect();
        assert_eq!(groups, [0, 1, 1, 0, 0, 0]);
        assert!(is_further(&further.name) && !is_further(crate::FIELD) && !is_further("other"));
    }
}
