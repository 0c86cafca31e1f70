//! Transactions as they are kept and read.

use super::item::{Item, Token, Word};
use super::judge::{Class, Classes, Judge, always_reduces, letters};
use super::locks::Locks;
use super::recording::{Bracket, Numbers, Recording, Seen, lock_item};
use crate::context::locksets::{Locksets, SetId};
use interloper_trace::{Event, LabelId, LockId, Op, SiteId, ThreadId, VarId};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Something that a transaction does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Act {
    Access(u32),
    Acquire(u32),
    Release(u32),
    Begin(u32),
    End,
}

const T: ThreadId = ThreadId(0);

fn event(act: &Act) -> Event {
    let (op, operand) = match *act {
        Act::Access(var) => (Op::Write, var),
        Act::Acquire(lock) => (Op::Acquire, lock),
        Act::Release(lock) => (Op::Release, lock),
        Act::Begin(label) => (Op::Begin, label),
        Act::End => (Op::End, 0),
    };
    Event::new(T, op, operand, SiteId::UNKNOWN)
}

fn item(act: &Act) -> Item {
    let event = event(act);
    match act {
        Act::Access(var) => {
            Item::new(Word::access(VarId(*var), false), event.op, 0, SiteId::UNKNOWN)
        }
        Act::Acquire(_) | Act::Release(_) => lock_item(0, &event),
        Act::Begin(label) => {
            Item::new(Word::begin(LabelId(*label), event.site), event.op, 0, SiteId::UNKNOWN)
        }
        Act::End => Item::new(Word::end(), event.op, 0, SiteId::UNKNOWN),
    }
}

/// The transaction as it is kept. Other threads touch variables meanwhile where `forget` says so.
fn recorded(acts: &[Act], forget: impl Fn(usize) -> bool) -> Vec<Item> {
    let (mut recording, mut numbers) = (Recording::default(), Numbers::default());
    let mut seen = [Seen::default(); 8];
    recording.start([].into_iter(), [item(&Act::Begin(1))].into_iter(), &mut numbers);
    for (place, act) in acts.iter().enumerate() {
        let kept = item(act);
        match *act {
            Act::Access(var) => {
                let seen = &mut seen[var as usize];
                if forget(place) {
                    *seen = Seen::default();
                }
                recording.access(kept.word, seen, 0, &event(act));
            }
            Act::Acquire(lock) => {
                recording.open(Bracket::Lock(LockId(lock)), kept, &mut numbers);
            }
            Act::Release(lock) => {
                recording.close(Bracket::Lock(LockId(lock)), kept, &mut numbers);
            }
            Act::Begin(_) => recording.open(Bracket::Block, kept, &mut numbers),
            Act::End => recording.close(Bracket::Block, kept, &mut numbers),
        }
    }
    recording.finish().to_vec()
}

/// The transaction as it was.
fn raw(acts: &[Act]) -> Vec<Item> {
    [Act::Begin(1)].iter().chain(acts).map(item).collect()
}

/// Variables by class, locks by whether others use them and whether they cross transactions.
#[derive(Clone, Debug)]
struct World {
    vars: Vec<Class>,
    locks: Vec<(bool, bool)>,
    leave_out: bool,
}

impl World {
    fn judge(&self, items: &[Item]) -> (BTreeSet<u32>, String) {
        let (mut locks, mut sets) = (Locks::default(), Locksets::default());
        for (lock, &(shared, crosses)) in (0..).map(LockId).zip(&self.locks) {
            for thread in 0..=u32::from(shared) {
                locks.acquire(lock, ThreadId(thread), |_| SetId::EMPTY, &mut sets);
            }
            if crosses {
                locks.cross(lock);
            }
        }
        let (vars, leave_out) = (self.vars.clone(), self.leave_out);
        let classes = Classes { vars, escaped: &|_| false, locks: &locks, leave_out };
        let mut judge = Judge::default();
        let blocks = judge.judge(items, &classes).iter().map(|misfit| {
            match items[misfit.begin].word.token() {
                Token::Begin(label) => label.0,
                other => panic!("no block: {other:?}"),
            }
        });
        let blocks = blocks.collect();
        (blocks, letters(judge.movers(), 1000))
    }
}

fn words(items: &[Item]) -> Vec<Token> {
    items.iter().map(|item| item.word.token()).collect()
}

/// Figure 5: the trees of the two transactions, and their patterns.
#[test]
fn the_trees_of_vector() {
    use Act::{Access, Acquire, Release};
    let (count, data, v1) = (0, 1, 0);
    let size = [Acquire(v1), Access(count), Release(v1)];
    let to_array =
        [Acquire(v1), Access(count), Access(data), Access(count), Access(count), Release(v1)];
    let constructor = recorded(&[&size[..], &to_array[..]].concat(), |_| false);
    let (acquire, release) = (Token::Acquire(LockId(0)), Token::Release(LockId(0)));
    let (count, data) = (Token::Access(VarId(0), false), Token::Access(VarId(1), false));
    let begin = Token::Begin(LabelId(1));
    assert_eq!(
        words(&constructor),
        [begin, acquire, count, release, acquire, count, count, data, release],
        "varsOne is twice nothing, varsMul twice"
    );
    let remove_all = recorded(&to_array, |_| false);
    assert_eq!(words(&remove_all), [begin, acquire, count, count, data, release]);
    let world =
        World { vars: vec![Class::Guarded; 2], locks: vec![(true, false)], leave_out: true };
    assert_eq!(world.judge(&constructor), (BTreeSet::from([1]), "RBLRBBBL".into()));
    assert_eq!(world.judge(&remove_all), (BTreeSet::new(), "RBBBL".into()));
}

