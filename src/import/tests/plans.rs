//! From an export to a plan, directly and by way of a scenario file: both ways lead to the same.

use super::{export, exports};
use crate::api::budget::{BudgetRule, IntOrPercent};
use crate::api::meta::Timestamp;
use crate::language::Problems;
use crate::plan::{NodeFault, NodeStart, Plan, PodStart};
use crate::scenario::{Loaded, Overrides, build, parse};
use crate::trace::What;
use std::path::Path;

fn load(text: &str) -> Result<Loaded, Problems> {
    parse("x.ron", text.as_bytes().to_vec(), Path::new("tests/exports"))
}

fn plan(text: &str) -> Plan {
    let loaded = load(text).unwrap_or_else(|p| panic!("{p}"));
    build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"))
}

fn from(file: &str) -> String {
    format!("Scenario(version: 1, horizon: \"30m\", cluster: From(\"{file}\"))")
}

#[test]
fn what_is_written_builds_the_same_plan() {
    for file in [
        "healthy-all.json.gz",
        "healthy-two-lists.yaml.gz",
        "degraded-nodes.yaml.gz",
        "degraded-pods.yaml.gz",
    ] {
        let (direct, written) = (plan(&from(file)), plan(&exports(&[file]).to_scenario()));
        let parts =
            |p: &Plan| format!("{:#?} {:#?} {:#?} {}", p.nodes, p.templates, p.pods, p.warm_start);
        assert_eq!(parts(&direct), parts(&written), "{file}");
        assert!(direct.warm_start, "{file}: controllers go on");
        assert_eq!(direct.memory, written.memory, "{file}");
        assert_eq!(direct.nodes.len(), exports(&[file]).summary.nodes, "{file}");
        assert_eq!(direct.pods.len(), exports(&[file]).summary.pods, "{file}");
    }
}

/// As in `exports.rs`: Unknown since 8m36s before zero, the NoExecute taint of 8m25s before.
#[test]
fn a_plan_has_the_state_of_the_export() {
    let plan = plan(&from("degraded-nodes.yaml.gz"));
    let d1 = plan.nodes.iter().find(|n| n.name == "extra-d1").unwrap();
    let NodeStart::Imported { conditions, lease_renewed_us, cut: true, .. } = &d1.start else {
        panic!("{:?}", d1.start)
    };
    assert_eq!(
        (conditions[0].last_transition_time, *lease_renewed_us),
        (Timestamp(-516), Some(-610_000_000))
    );
    assert_eq!(d1.taints[1].time_added, Some(Timestamp(-505)));
    assert_eq!(d1.labels["kubernetes.io/hostname"], "extra-d1");
    assert_eq!(
        plan.nodes
            .iter()
            .filter(|n| matches!(n.start, NodeStart::Imported { cut: true, .. }))
            .count(),
        12
    );
}

#[test]
fn faults_name_what_is_in_the_export() {
    let text = from("healthy-all.json.gz");
    let faulty = |entry: &str| {
        format!(
            "{}, timeline: [(at: \"1m\", name: \"cut\", do: {entry})])",
            text.strip_suffix(')').unwrap()
        )
    };
    let cut = plan(&faulty("Partition(nodes: Zone(\"eu-west-1c\"), duration: \"5m\")"));
    // gpu-c1, worker-c1, worker-c2, worker-c3
    assert!(
        matches!(&cut.actions[0].act, crate::plan::Do::Fail(nodes, NodeFault::Cut(_)) if nodes.len() == 4),
        "{:?}",
        cut.actions
    );
    let p = build(&load(&faulty("Crash(node: \"worker-c9\")")).unwrap(), &Overrides::default())
        .unwrap_err()
        .to_string();
    assert!(p.contains("worker-c9") && p.contains("did you mean"), "{p}");
}

