//! Namespaces: the defaults and whitelists of their pods' tolerations, as the API accepts
//! tolerations.

use super::{checks, pods};
use crate::language::text::place::{Place, at, with};
use crate::language::{Complaints, Namespace, Problem, names};
use crate::plan::NamespaceTolerations;
use std::collections::BTreeMap;

/// The most namespaces, as many as Kubernetes supports.
const NAMESPACES_MAX: u64 = 10_000;

/// What the namespaces of a scenario say, by their names. `operators`: the gate
/// TaintTolerationComparisonOperators is on.
pub(super) fn read(
    written: &[Namespace],
    operators: bool,
    complaints: &mut Complaints,
) -> BTreeMap<String, NamespaceTolerations> {
    let mut all = BTreeMap::new();
    for (i, namespace) in written.iter().enumerate() {
        let place = at!["namespaces", i];
        let mut list = |tolerations: &Option<Vec<_>>, field: &str| {
            tolerations
                .as_ref()
                .map(|t| pods::tolerations(t, &with(&place, field), operators, complaints))
        };
        let said = NamespaceTolerations {
            defaults: list(&namespace.default_tolerations, "defaultTolerations"),
            whitelist: list(&namespace.tolerations_whitelist, "tolerationsWhitelist"),
        };
        for (name, place) in names_of(namespace, &place, complaints) {
            if let Err(problem) = checks::namespace(&name) {
                complaints.add(place, problem);
            } else if all.insert(name.clone(), said.clone()).is_some() {
                complaints.say(place, format!("namespace `{name}` is declared twice"));
            }
        }
    }
    all
}

fn names_of(
    namespace: &Namespace,
    place: &Place,
    complaints: &mut Complaints,
) -> Vec<(String, Place)> {
    match (&namespace.name, &namespace.names) {
        (Some(name), None) => vec![(name.clone(), with(place, "name"))],
        (None, Some(texts)) => {
            let mut all = Vec::new();
            for text in texts.texts() {
                let expanded =
                    names::expand(text, NAMESPACES_MAX).map_err(|e| Problem::new(e.to_string()));
                let expanded = complaints.take(with(place, "names"), expanded).unwrap_or_default();
                all.extend(expanded.into_iter().map(|name| (name, with(place, "names"))));
            }
            all
        }
        _ => {
            complaints.add(
                place.clone(),
                Problem::new("a namespace has a `name`, or `names`")
                    .help("`name: \"team-a\"`, or `names: \"team-{1..3}\"`"),
            );
            Vec::new()
        }
    }
}
