//! Names and their numbers: a bijection, whatever the names look like.

use interloper_trace::{Interner, Names, Op, Part};
use proptest::prelude::*;
use std::collections::HashMap;

/// Names that look like numbers, nearly so, or not at all.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0..50u32).prop_map(|n| format!("V{n}")),
        2 => (0..50u32).prop_map(|n| format!("{n}")),
        2 => (0..50u32).prop_map(|n| format!("V0{n}")),
        1 => (0..50u32).prop_map(|n| format!("0{n}")),
        1 => (0..50u32).prop_map(|n| format!("W{n}")),
        1 => (0..50u32).prop_map(|n| format!("é{n}")),
        1 => (0..50u32).prop_map(|n| format!("V{n}x")),
        1 => any::<u64>().prop_map(|n| format!("V{n}")),
        1 => (1_000..3_000u32).prop_map(|n| format!("V{n}")),
        1 => (99_999_900..100_000_100u32).prop_map(|n| format!("V{n}")),
        1 => prop::sample::select(vec![
            "", "V", "VV", "V-1", "V+1", "V 1", "v1", "Ｖ１", "V١", "残高", "V999999999",
            "V4294967296", "V18446744073709551616", "\u{0}", "V1\u{0}",
        ])
        .prop_map(String::from),
        1 => "\\PC{0,6}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn interning_is_a_bijection(names in prop::collection::vec(name(), 0..300)) {
        let mut interner = Interner::default();
        let mut known: HashMap<&str, u32> = HashMap::new();
        for name in &names {
            let new = known.len() as u32;
            let expected = *known.entry(name).or_insert(new);
            // By text and by bytes, first and again: always the same number.
            prop_assert_eq!(interner.intern(name), expected);
            prop_assert_eq!(interner.intern_bytes(name.as_bytes()), Some(expected));
        }
        prop_assert_eq!(interner.len(), known.len());
        for (name, &id) in &known {
            prop_assert_eq!(interner.text(id), *name);
        }
        prop_assert_eq!(interner.text(known.len() as u32), "");
    }

    #[test]
    fn what_is_not_utf8_gets_no_number(
        names in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4), 0..200),
    ) {
        let mut interner = Interner::default();
        let mut known: HashMap<&[u8], u32> = HashMap::new();
        for name in &names {
            let expected = std::str::from_utf8(name).ok().map(|_| {
                let new = known.len() as u32;
                *known.entry(name).or_insert(new)
            });
            prop_assert_eq!(interner.intern_bytes(name), expected);
        }
        prop_assert_eq!(interner.len(), known.len());
    }
}

#[test]
fn numbers_are_dense_and_in_order_of_first_sight() {
    let mut interner = Interner::default();
    let mut name = |n: u32| interner.intern(&format!("V{n}"));
    assert_eq!(
        [name(7), name(3), name(70_000_000), name(3), name(7), name(70_000_000)],
        [0, 1, 2, 1, 0, 2]
    );
}

#[test]
fn tables_are_apart_and_know_the_empty_label_and_location() {
    let mut names = Names::default();
    assert_eq!(names.thread("x").0, 0);
    assert_eq!(names.var("x").0, 0);
    assert_eq!(names.lock("x").0, 0);
    assert_eq!(names.label("x").0, 1);
    assert_eq!(names.site("x").0, 1);
    assert_eq!((names.label("").0, names.site("").0), (0, 0));
    assert_eq!(names.op_text(Op::Read, 0), "r(x)");
    assert_eq!(names.op_text(Op::Begin, 0), "begin");
    assert_eq!(names.op_text(Op::Begin, 1), "begin(x)");
    assert_eq!(names.op_text(Op::End, 0), "end");
}

#[test]
fn families_have_numbers_in_a_row_and_names_on_demand() {
    let mut table = Interner::default();
    assert_eq!(table.intern("x"), 0);
    let stem = table.stem("double[]#3");
    assert_eq!(table.family(stem, 64, 3), Some(1));
    assert_eq!(table.intern("y"), 4);
    assert_eq!(table.family(stem, 0, 2), Some(5));
    assert_eq!(table.family(stem, 2, 1), Some(7));
    assert_eq!(table.intern("z"), 8);
    let names: Vec<&str> = (0..10).map(|id| table.text(id)).collect();
    let expected = ["x", "[64]", "[65]", "[66]", "y", "[0]", "[1]", "[2]", "z", ""];
    let full = |name: &str| match name.starts_with('[') {
        true => format!("double[]#3{name}"),
        false => name.to_string(),
    };
    assert_eq!(names, expected.map(full));
    assert_eq!((table.len(), table.intern("y"), table.find("z")), (9, 4, Some(8)));
    // What has no text of its own is not found by it.
    assert_eq!(table.find("double[]#3[0]"), None);
}

#[test]
fn a_number_that_was_released_gets_another_name() {
    let mut names = Interner::default();
    let (a, v7, b) = (names.intern("a"), names.intern("V7"), names.intern("b"));
    for name in ["c", "d"] {
        names.release(a);
        assert_eq!((names.find("a"), names.find("c"), names.find("d")), (None, None, None));
        names.rename(a, name);
        assert_eq!((names.intern(name), names.text(a), names.find(name)), (a, name, Some(a)));
    }
    names.release(v7);
    assert_ne!(names.intern("V7"), v7);
    assert_eq!((names.text(b), names.find("b")), ("b", Some(b)));
    assert_eq!(names.len(), 4);
}

#[test]
fn a_family_that_is_used_again_forgets_its_stem() {
    let mut names = Interner::default();
    let stem = names.stem("int[]#1");
    let (first, second) = (names.family(stem, 0, 8).unwrap(), names.family(stem, 8, 56).unwrap());
    assert_eq!((names.text(first + 3), names.text(second)), ("int[]#1[3]", "int[]#1[8]"));
    let other = names.stem("int[]#2");
    assert!(names.rename_family(first, other, 0));
    assert!(!names.rename_family(first + 1, other, 0));
    assert_eq!((names.text(first + 3), names.text(second)), ("int[]#2[3]", "int[]#1[8]"));
    assert!(names.rename_family(second, other, 8));
    assert_eq!(names.stem("int[]#3"), stem);
}

#[test]
fn parts_of_objects_have_names_when_asked() {
    let mut names = Interner::default();
    let before = names.intern("before");
    let first = names.unnamed(300).unwrap();
    let behind = names.intern("behind");
    let (class, balance) = (names.word("Account"), names.word(".balance"));
    let cost = |names: &Interner| Names { vars: names.clone(), ..Names::default() }.cost();
    let empty = cost(&names);
    for at in 0..300 {
        assert!(!names.is_part(first + at));
        names.name_part(first + at, Part { class, number: at, member: balance });
    }
    assert!(cost(&names) > empty);
    assert_eq!(names.text(first), "Account.balance");
    assert_eq!(names.text(first + 299), "Account#299.balance");
    assert_eq!((names.text(before), names.text(behind)), ("before", "behind"));
    let owner = names.word(".owner");
    names.name_part(first + 299, Part { class, number: 7, member: owner });
    names.release(first + 299);
    assert_eq!(names.text(first + 299), "Account#7.owner");
    assert_eq!(names.find("behind"), Some(behind));
    assert_eq!(names.len(), 302);
}
