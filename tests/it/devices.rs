//! Taints of devices: each time by arithmetic from upstream's constants, and beside each what a taint of the node
//! does (`pkg/controller/devicetainteviction`, `pkg/controller/tainteviction`).

use super::plans::{drawn, plan};
use std::collections::BTreeSet;
use taintsim::kernel::Choices;
use taintsim::sim::run;
use taintsim::trace::{Trace, What};

/// Two nodes with a device on the one and two on the other, and two pods with a device each. They tolerate every
/// NoExecute taint of a device for 60 s, but `fast` for 5 s; and the same of their nodes.
fn cluster(timeline: &str) -> String {
    let tolerations = r#"[(operator: Exists, effect: NoExecute, tolerationSeconds: 60),
        (key: "fast", operator: Exists, effect: NoExecute, tolerationSeconds: 5)]"#;
    format!(
        r#"Scenario(version: 1, kubernetes: "1.37", horizon: "5m", timing: Ideal,
            nodes: [(name: "a", devices: [(names: "gpu-0")]), (name: "b", devices: [(names: "gpu-{{0..1}}")])],
            workloads: [ReplicaSet(name: "web", replicas: 2, placement: Nodes(["a", "b"]),
                template: (tolerations: {tolerations}, resourceClaims: [(tolerations: {tolerations})]))],
            timeline: [{timeline}])"#
    )
}

pub(super) fn ran(text: &str) -> Trace {
    run(&plan(text), Choices::seeded(1))
}

/// When each deletion of a pod begins, in milliseconds, and who began it.
pub(super) fn deletions(trace: &Trace) -> Vec<(u64, &'static str, String)> {
    let begins = trace.iter().filter(|r| matches!(r.what, What::PodDeleting(_)));
    begins
        .map(|r| (r.at.as_millis(), r.actor.as_str(), trace.fields(r).pod.unwrap_or_default()))
        .collect()
}

/// What is recorded of that kind: when, and its message or reason.
pub(super) fn told(trace: &Trace, what: &str) -> Vec<(u64, String)> {
    let fields = trace.iter().map(|r| (r.at.as_millis(), trace.fields(r)));
    let of_kind = fields.filter(|(_, f)| f.what == what);
    of_kind
        .map(|(at, f)| {
            let reason = f.reason.unwrap_or_default();
            (at, format!("{reason} {}", f.message.unwrap_or_default()).trim().to_owned())
        })
        .collect()
}

/// The pod on `a` is evicted once, by that controller and within 20 ms of that time.
#[track_caller]
fn evicted(timeline: &str, by: &str, at: u64) {
    let all = deletions(&ran(&cluster(timeline)));
    let [(when, who, pod)] = &all[..] else { panic!("{timeline}: {all:?}") };
    assert_eq!((*who, &**pod), (by, "default/web-0"), "{timeline}");
    assert!((at..at + 20).contains(when), "{timeline}: at {when}, not {at}");
}

/// A rule that taints the device on `a`.
fn rule(at: &str, name: &str, taint: &str) -> String {
    format!(
        r#"(at: "{at}", do: CreateDeviceTaintRule(rule: (name: "{name}", pool: "a", taint: "{taint}"))), "#
    )
}

