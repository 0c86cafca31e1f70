//! Numbers that the probe and this side must agree on: what the compiled probe says is compared with what is said here.

use crate::handles;
use crate::probe::CLASSES;
use crate::session::setting;
use interloper_jvm::{ClassFile, Constant, Instruction, PoolIndex};
use interloper_tap::Arena;
use interloper_tap::log::{self, Run};
use interloper_tap::message::{self, SiteKind};
use std::collections::BTreeMap;

fn class(name: &str) -> ClassFile<'static> {
    let named = |(class, _): &&(&str, &[u8])| class.strip_prefix("java/lang/") == Some(name);
    let (_, bytes) = CLASSES.iter().find(named).expect("a class of the probe");
    ClassFile::parse(bytes).expect("a class file")
}

fn number(class: &ClassFile<'_>, index: PoolIndex) -> Option<i64> {
    match class.pool.get(index) {
        Constant::Integer(number) => Some(number.into()),
        Constant::Long(number) => Some(number),
        _ => None,
    }
}

/// The numbers that a class has as constants, by their names.
fn constants(name: &str) -> BTreeMap<String, i64> {
    let class = class(name);
    let value = |field: &interloper_jvm::Member<'static>| {
        let value = field.attributes.named(&class.pool, "ConstantValue").next()?;
        let index = u16::from_be_bytes(value.data.try_into().expect("an index"));
        let number = number(&class, PoolIndex(index))?;
        Some((class.member_name(field).into_owned(), number))
    };
    class.fields.iter().filter_map(value).collect()
}

/// The instructions of a method.
fn instructions(class: &ClassFile<'static>, method: &str) -> Vec<Instruction<'static>> {
    let named = |member: &&interloper_jvm::Member<'_>| class.member_name(member) == method;
    let method = class.methods.iter().find(named).expect("the method");
    let code = class.code(method).expect("readable").expect("code");
    let body = class.body(method, &code).expect("readable");
    body.instructions.iter().map(|it| it.instruction).collect()
}

/// Numbers that a class adds to where the arena is when it is initialised, by the names of the fields that it keeps
/// the sums in.
fn places(name: &str) -> BTreeMap<String, i64> {
    use Instruction::{GetStatic, LoadWideConstant, PutStatic};
    let class = class(name);
    let field = |index| class.pool.field(index).expect("a field").name.into_owned();
    let place = |steps: &[Instruction<'_>]| match steps {
        &[GetStatic(from), LoadWideConstant(added), _, PutStatic(kept)]
            if field(from) == "ARENA" =>
        {
            Some((field(kept), number(&class, added)?))
        }
        _ => None,
    };
    instructions(&class, "<clinit>").windows(4).filter_map(place).collect()
}

fn named<const N: usize>(all: [(&str, i64); N]) -> BTreeMap<String, i64> {
    all.into_iter().map(|(name, number)| (name.to_string(), number)).collect()
}

#[test]
fn settings_have_the_numbers_by_which_they_are_asked_for() {
    macro_rules! settings {
        ($($name:ident),*) => { named([$((stringify!($name), i64::from(setting::$name))),*]) };
    }
    let settings = settings![
        ARENA,
        CHUNK_WORDS,
        CHUNKS,
        SLOTS,
        SLOT_TABLE,
        RING,
        CHUNK_AREA,
        SITES,
        LOG,
        ARRAY_CUTOFF,
        ALL_ACCESSES,
        LEAVES,
        REPETITIONS
    ];
    assert_eq!(constants("InterloperNative"), settings);
}

#[test]
fn entries_have_the_tags_that_are_read() {
    let tags = [
        ("ACCESS", log::ACCESS),
        ("ELEMENT", log::ELEMENT),
        ("EDGE", log::EDGE),
        ("MAKE", log::MAKE),
        ("SEEN", log::SEEN),
        ("BEGIN", log::BEGIN),
        ("END", log::END),
        ("ACQUIRE", log::ACQ),
        ("RELEASE", log::REL),
        ("WAIT", log::WAIT),
        ("NOTIFY", log::NOTIFY),
        ("FORK", log::FORK),
        ("JOIN", log::JOIN),
        ("START", log::START),
        ("EXIT", log::EXIT),
        ("SIGNAL", log::SIGNAL),
        ("AWAIT", log::AWAIT),
        ("BARRIER", log::BARRIER),
        ("OBJECT", log::OBJECT),
        ("NEXT", log::NEXT),
        ("MADE_BY", log::MADE_BY),
        ("DEAD", log::DEAD),
        ("MAKES", log::MAKES),
    ];
    let known = (0..=u8::MAX).filter(|&tag| log::length(tag).is_some());
    assert_eq!(known.count(), tags.len());
    let probe = constants("InterloperLog");
    for (name, tag) in tags {
        assert_eq!(probe.get(name), Some(&i64::from(tag)), "{name}");
    }
}

#[test]
fn the_head_of_the_arena_is_where_it_is_looked_for() {
    let places = places("InterloperLog");
    let head = named([
        ("STOP", Arena::AT_STOP as i64),
        ("FRESH", Arena::AT_FRESH as i64),
        ("FREE_HEAD", Arena::AT_PUSHED as i64),
        ("FREE_TAIL", Arena::AT_POPPED as i64),
    ]);
    assert_eq!(places, head);
}

#[test]
fn blocks_are_counted_where_they_are_read() {
    let class = class("InterloperLog");
    let wide = |instruction: &Instruction<'_>| match *instruction {
        Instruction::LoadWideConstant(index) => number(&class, index),
        _ => None,
    };
    let numbers: Vec<i64> = instructions(&class, "settleCounts").iter().filter_map(wide).collect();
    assert_eq!(numbers, [Arena::SLOT_BYTES as i64, Arena::IN_SLOT_BLOCKS as i64]);
}

#[test]
fn what_handles_do_has_the_sites_that_it_needs() {
    use SiteKind::*;
    let probe = constants("InterloperHandles");
    for (name, sites) in [
        ("GET", &[Read][..]),
        ("SET", &[Write]),
        ("READ", &[VolatileRead]),
        ("WRITE", &[VolatileWrite]),
        ("UPDATE", &[Update]),
        ("TRY", &[VolatileRead, Update]),
    ] {
        let does = i32::try_from(probe[name]).expect("an int");
        assert_eq!(handles::kinds(does, false), Some(sites), "{name}");
    }
}

#[test]
fn entries_for_elements_grow_as_they_are_read() {
    let run = constants("InterloperRun");
    assert_eq!(run.get("MOST"), Some(&i64::from(Run::MOST)));
    let one_more = Run { index: 0, stride: 0, more: 1 }.pack() as i64;
    assert_eq!(run.get("ONE_MORE"), Some(&one_more));
    assert_eq!(constants("InterloperThread").get("RUNS"), Some(&(log::RUNS as i64)));
}

#[test]
fn every_slot_has_room_in_the_state_of_an_object() {
    let slot = constants("InterloperOwnership")["SLOT"];
    assert_eq!(slot, i64::from(Arena::MOST_SLOTS) - 1);
    const { assert!(Arena::SLOTS <= Arena::MOST_SLOTS) };
}

/// Every reason to stop begins like this, in a string of its own or in one that numbers are put into.
#[test]
fn reasons_to_stop_are_known_by_their_beginning() {
    for name in ["InterloperThreads", "InterloperOwnership"] {
        let pool = class(name).pool;
        let text = |index: usize| pool.utf8(PoolIndex(index as u16)).ok();
        let mut texts = (0..pool.constants().len()).filter_map(text);
        assert!(texts.any(|text| text.starts_with(message::STOPPED)), "{name}");
    }
}
