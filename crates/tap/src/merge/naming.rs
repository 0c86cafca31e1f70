//! What variables of objects are called.
//!
//! Names are never given twice: where a short one is taken (a field hides another, two classes have the same simple name), it gets longer.
//! Where numbers of dead objects' variables are used again, a field's name is made up only when somebody asks.

use super::classes::{Member, simple};
use super::index::LEFT_OUT;
use super::objects::Objects;
use super::{Hashed, Need};
use interloper_trace::{Interner, Names, Part, VarId};
use std::fmt::Write;

/// What the names of signals go on with, before their numbers. No field is called like that; reports know it by this.
pub(super) const SIGNAL: &str = ".signal#";

/// So many variables are got together that are to become parts of objects.
const UNNAMED: u32 = 256;

/// Names of variables stop so far short of what readers of traces refuse; those of locks, half as far. So
/// threads and sites still find room.
pub(super) const ROOM: u64 = 64 << 20;
pub(super) const MOST_COST: u64 = Names::MOST_COST - ROOM;

impl Objects {
    /// Whether the object has a field of the same name already, of another class.
    pub(super) fn has_other(&mut self, id: u32, field: u32, members: &[Member]) -> bool {
        let Some(object) = self.objects.get_mut(id) else { return false };
        let suffix = &members[field as usize].suffix;
        let bit = 1 << (suffix.bytes().fold(7, |all: u8, byte| all.wrapping_mul(31) ^ byte) % 64);
        let perhaps = object.called & bit != 0;
        object.called |= bit;
        let mut others = self.fields.chain(id, object.fields);
        perhaps && others.any(|other| members[other as usize].suffix == *suffix)
    }

    /// `None`: the object is dead.
    pub(super) fn new_field_with_text(
        &mut self,
        id: u32,
        member: &Member,
        hides: bool,
        names: &mut Names,
    ) -> Result<Option<u32>, Need> {
        if !self.begin_name(id)? {
            return Ok(None);
        }
        let qualifier = || format!("({})", simple(&member.class));
        self.scratch.push_str(&member.suffix);
        if hides {
            self.scratch.push_str(&qualifier());
        }
        Ok(Some(self.new_var(names, qualifier)))
    }

    /// A variable whose name is made up when somebody asks; `None`: the object is dead.
    pub(super) fn new_part(
        &mut self,
        id: u32,
        member: &str,
        names: &mut Names,
    ) -> Result<Option<u32>, Need> {
        let Some((class, number)) = self.number(id)? else { return Ok(None) };
        let Some(class) = self.classes.get_mut(&class) else { return Ok(None) };
        let class = *class.word.get_or_insert_with(|| names.vars.word(&class.simple));
        let member = match self.words.get(member) {
            Some(&known) => known,
            None => {
                let word = names.vars.word(member);
                self.words.insert(member.to_string(), word);
                word
            }
        };
        let var = match self.stock.part() {
            Some(VarId(again)) => again,
            None => self.unnamed(names),
        };
        if var != LEFT_OUT {
            names.vars.name_part(var, Part { class, number, member });
        }
        Ok(Some(var))
    }

    /// A variable that has no name yet.
    pub(super) fn unnamed(&mut self, names: &mut Names) -> u32 {
        let (next, left) = &mut self.unnamed;
        if *left == 0 {
            let has_room = names.cost() <= MOST_COST;
            let Some(first) = has_room.then(|| names.vars.unnamed(UNNAMED)).flatten() else {
                return LEFT_OUT;
            };
            (*next, *left) = (first, UNNAMED);
        }
        *left -= 1;
        *next += 1;
        *next - 1
    }

    /// The class of an object, and its number in names; 0: it needs none. `None`: it is dead.
    pub(super) fn number(&mut self, id: u32) -> Result<Option<(u32, u32)>, Need> {
        let Some(object) = self.objects.get_mut(id) else {
            return if self.dead.contains(id) { Ok(None) } else { Err(Need::Object(id)) };
        };
        let class = self.classes.get(&object.class).ok_or(Need::ClassName(object.class))?;
        if object.number == 0 {
            self.counters[class.counter] += 1;
            object.number = self.counters[class.counter];
        }
        // There is one class object to a name, mostly.
        let first_class = class.simple.ends_with(".class") && object.number == 1;
        Ok(Some((object.class, if first_class { 0 } else { object.number })))
    }

    /// Puts an object's name into `scratch`; `false`: it is dead.
    pub(super) fn begin_name(&mut self, id: u32) -> Result<bool, Need> {
        let Some((class, number)) = self.number(id)? else { return Ok(false) };
        self.scratch.clear();
        self.scratch.push_str(self.classes.get(&class).map_or("", |class| &class.simple));
        if number != 0 {
            let _ = write!(self.scratch, "#{number}");
        }
        Ok(true)
    }

