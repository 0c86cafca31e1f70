//! A class with everything that is put into it.

use crate::Config;
use crate::atomic::{Atomicity, Specification};
use crate::bridges::{self, Bridges};
use crate::copies;
use crate::describe::{Description, Numbers, UsedUp};
use crate::groups;
use crate::guards::{self, Guards};
use crate::leaves::Quiet;
use crate::met::Met;
use crate::method::{AtomicBlock, Edited, MethodWeaver, Monitor, Sites, Subject, Version, line_of};
use crate::monitors::Held;
use crate::plan::{Grouping, Plan, Planner};
use crate::probe::{Maker, ProbeConstants};
use interloper_jvm::rewrite::{ClassEdit, Refusal};
use interloper_jvm::{
    AccessFlags, Body, ClassError, ClassFile, Code, Instruction, LineNumber, Member,
};
use interloper_tap::message;
use std::sync::atomic::{AtomicU32, Ordering};
use thiserror::Error;

/// The field that holds the state of an object and its number: a `long`. The names of others begin like it ([`groups`]).
pub const FIELD: &str = "$interloper$";

/// There are fewer sites than this in one JVM.
pub const SITE_LIMIT: u32 = 1 << 24;

/// In methods with more synchronized blocks than this they are not taken to be atomic: what is held
/// where would take too much time and memory to find out. No compiler makes such methods.
const MOST_BLOCKS: usize = 256;

/// How a class comes into the JVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Loaded<'l> {
    /// It is in the JVM already: fields can no longer be added.
    pub retransformed: bool,
    /// Its superclass is instrumented, and has the field for the state.
    pub super_instrumented: bool,
    /// The field for the states of further groups, if it has one for the state.
    pub further: Further<'l>,
    /// The methods that are added for method references.
    pub bridges: Bridges<'l>,
}

/// Whether a class gets a field for the states of further groups, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Further<'l> {
    /// As its methods suggest.
    #[default]
    Suggested,
    /// It is in the JVM already and has this one, or none.
    Kept(Option<&'l str>),
}

/// A woven class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Woven {
    /// The new class file.
    pub bytes: Vec<u8>,
    /// What is in it.
    pub class: message::Class,
    /// What was left alone, and why.
    pub skipped: Vec<(String, String)>,
    /// The numbers of the methods whose blocks are leaves: no other probes are met in them than those at their own sites.
    pub leaves: Vec<u32>,
}

/// Why a class as a whole was left alone.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WeaveError {
    /// The class cannot be read.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// There are no numbers left for the places to be instrumented.
    #[error("{SITE_LIMIT} places are instrumented already, and there can be no more")]
    TooManySites,
}

impl From<UsedUp> for WeaveError {
    fn from(_: UsedUp) -> WeaveError {
        WeaveError::TooManySites
    }
}

/// Puts probes into classes. Can be used by several threads at a time.
#[derive(Debug)]
pub struct Weaver {
    config: Config,
    met: Met,
    numbers: Numbers,
}

impl Weaver {
    /// No class is woven yet.
    pub fn new(config: Config) -> Weaver {
        let (next_site, next_method) = (AtomicU32::new(1), AtomicU32::new(1));
        let met = Met::new(&config);
        Weaver { config, met, numbers: Numbers { next_site, next_method } }
    }

    /// What is to be instrumented.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A class was loaded, wanted or not: the settings that name it are met.
    pub fn meet(&self, class_name: &str) {
        self.met.class(&self.config, class_name);
    }

    /// The lines of the configuration that name something which was met since this was asked last.
    pub fn newly_met(&self) -> Vec<String> {
        self.met.take_new(&self.config)
    }

    /// Puts probes into a class. Whether it is wanted is not asked here ([`Config::wants`]).
    pub fn weave(&self, bytes: &[u8], loaded: Loaded<'_>) -> Result<Woven, WeaveError> {
        if self.numbers.next_site.load(Ordering::Relaxed) >= SITE_LIMIT {
            return Err(WeaveError::TooManySites);
        }
        let class = ClassFile::parse(bytes)?;
        match bridges::add(&class, loaded.bridges) {
            Ok(None) => self.weave_bridged(&class, loaded),
            Ok(Some(bytes)) => self.weave_bridged(&ClassFile::parse(&bytes)?, loaded),
            Err(refusal) => {
                let mut woven = self.weave_bridged(&class, loaded)?;
                let reason = format!("its method references: {refusal}");
                woven.skipped.push((dotted(&class.name), reason));
                Ok(woven)
            }
        }
    }

