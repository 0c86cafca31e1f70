//! The call graph: methods and dispatches, its strongly connected components, and the order to visit them.
//!
//! A dispatch (what a call site names, see [`DispatchId`]) is a node of its own between callers and targets. A method
//! called in a thousand places with a hundred targets then costs eleven hundred edges, not a hundred thousand.

use crate::ir::{Callees, DispatchId, Method, MethodId, Program};

/// A node: methods first, then dispatches.
pub(crate) type NodeId = u32;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Method(MethodId),
    Dispatch(DispatchId),
}

/// Which methods calls may reach, after the cap.
#[derive(Clone, Copy)]
pub(crate) struct Targets<'a> {
    callees: &'a Callees,
    cap: usize,
}

impl<'a> Targets<'a> {
    pub(crate) fn new(callees: &'a Callees, cap: usize) -> Self {
        Self { callees, cap }
    }

    pub(crate) fn of(&self, dispatch: DispatchId) -> &'a [MethodId] {
        let targets = self.callees.of(dispatch);
        if targets.len() <= self.cap { targets } else { &[] }
    }

    /// How many dispatches the cap silences.
    pub(crate) fn capped(&self) -> usize {
        (0..self.callees.len())
            .filter(|&d| self.callees.of(DispatchId::from_index(d)).len() > self.cap)
            .count()
    }
}

/// Lists of nodes, one for each node, in one piece of memory.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    ends: Vec<u32>,
    items: Vec<NodeId>,
}

impl Lists {
    pub(crate) fn of(&self, node: NodeId) -> &[NodeId] {
        let start = if node == 0 { 0 } else { self.ends[node as usize - 1] };
        &self.items[start as usize..self.ends[node as usize] as usize]
    }

    fn close(&mut self) {
        self.ends.push(self.items.len() as u32);
    }

    /// The same edges, turned round. Lists come out sorted.
    pub(crate) fn reversed(&self) -> Lists {
        let mut starts = vec![0u32; self.ends.len() + 1];
        for &item in &self.items {
            starts[item as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut reversed = Lists { ends: starts[1..].to_vec(), items: vec![0; self.items.len()] };
        for node in 0..self.ends.len() as NodeId {
            for &to in self.of(node) {
                let slot = &mut starts[to as usize];
                reversed.items[*slot as usize] = node;
                *slot += 1;
            }
        }
        reversed
    }
}

/// A call graph.
pub(crate) struct Graph {
    methods: u32,
    pub(crate) successors: Lists,
}

impl Graph {
    /// Builds the graph with those dispatches of each method that `dispatches` lists.
    pub(crate) fn new(
        program: &Program,
        targets: Targets<'_>,
        dispatches: impl Fn(MethodId, &Method, &mut Vec<DispatchId>),
    ) -> Self {
        let methods = program.methods.len() as u32;
        let mut successors = Lists::default();
        let mut found = Vec::new();
        for (index, method) in program.methods.iter().enumerate() {
            found.clear();
            dispatches(MethodId::from_index(index), method, &mut found);
            found.retain(|&d| !targets.of(d).is_empty());
            found.sort_unstable();
            found.dedup();
            successors.items.extend(found.iter().map(|d| methods + d.0));
            successors.close();
        }
        for index in 0..program.names.dispatch_count() {
            let targets = targets.of(DispatchId::from_index(index));
            successors.items.extend(targets.iter().map(|m| m.0));
            successors.close();
        }
        Self { methods, successors }
    }

    pub(crate) fn len(&self) -> usize {
        self.successors.ends.len()
    }

    pub(crate) fn node(&self, id: NodeId) -> Node {
        if id < self.methods {
            Node::Method(MethodId(id))
        } else {
            Node::Dispatch(DispatchId(id - self.methods))
        }
    }

    pub(crate) fn of_method(&self, method: MethodId) -> NodeId {
        method.0
    }

    pub(crate) fn of_dispatch(&self, dispatch: DispatchId) -> NodeId {
        self.methods + dispatch.0
    }

    /// The strongly connected components, callees before callers.
    pub(crate) fn components(&self) -> Components {
        Tarjan::new(self).run()
    }
}

/// Strongly connected components, grouped into levels: a component only depends on those of earlier levels.
pub(crate) struct Components {
    members: Vec<NodeId>,
    /// Where each component's members end.
    ends: Vec<u32>,
    /// The components of each level, in the order in which they were found.
    pub(crate) levels: Vec<Vec<u32>>,
}

impl Components {
    pub(crate) fn members(&self, component: u32) -> &[NodeId] {
        let start = if component == 0 { 0 } else { self.ends[component as usize - 1] };
        &self.members[start as usize..self.ends[component as usize] as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn largest(&self) -> usize {
        (0..self.len() as u32).map(|c| self.members(c).len()).max().unwrap_or(0)
    }
}

/// Tarjan's algorithm with a stack of its own, since call chains are long.
struct Tarjan<'a> {
    graph: &'a Graph,
    /// Order of discovery, from 1; 0 is undiscovered.
    index: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    stack: Vec<NodeId>,
    found: Components,
    level_of: Vec<u32>,
}

impl<'a> Tarjan<'a> {
    fn new(graph: &'a Graph) -> Self {
        let n = graph.len();
        Self {
            graph,
            index: vec![0; n],
            low: vec![0; n],
            component: vec![u32::MAX; n],
            stack: Vec::new(),
            found: Components {
                members: Vec::with_capacity(n),
                ends: Vec::new(),
                levels: Vec::new(),
            },
            level_of: Vec::new(),
        }
    }

    fn run(mut self) -> Components {
        let mut next = 1;
        let mut path: Vec<(NodeId, u32)> = Vec::new();
        for root in 0..self.graph.len() as NodeId {
            if self.index[root as usize] != 0 {
                continue;
            }
            self.discover(root, &mut next);
            path.push((root, 0));
            while let Some((node, edge)) = path.last_mut() {
                let node = *node;
                if let Some(&to) = self.graph.successors.of(node).get(*edge as usize) {
                    *edge += 1;
                    if self.index[to as usize] == 0 {
                        self.discover(to, &mut next);
                        path.push((to, 0));
                    } else if self.component[to as usize] == u32::MAX {
                        self.lower(node, self.index[to as usize]);
                    }
                } else {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        self.lower(parent, self.low[node as usize]);
                    }
                    if self.low[node as usize] == self.index[node as usize] {
                        self.close(node);
                    }
                }
            }
        }
        self.found
    }

    fn discover(&mut self, node: NodeId, next: &mut u32) {
        self.index[node as usize] = *next;
        self.low[node as usize] = *next;
        *next += 1;
        self.stack.push(node);
    }

    fn lower(&mut self, node: NodeId, to: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(to);
    }

    /// Takes the component of a root off the stack and puts it on its level.
    fn close(&mut self, root: NodeId) {
        let id = self.found.ends.len() as u32;
        let start = self.found.members.len();
        while let Some(node) = self.stack.pop() {
            self.component[node as usize] = id;
            self.found.members.push(node);
            if node == root {
                break;
            }
        }
        self.found.ends.push(self.found.members.len() as u32);
        let level = self.found.members[start..]
            .iter()
            .flat_map(|&n| self.graph.successors.of(n))
            .map(|&to| self.component[to as usize])
            .filter(|&c| c != id)
            .map(|c| self.level_of[c as usize] + 1)
            .max()
            .unwrap_or(0);
        self.level_of.push(level);
        if self.found.levels.len() <= level as usize {
            self.found.levels.resize_with(level as usize + 1, Vec::new);
        }
        self.found.levels[level as usize].push(id);
    }
}
