//! The paths that a scenario has.

use super::called::{Called, paths_of, quoted};
use super::timeline::{fields, targets_of};
use super::tolerations::keys;
use super::workloads;
use crate::language::flags::known as known_flags;
use crate::language::{Scenario, Toleration};
use std::collections::BTreeMap;

/// Every path of a scenario that can be set, apart from labels, resources and feature gates that
/// are not written yet; for suggestions and completion.
pub(crate) fn known_paths(spec: &Scenario) -> Vec<String> {
    let mut paths = of_settings(spec);
    of_nodes(spec, &mut paths);
    of_pods(spec, &mut paths);
    of_workloads(spec, &mut paths);
    for own in paths_of("podDisruptionBudgets", &Called::budgets(spec)) {
        extend(&mut paths, &own, &["minAvailable", "maxUnavailable"]);
    }
    of_timeline(spec, &mut paths);
    paths
}

/// Adds fields of something.
fn extend(paths: &mut Vec<String>, own: &str, fields: &[&str]) {
    paths.extend(fields.iter().map(|field| format!("{own}.{field}")));
}

/// Adds the entries of a map of something.
fn extend_map<V>(paths: &mut Vec<String>, own: &str, field: &str, map: &BTreeMap<String, V>) {
    paths.extend(
        map.keys()
            .map(|key| format!("{own}.{field}.{}", quoted(key))),
    );
}

/// Adds the seconds of tolerations of something.
fn extend_tolerations(paths: &mut Vec<String>, own: &str, tolerations: &[Toleration]) {
    paths
        .extend(keys(tolerations).map(|key| format!("{own}.tolerations[{key}].tolerationSeconds")));
}

/// What holds for the whole run.
fn of_settings(spec: &Scenario) -> Vec<String> {
    let mut paths: Vec<String> = [
        "horizon",
        "kubernetes",
        "timing",
        "timing.request",
        "timing.response",
        "timing.watch",
        "timing.pass_overhead",
        "seed",
        "existing",
        "controllers_start",
    ]
    .map(str::to_owned)
    .into();
    paths.extend(
        spec.feature_gates
            .keys()
            .map(|gate| format!("feature_gates.{gate}")),
    );
    paths.extend(
        known_flags()
            .map(|(component, flag)| format!("flags.{}.{flag}", component.replace('_', "-"))),
    );
    paths.extend(workloads::CONTROLLERS.map(|c| format!("controllers.{c}")));
    paths
}

fn of_nodes(spec: &Scenario, paths: &mut Vec<String>) {
    let fields = [
        "names",
        "zone",
        "region",
        "unschedulable",
        "taints",
        "lease_offset",
        "lease_period",
        "status_offset",
    ];
    let own = paths_of("nodes", &Called::nodes(spec));
    for (group, own) in spec.nodes.iter().zip(&own) {
        extend(paths, own, &fields);
        extend_map(paths, own, "labels", &group.labels);
        extend_map(paths, own, "capacity", &group.capacity);
    }
}

fn of_pods(spec: &Scenario, paths: &mut Vec<String>) {
    let fields = [
        "count",
        "replicas",
        "terminationGracePeriodSeconds",
        "priority",
    ];
    let own = paths_of("pods", &Called::pods(spec));
    for (group, own) in spec.pods.iter().zip(&own) {
        extend(paths, own, &fields);
        extend_tolerations(paths, own, &group.tolerations);
        extend_map(paths, own, "labels", &group.labels);
        extend_map(paths, own, "requests", &group.requests);
    }
}

fn of_workloads(spec: &Scenario, paths: &mut Vec<String>) {
    let fields = [
        "terminationGracePeriodSeconds",
        "priority",
        "priorityClassName",
    ];
    let own = paths_of("workloads", &Called::workloads(spec));
    for (workload, own) in spec.workloads.iter().zip(&own) {
        extend(paths, own, workloads::fields(workload));
        let template = &workload.group().template;
        let own = &format!("{own}.template");
        extend(paths, own, &fields);
        extend_tolerations(paths, own, &template.tolerations);
        extend_map(paths, own, "labels", &template.labels);
        extend_map(paths, own, "requests", &template.requests);
    }
}

fn of_timeline(spec: &Scenario, paths: &mut Vec<String>) {
    for (i, entry) in spec.timeline.iter().enumerate() {
        let own = entry.name.as_deref().map_or_else(
            || format!("timeline[{i}]"),
            |n| format!("timeline.{}", quoted(n)),
        );
        extend(paths, &own, &["at", "every", "times"]);
        extend(paths, &own, fields(&entry.step));
        if targets_of(&mut entry.step.clone()).is_some() {
            extend(paths, &own, &["node", "nodes"]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;
    use super::super::set;
    use std::path::Path;

    #[test]
    fn the_paths_of_a_scenario_are_listed() {
        let mut spec = parse(
            "s.ron",
            include_bytes!("../../../tests/scenarios/valid/bare-pods.ron").to_vec(),
            Path::new(""),
        )
        .unwrap()
        .spec;
        let paths = super::known_paths(&spec);
        for path in [
            "horizon",
            "flags.kubelet.node-lease-duration-seconds",
            "nodes.a.zone",
            "pods.web.labels.app",
            "timeline.cut b.duration",
        ] {
            assert!(paths.iter().any(|p| p == path), "{path} in {paths:?}");
        }
        // Each of them is a path: what is refused is the value alone.
        for path in paths {
            let problem = set(&mut spec, &format!("{path}=?"))
                .err()
                .map(|p| p.message)
                .unwrap_or_default();
            assert!(!problem.contains("is not a path"), "{problem}");
        }
    }
}
