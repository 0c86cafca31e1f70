//! What only scans report: the size of the code, the places of a lock pattern, what was decided of it before.

use crate::model::Scanned;
use interloper_findings::{
    Acquisition, Context, LockPattern, Place, Site, Suppression, Suppressor,
};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct ScannedJson {
    classes: u64,
    methods: u64,
}

pub(super) fn scanned(scanned: Scanned) -> ScannedJson {
    ScannedJson { classes: scanned.classes, methods: scanned.methods }
}

#[derive(Serialize)]
pub(super) struct SuppressedJson<'a> {
    by: &'static str,
    reason: &'a str,
}

pub(super) fn suppressed(suppression: &Suppression) -> SuppressedJson<'_> {
    let by = match suppression.by {
        Suppressor::Source => "source",
        Suppressor::List => "list",
    };
    SuppressedJson { by, reason: &suppression.reason }
}

#[derive(Serialize)]
pub(super) struct PatternJson<'a> {
    scope: &'static str,
    more: u64,
    places: Vec<PlaceJson<'a>>,
}

#[derive(Serialize)]
struct PlaceJson<'a> {
    fingerprint: String,
    method: &'a str,
    witness: &'a str,
    first_witness: &'a str,
    context: ContextJson<'a>,
    first: AcquisitionJson<'a>,
    second: AcquisitionJson<'a>,
    others: &'a [String],
    more: usize,
}

#[derive(Serialize)]
struct ContextJson<'a> {
    lock: &'a str,
    site: SiteJson<'a>,
    calls: Vec<SiteJson<'a>>,
}

#[derive(Serialize)]
struct AcquisitionJson<'a> {
    lock: &'a str,
    calls: Vec<SiteJson<'a>>,
    site: SiteJson<'a>,
}

#[derive(Serialize)]
struct SiteJson<'a> {
    method: &'a str,
    at: &'a str,
}

pub(super) fn pattern(pattern: &LockPattern) -> PatternJson<'_> {
    PatternJson {
        scope: pattern.scope.word(),
        more: pattern.more,
        places: pattern.places.iter().map(place).collect(),
    }
}

fn place(place: &Place) -> PlaceJson<'_> {
    PlaceJson {
        fingerprint: place.fingerprint(),
        method: &place.method,
        witness: &place.witness,
        first_witness: &place.first_witness,
        context: context(&place.context),
        first: acquisition(&place.first),
        second: acquisition(&place.second),
        others: &place.others,
        more: place.more,
    }
}

fn context(context: &Context) -> ContextJson<'_> {
    ContextJson { lock: &context.lock, site: site(&context.site), calls: sites(&context.calls) }
}

fn acquisition(found: &Acquisition) -> AcquisitionJson<'_> {
    AcquisitionJson { lock: &found.lock, calls: sites(&found.calls), site: site(&found.site) }
}

fn sites(sites: &[Site]) -> Vec<SiteJson<'_>> {
    sites.iter().map(site).collect()
}

fn site(site: &Site) -> SiteJson<'_> {
    SiteJson { method: &site.method, at: &site.at }
}
