//! Namespaces: the defaults and whitelists of their pods' tolerations, as the API accepts
//! tolerations.

use super::prelude::*;

/// The most namespaces, as many as Kubernetes supports.
const NAMESPACES_MAX: u64 = 10_000;

/// What the namespaces of a scenario say, by their names. `operators`: the gate
/// TaintTolerationComparisonOperators is on.
pub(super) fn read(
    written: &[Namespace],
    operators: bool,
    complaints: &Complaints,
) -> BTreeMap<String, NamespaceTolerations> {
    let mut all = BTreeMap::new();
    for (place, namespace) in complaints.at(at!["namespaces"]).each(written) {
        let list = |tolerations: &Option<Vec<_>>, field: &str| {
            tolerations.as_ref().map(|t| checks::read_tolerations(t, &place.part(field), operators))
        };
        let said = NamespaceTolerations {
            defaults: list(&namespace.default_tolerations, "defaultTolerations"),
            whitelist: list(&namespace.tolerations_whitelist, "tolerationsWhitelist"),
        };
        for (name, place) in names_of(namespace, &place) {
            let named = place.take(checks::namespace(&name)).is_some();
            if named && all.insert(name.clone(), said.clone()).is_some() {
                place.say(format!("namespace `{name}` is declared twice"));
            }
        }
    }
    all
}

fn names_of<'c>(namespace: &Namespace, place: &Spot<'c>) -> Vec<(String, Spot<'c>)> {
    match (&namespace.name, &namespace.names) {
        (Some(name), None) => vec![(name.clone(), place.part("name"))],
        (None, Some(texts)) => {
            let mut all = Vec::new();
            for text in texts.texts() {
                let place = place.part("names");
                let expanded = names::expand(text, NAMESPACES_MAX).map_err(Problem::new);
                let expanded = place.take(expanded).unwrap_or_default();
                all.extend(expanded.into_iter().map(|name| (name, place.clone())));
            }
            all
        }
        _ => {
            let help = "`name: \"team-a\"`, or `names: \"team-{1..3}\"`";
            place.add(Problem::new("a namespace has a `name`, or `names`").help(help));
            Vec::new()
        }
    }
}