    /// With copies of the methods that are to have one.
    fn weave_bridged(
        &self,
        class: &ClassFile<'_>,
        loaded: Loaded<'_>,
    ) -> Result<Woven, WeaveError> {
        let weaving = self.weaving(class, loaded);
        let methods = copies::allowed(class, weaving.worth_a_copy(), loaded.bridges);
        match copies::add(class, &methods) {
            Ok(Some(bytes)) => self.weaving(&ClassFile::parse(&bytes)?, loaded).weave(),
            // Whatever there is no room for, they can do without.
            Ok(None) | Err(_) => weaving.weave(),
        }
    }

    fn weaving<'c>(&self, class: &'c ClassFile<'c>, loaded: Loaded<'_>) -> Weaving<'c, '_> {
        let mut weaving = Weaving {
            class,
            edit: ClassEdit::new(class),
            probes: ProbeConstants::default(),
            specification: Specification::new(&self.config, &self.met, class),
            planner: Planner::new(class, self.config.arrays),
            description: Description::new(&self.numbers, described(class)),
            skipped: vec![],
            leaves: vec![],
        };
        weaving.planner.makes = weaving.fields(loaded);
        weaving.planner.all_accesses = self.config.all_accesses;
        weaving.planner.quiet = Quiet::new(&self.config, class, &weaving.planner);
        weaving
    }
}

/// The class itself, without methods and sites.
fn described(class: &ClassFile<'_>) -> message::Class {
    let field = |field: &Member<'_>| message::Field {
        name: class.member_name(field).into_owned(),
        access: field.access.0,
    };
    message::Class {
        name: class.name.to_string(),
        super_name: class.super_name().unwrap_or_default().into_owned(),
        source: class.source_file().map(|it| it.into_owned()),
        fields: class.fields.iter().map(field).collect(),
        methods: vec![],
        sites: vec![],
    }
}

/// A class in the making.
struct Weaving<'c, 'n> {
    class: &'c ClassFile<'c>,
    edit: ClassEdit<'c>,
    probes: ProbeConstants,
    specification: Specification<'n, 'c>,
    planner: Planner<'c>,
    description: Description<'n>,
    skipped: Vec<(String, String)>,
    leaves: Vec<u32>,
}

/// A method that is looked at.
struct Looked<'l, 'c> {
    member: &'c Member<'c>,
    label: String,
    code: &'l Code<'c>,
    body: &'l Body<'c>,
    lines: &'l [LineNumber],
}

