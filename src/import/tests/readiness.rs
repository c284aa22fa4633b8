//! Rules of the node readiness controller, as its CRD (0.5.0 and `conditionPolicy`) has them: what becomes of them.

use super::{ImportedCluster, error, export, exports, good, node};
use crate::api::meta::ConditionStatus;
use crate::language::{ConditionPolicy, EnforcementMode};
use crate::scenario::{Overrides, build, parse};
use std::path::Path;

const FILE: &str = "readiness.json";

/// The export with one text in place of another, each time.
fn changed(from: &str, to: &str) -> String {
    let text = export(FILE).text;
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

fn lines(cluster: &ImportedCluster) -> String {
    cluster.summary.lines().join("\n")
}

#[test]
fn rules_are_those_of_the_scenario() {
    let cluster = exports(&[FILE]);
    let names: Vec<&str> = cluster.readiness_rules.iter().map(|r| &*r.name).collect();
    assert_eq!(names, ["agent", "cni", "cni-control-plane"]);
    let [agent, cni, other] = &*cluster.readiness_rules else { unreachable!() };
    assert_eq!(agent.taint, "readiness.k8s.io/agent:NoExecute");
    assert_eq!(agent.enforcement_mode, EnforcementMode::BootstrapOnly);
    assert_eq!(agent.condition_policy, None);
    assert_eq!(cni.taint, "readiness.k8s.io/cni=pending:NoSchedule");
    assert_eq!(cni.enforcement_mode, EnforcementMode::Continuous);
    assert_eq!(cni.conditions[0].kind, "example.com/CniReady");
    assert_eq!(cni.conditions[0].required_status, ConditionStatus::True);
    assert_eq!(cni.conditions[0].default_status, None);
    assert_eq!(other.condition_policy, Some(ConditionPolicy::AnyOf));
    assert_eq!(other.conditions[1].default_status, Some(ConditionStatus::False));
    assert!(lines(&cluster).contains("3 nodes, 0 pods, 4 NodeReadinessRules from readiness.json"));
}

/// Conditions that a rule asks for, and bootstraps, by the uid of a rule or, as before, its name; the others are counted.
#[test]
fn nodes_keep_what_agents_and_the_controller_wrote() {
    let cluster = exports(&[FILE]);
    let of = |name: &str| {
        let group = node(&cluster, name);
        let status = group.conditions.iter().map(|(kind, status)| format!("{kind}={status}"));
        (status.collect::<Vec<_>>().join(" "), group.bootstrap_completed.join(" "))
    };
    let told = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(of("n-1"), told("AgentReady=False example.com/CniReady=True", "agent"));
    assert_eq!(of("n-2"), told("AgentReady=True", "agent"));
    assert_eq!(of("n-3"), told("AgentReady=False example.com/CniReady=True", ""));
    assert!(lines(&cluster).contains("not modelled, left out of nodes: KernelDeadlock (1)"));
}

/// The file has no leases.
const NO_LEASES: &str = "Assumed: nodes that are Ready are alive, as no leases of theirs are in the export: one that fell silent is not seen.";

#[test]
fn what_is_not_taken_is_said_by_name() {
    let place = "(readiness.json, item 7)";
    let dry =
        "1 dryRun NodeReadinessRule left out, as it changes nothing but its own status: preview";
    assert!(lines(&exports(&[FILE])).contains(&format!("{dry} {place}")));
    assert_eq!(exports(&[FILE]).summary.notes(), [NO_LEASES]);
    for (from, to, what) in [
        ("\"dryRun\": true", "\"grace\": \"5m\"", "spec.grace is"),
        (
            "\"dryRun\": true",
            "\"dryRun\": false, \"conditions\": [{\"for\": 5}]",
            "spec.conditions[0].for is",
        ),
    ] {
        let text = changed(from, to).replacen("\"conditions\": [\n     {\n      \"requiredStatus\": \"False\",\n      \"type\": \"KernelDeadlock\"\n     }\n    ],", "", 1);
        let cluster = good(&text);
        let line =
            format!("1 NodeReadinessRule left out, as {what} not simulated: preview (f, item 7)");
        assert!(lines(&cluster).contains(&line), "{line}: {}", lines(&cluster));
        let note = "Not simulated: 1 NodeReadinessRule, which the export has.";
        assert_eq!(cluster.summary.notes(), [note, NO_LEASES]);
    }
    let deleted = changed(
        "\"name\": \"cni\",",
        "\"name\": \"cni\", \"deletionTimestamp\": \"2026-11-20T09:59:59Z\",",
    );
    let line =
        "1 NodeReadinessRule left out, as a deletion under way is not simulated: cni (f, item 4)";
    assert!(lines(&good(&deleted)).contains(line));
}

/// Without the rules taints are there all the same, and nobody takes them off.
#[test]
fn rules_that_were_not_exported_are_missed() {
    let cluster = good(&changed("\"NodeReadinessRule\"", "\"Secret\""));
    assert!(cluster.readiness_rules.is_empty());
    let line = "1 node with taints of the node readiness controller, which stay, as its rules are not in the files (add `nodereadinessrules` to the kubectl command)";
    assert!(lines(&cluster).contains(line), "{}", lines(&cluster));
    assert_eq!(
        cluster.summary.notes(),
        [
            NO_LEASES,
            "The export: the rules of the node readiness controller are not in it, so that its taints stay: 1 node."
        ]
    );
}

#[test]
fn mistakes_have_a_place() {
    for (from, to, message) in [
        (
            "\"enforcementMode\": \"bootstrap-only\"",
            "\"enforcementMode\": \"once\"",
            "f, item 6, NodeReadinessRule \"agent\": spec.enforcementMode is \"once\", which the API does not know",
        ),
        (
            "\"requiredStatus\": \"True\",\n      \"type\": \"AgentReady\"",
            "\"requiredStatus\": \"Yes\", \"type\": \"AgentReady\"",
            "f, item 6, NodeReadinessRule \"agent\": spec.conditions: requiredStatus is \"Yes\", which the API does not know",
        ),
        (
            "\"operator\": \"DoesNotExist\"",
            "\"operator\": \"Lacks\"",
            "f, item 4, NodeReadinessRule \"cni\": spec.nodeSelector: operator is \"Lacks\", which the API does not know",
        ),
    ] {
        assert_eq!(error(&changed(from, to)), message);
    }
    let foreign = changed("\"key\": \"readiness.k8s.io/agent\"", "\"key\": \"example.com/agent\"");
    assert_eq!(
        good(&foreign).builds().unwrap_err().to_string(),
        "f, item 6, NodeReadinessRule \"agent\": taint: taint key must start with 'readiness.k8s.io/'"
    );
}

/// What `import` writes builds, also two rules of one taint that no node has both of.
#[test]
fn what_is_written_builds() {
    let text = exports(&[FILE]).to_scenario();
    let loaded = parse("x.ron", text.into_bytes(), Path::new("")).unwrap_or_else(|p| panic!("{p}"));
    let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(plan.readiness.rules.len(), 3);
    let completed: Vec<usize> = plan.nodes.iter().map(|n| n.bootstrap_completed.len()).collect();
    assert_eq!(completed, [1, 1, 0]);
}
