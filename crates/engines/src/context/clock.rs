//! A vector clock that shares what it has in common with the clocks it came from: a change copies a
//! few hundred bytes, however many threads there are. A program that starts and joins a hundred
//! thousand threads has that many clocks, almost alike.

use std::sync::Arc;

/// Entries of a leaf, and children of an inner node: a power of two.
const WIDTH: usize = 16;
const BITS: u32 = WIDTH.trailing_zeros();

#[derive(Clone)]
enum Node {
    Leaf([u32; WIDTH]),
    Inner([Option<Arc<Node>>; WIDTH]),
}

/// A number for each thread, 0 unless set.
#[derive(Clone, Default)]
pub(crate) struct Clock {
    root: Option<Arc<Node>>,
    /// Levels of inner nodes above the leaves.
    height: u32,
}

impl Clock {
    /// The number of a thread.
    pub(crate) fn get(&self, thread: usize) -> u32 {
        if thread >= self.room() {
            return 0;
        }
        let mut node = self.root.as_deref();
        for level in (1..=self.height).rev() {
            node = match node {
                Some(Node::Inner(children)) => children[place(thread, level)].as_deref(),
                _ => None,
            };
        }
        match node {
            Some(Node::Leaf(values)) => values[place(thread, 0)],
            _ => 0,
        }
    }

    /// Raises the number of a thread to at least `value`.
    pub(crate) fn raise(&mut self, thread: usize, value: u32) {
        if self.get(thread) >= value {
            return;
        }
        while thread >= self.room() {
            self.grow();
        }
        raise(&mut self.root, self.height, thread, value);
    }

    /// Raises every number to at least that of the other clock.
    pub(crate) fn merge(&mut self, other: &Clock) {
        while self.height < other.height {
            self.grow();
        }
        // The other clock's root stands for the first part of this one.
        let mut node = &mut self.root;
        for _ in other.height..self.height {
            node = &mut inner(node)[0];
        }
        merge(node, &other.root);
    }

    fn room(&self) -> usize {
        WIDTH << (BITS * self.height)
    }

    fn grow(&mut self) {
        self.height += 1;
        if let Some(root) = self.root.take() {
            let mut children = [const { None }; WIDTH];
            children[0] = Some(root);
            self.root = Some(Arc::new(Node::Inner(children)));
        }
    }
}

fn place(thread: usize, level: u32) -> usize {
    (thread >> (BITS * level)) % WIDTH
}

/// The children of a node above the leaves, to be changed.
fn inner(node: &mut Option<Arc<Node>>) -> &mut [Option<Arc<Node>>; WIDTH] {
    let node = node.get_or_insert_with(|| Arc::new(Node::Inner([const { None }; WIDTH])));
    match Arc::make_mut(node) {
        Node::Inner(children) => children,
        Node::Leaf(_) => unreachable!("leaves are at the bottom"),
    }
}

fn raise(node: &mut Option<Arc<Node>>, level: u32, thread: usize, value: u32) {
    if level > 0 {
        raise(&mut inner(node)[place(thread, level)], level - 1, thread, value);
        return;
    }
    let node = node.get_or_insert_with(|| Arc::new(Node::Leaf([0; WIDTH])));
    if let Node::Leaf(values) = Arc::make_mut(node) {
        values[place(thread, 0)] = value;
    }
}

fn merge(node: &mut Option<Arc<Node>>, other: &Option<Arc<Node>>) {
    match merged(node, other) {
        Merged::Both | Merged::Mine => {}
        Merged::Theirs => node.clone_from(other),
        Merged::New(new) => *node = Some(new),
    }
}

/// The greater numbers of two nodes of one level: those of one of them, if they are greater
/// throughout, so that it can be shared.
enum Merged {
    Both,
    Mine,
    Theirs,
    New(Arc<Node>),
}