#[test]
fn groups_of_both_stand_beside_each_other() {
    let text = from("healthy-node-worker-a1.json.gz");
    let text = format!(
        "{}, nodes: [(name: \"own\")], pods: [(name: \"p\", on: Node(\"worker-a1\"))])",
        text.strip_suffix(')').unwrap()
    );
    let plan = plan(&text);
    assert_eq!(
        plan.nodes.iter().map(|n| n.name.as_str()).collect::<Vec<_>>(),
        ["own", "worker-a1"]
    );
    assert_eq!((plan.pods[0].node, plan.pods[0].start), (Some(1), PodStart::Running));
    let twice = text.replace("\"own\"", "\"worker-a1\"");
    let p = build(&load(&twice).unwrap(), &Overrides::default()).unwrap_err().to_string();
    assert!(p.contains("node `worker-a1` is declared twice"), "{p}");
    assert!(p.starts_with("x.ron:1:47: "), "at `From`: {p}");
}

#[test]
fn what_was_left_out_is_known() {
    let loaded = load(&from("healthy-all.json.gz")).unwrap();
    assert!(loaded.imported.unwrap().lines().iter().any(|l| l.contains("3 Deployments")));
}

#[test]
fn a_file_that_cannot_be_imported_is_a_problem_of_the_scenario() {
    for (file, message) in [
        ("nothing.json", "there is no such file or folder"),
        ("healthy-table.txt", "is the table that kubectl prints"),
        ("", "no file is named"),
    ] {
        let p = load(&from(file)).unwrap_err();
        assert_eq!(p.0.len(), 1, "{p}");
        assert!(
            p.to_string().starts_with("x.ron:1:47: ") && p.to_string().contains(message),
            "{p}"
        );
    }
}

