//! What the agent remembers of sites: the field an instruction names, to resolve it when the probe
//! first meets it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// A field as an instruction names it.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldName {
    /// Internal name of the class that the instruction names (not always the one that declares the
    /// field).
    pub owner: Box<str>,
    /// The field's name.
    pub member: Box<str>,
    /// A number for the field's name, the same for all fields of that name.
    pub number: i32,
}

/// The fields of all sites given out so far.
#[derive(Default)]
pub struct Sites {
    known: RwLock<Known>,
}

#[derive(Default)]
struct Known {
    /// By site id.
    fields: Vec<Option<Arc<FieldName>>>,
    /// By member.
    numbers: HashMap<Box<str>, i32>,
}

impl Sites {
    /// Remembers the sites (id, owner, member) of one class. Those of the same field share its name.
    pub fn add<'a>(&self, sites: impl Iterator<Item = (u32, &'a str, &'a str)>) {
        let mut shared: HashMap<(&str, &str), Arc<FieldName>> = HashMap::new();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for (id, owner, member) in sites {
            let field = shared.entry((owner, member)).or_insert_with(|| known.name(owner, member));
            known.put(id as usize, Arc::clone(field));
        }
    }

    /// The field of a site; `None` if it is not a field access or unknown.
    pub fn field(&self, site: i32) -> Option<Arc<FieldName>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.fields.get(usize::try_from(site).ok()?)?.clone()
    }
}

impl Known {
    fn name(&mut self, owner: &str, member: &str) -> Arc<FieldName> {
        let next =
            i32::try_from(self.numbers.len()).map_or(i32::MAX, |count| count.saturating_add(1));
        let number = *self.numbers.entry(member.into()).or_insert(next);
        Arc::new(FieldName { owner: owner.into(), member: member.into(), number })
    }

    fn put(&mut self, id: usize, field: Arc<FieldName>) {
        if self.fields.len() <= id {
            self.fields.resize(id + 1, None);
        }
        self.fields[id] = Some(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_of_one_field_share_its_name() {
        let sites = Sites::default();
        sites.add([(3, "Account", "balance"), (7, "Account", "balance")].into_iter());
        let (three, seven) = (sites.field(3).expect("added"), sites.field(7).expect("added"));
        assert!(Arc::ptr_eq(&three, &seven));
    }

    #[test]
    fn fields_of_one_name_have_one_number() {
        let sites = Sites::default();
        sites.add([(1, "Account", "balance"), (2, "Account", "owner")].into_iter());
        sites.add([(3, "SavingsAccount", "balance")].into_iter());
        let number = |site| sites.field(site).expect("added").number;
        assert_eq!(number(1), number(3));
        assert_ne!(number(1), number(2));
    }

    #[test]
    fn sites_nobody_added_are_unknown() {
        let sites = Sites::default();
        sites.add([(3, "Account", "balance")].into_iter());
        assert_eq!(sites.field(2), None);
        assert_eq!(sites.field(4), None);
        assert_eq!(sites.field(-1), None);
    }
}