fn merged(mine: &Option<Arc<Node>>, theirs: &Option<Arc<Node>>) -> Merged {
    let (mine, theirs) = match (mine, theirs) {
        (None, None) => return Merged::Both,
        (_, None) => return Merged::Mine,
        (None, _) => return Merged::Theirs,
        (Some(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => return Merged::Both,
        (Some(mine), Some(theirs)) => (mine, theirs),
    };
    match (&**mine, &**theirs) {
        (Node::Leaf(mine), Node::Leaf(theirs)) => merged_leaves(mine, theirs),
        (Node::Inner(mine), Node::Inner(theirs)) => merged_children(mine, theirs),
        _ => unreachable!("nodes of one level are alike"),
    }
}

fn merged_leaves(mine: &[u32; WIDTH], theirs: &[u32; WIDTH]) -> Merged {
    let most: [u32; WIDTH] = std::array::from_fn(|i| mine[i].max(theirs[i]));
    match (most == *mine, most == *theirs) {
        (true, true) => Merged::Both,
        (true, false) => Merged::Mine,
        (false, true) => Merged::Theirs,
        (false, false) => Merged::New(Arc::new(Node::Leaf(most))),
    }
}

fn merged_children(
    mine: &[Option<Arc<Node>>; WIDTH],
    theirs: &[Option<Arc<Node>>; WIDTH],
) -> Merged {
    let children: [Merged; WIDTH] = std::array::from_fn(|i| merged(&mine[i], &theirs[i]));
    let all = |is: fn(&Merged) -> bool| children.iter().all(is);
    let all_mine = all(|child| matches!(child, Merged::Both | Merged::Mine));
    let all_theirs = all(|child| matches!(child, Merged::Both | Merged::Theirs));
    match (all_mine, all_theirs) {
        (true, true) => Merged::Both,
        (true, false) => Merged::Mine,
        (false, true) => Merged::Theirs,
        (false, false) => {
            let pairs = mine.iter().zip(theirs);
            let mut all =
                children.into_iter().zip(pairs).map(|(child, (mine, theirs))| match child {
                    Merged::Both | Merged::Mine => mine.clone(),
                    Merged::Theirs => theirs.clone(),
                    Merged::New(new) => Some(new),
                });
            Merged::New(Arc::new(Node::Inner(std::array::from_fn(|_| all.next().flatten()))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn numbers() -> impl Strategy<Value = Vec<(usize, u32)>> {
        let thread = prop_oneof![0..20usize, 0..300usize, 0..100_000usize];
        prop::collection::vec((thread, 1..50u32), 0..12)
    }

    fn both(numbers: &[(usize, u32)]) -> (Clock, HashMap<usize, u32>) {
        let (mut clock, mut map) = (Clock::default(), HashMap::new());
        for &(thread, value) in numbers {
            clock.raise(thread, value);
            let entry = map.entry(thread).or_insert(0);
            *entry = value.max(*entry);
        }
        (clock, map)
    }

    proptest! {
        /// A clock is a map with maximum; copies do not see later changes.
        #[test]
        fn clocks_are_maps(a in numbers(), b in numbers(), c in numbers()) {
            let ((mut clock, mut map), (other, more)) = (both(&a), both(&b));
            let (before, old) = (clock.clone(), map.clone());
            clock.merge(&other);
            for (&thread, &value) in &more {
                let entry = map.entry(thread).or_insert(0);
                *entry = value.max(*entry);
            }
            for &(thread, value) in &c {
                clock.raise(thread, value);
                let entry = map.entry(thread).or_insert(0);
                *entry = value.max(*entry);
            }
            for &(thread, _) in a.iter().chain(&b).chain(&c).chain(&[(17, 0), (1 << 20, 0)]) {
                let value = |map: &HashMap<usize, u32>| map.get(&thread).copied().unwrap_or(0);
                prop_assert_eq!(clock.get(thread), value(&map));
                prop_assert_eq!(before.get(thread), value(&old));
                prop_assert_eq!(other.get(thread), value(&more));
            }
        }
    }
}
