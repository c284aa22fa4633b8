//! A node's taint beside a device's: the rows of the table in docs/devices.md that devices.rs does not hold, each by two
//! runs with times by arithmetic from upstream's constants.

use super::devices::{bound, deletions, ran, told};
use super::plans::drawn;

const DEVICE: &str = "device-taint-eviction";
const NODE: &str = "taint-eviction";

/// Nodes with a device each, in which pods claim one if `claims`.
fn cluster(nodes: &str, rest: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "1.37", horizon: "3m", timing: Ideal,
            nodes: [(names: "{nodes}", devices: [(names: "gpu-0")])], {rest})"#
    )
}

const SECONDS: &str = "[(operator: Exists, effect: NoExecute, tolerationSeconds: 60)]";

/// At 10.7 s the taint of the node, and that of its device by a rule.
const OF_NODE: &str = r#"(at: "10.7s", do: Taint(node: "n-0", taint: "ecc:NoExecute")), "#;
const OF_DEVICE: &str = r#"(at: "10.7s", do: CreateDeviceTaintRule(rule: (name: "x", pool: "n-0", taint: "ecc:NoExecute"))), "#;

/// Who deletes which pod, and when in milliseconds, up to 20 ms late.
fn evictions(text: &str) -> Vec<(u64, &'static str, String)> {
    deletions(&ran(text)).into_iter().map(|(at, by, pod)| (at / 20 * 20, by, pod)).collect()
}

fn one(at: u64, by: &'static str) -> Vec<(u64, &'static str, String)> {
    vec![(at, by, "default/p".to_owned())]
}

/// The taint is gone at 40.3 s: nobody is evicted at 70.7 s, or at 70 s.
#[test]
fn a_taint_that_is_gone_cancels() {
    let pod = format!(
        r#"pods: [(name: "p", on: Node("n-0"), tolerations: {SECONDS}, resourceClaims: [(tolerations: {SECONDS})])]"#
    );
    let text = |timeline: &str, gone: &str| {
        cluster("n-{0..0}", &format!("{pod}, timeline: [{timeline}{gone}]"))
    };
    let gone = r#"(at: "40.3s", do: Untaint(node: "n-0", taint: "ecc:NoExecute-"))"#;
    assert_eq!(evictions(&text(OF_NODE, "")), one(70_700, NODE));
    assert_eq!(evictions(&text(OF_NODE, gone)), []);
    let gone = r#"(at: "40.3s", do: DeleteDeviceTaintRule(rule: "x"))"#;
    assert_eq!(evictions(&text(OF_DEVICE, "")), one(70_000, DEVICE));
    assert_eq!(evictions(&text(OF_DEVICE, gone)), []);
}