/// A thousand pods of one shape are one template.
#[test]
fn like_pods_share_a_template() {
    let one = |i: usize| {
        format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{{\"name\":\"p{i}\"}},\"spec\":{{\"nodeName\":\"n{}\"}}}}",
            i % 10
        )
    };
    let text: String = (0..1000).map(one).collect();
    let cluster = super::good(&text);
    let plan = plan(&cluster.to_scenario());
    assert_eq!((plan.nodes.len(), plan.templates.len(), plan.pods.len()), (10, 1, 1000));
    let last = plan.pods.iter().find(|p| &*p.name == "default/p999").unwrap();
    assert_eq!(plan.nodes[last.node.unwrap() as usize].name, "n9");
}

#[test]
fn the_whole_degraded_cluster_builds() {
    let cluster = super::super::ImportedCluster::read(&[
        export("degraded-nodes.yaml.gz"),
        export("degraded-pods.yaml.gz"),
    ])
    .unwrap();
    let plan = plan(&cluster.to_scenario());
    let terminating = plan
        .pods
        .iter()
        .filter(|p| matches!(p.start, PodStart::Imported { deletion: Some(_), .. }));
    assert_eq!((plan.nodes.len(), plan.pods.len(), terminating.count()), (24, 233, 56));
}

/// The outage goes on as it stood: nobody comes back, and pods that were Terminating stay so. A
/// partition that names the nodes that are cut off ends at its end: kubelets report, and stop the
/// 56 pods that they were told to stop. Four more go: their node is tainted while its kubelet's watch
/// still pauses, and they tolerate 30 seconds and none. Taints go when the controllers start, as they do upstream
/// (`monitorNodeHealth` takes every node it did not know as reachable).
#[test]
fn a_degraded_cluster_runs_on() {
    let cluster = super::super::ImportedCluster::read(&[
        export("degraded-nodes.yaml.gz"),
        export("degraded-pods.yaml.gz"),
    ])
    .unwrap();
    let gone = |text: &str| {
        let trace = crate::sim::run(&plan(text), crate::kernel::Choices::seeded(1));
        trace.iter().filter(|r| r.what == What::PodGone).count()
    };
    let text = cluster.to_scenario();
    assert_eq!(gone(&text), 0);
    let names = format!("{:?}", cluster.summary.cut_off);
    let entry = format!(
        "timeline: [(at: \"0s\", name: \"outage\", do: Partition(nodes: Nodes({names}), duration: \"5m\"))],\n)"
    );
    assert_eq!(gone(&(text.trim_end().strip_suffix(')').unwrap().to_owned() + &entry)), 56 + 4);
}

/// The export's own objects, read by eye: three Deployments with a ReplicaSet each, a StatefulSet,
/// a DaemonSet, a finished Job, two budgets.
#[test]
fn workloads_adopt_the_pods_of_the_export() {
    let plan = plan(&from("healthy-all.json.gz"));
    let mut names: Vec<&str> = plan.workloads.iter().map(|w| w.name.as_str()).collect();
    names.sort_unstable();
    let expected = [
        "DaemonSet/kube-system/node-agent",
        "Deployment/ml/train",
        "Deployment/shop/api",
        "Deployment/shop/web",
        "ReplicaSet/ml/train-76db657d65",
        "ReplicaSet/shop/api-7c6dbd6bcd",
        "ReplicaSet/shop/web-5468c74c4d",
        "StatefulSet/shop/db",
    ];
    assert_eq!(names, expected);
    let find = |name: &str| plan.workloads.iter().find(|w| w.name == name).unwrap();
    let template = |name: &str| &plan.templates[find(name).template as usize];
    let web = find("ReplicaSet/shop/web-5468c74c4d");
    assert_eq!(
        web.owner.map(|o| plan.workloads[o as usize].name.as_str()),
        Some("Deployment/shop/web")
    );
    assert_eq!(
        (web.spec.replicas(), web.selector.as_selector().unwrap().to_string().as_str()),
        (6, "app=web,pod-template-hash=5468c74c4d")
    );
    let spread = &template("Deployment/shop/web").scheduling.as_ref().unwrap().topology_spread[0];
    assert_eq!(
        (spread.max_skew, spread.topology_key.as_str(), spread.hard),
        (1, "topology.kubernetes.io/zone", true)
    );
    let api = template("Deployment/shop/api");
    let away = &api.scheduling.as_ref().unwrap().pod_anti_affinity.required[0];
    assert_eq!(
        (api.priority, away.topology_key.as_str()),
        (Some(1_000_000), "kubernetes.io/hostname")
    );
    assert_eq!(template("DaemonSet/kube-system/node-agent").priority, Some(2_000_001_000));
    let owned = |kind: &str, name: &str| {
        let is = |t: &crate::api::pod::PodTemplate| {
            t.owner.as_ref().is_some_and(|o| o.kind == kind && o.name == name)
        };
        plan.pods.iter().filter(|p| is(&plan.templates[p.template as usize])).count()
    };
    assert_eq!(
        (
            owned("ReplicaSet", "web-5468c74c4d"),
            owned("StatefulSet", "db"),
            owned("DaemonSet", "node-agent")
        ),
        (6, 3, 12)
    );
    let rules: Vec<_> = plan.budgets.iter().map(|b| (b.name.as_str(), b.rule)).collect();
    let two = BudgetRule::MinAvailable(IntOrPercent::Int(2));
    let quarter = BudgetRule::MaxUnavailable(IntOrPercent::Percent(25));
    assert_eq!(
        rules,
        [("PodDisruptionBudget/shop/db", two), ("PodDisruptionBudget/shop/web", quarter)]
    );
    let lines = exports(&["healthy-all.json.gz"]).summary.lines();
    assert!(
        lines.contains(&"no controller here acts on them, left out: 1 finished Job".to_owned()),
        "{lines:?}"
    );
}

/// A budget without a selector, and one with neither number, are taken as the API takes them: the first is about no pod,
/// the second lets none of its pods go. One with both is refused (`ValidatePodDisruptionBudgetSpec`, v1.34).
#[test]
fn budgets_are_taken_as_the_api_takes_them() {
    let budget = |name: &str, spec: &str| {
        format!(
            "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n"
        )
    };
    let of = |spec: &str| {
        let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n".to_owned();
        super::read(&(node + &budget("b", spec)))
    };
    let taken = |spec: &str| plan(&of(spec).unwrap().to_scenario()).budgets.remove(0);
    let labels = crate::api::labels::Labels::from([("app".to_owned(), "web".to_owned())]);
    let without = taken("minAvailable: 1");
    assert_eq!(without.rule, BudgetRule::MinAvailable(IntOrPercent::Int(1)));
    assert!(!without.selector.matches(&labels));
    assert!(taken("selector: {}, minAvailable: 1").selector.matches(&labels));
    let neither = taken("selector: {matchLabels: {app: web}}");
    assert_eq!((neither.rule, neither.selector.matches(&labels)), (BudgetRule::Neither, true));
    let both = of("minAvailable: 1, maxUnavailable: 1").unwrap_err().to_string();
    assert!(both.contains("has either spec.minAvailable or spec.maxUnavailable"), "{both}");
}
