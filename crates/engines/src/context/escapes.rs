//! Which objects have escaped from the thread that made them (Wang and Stoller, section 3).
//!
//! An access before the `escape` of its object is none of these engines' business. Whether a trace
//! has such events at all is known only when one comes; until then every access counts. When one
//! comes, the variables of its object start anew: an engine forgets what it knew of them. Up to
//! there only one thread could touch them, so nothing that an engine has said is taken back.

use super::owners::Owners;
use interloper_trace::{Event, Names, VarId};

/// The objects that have escaped.
#[derive(Default)]
pub(crate) struct Escapes {
    /// Whether any object has, so that it matters at all.
    any: bool,
    owners: Owners,
    /// By object: whether it has escaped.
    escaped: Vec<bool>,
    /// By object: its variables so far.
    vars: Vec<Vec<VarId>>,
}

impl Escapes {
    /// To be called before each batch.
    #[inline]
    pub(crate) fn learn(&mut self, names: &Names) {
        if self.any {
            self.learn_new(names);
        }
    }

    fn learn_new(&mut self, names: &Names) {
        let known = self.owners.vars();
        self.owners.learn(names);
        for var in (known..self.owners.vars()).map(|var| VarId(var as u32)) {
            if let Some(object) = self.owners.of(var) {
                if self.vars.len() <= object.index() {
                    self.vars.resize(object.index() + 1, vec![]);
                }
                self.vars[object.index()].push(var);
            }
        }
    }

    /// An object escapes. Gives its variables so far, which start anew; none if it had escaped
    /// before.
    #[cold]
    pub(crate) fn escape(&mut self, event: &Event, names: &Names) -> &[VarId] {
        self.any = true;
        self.learn_new(names);
        let object = self.owners.named(names.vars.text(event.operand)).index();
        if self.escaped.len() <= object {
            self.escaped.resize(object + 1, false);
        }
        if std::mem::replace(&mut self.escaped[object], true) {
            return &[];
        }
        self.vars.get(object).map_or(&[], |vars| vars)
    }

    /// Whether the variable's object has had its `escape`.
    #[inline(always)]
    pub(crate) fn has_escaped(&self, var: VarId) -> bool {
        self.any && self.has_escaped_by_name(var)
    }

    fn has_escaped_by_name(&self, var: VarId) -> bool {
        let object = self.owners.of(var);
        object.is_some_and(|object| self.escaped.get(object.index()).copied().unwrap_or(false))
    }
}
