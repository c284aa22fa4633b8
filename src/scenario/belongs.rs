//! Where a field belongs that was written where it is not known: the same name elsewhere in the
//! language, or a flag of a component.

use crate::language::{flags, schema};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, VecDeque};

/// How a field is written where it belongs: `flags: (kube-controller-manager: …)`. What is below
/// `section`, the field of a scenario in which it was found, comes first.
pub(super) fn belongs(field: &str, section: Option<&str>) -> Option<String> {
    if let Some((component, name)) = flags::known().find(|(_, name)| alike(name, field)) {
        let component = component.replace('_', "-");
        return Some(format!("flags: ({component}: {{\"{name}\": …}})"));
    }
    let language = schema();
    // Manifests of pods say it so.
    let field = match field {
        "resources" => "requests",
        field => field,
    };
    let own = section.and_then(|section| written(&language, field, Some(section)));
    own.or_else(|| written(&language, field, None))
}

/// Whether two names differ in nothing but how their words are joined.
fn alike(a: &str, b: &str) -> bool {
    let plain = |name: &str| name.replace('_', "-");
    plain(a) == plain(b)
}

/// The shortest way to a field of that name, as it is written; below one field of the scenario
/// where that is given.
fn written(language: &Value, field: &str, section: Option<&str>) -> Option<String> {
    let mut seen = BTreeSet::new();
    let mut next = VecDeque::from([(language, String::new(), String::new())]);
    while let Some((at, before, behind)) = next.pop_front() {
        if let Some(name) = at.get("$ref").and_then(Value::as_str)
            && seen.insert(name)
        {
            let def = language.pointer(name.trim_start_matches('#'))?;
            next.push_back((def, before.clone(), behind.clone()));
        }
        if let Some(items) = at.get("items") {
            next.push_back((items, format!("{before}["), format!("]{behind}")));
        }
        for list in ["oneOf", "anyOf", "allOf"] {
            let all = at.get(list).and_then(Value::as_array);
            for part in all.into_iter().flatten() {
                next.push_back((part, before.clone(), behind.clone()));
            }
        }
        let fields = at.get("properties").and_then(Value::as_object);
        let is_root = before.is_empty();
        for (name, below) in fields.into_iter().flat_map(Map::iter) {
            if is_root && section.is_some_and(|section| !alike(section, name)) {
                continue;
            }
            let name = name.replace('_', if is_component(name) { "-" } else { "_" });
            // A variant stands before its fields, and the scenario's own need no brackets here.
            let (open, close) = match (name.starts_with(char::is_uppercase), is_root) {
                (true, _) => (format!("{before}{name}"), behind.clone()),
                (false, true) => (format!("{before}{name}: "), behind.clone()),
                (false, false) => (format!("{before}({name}: "), format!("){behind}")),
            };
            if alike(&name, field) && !is_root {
                return Some(format!("{open}…{close}"));
            }
            next.push_back((below, open, close));
        }
    }
    None
}

/// Components are written as they are called.
fn is_component(name: &str) -> bool {
    name.starts_with("kube_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_told_where_it_belongs() {
        let told = |field, section| belongs(field, section).unwrap_or_default();
        assert_eq!(told("kube-controller-manager", None), "flags: (kube-controller-manager: …)");
        assert_eq!(
            told("node-monitor-grace-period", None),
            "flags: (kube-controller-manager: {\"node-monitor-grace-period\": …})"
        );
        // Of a workload the labels are those of its template, not those of a node.
        assert_eq!(
            told("labels", Some("workloads")),
            "workloads: [Deployment(template: (labels: …))]"
        );
        // A manifest's word for what a pod asks for.
        assert_eq!(
            told("resources", Some("workloads")),
            "workloads: [Deployment(template: (requests: …))]"
        );
        assert_eq!(told("labels", None), "nodes: [(labels: …)]");
        assert_eq!(belongs("nothing-of-this-name", None), None);
    }
}