fn taint(at: &str, taint: &str) -> String {
    format!(r#"(at: "{at}", do: Taint(node: "a", taint: "{taint}")), "#)
}

const DEVICE: &str = "device-taint-eviction";
const NODE: &str = "taint-eviction";

/// A countdown for a device begins with the whole second in which the taint was added: `timeAdded` has no
/// fraction. One for a node begins when the controller hears of the taint.
#[test]
fn a_countdown_for_a_device_begins_with_the_whole_second() {
    evicted(&rule("10.7s", "x", "ecc:NoExecute"), DEVICE, 70_000);
    evicted(&taint("10.7s", "ecc:NoExecute"), NODE, 70_700);
}

/// A restart of the controllers from 40 s to 45 s: the one goes on as it was, the other begins anew once the
/// caches are filled, of which the first look comes at once.
#[test]
fn a_restart_resets_only_the_countdown_of_a_node() {
    let restart = r#"(at: "40s", do: ControllerRestart(downtime: "5s")), "#;
    evicted(&(rule("10.7s", "x", "ecc:NoExecute") + restart), DEVICE, 70_000);
    evicted(&(taint("10.7s", "ecc:NoExecute") + restart), NODE, 105_000);
}

/// A second taint, at 30.3 s, which is tolerated for 5 s: counted from 30 s for a device. For a node it changes
/// nothing, as the work that is there was created 5 s or more before (`processPodOnNode`).
#[test]
fn a_second_taint_shortens_only_the_countdown_of_a_device() {
    let second = rule("30.3s", "y", "fast:NoExecute");
    evicted(&(rule("10.7s", "x", "ecc:NoExecute") + &second), DEVICE, 35_000);
    let second = taint("30.3s", "fast:NoExecute");
    evicted(&(taint("10.7s", "ecc:NoExecute") + &second), NODE, 70_700);
}

/// What makes a pod go is noted with it: of a rule's taint at 10.7 s and a driver's at 30.3 s the latter, as 30 + 5 s are
/// less than 10 + 60 s; and the one that is not tolerated at all.
#[test]
fn which_taint_of_which_device_makes_a_pod_go_is_noted() {
    let driver = r#"(at: "30.3s", do: TaintDevices(node: "a", taint: "fast:NoExecute")), "#;
    let both = cluster(&(rule("10.7s", "x", "ecc=bad:NoExecute") + driver));
    let why = |text: &str| {
        let all = told(&ran(text), "device-eviction-reason").into_iter();
        all.map(|(_, text)| text).collect::<Vec<_>>()
    };
    assert_eq!(
        why(&both)[..2],
        [
            "ecc=bad:NoExecute of gpu-0 of a, by the rule x, tolerated for 60 s from its timeAdded on, 10s",
            "fast:NoExecute of gpu-0 of a, by its ResourceSlice, tolerated for 5 s from its timeAdded on, 30s",
        ]
    );
    let none = why(&strict(&rule("10.7s", "x", "ecc:NoExecute")));
    assert_eq!(none[0], "ecc:NoExecute of gpu-0 of a, by the rule x, not tolerated");
}

/// As `cluster`, with claims that tolerate nothing.
fn strict(timeline: &str) -> String {
    let text = cluster(timeline);
    let (head, claims) = text.split_once("resourceClaims: ").unwrap();
    let (_, rest) = claims.split_once("))],").unwrap();
    format!("{head}resourceClaims: [()]))],{rest}")
}

/// Each has tolerations of its own: those of the pod say nothing of its devices.
#[test]
fn tolerations_of_a_pod_say_nothing_of_its_devices() {
    let first = |timeline: String| {
        deletions(&ran(&strict(&timeline))).first().map(|d| (d.0 / 20 * 20, d.1))
    };
    assert_eq!(first(rule("10.7s", "x", "ecc:NoExecute")), Some((10_700, DEVICE)));
    assert_eq!(first(taint("10.7s", "ecc:NoExecute")), Some((70_700, NODE)));
}

/// A rule that is deleted before, or a taint that the driver takes back, cancels the eviction.
#[test]
fn what_is_taken_back_cancels() {
    let gone = r#"(at: "40.3s", do: DeleteDeviceTaintRule(rule: "x")), "#;
    let trace = ran(&cluster(&(rule("10.7s", "x", "ecc:NoExecute") + gone)));
    assert_eq!(deletions(&trace), []);
    let cancelled = told(&trace, "event")
        .into_iter()
        .filter(|(_, text)| text.starts_with("DeviceTaintManager"));
    assert_eq!(
        cancelled.collect::<Vec<_>>(),
        [(40_300, "DeviceTaintManagerEviction Cancelling deletion".to_owned())]
    );
    // By its key alone, as `kubectl taint` takes it, too.
    for taint in ["ecc:NoExecute", "ecc=bad:NoExecute-", "ecc", "ecc-"] {
        let driver = format!(
            r#"(at: "10.7s", do: TaintDevices(node: "a", taint: "ecc=bad:NoExecute")),
            (at: "40.3s", do: UntaintDevices(node: "a", taint: "{taint}")),"#
        );
        assert_eq!(deletions(&ran(&cluster(&driver))), [], "{taint}");
    }
}

/// A taint that is set has an effect, and no `-` behind it.
#[test]
fn a_taint_of_devices_is_a_whole_one() {
    for (taint, wrong) in
        [("ecc", "without an effect"), ("ecc-", "removes"), ("ecc:NoExecute-", "removes")]
    {
        let driver = format!(r#"(at: "10.7s", do: TaintDevices(node: "a", taint: "{taint}"))"#);
        let said = drawn(&cluster(&driver)).map(|_| ()).unwrap_err();
        assert!(said.contains(wrong) && said.contains("write \"ecc:NoExecute\""), "{said}");
    }
}

/// The effect None says whom NoExecute would evict: the two devices on `b`, of which one is allocated, and the
/// one on `a`.
#[test]
fn a_rule_may_say_what_it_would_do() {
    let all = r#"(at: "10.7s", do: CreateDeviceTaintRule(rule: (name: "x", taint: "ecc:None"))), "#;
    let trace = ran(&cluster(all));
    assert_eq!(deletions(&trace), []);
    let said = "NoEffect 3 published devices selected. 2 allocated devices selected. 2 pods would be evicted in 1 namespace if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.";
    assert_eq!(told(&trace, "rule-condition"), [(10_700, said.to_owned())]);
}

/// The condition of a rule: at once, and then ten seconds after the eviction, whose deletion is a pod's last
/// state that counts (`ruleStatusPeriod`).
#[test]
fn a_rule_says_how_far_it_is() {
    let trace = ran(&cluster(&rule("10.7s", "x", "ecc:NoExecute")));
    let said: Vec<(u64, String)> = told(&trace, "rule-condition")
        .into_iter()
        .map(|(at, text)| (at / 100 * 100, text))
        .collect();
    assert_eq!(
        said,
        [
            (10_700, "PodsPendingEviction 1 pod needs to be evicted in 1 namespace.".to_owned()),
            (80_000, "Completed 1 pod evicted since starting the controller.".to_owned()),
        ]
    );
}

/// Where no other device is free the successor waits, and is told so, until the rule is gone.
#[test]
fn a_successor_waits_for_a_device() {
    let gone = r#"(at: "200.3s", do: DeleteDeviceTaintRule(rule: "x")), "#;
    let text = strict(&(rule("10.7s", "x", "hot:NoExecute") + gone)).replace("gpu-{0..1}", "gpu-0");
    let trace = ran(&text);
    let events = told(&trace, "event").into_iter();
    let mut failed = events.filter(|(_, text)| text.starts_with("FailedScheduling"));
    let words = failed.next().map(|(_, text)| text).unwrap_or_default();
    assert!(words.contains("0/2 nodes are available: 2 cannot allocate all claims."), "{words}");
    let bound: Vec<u64> = told(&trace, "pod-bound").into_iter().map(|(at, _)| at).collect();
    assert!(matches!(bound[..], [at] if (200_300..200_320).contains(&at)), "{bound:?}");
}

/// A taint that is tolerated for some seconds keeps nobody off its device, also once they are over: `timeAdded` is
/// what it was. Where no other device is free each successor gets it, and is evicted at once, as soon as the one
/// before has ended, a second after its deletion began.
#[test]
fn a_toleration_that_is_over_makes_a_loop() {
    let text = cluster(&rule("10.7s", "x", "ecc:NoExecute")).replace("gpu-{0..1}", "gpu-0");
    let all = deletions(&ran(&text));
    let seconds: Vec<u64> = all.iter().map(|(at, ..)| at / 1_000).collect();
    assert_eq!(seconds, (70..=300).collect::<Vec<_>>()[..seconds.len()]);
    assert!(seconds.len() > 200, "{}", seconds.len());
}

#[test]
fn what_is_not_there_is_a_mistake() {
    let problem = |text: String| drawn(&text).map(drop).unwrap_err();
    let named = |part: &str| {
        format!(
            r#"(at: "1s", do: CreateDeviceTaintRule(rule: (name: "x", {part}, taint: "ecc:NoExecute")))"#
        )
    };
    for (part, words) in [
        (r#"device: "gpu-7""#, "no node has a device with the device `gpu-7`"),
        (r#"pool: "c""#, "no node has a device with the pool `c`"),
        (r#"driver: "gpu.exmple.com""#, "did you mean `gpu.example.com`?"),
    ] {
        let problem = problem(cluster(&named(part)));
        assert!(problem.contains(words), "{problem}");
    }
    let gone = r#"(at: "1s", do: DeleteDeviceTaintRule(rule: "x"))"#;
    assert!(problem(cluster(gone)).contains("no entry creates a rule `x`"));
    let older = |version: &str| cluster("").replace("\"1.37\"", version);
    assert!(problem(older("\"1.32\"")).contains("devices are simulated from 1.33 on"));
    let off = cluster(&rule("1s", "x", "ecc:NoExecute")).replace("\"1.37\"", "\"1.36\"");
    assert!(problem(off).contains("`feature_gates: {\"DRADeviceTaintRules\": true}`"));
    let many = cluster("").replace(
        "replicas: 2, placement: Nodes([\"a\", \"b\"])",
        "replicas: 2, placement: Node(\"a\")",
    );
    assert!(problem(many).contains("claim 2 devices of gpu.example.com; it has 1"));
}

/// Two devices on a node, of which the pod has the second from the start; the first has a taint that its driver
/// published 30 s before, and is of no interest to it. A rule is there, too, which has tainted the second for 10 s: 50 s
/// of the 60 s are left.
#[test]
fn what_is_there_from_the_start() {
    let text = |more: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.37", horizon: "5m", timing: Ideal,
            nodes: [(name: "a", devices: [
                (names: "gpu-0", taints: ["ecc=bad:NoExecute"], taintsAdded: {{"ecc:NoExecute": "-30s"}}),
                (names: "gpu-1", pool: "big")])],
            pods: [(name: "p", on: Node("a"), {more}
                resourceClaims: [(tolerations: [(operator: Exists, effect: NoExecute, tolerationSeconds: 60)])])],
            deviceTaintRules: [(name: "x", pool: "big", taint: "hot:NoExecute", added: "-10s")])"#
        )
    };
    let at = |more: &str| deletions(&ran(&text(more))).first().map(|d| (d.0 / 20 * 20, d.1));
    assert_eq!(at(r#"devices: ["gpu-1"],"#), Some((50_000, DEVICE)));
    assert_eq!(at(r#"devices: ["gpu-0"],"#), Some((30_000, DEVICE)));
    // Where it does not say, it has the first that is free.
    assert_eq!(at(""), Some((30_000, DEVICE)));
    let problem = |more: &str| drawn(&text(more)).map(drop).unwrap_err();
    assert!(problem(r#"devices: ["gpu-2"],"#).contains("which node `a` does not have"));
    assert!(problem(r#"devices: ["gpu-0", "gpu-1"],"#).contains("claims 1 device and names 2"));
    let stale = text("").replace("pool: \"big\", taint", "pool: \"bug\", taint");
    assert!(drawn(&stale).map(drop).unwrap_err().contains("did you mean `big`?"));
}

/// A node `a` with one device and `b` with two, and a claim that pods may share, on one device, which tolerates every
/// NoExecute taint for 60 s.
fn sharing(pods: &str, timeline: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "1.37", horizon: "5m", timing: Ideal,
            nodes: [(name: "a", capacity: {{"pods": "300"}}, devices: [(names: "gpu-0")]), (name: "b", devices: [(names: "gpu-{{0..1}}")])],
            resourceClaims: [(name: "gpu", spec: (tolerations: [(operator: Exists, effect: NoExecute, tolerationSeconds: 60)]))],
            pods: [{pods}], timeline: [{timeline}])"#
    )
}

const NAMES_IT: &str = r#"resourceClaims: [(resourceClaimName: "gpu")]"#;

/// Those for which the claim is reserved are evicted, all of them at once: 60 s after the whole second in which the rule
/// came. A rule for another device of the node concerns nobody.
#[test]
fn all_that_share_a_claim_are_evicted() {
    let pods = format!(r#"(names: "p-{{0..2}}", on: Node("b"), {NAMES_IT})"#);
    let rule = |device: &str| {
        format!(
            r#"(at: "10.7s", do: CreateDeviceTaintRule(rule: (name: "x", pool: "b", device: "{device}", taint: "ecc:NoExecute")))"#
        )
    };
    let all = deletions(&ran(&sharing(&pods, &rule("gpu-0"))));
    let whom: BTreeSet<&str> = all.iter().map(|(_, _, pod)| &**pod).collect();
    assert_eq!(whom, BTreeSet::from(["default/p-0", "default/p-1", "default/p-2"]));
    assert!(
        all.iter().all(|(at, by, _)| (70_000..70_020).contains(at) && *by == DEVICE),
        "{all:?}"
    );
    assert_eq!(deletions(&ran(&sharing(&pods, &rule("gpu-1")))), []);
    // Of the three devices one is allocated, however many pods share it.
    let preview =
        r#"(at: "10.7s", do: CreateDeviceTaintRule(rule: (name: "x", taint: "ecc:None")))"#;
    let said = told(&ran(&sharing(&pods, preview)), "rule-condition");
    assert!(
        said[0].1.contains(
            "3 published devices selected. 1 allocated device selected. 3 pods would be evicted"
        ),
        "{said:?}"
    );
}

/// When pods were bound, in milliseconds, and where.
pub(super) fn bound(trace: &Trace) -> Vec<(u64, String)> {
    let bound = trace.iter().map(|r| (r.at.as_millis(), trace.fields(r)));
    let bound = bound.filter(|(_, f)| f.what == "pod-bound");
    bound
        .map(|(at, f)| {
            (at, format!("{} {}", f.pod.unwrap_or_default(), f.node.unwrap_or_default()))
        })
        .collect()
}

/// The pod on `a` is deleted while kube-controller-manager and the scheduler are down, from 10 to 30 s: its end is seen by
/// nobody. Who comes after it gets its device, and within two seconds of the start (`syncClaim`).
#[test]
fn devices_of_a_pod_whose_end_nobody_saw_are_free() {
    let claims = "resourceClaims: [()]";
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "1.37", horizon: "2m", timing: Ideal,
            nodes: [(name: "a", devices: [(names: "gpu-0")])], pods: [(name: "p", on: Node("a"), {claims})],
            timeline: [(at: "10s", do: ControllerRestart(downtime: "20s")),
                (at: "15s", do: DeletePod(pod: "p", gracePeriodSeconds: 0)),
                (at: "16s", do: CreatePod(pod: (name: "q", on: Unbound, {claims})))])"#
    );
    let trace = ran(&text);
    assert_eq!(told(&trace, "devices-freed").len(), 1);
    let all = bound(&trace);
    let [(at, who)] = &all[..] else { panic!("{all:?}") };
    assert!((30_000..32_100).contains(at) && who == "default/q a", "{all:?}");
}

/// A claim that is allocated holds the others to its node: `b`, where the other device is taken by `q`, which is there
/// first. With the last of them, which ends a second after its deletion at 20 s, the claim is deallocated, and `q`'s
/// fellow, which waits for a device of its own, gets it.
#[test]
fn pods_that_share_a_claim_go_to_one_node() {
    let own = "resourceClaims: [()]";
    let pods = format!(r#"(name: "q", on: Node("a"), {own}), (name: "r", on: Node("b"), {own})"#);
    let create = |at: &str, name: &str, claims: &str| {
        format!(r#"(at: "{at}", do: CreatePod(pod: (name: "{name}", on: Unbound, {claims}))), "#)
    };
    let timeline = create("1s", "p-0", NAMES_IT)
        + &create("2s", "p-1", NAMES_IT)
        + &create("3s", "w", own)
        + r#"(at: "10s", do: DeletePod(pod: "p-0")), (at: "20s", do: DeletePod(pod: "p-1"))"#;
    let trace = ran(&sharing(&pods, &timeline));
    let whole: Vec<(u64, String)> =
        bound(&trace).into_iter().map(|(at, who)| (at / 100 * 100, who)).collect();
    let expected = [(1_000, "default/p-0 b"), (2_000, "default/p-1 b"), (21_000, "default/w b")];
    assert_eq!(whole, expected.map(|(at, who)| (at, who.to_owned())));
}

/// Two that come at once: the second waits until the claim is allocated for the first, and is told so.
#[test]
fn who_shares_a_claim_waits_for_its_allocation() {
    let create = |name: &str| {
        format!(r#"(at: "1s", do: CreatePod(pod: (name: "{name}", on: Unbound, {NAMES_IT}))), "#)
    };
    let text =
        sharing("", &(create("p-0") + &create("p-1"))).replace("timing: Ideal", "timing: Typical");
    let trace = ran(&text);
    let waited = told(&trace, "event");
    let waited: Vec<&str> = waited
        .iter()
        .map(|(_, text)| &**text)
        .filter(|t| t.starts_with("FailedScheduling"))
        .collect();
    assert!(
        waited[0].contains("resource claim default/gpu is in the process of being allocated"),
        "{waited:?}"
    );
    let places: BTreeSet<String> =
        bound(&trace).iter().map(|(_, who)| who[who.len() - 1..].to_owned()).collect();
    assert_eq!((bound(&trace).len(), places.len()), (2, 1), "{:?}", bound(&trace));
}

/// A claim is deallocated while the scheduler reserves it. Requests and replies take 5 ms, watches 20 ms. `p` is gone at
/// 10.000 s; the resourceclaim controller hears of it at .020, has deallocated its claim at .025, and has taken the finalizer
/// off at .035, after the reply. From its first look at `q` on the scheduler takes 10 ms to nominate it, and 5 ms for the
/// write to arrive. What `bindClaim` does about a conflict is upstream's.
#[test]
fn a_reservation_conflicts_with_what_changed_the_claim() {
    let after = |created: u32| {
        let pods = format!(r#"(name: "p", on: Node("a"), {NAMES_IT})"#);
        let timeline = format!(
            r#"(at: "10s", do: DeletePod(pod: "p", gracePeriodSeconds: 0)),
               (at: "10.0{created:02}s", do: CreatePod(pod: (name: "q", on: Unbound, {NAMES_IT})))"#
        );
        let timing = r#"timing: Custom(request: "5ms", response: "5ms", watch: "20ms", user: Raw)"#;
        let trace = ran(&sharing(&pods, &timeline).replace("timing: Ideal", timing));
        assert_eq!(told(&trace, "devices-freed")[0].0, 10_025);
        let mut events = told(&trace, "event");
        events.retain(|(_, text)| text.starts_with("FailedScheduling"));
        let allocated = told(&trace, "devices-allocated").into_iter().map(|(at, _)| at);
        (allocated.filter(|at| *at > 10_000).collect::<Vec<_>>(), events)
    };
    // Seen at .060, when both changes are known: nominated at .070, the finalizer is there at .080, the rest arrives at .085.
    assert_eq!(after(40), (vec![10_085], vec![]));
    // Seen at .050, when the claim has its finalizer in the cache: what arrives at .065 conflicts, which is known at .070.
    // 10 to 11 ms later it is read, in 10 ms, and gets its finalizer, in 10 ms. The rest arrives 5 ms after that.
    let (allocated, events) = after(30);
    assert!(matches!(allocated[..], [10_105..=10_106]), "{allocated:?}");
    assert_eq!(events, []);
    // Seen at .025, when the claim is allocated in the cache: what arrives at .040 conflicts. Read after 10 to 11 ms, at .065
    // it is known not to be allocated. An event says so 5 ms later. After a second of back-off, at the next whole second, the
    // pod is tried anew: 10 ms for the nomination, 10 ms for the finalizer, 5 ms for the rest.
    let (allocated, events) = after(5);
    let [(at, text)] = &events[..] else { panic!("{events:?}") };
    assert!((10_070..=10_071).contains(at), "{events:?}");
    assert_eq!(
        text,
        "FailedScheduling running PreBind plugin \"DynamicResources\": claim default/gpu got deallocated elsewhere in the meantime"
    );
    assert_eq!(allocated, [12_025]);
}

/// What `bindClaim` reads after a conflict may have been allocated anew, on another node: `q` is bound to `a`, and has the device
/// on `b` that the claim got for `r`. Requests take 1 ms, replies 2 ms, watches 1 ms. `p` is gone at 10.000 s, and its claim
/// deallocated at .002 and without its finalizer at .005. `q` is seen at .002 and nominated in 3 ms; what arrives at .006
/// conflicts, which is known at .008. It is read at .019 to .020, and reserved 3 ms later. `r`, which waits for nobody, is seen
/// at .007, nominated in 3 ms, and has the claim's finalizer in 3 more; the rest arrives at .014. The device on `a` is none for
/// new claims. That on `b` is tainted in the second 20, which is tolerated for 60 s. Recorded (`device-shared-elsewhere`).
#[test]
fn a_reservation_keeps_what_was_allocated_elsewhere_meanwhile() {
    let pods = format!(r#"(name: "p", on: Node("a"), {NAMES_IT})"#);
    let create = |at: &str, name: &str| {
        format!(r#"(at: "{at}", do: CreatePod(pod: (name: "{name}", on: Unbound, {NAMES_IT}))), "#)
    };
    let timeline = r#"(at: "5s", do: TaintDevices(node: "a", taint: "worn:NoSchedule")),
        (at: "10s", do: DeletePod(pod: "p", gracePeriodSeconds: 0)), "#
        .to_owned()
        + &create("10.001s", "q")
        + &create("10.006s", "r")
        + r#"(at: "20.7s", do: CreateDeviceTaintRule(rule: (name: "x", pool: "b", taint: "ecc:NoExecute")))"#;
    let timing = r#"timing: Custom(request: "1ms", response: "2ms", watch: "1ms", user: Raw)"#;
    let trace = ran(&sharing(&pods, &timeline).replace("timing: Ideal", timing));
    let allocated = told(&trace, "devices-allocated").into_iter().map(|(at, _)| at);
    let allocated: Vec<u64> = allocated.filter(|at| *at > 10_000).collect();
    assert!(matches!(allocated[..], [10_014, 10_022..=10_023]), "{allocated:?}");
    let places: BTreeSet<String> = bound(&trace).into_iter().map(|(_, who)| who).collect();
    assert_eq!(places, BTreeSet::from(["default/q a", "default/r b"].map(str::to_owned)));
    let gone = deletions(&trace).into_iter().filter(|(at, ..)| *at > 20_000);
    let gone: Vec<(u64, &str, String)> = gone.map(|(at, by, pod)| (at / 100, by, pod)).collect();
    let both = ["default/q", "default/r"].map(|pod| (800, DEVICE, pod.to_owned()));
    assert_eq!(BTreeSet::from_iter(gone), BTreeSet::from(both));
}

/// `ResourceClaimReservedForMaxSize`: the API server refuses the 257th, who asks again after each back-off, until one of
/// the others is gone.
#[test]
fn a_claim_is_reserved_for_256_pods() {
    let there = |last: u32| format!(r#"(names: "p-{{0..{last}}}", on: Node("a"), {NAMES_IT})"#);
    let one = format!(r#"(at: "1s", do: CreatePod(pod: (name: "q", on: Unbound, {NAMES_IT})))"#);
    assert_eq!(bound(&ran(&sharing(&there(254), &one))).len(), 1);
    let full = ran(&sharing(&there(255), &one));
    assert_eq!(bound(&full).len(), 0);
    let events = told(&full, "event");
    let failed: Vec<_> = events.iter().filter(|(_, text)| text.starts_with("Failed")).collect();
    let words = r#"FailedScheduling running PreBind plugin "DynamicResources": add reservation to claim default/gpu: ResourceClaim.resource.k8s.io "gpu" is invalid: status.reservedFor: Too many: 257: must have at most 256 items"#;
    assert!(failed.len() > 3 && failed.iter().all(|(_, text)| text == words), "{failed:?}");
    let gone = r#", (at: "10s", do: DeletePod(pod: "p-0", gracePeriodSeconds: 0))"#;
    let all = bound(&ran(&sharing(&there(255), &(one + gone))));
    let [(at, _)] = all[..] else { panic!("{all:?}") };
    assert!((10_000..21_100).contains(&at), "{all:?}");
    let refused = drawn(&sharing(&there(256), "")).map(drop).unwrap_err();
    assert!(refused.contains("claim `default/gpu` may be reserved for 256 pods"), "{refused}");
}

#[test]
fn mistakes_about_claims_that_pods_share() {
    let refused = |pods: &str| drawn(&sharing(pods, "")).map(drop).unwrap_err();
    for (pods, words) in [
        (
            r#"(name: "p", on: Unbound, resourceClaims: [(resourceClaimName: "gpo")])"#,
            "there is no claim `default/gpo`",
        ),
        (
            r#"(name: "p", on: Unbound, namespace: "shop", resourceClaims: [(resourceClaimName: "gpu")])"#,
            "there is no claim `shop/gpu`",
        ),
        (
            r#"(name: "p", on: Unbound, resourceClaims: [(resourceClaimName: "gpu", count: 2)])"#,
            "what a claim asks for is given where it stands itself",
        ),
        (
            r#"(name: "p", on: Unbound, resourceClaims: [(resourceClaimName: "gpu"), (resourceClaimName: "gpu")])"#,
            "this claim is named twice",
        ),
        (
            r#"(name: "p", on: Node("a"), resourceClaims: [(resourceClaimName: "gpu")]), (name: "q", on: Node("b"), resourceClaims: [(resourceClaimName: "gpu")])"#,
            "pods that are on several nodes from the start share claim `default/gpu`",
        ),
        (
            r#"(name: "p", on: Node("b"), devices: ["gpu-0"], resourceClaims: [(resourceClaimName: "gpu")]), (name: "q", on: Node("b"), devices: ["gpu-1"], resourceClaims: [(resourceClaimName: "gpu")])"#,
            "pod `default/q` names other devices of claim `default/gpu` than another pod",
        ),
    ] {
        let refused = refused(pods);
        assert!(refused.contains(words), "{refused}");
    }
}

/// A change of a rule that taints the device on `a`.
fn changed(at: &str, rule: &str) -> String {
    format!(r#"(at: "{at}", do: UpdateDeviceTaintRule(rule: (name: "x", {rule}))), "#)
}

/// `PrepareForUpdate`: with another effect `timeAdded` is the present, without its fraction: 60 s from 100 s on. Where it
/// is given, that counts: 60 s from 90 s on.
#[test]
fn another_effect_begins_the_countdown() {
    let before = rule("10.7s", "x", "ecc:NoSchedule");
    let evicts = r#"pool: "a", taint: "ecc:NoExecute""#;
    evicted(&(before.clone() + &changed("100.3s", evicts)), DEVICE, 160_000);
    let added = format!(r#"{evicts}, added: "90s""#);
    evicted(&(before + &changed("100.3s", &added)), DEVICE, 150_000);
}

/// Whatever else changes, `timeAdded` stays, and what is tolerated for some seconds may be over before the taint comes: the
/// 60 s of a rule of 10 s that selects another device from 100.3 s on, and the 5 s of another key from 30.3 s on.
#[test]
fn another_device_or_key_goes_on_with_the_countdown() {
    let elsewhere = r#"(at: "10.7s", do: CreateDeviceTaintRule(rule: (name: "x", pool: "b", device: "gpu-1", taint: "ecc:NoExecute"))), "#;
    let here = changed("100.3s", r#"pool: "a", taint: "ecc:NoExecute""#);
    evicted(&(elsewhere.to_owned() + &here), DEVICE, 100_300);
    let fast = changed("30.3s", r#"pool: "a", taint: "fast:NoExecute""#);
    evicted(&(rule("10.7s", "x", "ecc:NoExecute") + &fast), DEVICE, 30_300);
}

/// A rule whose effect becomes None evicts nobody any more, and says at once what it would do: the ten seconds between two
/// updates of its status are those of one generation.
#[test]
fn a_rule_may_become_a_preview() {
    let preview = changed("12.3s", r#"pool: "a", taint: "ecc:None""#);
    let trace = ran(&cluster(&(rule("10.7s", "x", "ecc:NoExecute") + &preview)));
    assert_eq!(deletions(&trace), []);
    let said: Vec<(u64, String)> = told(&trace, "rule-condition")
        .into_iter()
        .map(|(at, text)| (at / 100 * 100, text[..11].to_owned()))
        .collect();
    assert_eq!(said, [(10_700, "PodsPending".to_owned()), (12_300, "NoEffect 1 ".to_owned())]);
    let unknown = changed("1s", r#"pool: "a", taint: "ecc:None""#);
    let refused = drawn(&cluster(&unknown)).map(drop).unwrap_err();
    assert!(refused.contains("no entry creates a rule `x`"), "{refused}");
}

/// The scheduler looks at taints where it allocates, and a claim that is allocated is not allocated anew: while those that
/// were evicted terminate, their successors keep the claim, and with it its device, though `b` has two that are free. Each
/// is evicted at once, as its seconds are over.
#[test]
fn a_claim_that_is_shared_keeps_its_tainted_device() {
    let text = sharing("", r#"(at: "10.7s", do: CreateDeviceTaintRule(rule: (name: "x", pool: "a", taint: "ecc:NoExecute")))"#)
        .replace("timing: Ideal", "timing: Typical")
        .replace("pods: []", &format!(r#"workloads: [ReplicaSet(name: "web", replicas: 3, placement: Node("a"), template: ({NAMES_IT}))]"#));
    let trace = ran(&text);
    let (all, deletions) = (bound(&trace), deletions(&trace));
    assert!(all.len() > 100 && all.iter().all(|(_, who)| who.ends_with(" a")), "{all:?}");
    let at_once = |(at, who): &(u64, String)| {
        let is_it =
            |(_, by, pod): &&(u64, &str, String)| *by == DEVICE && format!("{pod} a") == *who;
        let evicted = deletions.iter().find(is_it).map(|(at, ..)| *at);
        evicted.is_none_or(|evicted| (*at..at + 1_000).contains(&evicted))
    };
    assert!(all.iter().all(at_once));
}