impl<'c> Weaving<'c, '_> {
    fn weave(mut self) -> Result<Woven, WeaveError> {
        for method in 0..self.class.methods.len() {
            self.method(method)?;
        }
        Ok(Woven {
            bytes: self.edit.finish(),
            class: self.description.class,
            skipped: self.skipped,
            leaves: self.leaves,
        })
    }

    fn skip(&mut self, what: &str, reason: impl ToString) {
        self.skipped.push((what.to_owned(), reason.to_string()));
    }

    /// Adds the fields for the states of the objects. They are private, or they would count for the number that
    /// serialization gives to versions of a class. `false`: there are none, or a superclass has them.
    fn fields(&mut self, loaded: Loaded<'_>) -> bool {
        let class = self.class;
        let has_one = class.fields.iter().any(|it| class.member_name(it) == FIELD);
        if loaded.retransformed || has_one {
            self.planner.grouping = Grouping::Unknown;
            return false;
        }
        if loaded.super_instrumented || class.access.contains(AccessFlags::INTERFACE) {
            return false;
        }
        let further = match loaded.further {
            Further::Suggested => groups::Further::suggested(class),
            Further::Kept(name) => name.map(groups::Further::named),
        };
        let access = AccessFlags(
            AccessFlags::PRIVATE.0 | AccessFlags::TRANSIENT.0 | AccessFlags::SYNTHETIC.0,
        );
        if let Err(refusal) = self.edit.add_field(access, FIELD, "J") {
            self.skip(&dotted(&class.name), refusal);
            return false;
        }
        // Without it, the fields are one group.
        if let Some(further) = further
            && self.edit.add_field(access, &further.name, further.descriptor).is_ok()
        {
            self.planner.grouping = Grouping::Named(further.name);
        }
        true
    }

    fn method(&mut self, index: usize) -> Result<(), WeaveError> {
        let class = self.class;
        let member = &class.methods[index];
        let name = class.member_name(member);
        if copies::is_copy(&name) {
            // It is woven with its original, or nobody calls it any more.
            return Ok(());
        }
        let name = bridges::label(&name).unwrap_or_else(|| name.into_owned());
        let label = format!("{}.{name}", dotted(&class.name));
        // A method that cannot be read is for the JVM to complain about.
        let (code, body) = match class.code(member).and_then(|code| {
            let body = code.as_ref().map(|code| class.body(member, code)).transpose()?;
            Ok(code.zip(body))
        }) {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(()),
            Err(error) => {
                self.skip(&label, error);
                return Ok(());
            }
        };
        let lines = class.line_numbers(member, &code).unwrap_or_default();
        let looked = Looked { member, label, code: &code, body: &body, lines: &lines };
        let mark = self.description.mark();
        if let Err(reason) = self.edit_method(index, &looked)? {
            self.description.forget(mark);
            self.skip(&looked.label, reason);
        }
        Ok(())
    }

    /// Puts probes into a method, or says why not.
    fn edit_method(
        &mut self,
        index: usize,
        looked: &Looked<'_, 'c>,
    ) -> Result<Result<(), String>, WeaveError> {
        let Looked { member, label, code, body, lines } = looked;
        let plan = match self.planner.plan(&self.class.member_name(member), code, body) {
            Ok(plan) => plan,
            Err(reason) => return Ok(Err(reason.to_owned())),
        };
        let monitor = self.monitor(member);
        let atomicity = self.specification.atomicity(member, label, &body.instructions);
        let wanted = atomicity != Atomicity::No;
        let unless = atomicity.unless();
        let trivial = plan.is_trivially_atomic() && monitor == Monitor::None;
        let atomic = wanted && !trivial;
        self.say_what_is_nameless(looked, &plan);
        let line = line_of(lines, body, 0);
        let id = self.description.method(label.clone(), atomic, line);
        let (blocks, held) = if wanted { (vec![], None) } else { self.blocks(looked) };
        let class = self.class;
        let leaf = atomic && unless.is_none() && monitor == Monitor::None && plan.is_leaf();
        let plan = &plan;
        let guards = copies::copy_of(class, member)
            .and_then(|copy| Some((copy, self.guards(looked, plan, atomic)?)));
        let subject = Subject {
            class,
            member,
            code,
            body,
            lines,
            plan,
            id,
            atomic,
            unless,
            leaf,
            monitor,
            blocks,
            held,
        };
        if !subject.has_probes() {
            self.description.class.methods.pop();
            return Ok(Ok(()));
        }
        let edited = match guards {
            None => self.put_probes(index, &subject, Version::Whole)?.map(drop),
            Some((copy, guards)) => match self.put_probes(copy, &subject, Version::Copy)? {
                Ok(sites) => {
                    let guarded = Version::Guarded(&guards, sites);
                    self.put_probes(index, &subject, guarded)?.map(drop)
                }
                Err(refusal) => Err(refusal),
            },
        };
        if leaf && edited.is_ok() {
            self.leaves.push(id);
        }
        Ok(edited.map_err(|refusal| refusal.to_string()))
    }

    /// Puts probes into the method at this position, which is the subject or its copy; the sites of accesses.
    fn put_probes(
        &mut self,
        index: usize,
        subject: &Subject<'_, 'c>,
        version: Version<'_>,
    ) -> Result<Result<Sites, Refusal>, WeaveError> {
        let probes = &mut self.probes;
        let maker = Maker { constants: self.edit.constants(), probes, refused: None };
        let Edited { edit, maker, sites } =
            MethodWeaver::weave(subject, maker, &mut self.description, version)?;
        let refused = maker.refused.map_or(Ok(()), Err);
        let edited = refused.and_then(|()| self.edit.edit_code(index, &edit));
        Ok(edited.map(|()| sites))
    }

    /// What a method can look at once.
    fn guards(&self, looked: &Looked<'_, 'c>, plan: &Plan<'c>, in_block: bool) -> Option<Guards> {
        let Looked { member, code, body, .. } = looked;
        Guards::find(&self.planner, member, code, body, (plan, in_block))
    }

    /// The methods that should have a copy, by their positions.
    fn worth_a_copy(&self) -> Vec<usize> {
        let methods = 0..self.class.methods.len();
        methods.filter(|index| self.is_worth_a_copy(*index).unwrap_or(false)).collect()
    }

    fn is_worth_a_copy(&self, index: usize) -> Option<bool> {
        let (class, member) = (self.class, &self.class.methods[index]);
        let code = class.code(member).ok()??;
        if !guards::may_have_some(class, member, &code) {
            return None;
        }
        let body = class.body(member, &code).ok()?;
        let name = class.member_name(member);
        let label = format!("{}.{name}", dotted(&class.name));
        let plan = self.planner.plan(&name, &code, &body).ok()?;
        let atomicity = self.specification.atomicity(member, &label, &body.instructions);
        let in_block = atomicity != Atomicity::No && !plan.is_trivially_atomic();
        let looked = Looked { member, label, code: &code, body: &body, lines: &[] };
        Some(self.guards(&looked, &plan, in_block).is_some())
    }

    /// The monitor of a synchronized method.
    fn monitor(&self, method: &Member<'_>) -> Monitor {
        let is = |flags| method.access.contains(flags);
        match (is(AccessFlags::SYNCHRONIZED), is(AccessFlags::STATIC)) {
            (false, _) => Monitor::None,
            (true, false) => Monitor::This,
            (true, true) if self.names_classes() => Monitor::Class,
            (true, true) => Monitor::None,
        }
    }

    /// Whether the class can load classes as constants.
    fn names_classes(&self) -> bool {
        self.class.major >= 49
    }

    /// What classes before Java 5 cannot tell the probe.
    fn say_what_is_nameless(&mut self, looked: &Looked<'_, 'c>, plan: &Plan<'_>) {
        if plan.nameless > 0 {
            let reason = format!(
                "{} accesses of static fields: the class is too old to name classes",
                plan.nameless
            );
            self.skip(&looked.label, reason);
        }
        let both = AccessFlags(AccessFlags::SYNCHRONIZED.0 | AccessFlags::STATIC.0);
        if looked.member.access.contains(both) && !self.names_classes() {
            let reason = "its monitor: the class is too old to name classes";
            self.skip(&looked.label, reason);
        }
    }

    /// The atomic blocks of a method that is not atomic itself.
    fn blocks(&mut self, looked: &Looked<'_, 'c>) -> (Vec<AtomicBlock>, Option<Held>) {
        let Looked { label, code, body, lines, .. } = looked;
        let enters: Vec<usize> = (0..body.instructions.len())
            .filter(|i| body.instructions[*i].instruction == Instruction::MonitorEnter)
            .collect();
        if enters.is_empty() || !self.specification.blocks_are_atomic() {
            return (vec![], None);
        }
        if enters.len() > MOST_BLOCKS {
            self.skip(label, "its synchronized blocks are too many");
            return (vec![], None);
        }
        let Some(held) = Held::find(code, body) else {
            self.skip(label, "its synchronized blocks are not properly nested");
            return (vec![], None);
        };
        let mut blocks = vec![];
        for (number, enter) in enters.into_iter().enumerate() {
            let line = line_of(lines, body, enter);
            let label = match line {
                0 => format!("{label}:block{}", number + 1),
                line => format!("{label}:{line}"),
            };
            if !self.specification.is_excluded(&label, "") {
                let id = self.description.method(label, true, line);
                blocks.push(AtomicBlock { enter, id });
            }
        }
        (blocks, Some(held))
    }
}

/// `com/acme/Account` as `com.acme.Account`.
fn dotted(name: &str) -> String {
    name.replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_numbers_classes_are_left_alone() {
        let weaver = Weaver::new(Config::default());
        weaver.numbers.next_site.store(SITE_LIMIT, Ordering::Relaxed);
        assert_eq!(weaver.weave(&[], Loaded::default()), Err(WeaveError::TooManySites));
    }

    #[test]
    fn the_last_number_is_given_but_no_more() {
        let next_site = AtomicU32::new(SITE_LIMIT - 1);
        let numbers = Numbers { next_site, next_method: AtomicU32::new(1) };
        let mut description = Description::new(&numbers, message::Class::default());
        let at = crate::describe::At { method: 1, line: 0 };
        assert!(matches!(description.monitor(at, ""), Ok(site) if site == SITE_LIMIT - 1));
        assert!(description.monitor(at, "").is_err());
        assert!(description.monitor(at, "").is_err());
        assert_eq!(description.class.sites.len(), 1);
    }

    #[test]
    fn what_is_no_class_is_an_error() {
        let weaver = Weaver::new(Config::default());
        let woven = weaver.weave(b"no class", Loaded::default());
        assert!(matches!(woven, Err(WeaveError::Class(_))));
    }
}
