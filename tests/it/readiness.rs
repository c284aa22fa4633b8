//! Node readiness rules: each time by arithmetic from upstream's constants
//! (kubernetes-sigs/node-readiness-controller, `internal/controller`). With `timing: Ideal` requests and watches
//! take no time.

use super::plans::{drawn, plan};
use taintsim::kernel::Choices;
use taintsim::sim::run;
use taintsim::trace::{Trace, What};

const CNI: &str = r#"name: "cni", conditions: [(type: "CniReady", requiredStatus: True)], taint: "readiness.k8s.io/cni=pending:NoSchedule""#;

/// Nodes `a`, whose CNI is ready, and `b`, of which its agent has said nothing.
fn cluster(rules: &str, timeline: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "1.36", horizon: "3m", timing: Ideal,
            nodes: [(name: "a", labels: {{"tier": "x"}}, conditions: {{"CniReady": True}}), (name: "b")],
            pods: [(name: "p", on: Node("a"), tolerations: [(key: "readiness.k8s.io/agent", operator: Exists, effect: NoExecute, tolerationSeconds: 60)])],
            node_readiness_rules: [{rules}], timeline: [{timeline}])"#
    )
}

fn ran(rules: &str, timeline: &str) -> Trace {
    run(&plan(&cluster(rules, timeline)), Choices::seeded(1))
}

/// What the controller changes of taints: when, in whole milliseconds, `+` or `-`, and where.
fn changes(trace: &Trace) -> Vec<String> {
    let by = |r: &&taintsim::trace::Record| r.actor.as_str() == "node-readiness";
    let changed = trace.iter().filter(by).filter(|r| matches!(r.what, What::NodeTaints(_)));
    changed
        .map(|r| {
            let f = trace.fields(r);
            let sign = if f.added.is_empty() { '-' } else { '+' };
            format!("{} {sign}{}", r.at.as_millis(), f.node.unwrap_or_default())
        })
        .collect()
}

/// What is recorded of that kind: when, and its message.
fn told(trace: &Trace, what: &str) -> Vec<(u64, String)> {
    let fields = trace.iter().map(|r| (r.at.as_millis(), trace.fields(r)));
    let of_kind = fields.filter(|(_, f)| f.what == what);
    of_kind.map(|(at, f)| (at, f.message.or(f.object).or(f.pod).unwrap_or_default())).collect()
}

/// `evaluateRuleForNode`: a node without the condition counts as Unknown, and is tainted as the controller
/// starts; the condition comes and goes, and the taint with it.
#[test]
fn a_continuous_rule_follows_its_conditions() {
    let rule = format!("({CNI}, enforcementMode: Continuous)");
    let trace = ran(
        &rule,
        r#"(at: "10s", do: SetCondition(node: "b", type: "CniReady", status: True)),
            (at: "20s", do: SetCondition(nodes: All, type: "CniReady", status: False)),
            (at: "30s", do: SetCondition(node: "a", type: "CniReady", status: True))"#,
    );
    assert_eq!(changes(&trace), ["0 +b", "10000 -b", "20000 +a", "20000 +b", "30000 -a"]);
    let why = told(&trace, "readiness-evaluated");
    let missing = "rule cni: CniReady is missing, which counts as Unknown (True is required)";
    assert_eq!(why[0].1, missing);
    let fails = "rule cni: CniReady is False (True is required)";
    assert!(why.contains(&(20_000, fails.to_owned())), "{why:?}");
}

/// Upstream's test "should not re-add the taint if conditions regress after completion" (node_controller_test.go).
#[test]
fn a_bootstrap_that_is_completed_is_never_begun_again() {
    let rule = format!("({CNI}, enforcementMode: BootstrapOnly)");
    let trace = ran(
        &rule,
        r#"(at: "10s", do: SetCondition(node: "b", type: "CniReady", status: True)),
            (at: "20s", do: SetCondition(nodes: All, type: "CniReady", status: False))"#,
    );
    assert_eq!(changes(&trace), ["0 +b", "10000 -b"]);
    let completed = told(&trace, "bootstrap-completed");
    let rule = || "NodeReadinessRule/cni".to_owned();
    assert_eq!(completed, [(0, rule()), (10_000, rule())]);
}

