//! Dynamic call sites that get a bootstrap method of their own.
//!
//! The bootstrap method that a site had stays as it is: other sites may have the same one. A copy of it is
//! appended, and the constant of the site names that instead.

use super::members::Added;
use super::{ClassEdit, Refusal};
use crate::attribute::Attribute;
use crate::class::ClassFile;
use crate::pool::{Constant, PoolIndex};
use std::collections::BTreeMap;

/// Bootstrap methods to be appended, and who has them.
#[derive(Default)]
pub(super) struct NewBootstraps {
    added: Added,
    /// By where their constants say it in the file: the numbers of the new bootstrap methods.
    sites: BTreeMap<usize, u16>,
    /// Where the constants of the class stand; filled when first asked.
    places: Option<Vec<usize>>,
}

impl ClassEdit<'_> {
    /// Gives a dynamic call site a bootstrap method that is like the one it has but for this argument.
    pub fn set_bootstrap_argument(
        &mut self,
        site: PoolIndex,
        argument: usize,
        value: PoolIndex,
    ) -> Result<(), Refusal> {
        let class = self.class;
        let Constant::InvokeDynamic { bootstrap, .. } = class.pool.get(site) else {
            return Err(Refusal::NoBootstrap);
        };
        let methods = self.bootstrap_methods.get_or_insert_with(|| {
            // A class without any has no such site that the JVM could link.
            class.bootstrap_methods().unwrap_or_default()
        });
        let method = methods.get(usize::from(bootstrap)).ok_or(Refusal::NoBootstrap)?;
        let mut halves = vec![method.method.0, method.arguments.len() as u16];
        halves.extend(method.arguments.iter().map(|it| it.0));
        *halves.get_mut(2 + argument).ok_or(Refusal::NoBootstrap)? = value.0;
        let number = methods.len() + usize::from(self.bootstraps.added.count);
        if !self.bootstraps.added.count_one(methods.len()) {
            return Err(Refusal::TooManyBootstraps);
        }
        self.bootstraps.added.halves(&halves);
        let places = self.bootstraps.places.get_or_insert_with(|| class.pool.places());
        // The tag stands before the number.
        self.bootstraps.sites.insert(places[usize::from(site.0)] + 1, number as u16);
        Ok(())
    }
}

impl NewBootstraps {
    /// Makes the sites name their bootstrap methods; `out` begins as the old file did.
    pub(super) fn write_sites(&self, out: &mut [u8]) {
        for (at, number) in &self.sites {
            out[*at..at + 2].copy_from_slice(&number.to_be_bytes());
        }
    }

    /// Writes the attributes of the class, with the bootstrap methods among them.
    pub(super) fn write_attributes(&self, class: &ClassFile<'_>, out: &mut Vec<u8>) {
        let (bytes, all) = (class.bytes, class.attributes.span());
        let Some(old) = attribute(class).filter(|_| self.added.count > 0) else {
            out.extend_from_slice(&bytes[all]);
            return;
        };
        let (span, data) = (old.span(), old.data_span());
        out.extend_from_slice(&bytes[all.start..span.start + 2]);
        let length = data.len() + self.added.bytes.len();
        out.extend_from_slice(&(length as u32).to_be_bytes());
        let count = u16::from_be_bytes([bytes[data.start], bytes[data.start + 1]]);
        out.extend_from_slice(&(count + self.added.count).to_be_bytes());
        out.extend_from_slice(&bytes[data.start + 2..data.end]);
        out.extend_from_slice(&self.added.bytes);
        out.extend_from_slice(&bytes[span.end..all.end]);
    }
}

/// The attribute that was read if there are bootstrap methods.
fn attribute<'a>(class: &ClassFile<'a>) -> Option<Attribute<'a>> {
    class.attributes.named(&class.pool, "BootstrapMethods").next()
}
