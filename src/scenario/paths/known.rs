//! The paths that a scenario has.

use super::super::build::known_flags;
use super::super::spec::{NodeSelector, Scenario, Step, Toleration};
use super::apply::short;
use super::called::{Called, paths_of, quoted};
use super::workloads;

/// Every path of a scenario that can be set, apart from labels, resources and feature gates that
/// are not written yet; for suggestions and completion.
pub fn known_paths(spec: &Scenario) -> Vec<String> {
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
    let own = paths_of("nodes", &Called::nodes(spec));
    for (i, group) in spec.nodes.iter().enumerate() {
        let own = &own[i];
        for field in [
            "names",
            "zone",
            "region",
            "unschedulable",
            "taints",
            "lease_offset",
            "lease_period",
            "status_offset",
        ] {
            paths.push(format!("{own}.{field}"));
        }
        paths.extend(
            group
                .labels
                .keys()
                .map(|key| format!("{own}.labels.{}", quoted(key))),
        );
        paths.extend(
            group
                .capacity
                .keys()
                .map(|key| format!("{own}.capacity.{}", quoted(key))),
        );
    }
    let own = paths_of("pods", &Called::pods(spec));
    for (i, group) in spec.pods.iter().enumerate() {
        let own = &own[i];
        for field in [
            "count",
            "replicas",
            "terminationGracePeriodSeconds",
            "priority",
        ] {
            paths.push(format!("{own}.{field}"));
        }
        paths.extend(
            keys(&group.tolerations)
                .map(|key| format!("{own}.tolerations[{key}].tolerationSeconds")),
        );
        paths.extend(
            group
                .labels
                .keys()
                .map(|key| format!("{own}.labels.{}", quoted(key))),
        );
        paths.extend(
            group
                .requests
                .keys()
                .map(|key| format!("{own}.requests.{}", quoted(key))),
        );
    }
    let own = paths_of("workloads", &Called::workloads(spec));
    for (i, workload) in spec.workloads.iter().enumerate() {
        let group = workload.group();
        let own = &own[i];
        for field in workloads::fields(workload) {
            paths.push(format!("{own}.{field}"));
        }
        let template = &group.template;
        for field in [
            "terminationGracePeriodSeconds",
            "priority",
            "priorityClassName",
        ] {
            paths.push(format!("{own}.template.{field}"));
        }
        paths.extend(
            keys(&template.tolerations)
                .map(|key| format!("{own}.template.tolerations[{key}].tolerationSeconds")),
        );
        paths.extend(
            template
                .labels
                .keys()
                .map(|key| format!("{own}.template.labels.{}", quoted(key))),
        );
        paths.extend(
            template
                .requests
                .keys()
                .map(|key| format!("{own}.template.requests.{}", quoted(key))),
        );
    }
    for own in paths_of("podDisruptionBudgets", &Called::budgets(spec)) {
        paths.extend(["minAvailable", "maxUnavailable"].map(|field| format!("{own}.{field}")));
    }
    for (i, entry) in spec.timeline.iter().enumerate() {
        let own = entry.name.as_deref().map_or_else(
            || format!("timeline[{i}]"),
            |n| format!("timeline.{}", quoted(n)),
        );
        let of_all = ["at", "every", "times"].into_iter();
        let targets: &[&str] = if targets_of(&mut entry.step.clone()).is_some() {
            &["node", "nodes"]
        } else {
            &[]
        };
        let fields = of_all.chain(fields(&entry.step).iter().chain(targets).copied());
        paths.extend(fields.map(|field| format!("{own}.{field}")));
    }
    paths
}

/// The taint keys whose tolerations a person may want to change: the two of failing nodes, and
/// those that are written.
fn keys(tolerations: &[Toleration]) -> impl Iterator<Item = &str> {
    let always = ["unreachable", "not-ready"];
    always.into_iter().chain(
        tolerations
            .iter()
            .map(|t| short(&t.key))
            .filter(move |k| !k.is_empty() && !always.contains(k)),
    )
}

/// The fields of a step that can be set.
fn fields(step: &Step) -> &'static [&'static str] {
    match step {
        Step::Partition {
            nodes: Some(NodeSelector::Share { .. }),
            ..
        }
        | Step::Crash {
            nodes: Some(NodeSelector::Share { .. }),
            ..
        } => &["duration", "fraction"],
        Step::Partition { .. } => &["duration", "cut"],
        Step::Crash { .. }
        | Step::Condition { .. }
        | Step::ApiOutage { .. }
        | Step::WatchStall { .. } => &["duration"],
        Step::Flap { .. } => &["down", "up", "cut"],
        Step::SlowHeartbeats { .. } => &["period", "duration"],
        Step::WatchLag { .. } => &["lag", "duration"],
        Step::ControllerRestart { .. } => &["downtime"],
        Step::ClockSkew { .. } => &["skew", "duration"],
        Step::Taint { .. } | Step::Untaint { .. } => &["taint"],
        Step::DeletePod { .. } => &["gracePeriodSeconds"],
        Step::Scale { .. } => &["replicas"],
        Step::Drain { .. } => &["timeout", "gracePeriodSeconds"],
        Step::Maintain { .. } => &["at_a_time", "off", "timeout"],
        Step::PatchBudget { .. } => &["minAvailable", "maxUnavailable"],
        _ => &[],
    }
}

/// The nodes that a step is about, if it says so with a selector.
pub(super) fn nodes_of(step: &mut Step) -> Option<&mut NodeSelector> {
    targets_of(step)?.1.as_mut()
}

/// Where a step says which nodes it is about: by one name, or by a selector.
pub(super) fn targets_of(
    step: &mut Step,
) -> Option<(&mut Option<String>, &mut Option<NodeSelector>)> {
    match step {
        Step::Partition { node, nodes, .. }
        | Step::Heal { node, nodes, .. }
        | Step::Crash { node, nodes, .. }
        | Step::Reboot { node, nodes, .. }
        | Step::Flap { node, nodes, .. }
        | Step::SlowHeartbeats { node, nodes, .. }
        | Step::Condition { node, nodes, .. }
        | Step::ClockSkew { node, nodes, .. }
        | Step::DeleteNode { node, nodes, .. }
        | Step::Taint { node, nodes, .. }
        | Step::Untaint { node, nodes, .. }
        | Step::Cordon { node, nodes, .. }
        | Step::Uncordon { node, nodes, .. }
        | Step::Drain { node, nodes, .. }
        | Step::Maintain { node, nodes, .. }
        | Step::Instance { node, nodes, .. }
        | Step::Label { node, nodes, .. } => Some((node, nodes)),
        Step::ApiOutage { .. }
        | Step::WatchLag { .. }
        | Step::WatchStall { .. }
        | Step::ControllerRestart { .. }
        | Step::AddNode { .. }
        | Step::CreatePod { .. }
        | Step::DeletePod { .. }
        | Step::BindPod { .. }
        | Step::PatchTolerations { .. }
        | Step::Scale { .. }
        | Step::CreateWorkload { .. }
        | Step::DeleteWorkload { .. }
        | Step::CreateBudget { .. }
        | Step::PatchBudget { .. }
        | Step::DeleteBudget { .. } => None,
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
