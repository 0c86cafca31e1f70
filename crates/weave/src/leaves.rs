//! Which calls can be in a leaf: a block in which no probes are met but those at its own sites ([`Plan::is_leaf`]).
//!
//! Functions of the JDK that run no other code, unless they are to have probes; and constructors of the same class that
//! only fill in what nobody else knows yet, so that they tell nothing but that there is an object.

use crate::calls;
use crate::config::Config;
use crate::plan::{CONSTRUCTOR, Plan, Planner};
use interloper_jvm::{ClassFile, Instruction, Member};

/// What a class may call in leaves.
#[derive(Debug, Default)]
pub(crate) struct Quiet {
    functions: bool,
    /// Descriptors of constructors.
    constructors: Vec<String>,
}

impl Quiet {
    /// For a class; the planner must know all else.
    pub(crate) fn new(config: &Config, class: &ClassFile<'_>, planner: &Planner<'_>) -> Quiet {
        let functions = !calls::FUNCTIONS.iter().any(|it| config.wants(it, true));
        let is_constructor = |it: &&Member<'_>| class.member_name(it) == CONSTRUCTOR;
        let constructors = class.methods.iter().filter(is_constructor);
        let quiet = constructors
            .filter(|it| plan_of(class, planner, it).is_some_and(|plan| plan.tells_nothing()));
        let constructors = quiet.map(|it| class.member_descriptor(it).into_owned()).collect();
        Quiet { functions, constructors }
    }

    /// Whether an instruction runs no code that has probes which matter, although it may call.
    pub(crate) fn allows(&self, class: &ClassFile<'_>, instruction: &Instruction<'_>) -> bool {
        match *instruction {
            Instruction::New(index) => {
                let name = class.pool.class_name(index);
                !self.constructors.is_empty() && name.is_ok_and(|it| it == class.name)
            }
            Instruction::Invoke(_, index) => class.pool.method(index).is_ok_and(|it| {
                let own = it.class == class.name && it.name == CONSTRUCTOR;
                match own {
                    true => self.constructors.iter().any(|known| *known == it.descriptor),
                    false => self.functions && calls::is_function(&it),
                }
            }),
            _ => false,
        }
    }
}

fn plan_of<'a>(
    class: &ClassFile<'a>,
    planner: &Planner<'a>,
    member: &Member<'a>,
) -> Option<Plan<'a>> {
    let code = class.code(member).ok()??;
    let body = class.body(member, &code).ok()?;
    planner.plan(CONSTRUCTOR, &code, &body).ok()
}