    /// The variable with the name in `scratch`, which no other may have: else it is qualified.
    pub(super) fn new_var(&mut self, names: &mut Names, qualifier: impl Fn() -> String) -> u32 {
        let again = self.stock.var();
        if again.is_none() && names.cost() > MOST_COST {
            return LEFT_OUT;
        }
        if names.vars.find(&self.scratch).is_some() {
            let qualifier = qualifier();
            self.scratch.push_str(&qualifier);
            self.repeated.make_new(&mut self.scratch, &names.vars);
        }
        match again {
            Some(VarId(var)) => {
                names.vars.rename(var, &self.scratch);
                var
            }
            None => names.vars.intern(&self.scratch),
        }
    }
}

/// Names that more than one has asked for, and what the last one has got.
#[derive(Default)]
pub(super) struct Repeated(Hashed<String, u32>);

impl Repeated {
    /// Makes a name longer if another has it: `W.x`, `W.x(2)`, `W.x(3)`.
    pub(super) fn make_new(&mut self, name: &mut String, names: &Interner) {
        if names.find(name).is_none() {
            return;
        }
        let last = self.0.entry(name.clone()).or_insert(1);
        let length = name.len();
        while names.find(name).is_some() {
            *last += 1;
            name.truncate(length);
            let _ = write!(name, "({last})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log;
    use interloper_trace::{Retired, VarRange};

    fn members() -> Vec<Member> {
        let member =
            |suffix: &str, class: &str| Member { suffix: suffix.into(), class: class.into() };
        vec![
            member(".size", "com/acme/List"),
            member(".head", "com/acme/List"),
            member(".size", "com/acme/Base"),
            member(".signal#1", "com/acme/List"),
        ]
    }

    /// The names of some fields, whichever way they come to be.
    fn names_of(asked: bool) -> Vec<String> {
        let (mut objects, mut names, members) = (Objects::new(), Names::default(), members());
        if asked {
            objects.stock.ask();
        }
        objects.learn_class(1, "com/acme/List");
        objects.learn_class(2, "com/acme/other/List");
        let mut vars = vec![];
        for (id, class) in [(10, 1), (11, 2), (12, 1)] {
            objects.learn(id, class);
            vars.push(objects.signal(id, 1, &mut names).unwrap().unwrap());
            for field in 0..members.len() as u32 {
                let var = objects.field(id, field, &members, &mut names).unwrap().unwrap();
                assert_eq!(objects.field(id, field, &members, &mut names), Ok(Some(var)));
                vars.push(var);
            }
        }
        assert_eq!(names.vars.is_part(vars[1].0), asked);
        vars.iter().map(|var| names.vars.text(var.0).to_string()).collect()
    }

    #[test]
    fn names_are_the_same_if_they_are_made_up_later() {
        let names = names_of(true);
        assert_eq!(names, names_of(false));
        let first = ["signal#1", "size", "head", "size(Base)", "signal#1(List)"];
        assert_eq!(names[..5], first.map(|it| format!("List#1.{it}")));
        assert_eq!(names[14], "List#3.signal#1(List)");
    }

    #[test]
    fn static_variables_of_one_name_are_counted() {
        let (mut objects, mut names) = (Objects::new(), Names::default());
        let member = |class: &str| Member { suffix: ".x".into(), class: class.into() };
        let members = [member("W"), member("com/acme/W")];
        let mut name_of = |id: u32, field: u32| {
            objects.learn(id, log::STATIC);
            let var = objects.field(id, field, &members, &mut names).unwrap().unwrap();
            names.vars.text(var.0).to_string()
        };
        assert_eq!([1, 2, 3].map(|id| name_of(id, 0)), ["W.x", "W.x(2)", "W.x(3)"]);
        let others = ["W.x(com/acme/W)", "W.x(com/acme/W)(2)"];
        assert_eq!([4, 5].map(|id| name_of(id, 1)), others);
    }

    #[test]
    fn a_number_that_is_used_again_has_another_name() {
        let (mut objects, mut names, members) = (Objects::new(), Names::default(), members());
        objects.stock.ask();
        objects.learn_class(1, "List");
        objects.learn(10, 1);
        let size = objects.field(10, 0, &members, &mut names).unwrap().unwrap();
        let head = objects.field(10, 1, &members, &mut names).unwrap().unwrap();
        assert_eq!(names.vars.text(head.0), "List#1.head");
        objects.bury(10);
        assert_eq!(objects.stock.take_retired().vars.len(), 2);
        let free = Retired { vars: vec![VarRange::one(head)], locks: vec![] };
        objects.stock.take_back(free, &mut names);
        objects.learn(11, 1);
        assert_eq!(objects.field(11, 0, &members, &mut names), Ok(Some(head)));
        let text = |var: VarId| names.vars.text(var.0);
        assert_eq!((text(head), text(size)), ("List#2.size", "List#1.size"));
        assert_eq!(objects.field(10, 0, &members, &mut names), Ok(None));
    }
}