#[test]
fn what_is_left_out_is_in_brackets() {
    use Act::{Access, Acquire, Release};
    let acts = [Acquire(0), Access(0), Release(0), Acquire(1), Access(1), Release(1)];
    let vars = vec![Class::Calm, Class::Racy];
    let world = World { vars, locks: vec![(true, false); 2], leave_out: true };
    assert_eq!(world.judge(&raw(&acts)), (BTreeSet::new(), "[RBL]RNL".into()));
    let theorem_1 = World { leave_out: false, ..world };
    assert_eq!(theorem_1.judge(&raw(&acts)).0, BTreeSet::from([1]));
}

fn world() -> impl Strategy<Value = World> {
    let class = prop_oneof![Just(Class::Calm), Just(Class::Guarded), Just(Class::Racy)];
    let vars = prop::collection::vec(class, 3);
    let locks = prop::collection::vec((any::<bool>(), any::<bool>()), 3);
    (vars, locks, any::<bool>()).prop_map(|(vars, locks, leave_out)| World {
        vars,
        locks,
        leave_out,
    })
}

/// Lock operations, accesses and inner blocks in an order that can be; locks that nest, or not.
fn acts() -> impl Strategy<Value = Vec<Act>> {
    let choices = prop::collection::vec((0..10u32, 0..3u32), 0..60);
    (choices, any::<bool>(), 1..4usize).prop_map(|(choices, nested, times)| {
        let (mut acts, mut open): (Vec<Act>, Vec<Option<u32>>) = (vec![], vec![]);
        let close = |acts: &mut Vec<Act>, open: &mut Vec<Option<u32>>, which: u32| {
            let Some(last) = open.len().checked_sub(1) else { return };
            let which = if nested { last } else { which as usize % open.len() };
            acts.push(match open.remove(which) {
                Some(lock) => Act::Release(lock),
                None => Act::End,
            });
        };
        for (choice, which) in choices {
            match choice {
                0..4 => acts.push(Act::Access(which)),
                4..6 if !open.contains(&Some(which)) => {
                    open.push(Some(which));
                    acts.push(Act::Acquire(which));
                }
                6 => {
                    open.push(None);
                    acts.push(Act::Begin(2 + which));
                }
                _ => close(&mut acts, &mut open, which),
            }
        }
        while !open.is_empty() {
            close(&mut acts, &mut open, 0);
        }
        vec![acts; times].concat()
    })
}

/// A transaction whose locks nest, as the paper has it.
#[derive(Clone, Debug)]
enum Tree {
    Access(u32),
    Node(u32, Vec<Tree>),
}

fn tree() -> impl Strategy<Value = Vec<Tree>> {
    let leaf = (0..3u32).prop_map(Tree::Access);
    let inner = leaf.prop_recursive(3, 12, 4, |inner| {
        (0..3u32, prop::collection::vec(inner, 0..4)).prop_map(|(lock, of)| Tree::Node(lock, of))
    });
    prop::collection::vec(inner, 0..4)
}

/// The events of a transaction; the accesses of each node where they are (`None`), or all of them before
/// its children, or after. A lock that is held already is not acquired again.
fn flat(trees: &[Tree], first: Option<bool>, held: &mut Vec<u32>, acts: &mut Vec<Act>) {
    let mut trees: Vec<&Tree> = trees.iter().collect();
    if let Some(first) = first {
        trees.sort_by_key(|tree| matches!(tree, Tree::Access(_)) != first);
    }
    for tree in trees {
        match tree {
            Tree::Access(var) => acts.push(Act::Access(*var)),
            Tree::Node(lock, children) if held.contains(lock) => flat(children, None, held, acts),
            Tree::Node(lock, children) => {
                acts.push(Act::Acquire(*lock));
                held.push(*lock);
                flat(children, first, held, acts);
                held.pop();
                acts.push(Act::Release(*lock));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() })]

    /// What is kept of a transaction is enough to judge it, and whatever other threads do meanwhile,
    /// the same is kept.
    #[test]
    fn nothing_is_lost(acts in acts(), world in world(), others: u64) {
        let kept = recorded(&acts, |_| false);
        prop_assert_eq!(world.judge(&kept).0, world.judge(&raw(&acts)).0);
        let disturbed = recorded(&acts, |place| others >> (place % 64) & 1 == 1);
        prop_assert_eq!(words(&kept), words(&disturbed));
    }

    /// What always reduces, does.
    #[test]
    fn what_always_reduces_is_never_refuted(acts in acts(), world in world()) {
        let kept = recorded(&acts, |_| false);
        prop_assert!(!always_reduces(&kept) || world.judge(&kept).0.is_empty());
    }

    /// The paper's claim: if locks nest, it makes no difference where between its children a node's own
    /// accesses are.
    #[test]
    fn the_order_within_a_node_makes_no_difference(tree in tree(), world in world()) {
        let verdict = |first: Option<bool>| {
            let mut acts = vec![];
            flat(&tree, first, &mut vec![], &mut acts);
            world.judge(&raw(&acts)).0
        };
        prop_assert_eq!(verdict(None), verdict(Some(true)));
        prop_assert_eq!(verdict(None), verdict(Some(false)));
    }
}