/// A rule that is created gets its finalizer, and is looked at again a second later (`RequeueAfter: time.Second`);
/// one that is deleted goes when its taints are off.
#[test]
fn a_rule_begins_after_a_second_and_cleans_up() {
    let create = format!(
        r#"(at: "10s", do: CreateNodeReadinessRule(rule: ({CNI}, enforcementMode: Continuous)))"#
    );
    let timeline = format!(r#"{create}, (at: "20s", do: DeleteNodeReadinessRule(rule: "cni"))"#);
    let trace = ran("", &timeline);
    assert_eq!(changes(&trace), ["11000 +b", "20000 -b"]);
    assert_eq!(told(&trace, "readiness-rule-gone"), [(20_000, "NodeReadinessRule/cni".to_owned())]);
}

/// `defaultStatus` counts where there is no such condition, `AnyOf` takes one of several, conditions of kubelets
/// count like others, and the selector leaves nodes out.
#[test]
fn what_a_rule_asks_for() {
    let of = |conditions: &str, more: &str| {
        let taint = r#"taint: "readiness.k8s.io/cni:NoSchedule""#;
        let rule = format!(
            r#"(name: "r", conditions: [{conditions}], enforcementMode: Continuous, {taint}, {more})"#
        );
        changes(&ran(&rule, ""))
    };
    let cni = r#"(type: "CniReady", requiredStatus: True)"#;
    let fails = r#"(type: "DiskPressure", requiredStatus: True)"#;
    let not = r#"(type: "DiskPressure", requiredStatus: False)"#;
    assert_eq!(of(r#"(type: "CniReady", requiredStatus: True, defaultStatus: True)"#, ""), [""; 0]);
    assert_eq!(of(cni, ""), ["0 +b"]);
    assert_eq!(of(&format!("{cni}, {fails}"), ""), ["0 +a", "0 +b"]);
    assert_eq!(of(&format!("{cni}, {fails}"), "conditionPolicy: AnyOf"), ["0 +b"]);
    assert_eq!(of(&format!("{cni}, {not}"), "conditionPolicy: AnyOf"), [""; 0]);
    assert_eq!(of(cni, r#"nodeSelector: (matchLabels: {"tier": "x"})"#), [""; 0]);
}

/// A NoExecute taint evicts as any other: 60 s after it, and by taint eviction.
#[test]
fn its_taint_evicts() {
    let rule = r#"(name: "agent", conditions: [(type: "AgentHealthy", requiredStatus: True, defaultStatus: True)], enforcementMode: Continuous, taint: "readiness.k8s.io/agent:NoExecute")"#;
    let trace = ran(
        rule,
        r#"(at: "10s", do: SetCondition(node: "a", type: "AgentHealthy", status: False))"#,
    );
    assert_eq!(changes(&trace), ["10000 +a"]);
    let deleted = trace.iter().find(|r| matches!(r.what, What::PodDeleting(_))).unwrap();
    assert_eq!((deleted.at.as_millis(), deleted.actor.as_str()), (70_000, "taint-eviction"));
    let event = "Taint 'readiness.k8s.io/agent:NoExecute' added by rule 'agent'".to_owned();
    assert!(told(&trace, "event").contains(&(10_000, event)));
}

/// What upstream's validation and its webhook refuse, in their words.
#[test]
fn mistakes_are_told() {
    let says = |rules: &str, timeline: &str, wanted: &str| {
        let text = drawn(&cluster(rules, timeline)).unwrap_err();
        assert!(text.contains(wanted), "{text}");
    };
    let rule = |mode: &str, taint: &str, more: &str| {
        format!(
            r#"(name: "r", conditions: [(type: "X", requiredStatus: True{more})], enforcementMode: {mode}, taint: "{taint}")"#
        )
    };
    let ours = "readiness.k8s.io/x:NoSchedule";
    says(
        &rule("Continuous", "x:NoSchedule", ""),
        "",
        "taint key must start with 'readiness.k8s.io/'",
    );
    let with_default = rule("BootstrapOnly", ours, ", defaultStatus: True");
    says(&with_default, "", "defaultStatus should not be used with bootstrap-only enforcementMode");
    let other = rule("Continuous", ours, "").replace(r#""r""#, r#""s""#);
    says(&format!("{}, {other}", rule("Continuous", ours, "")), "", "conflicts with rule `r`");
    let any = rule("BootstrapOnly", ours, "").replace("taint:", "conditionPolicy: AnyOf, taint:");
    says(&any, "", "anyOf conditionPolicy is not supported with bootstrap-only enforcementMode");
    let ready = r#"(at: "1s", do: SetCondition(node: "a", type: "Ready", status: True))"#;
    says("", ready, "the condition Ready is the kubelet's own");
    says(
        "",
        r#"(at: "1s", do: DeleteNodeReadinessRule(rule: "r"))"#,
        "there is no readiness rule `r`",
    );
}

/// `isBootstrapCompleted`: a node whose annotation says so is not looked at again, another one is tainted as the
/// controller starts.
#[test]
fn a_completed_bootstrap_stays_completed() {
    let rule = format!("({CNI}, enforcementMode: BootstrapOnly)");
    assert_eq!(changes(&ran(&rule, "")), ["0 +b"]);
    let text =
        cluster(&rule, "").replace(r#"name: "b""#, r#"name: "b", bootstrapCompleted: ["cni"]"#);
    let trace = run(&plan(&text), Choices::seeded(1));
    assert_eq!(changes(&trace), [""; 0]);
    let unknown = text.replace(r#"["cni"]"#, r#"["cnj"]"#);
    let refused = drawn(&unknown).unwrap_err();
    let wanted = "no readiness rule `cnj` with BootstrapOnly exists from the start";
    assert!(refused.contains(wanted) && refused.contains("did you mean `cni`?"), "{refused}");
    let joins = r#"(at: "1s", do: AddNode(node: (name: "c", bootstrapCompleted: ["cni"])))"#;
    let refused = drawn(&cluster(&rule, joins)).unwrap_err();
    assert!(refused.contains("a node that joins later has completed no bootstrap"), "{refused}");
}

/// Two rules may have one taint where no node is of both (`selectorsOverlap`).
#[test]
fn rules_of_one_taint_share_no_node() {
    let rule = |name: &str, selector: &str| {
        let rule = CNI.replace(r#"name: "cni""#, &format!("name: \"{name}\""));
        format!("({rule}, enforcementMode: Continuous, nodeSelector: ({selector}))")
    };
    let of_x = rule("x", r#"matchLabels: {"tier": "x"}"#);
    let others = rule("others", r#"matchExpressions: [(key: "tier", operator: DoesNotExist)]"#);
    assert_eq!(changes(&ran(&format!("{of_x}, {others}"), "")), ["0 +b"]);
    let some = rule("some", r#"matchExpressions: [(key: "tier", operator: NotIn, values: ["y"])]"#);
    let refused = drawn(&cluster(&format!("{of_x}, {some}"), "")).unwrap_err();
    assert!(refused.contains("conflicts with rule `x`"), "{refused}");
}

/// Of an export (tests/exports/readiness.json): `n-1` has its CNI, and its bootstrap is completed though the agent is
/// not ready; `n-2` lacks the CNI, and has the taint already, until its agent posts the condition at 10 s; `n-3`, of
/// the control plane, waits for its agent for the first time.
#[test]
fn rules_of_an_export_act() {
    let text = r#"Scenario(version: 1, horizon: "1m", timing: Ideal, cluster: From("tests/exports/readiness.json"), timeline: [
        (at: "10s", do: SetCondition(node: "n-2", type: "example.com/CniReady", status: True))])"#;
    let trace = run(&plan(text), Choices::seeded(1));
    assert_eq!(changes(&trace), ["0 +n-3", "10000 -n-2"]);
}
