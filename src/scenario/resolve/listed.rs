//! Names in the notes of a plan: the first few of them, and how many more there are.

use crate::scenario::prelude::*;

/// How many names are written out.
const NAMES: usize = 4;

/// `default/web` of `Deployment/default/web`.
pub(super) fn in_short(name: &str) -> &str {
    match name.matches('/').count() {
        2 => name.split_once('/').map_or(name, |(_, rest)| rest),
        _ => name,
    }
}

/// The first few names of those whose pods are so.
pub(super) fn owners(plan: &Plan, are_so: impl Fn(&PodTemplate) -> bool) -> Option<String> {
    listed(plan.owners(&are_so).iter().map(|name| in_short(name)))
}

/// The first few names, and how many more there are; nothing where there is none.
pub(super) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    Some(few(NAMES, names)).filter(|names| !names.is_empty())
}
