//! From class files to the intermediate form of the analysis.
//!
//! [`lower`] reads every class twice: once for the class hierarchy, which gives methods their ids, and once to lower the
//! methods. The second reading is done by all threads, each with a part of the classes at a time and with names of its
//! own for it; the parts are put together in order, so that the result does not depend on the number of threads.
//!
//! How a method is lowered: its code is interpreted on names of values (`interpret`, `flow`), which tells
//! calls, assignments and where locks are taken and released; from these the nesting of synchronization blocks is recovered (`regions`), and
//! both become blocks, regions and edges (`emit`).
//!
//! Guarantee: input is hostile. What cannot be read or makes no sense is a [`Problem`], and the rest is lowered.

mod emit;
mod event;
mod flow;
mod interpret;
mod locals;
mod method;
mod pretty;
mod regions;
mod resolve;
mod value;

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::hierarchy::Hierarchy;
use crate::ir::{Method, Names, Program};
use interloper_jvm::{ClassError, ClassFile};

pub use interpret::Unclear;
pub use method::MethodProblem;
pub use pretty::pretty;

/// So many classes are lowered with names in common.
const PART: usize = 128;

/// A class file, and where it came from.
#[derive(Clone, Debug)]
pub struct ClassInput {
    /// For messages: `app.jar!/org/example/Account.class`.
    pub origin: String,
    /// The bytes of the class file.
    pub bytes: Vec<u8>,
}

/// How to lower.
#[derive(Clone, Copy, Debug)]
pub struct LowerOptions {
    /// Locking expressions with more parts than this are `*`.
    pub bound: u8,
}

/// Something that could not be lowered.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Problem {
    /// A class that cannot be read.
    #[error("{origin}: {why}")]
    Class {
        /// Where it came from.
        origin: String,
        /// Why.
        why: Box<ClassError>,
    },
    /// A class whose name an earlier one has.
    #[error("{origin}: there is another class of that name already")]
    Duplicate {
        /// Where it came from.
        origin: String,
    },
    /// A method whose code cannot be understood.
    #[error("{0}")]
    Method(Box<MethodProblem>),
}

/// What was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Classes that were read, without duplicates.
    pub classes: usize,
    /// Methods with a body.
    pub methods: usize,
    /// Instructions of the methods that lock, call or assign.
    pub instructions: usize,
    /// `synchronized` methods.
    pub synchronized_methods: usize,
    /// Places where a monitor is entered.
    pub monitors: usize,
    /// Places where an explicit lock is taken.
    pub explicit_locks: usize,
    /// Places where locks are not nested as blocks are.
    pub unstructured: usize,
    /// Methods with such places.
    pub unstructured_methods: usize,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.classes += other.classes;
        self.methods += other.methods;
        self.instructions += other.instructions;
        self.synchronized_methods += other.synchronized_methods;
        self.monitors += other.monitors;
        self.explicit_locks += other.explicit_locks;
        self.unstructured += other.unstructured;
        self.unstructured_methods += other.unstructured_methods;
    }
}

/// A program in the intermediate form.
#[derive(Debug, Default)]
pub struct Lowered {
    /// Its methods and names. Method ids are those of the hierarchy.
    pub program: Program,
    /// Its classes.
    pub hierarchy: Hierarchy,
    /// What was seen.
    pub counts: Counts,
    /// What could not be lowered, in the order of the classes.
    pub problems: Vec<Problem>,
    /// Names of fields that some code fills with the field of the same name of another object (`mutex = owner.mutex`): several
    /// objects then share what is in them, and two expressions that end in such a field may well be the same lock.
    pub handed_on: BTreeSet<String>,
}

/// Lowers classes. `progress` is told how many more were done, from any thread.
pub fn lower(
    classes: &[ClassInput],
    options: LowerOptions,
    progress: &(dyn Fn(usize) + Sync),
) -> Lowered {
    let mut lowered = Lowered::default();
    let kept = read_hierarchy(classes, &mut lowered);
    lowered.counts.classes = kept.len();
    let names = std::mem::take(&mut lowered.program.names);
    let world = resolve::World { names: &names, hierarchy: &lowered.hierarchy };
    let parts: Vec<Part> = kept
        .par_chunks(PART)
        .map(|classes| {
            let part = lower_part(classes, options, world);
            progress(classes.len());
            part
        })
        .collect();
    lowered.program.names = names;
    lowered.program.methods.reserve_exact(lowered.hierarchy.body_count());
    let renamings: Vec<_> =
        parts.iter().map(|part| lowered.program.names.absorb(&part.names)).collect();
    let methods: Vec<Vec<Method>> = parts
        .into_iter()
        .map(|mut part| {
            lowered.counts += part.counts;
            lowered.problems.append(&mut part.problems);
            lowered.handed_on.append(&mut part.handed_on);
            part.methods
        })
        .collect();
    let renamed: Vec<Vec<Method>> = methods
        .into_par_iter()
        .zip(&renamings)
        .map(|(mut methods, renaming)| {
            methods.iter_mut().for_each(|it| renaming.apply(it));
            methods
        })
        .collect();
    lowered.program.methods.extend(renamed.into_iter().flatten());
    lowered
}

/// Reads all classes into the hierarchy; those that count.
fn read_hierarchy<'c>(classes: &'c [ClassInput], lowered: &mut Lowered) -> Vec<&'c ClassInput> {
    let mut kept = Vec::with_capacity(classes.len());
    // in pieces, so that not all classes are in memory in parsed form at once
    for piece in classes.chunks(8 * PART) {
        let parsed: Vec<_> = piece.par_iter().map(|it| ClassFile::parse(&it.bytes)).collect();
        for (input, parsed) in piece.iter().zip(parsed) {
            let origin = || input.origin.clone();
            match parsed {
                Ok(file) if lowered.hierarchy.add(&mut lowered.program.names, &file) => {
                    kept.push(input);
                }
                Ok(_) => lowered.problems.push(Problem::Duplicate { origin: origin() }),
                Err(why) => {
                    lowered.problems.push(Problem::Class { origin: origin(), why: Box::new(why) });
                }
            }
        }
    }
    lowered.hierarchy.link(&mut lowered.program.names);
    kept
}

/// Some classes, lowered with names of their own.
struct Part {
    names: Names,
    methods: Vec<Method>,
    counts: Counts,
    problems: Vec<Problem>,
    handed_on: BTreeSet<String>,
}

fn lower_part(classes: &[&ClassInput], options: LowerOptions, world: resolve::World<'_>) -> Part {
    let mut part = Part {
        names: Names::default(),
        methods: Vec::new(),
        counts: Counts::default(),
        problems: Vec::new(),
        handed_on: BTreeSet::new(),
    };
    for input in classes {
        // it was parsed before without an error
        let Ok(file) = ClassFile::parse(&input.bytes) else { continue };
        let source = file.source_file().map(|it| part.names.symbol(&it));
        let mut lowerer = method::Lowerer {
            resolver: resolve::Resolver::new(&file, &mut part.names, world),
            file: source,
            bound: options.bound,
            counts: Counts::default(),
            problems: Vec::new(),
            handed_on: Vec::new(),
        };
        for member in &file.methods {
            if crate::hierarchy::has_body(&file, member) {
                part.methods.push(lowerer.method(member));
            }
        }
        part.counts += lowerer.counts;
        part.problems.append(&mut lowerer.problems);
        let handed_on = std::mem::take(&mut lowerer.handed_on);
        part.handed_on.extend(handed_on.iter().map(|name| part.names.text(*name).to_owned()));
    }
    part
}