/// A pod that comes at 20 s, and tolerates the taint for 60 s, is bound at once. Its countdown begins then where its node
/// has the taint, and began at 10 s where its device has it.
#[test]
fn a_tolerated_taint_keeps_nobody_off() {
    let create = |with: String| {
        format!(r#"(at: "20s", do: CreatePod(pod: (name: "p", on: Unbound, {with})))"#)
    };
    let of_node = create(format!("tolerations: {SECONDS}"));
    let of_device = create(format!("resourceClaims: [(tolerations: {SECONDS})]"));
    for (before, create, at, by) in
        [(OF_NODE, of_node, 80_000, NODE), (OF_DEVICE, of_device, 70_000, DEVICE)]
    {
        let text = cluster("n-{0..0}", &format!("timeline: [{before}{create}]"));
        assert_eq!(bound(&ran(&text)), [(20_000, "default/p n-0".to_owned())], "{by}");
        assert_eq!(evictions(&text), one(at, by));
    }
}

/// The pod is deleted by force, and another comes under its name, between the PATCH of its condition and its deletion,
/// each request 1 ms on its way there and 1.5 ms back, each watch 2 ms. Of a node: GET at 30.003, PATCH at 30.0055 and
/// DELETE at 30.008 s, which has no UID. Of a device the status of the rule comes first: PATCH at 30.008 and DELETE at
/// 30.0105 s, which has one.
#[test]
fn a_successor_under_the_name_of_a_pod() {
    let text = |taint: &str, gone: &str, comes: &str| {
        let pods = r#"pods: [(name: "p", on: Node("n-0"), resourceClaims: [()])]"#;
        let timeline = format!(
            r#"{taint}(at: "{gone}", do: DeletePod(pod: "p", gracePeriodSeconds: 0)),
            (at: "{comes}", do: CreatePod(pod: (name: "p", on: Unbound, resourceClaims: [()])))"#
        );
        let timeline = timeline.replace("10.7s", "30s");
        cluster("n-{0..1}", &format!("{pods}, timeline: [{timeline}]")).replace(
            "timing: Ideal",
            r#"timing: Custom(request: "1ms", response: "1500us", watch: "2ms")"#,
        )
    };
    let by = |text: &str, who: &str| {
        let trace = ran(text);
        let of = trace.iter().filter(|r| r.actor.as_str() == who);
        let gone = of.filter(|r| trace.fields(r).what == "pod-gone");
        gone.map(|r| r.at.as_millis()).collect::<Vec<_>>()
    };
    assert_eq!(by(&text(OF_NODE, "30.006s", "30.007s"), NODE), [30_008]);
    let of_device = text(OF_DEVICE, "30.0085s", "30.009s");
    assert_eq!(by(&of_device, DEVICE), [0; 0]);
    assert_eq!(bound(&ran(&of_device)).len(), 1);
    let patched = ran(&of_device).iter().filter(|r| r.actor.as_str() == DEVICE).count();
    assert!(patched > 0, "it was about to delete the pod");
}

/// Of two devices the first is that of `p`, which is deleted by force and follows itself at 10.002 s, with another claim.
/// Requests and replies take 5 ms, watches 20 ms. At .022 the scheduler sees the successor, for which the second is free, and
/// allocates that at .047: 10 ms for the nomination, 10 for the finalizer, 5 for the rest; it hears of it at .067. That the claim of
/// the one before is deallocated, at .025, it hears at .045. At .055 it sees two more, for which one device is free.
#[test]
fn a_successor_keeps_its_device_when_that_of_the_pod_before_is_freed() {
    let claims = ["a", "b", "c", "d"].map(|name| format!(r#"(name: "{name}", spec: ())"#));
    let pod = |name: &str, on: &str, claim: &str| {
        format!(r#"(name: "{name}", on: {on}, resourceClaims: [(resourceClaimName: "{claim}")])"#)
    };
    let create = |at: &str, name: &str, claim: &str| {
        format!(r#"(at: "{at}", do: CreatePod(pod: {}))"#, pod(name, "Unbound", claim))
    };
    let timeline = [
        r#"(at: "10s", do: DeletePod(pod: "p", gracePeriodSeconds: 0))"#.to_owned(),
        create("10.002s", "p", "b"),
        create("10.035s", "q", "c"),
        create("10.035s", "r", "d"),
    ];
    let rest = format!(
        "resourceClaims: [{}], pods: [{}], timeline: [{}]",
        claims.join(", "),
        pod("p", r#"Node("n-0")"#, "a"),
        timeline.join(", ")
    );
    let timing = r#"timing: Custom(request: "5ms", response: "5ms", watch: "20ms", user: Raw)"#;
    let text = cluster("n-{0..0}", &rest);
    let trace = ran(&text.replace("timing: Ideal", timing).replace("gpu-0", "gpu-{0..1}"));
    let freed = told(&trace, "devices-freed");
    let allocated = told(&trace, "devices-allocated");
    let after = |all: &[(u64, String)]| all.iter().map(|(at, _)| *at).find(|at| *at >= 10_000);
    assert_eq!((after(&freed), after(&allocated)), (Some(10_025), Some(10_047)));
    assert_eq!(bound(&trace).len(), 2, "{:?}", bound(&trace));
}

/// An API server that refuses everybody from 69.9 s to 72 s. Of a node: five tries from 70.7 s on, 10 ms apart, and no
/// more. Of a device: from 70 s on, again after 5 ms and then twice as long each time, 5 · (2⁹ − 1) = 2,555 ms in all.
#[test]
fn a_deletion_that_fails() {
    let pod = format!(
        r#"pods: [(name: "p", on: Node("n-0"), tolerations: {SECONDS}, resourceClaims: [(tolerations: {SECONDS})])]"#
    );
    let outage = r#"(at: "69.9s", do: ApiOutage(duration: "2.1s"))"#;
    let text = |taint: &str| cluster("n-{0..0}", &format!("{pod}, timeline: [{taint}{outage}]"));
    assert_eq!(evictions(&text(OF_NODE)), []);
    assert_eq!(deletions(&ran(&text(OF_DEVICE)))[0].0, 72_555);
}

/// Three of ten nodes are cut off at once: their NoExecute taints come one after the other, ten seconds apart
/// (`--node-eviction-rate` 0.1), and with each its pods go, which tolerate nothing. A rule for the devices of three nodes,
/// or of all, has no such rate.
#[test]
fn a_brake_when_many_are_hit() {
    let tolerations = r#"[(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 0)]"#;
    let pods = format!(
        r#"pods: [(name: "p", on: Each(Nodes(["n-0", "n-1", "n-2"])), tolerations: {tolerations}, resourceClaims: [()])]"#
    );
    let text = |timeline: &str| cluster("n-{0..9}", &format!("{pods}, timeline: [{timeline}]"));
    let at = |text: &str, who: &str| {
        let all = deletions(&ran(text));
        let of = all.iter().filter(|(_, by, _)| *by == who);
        of.map(|(at, ..)| *at).collect::<Vec<_>>()
    };
    let cut = at(&text(r#"(at: "10s", do: Partition(nodes: Nodes(["n-0", "n-1", "n-2"])))"#), NODE);
    let gaps: Vec<u64> = cut.windows(2).map(|w| w[1] - w[0]).collect();
    assert_eq!(gaps, [10_000, 10_000], "{cut:?}");
    let all =
        r#"(at: "10s", do: CreateDeviceTaintRule(rule: (name: "x", taint: "ecc:NoExecute")))"#;
    let hit = at(&text(all), DEVICE);
    assert_eq!(hit.len(), 3);
    assert!(hit.iter().all(|at| (10_000..10_020).contains(at)), "{hit:?}");
}

/// A budget that allows no disruption is asked by neither.
#[test]
fn disruption_budgets_are_not_asked() {
    let text = |taint: &str| {
        let of = r#"pods: [(name: "p", on: Node("n-0"), labels: {"app": "p"}, resourceClaims: [()])],
            podDisruptionBudgets: [(name: "b", selector: (matchLabels: {"app": "p"}), minAvailable: 1)]"#;
        cluster("n-{0..0}", &format!("{of}, timeline: [{taint}]"))
    };
    assert_eq!(evictions(&text(OF_NODE)), one(10_700, NODE));
    assert_eq!(evictions(&text(OF_DEVICE)), one(10_700, DEVICE));
}

/// The effect None is one of devices alone, and says in the rule's status whom NoExecute would evict.
#[test]
fn whom_a_taint_would_hit() {
    let text = |taint: &str| {
        let pods = r#"pods: [(name: "p", on: Node("n-0"), resourceClaims: [()])]"#;
        let taint = taint.replace("NoExecute", "None");
        cluster("n-{0..0}", &format!("{pods}, timeline: [{taint}]"))
    };
    let refused = drawn(&text(OF_NODE)).map(drop).unwrap_err();
    assert!(refused.contains("None"), "{refused}");
    let trace = ran(&text(OF_DEVICE));
    assert!(told(&trace, "rule-condition")[0].1.contains("1 pod would be evicted in 1 namespace"));
    assert_eq!(deletions(&trace), []);
}
