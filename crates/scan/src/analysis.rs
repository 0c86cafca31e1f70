//! The whole analysis, step by step: LOCKSHELD, ASSIGNED, the dataflow of every method, FINAL_T, warnings.

use rayon::prelude::*;

use crate::assigned::assigned;
use crate::explain::{self, Explanation};
use crate::finals::{Finals, final_t};
use crate::flow::{Flow, is_too_deep};
use crate::globals::Globals;
use crate::graph::{Components, Graph, Targets};
use crate::ir::{Callees, MethodId, Program};
use crate::marks::Marks;
use crate::options::Options;
use crate::pivot::RootFacts;
use crate::propagate::{LocksHeld, Solver};
use crate::report::Reporter;
use crate::solution::{Solution, Tables};
use crate::warning::{Outcome, Stats};
use crate::world::World;

/// Analyses a program: finds the locks that are acquired and released twice while another lock is held.
///
/// Uses the threads of the current [`rayon`] pool; the outcome does not depend on their number.
pub fn analyse(program: &Program, callees: &Callees, options: &Options) -> Outcome {
    Analysis::new(program, callees, options).outcome()
}

/// An analysis whose facts can be asked for.
pub struct Analysis<'a> {
    world: World<'a>,
    roots: Vec<RootFacts>,
    twice: Solution,
    stats: Stats,
}

impl<'a> Analysis<'a> {
    /// Computes LOCKSHELD, ASSIGNED, the dataflow of every method, and FINAL_T.
    pub fn new(program: &'a Program, callees: &'a Callees, options: &'a Options) -> Self {
        let (mut world, components) = solve_held(program, callees, options);
        let mut stats = count(&world, &components);
        let roots: Vec<RootFacts> = (0..program.methods.len())
            .into_par_iter()
            .map(|index| match Flow::new(&world, MethodId::from_index(index)) {
                Some(flow) => flow.root_facts(options.variant, options.pair_cap),
                None => RootFacts::default(),
            })
            .collect();
        let twice = final_t(&mut world, &roots);
        stats.capped_pairs = twice.capped + roots.iter().filter(|r| r.capped).count();
        Self { world, roots, twice, stats }
    }

    /// The warnings.
    pub fn outcome(&self) -> Outcome {
        let finals = self.finals();
        let marks = Marks::new(&finals);
        let (warnings, left_out) = Reporter::new(&finals, &marks).run(&self.roots);
        Outcome { warnings, left_out, stats: self.stats }
    }

    /// The facts of a method.
    pub fn explain(&self, method: MethodId) -> Explanation {
        explain::explain(&self.finals(), method)
    }

    fn finals(&self) -> Finals<'_, 'a> {
        Finals { world: &self.world, twice: &self.twice }
    }
}

fn solve_held<'a>(
    program: &'a Program,
    callees: &'a Callees,
    options: &'a Options,
) -> (World<'a>, Components) {
    let targets = Targets::new(callees, options.callee_cap);
    let graph = Graph::new(program, targets, |_, method, found| {
        found.extend(method.calls().iter().map(|c| c.dispatch));
    });
    let components = graph.components();
    let globals = Globals::new();
    let mut tables = Tables::new(program, graph.len());
    let equation = LocksHeld(&globals);
    let solver =
        Solver { program, graph: &graph, globals: &globals, global_nodes: &[], options, equation };
    let mut held = solver.solve(&components, &mut tables);
    let (globals, new_ids) = globals.sorted();
    held.renumber(&new_ids);
    let global_nodes = globals.nodes();
    let parts = (program, &graph, &components);
    let assigned = assigned(parts, options, &held, &mut tables, &global_nodes);
    let world =
        World { program, options, targets, graph, tables, held, globals, global_nodes, assigned };
    (world, components)
}

fn count(world: &World<'_>, components: &Components) -> Stats {
    let methods = &world.program.methods;
    Stats {
        methods: methods.len(),
        regions: methods.iter().map(|m| m.regions().len() - 1).sum(),
        statements: methods.iter().map(|m| m.stmts().len()).sum(),
        calls: methods.iter().map(|m| m.calls().len()).sum(),
        deep_methods: methods.iter().filter(|m| is_too_deep(m)).count(),
        locking_methods: world.program.method_ids().filter(|&m| world.held_by(m).is_some()).count(),
        global_locks: world.global_nodes.len() - 1,
        components: components.len(),
        largest_component: components.largest(),
        capped_dispatches: world.targets.capped(),
        capped_pairs: 0,
        capped_locks: world.held.capped,
    }
}
