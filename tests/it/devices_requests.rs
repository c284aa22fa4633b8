//! Claims with several requests, with alternatives, and on all devices of a node: which devices they get, and whom a taint
//! evicts then, by arithmetic from upstream's constants and what its allocator does.

use super::devices::{bound, deletions, ran, told};
use super::disks::times;
use super::plans::{drawn, plan};

const GPU: &str = "gpu.example.com";

/// Nodes `a` and `b` with these devices, a pod `p` at 10.3 s with these requests, and more entries.
fn cluster(devices: [&str; 2], requests: &str, timeline: &str) -> String {
    let [a, b] = devices;
    format!(
        r#"Scenario(version: 1, kubernetes: "1.37", horizon: "3m", timing: Ideal,
            nodes: [(name: "a", devices: [{a}]), (name: "b", devices: [{b}])],
            timeline: [(at: "10.3s", do: CreatePod(pod: (name: "p", on: Unbound, resourceClaims: [(requests: [{requests}])]))), {timeline}])"#
    )
}

const TWO: &str = r#"(names: "gpu-{0..1}")"#;

/// What was allocated, and on which node the pod is.
fn got(text: &str) -> (Vec<String>, Vec<String>) {
    let trace = ran(text);
    let allocated = told(&trace, "devices-allocated").into_iter().map(|(_, names)| names);
    (allocated.collect(), bound(&trace).into_iter().map(|(_, pod)| pod).collect())
}

fn one(devices: &str, on: &str) -> (Vec<String>, Vec<String>) {
    (vec![devices.to_owned()], vec![format!("default/p {on}")])
}

/// gpu-1 of `a` has a taint, which the first request tolerates and the second does not: the first gives gpu-0 back to
/// it, and what a claim has been allocated stands in the order of its requests (`allocateOne`). `b` has one device.
#[test]
fn a_request_leaves_its_device_to_the_next() {
    let tainted = r#"(names: "gpu-0"), (names: "gpu-1", taints: ["ecc:NoSchedule"])"#;
    let alone = r#"(names: "gpu-0")"#;
    let text = cluster([tainted, alone], "(tolerations: [(operator: Exists)]), ()", "");
    assert_eq!(got(&text), one("gpu-1 gpu-0", "a"));
    let none = cluster([tainted, alone], "(), ()", "");
    assert_eq!(got(&none), (vec![], vec![]));
}

/// Up to 1.36 a change of taints wakes a pod, too, that devices keep from all nodes: DynamicResources hears of new nodes and
/// not of taints (`buildQueueingHintMap`).
#[test]
fn a_taint_has_a_pod_tried_again_that_waits_for_devices() {
    for (version, is_tried) in [("1.36", true), ("1.37", false)] {
        let taint = r#"(at: "60s", do: Taint(node: "b", taint: "alpha:PreferNoSchedule"))"#;
        let text = cluster([TWO, TWO], "(count: 3)", taint).replace("1.37", version);
        let tried = times(&ran(&text), "FailedScheduling");
        assert_eq!(tried.contains(&60_000), is_tried, "{version}: {tried:?}");
    }
}

/// Of a claim that is made for a pod there is one POST, whatever it asks for; and the scheduler writes twice to each.
/// Requests and replies take 10 ms, watches 1 ms. The controller hears of the pod at 10.301, its POST is answered at
/// .321, the PATCH arrives at .331, and the scheduler hears of that at .332. After 20 ms each for the nomination and
/// the finalizer the devices arrive at .382. A second claim takes 20 ms more for its POST, and is allocated 40 ms after
/// the first one: 10 ms for the reply, 20 for its finalizer, 10 for the rest.
#[test]
fn several_requests_are_one_claim() {
    let at = |claims: &str| {
        let text = cluster([TWO, TWO], "()", "").replace("[(requests: [()])]", claims);
        let timing =
            r#"timing: Custom(request: "10ms", response: "10ms", watch: "1ms", user: Raw)"#;
        let trace = ran(&text.replace("timing: Ideal", timing));
        told(&trace, "devices-allocated").into_iter().map(|(at, _)| at).collect::<Vec<_>>()
    };
    assert_eq!(at("[(requests: [(), ()])]"), [10_382]);
    assert_eq!(at("[(), ()]"), [10_402, 10_442]);
}

/// `requests` and `firstAvailable` without anything in them are no other way to ask for one device
/// (`validateDeviceRequest` of `pkg/apis/resource/validation`: one of `exactly` and `firstAvailable` is required).
#[test]
fn a_list_of_nothing_is_a_mistake() {
    let one = cluster([TWO, TWO], "()", "");
    for (claim, field) in
        [("requests: []", "requests"), ("requests: [(firstAvailable: [])]", "firstAvailable")]
    {
        let problem = drawn(&one.replace("requests: [()]", claim)).unwrap_err();
        assert_eq!(problem.matches("this list is empty").count(), 1, "{problem}");
        assert!(problem.contains("leave it out for one device"), "{problem}");
        assert!(problem.contains(field), "{problem}");
    }
}

/// Each device goes by what its own request tolerates. A taint of both at 20.7 s, whose countdown begins at 20 s: the
/// one is tolerated for 60 s and the other for 30 s. A taint of the first alone evicts after 60 s.
#[test]
fn each_request_tolerates_for_itself() {
    let tolerates = |seconds: u32| {
        format!(
            "(tolerations: [(operator: Exists, effect: NoExecute, tolerationSeconds: {seconds})])"
        )
    };
    let requests = format!("{}, {}", tolerates(60), tolerates(30));
    let evicted = |device: &str| {
        let taint = format!(
            r#"(at: "20.7s", do: TaintDevices(node: "a", {device}taint: "ecc:NoExecute"))"#
        );
        let trace = ran(&cluster([TWO, ""], &requests, &taint));
        let times = deletions(&trace).into_iter().map(|(at, ..)| at / 20 * 20);
        times.take(1).collect::<Vec<_>>()
    };
    assert_eq!(evicted(""), [50_000]);
    assert_eq!(evicted(r#"device: "gpu-0", "#), [80_000]);
    assert_eq!(evicted(r#"device: "gpu-1", "#), [50_000]);
}

/// Four of a node where that has four, and else one; from 1.35 on the node with the better alternative counts for more
/// than the one that comes first. Its toleration goes with it.
#[test]
fn the_first_alternative_that_a_node_has() {
    let list = "(firstAvailable: [(count: 4, tolerations: [(operator: Exists, effect: NoExecute, tolerationSeconds: 60)]), ()])";
    let four = r#"(names: "gpu-{0..3}")"#;
    assert_eq!(got(&cluster([TWO, ""], list, "")), one("gpu-0", "a"));
    let better = cluster([TWO, four], list, "");
    assert_eq!(got(&better), one("gpu-0 gpu-1 gpu-2 gpu-3", "b"));
    let gates = r#"feature_gates: {"DRADeviceTaints": true}, "#;
    let under = |version: &str| {
        let release = format!(r#"{gates}kubernetes: "{version}""#);
        let text = better.replace(r#"kubernetes: "1.37""#, &release);
        got(&text).1
    };
    assert_eq!(under("1.35"), ["default/p b"]);
    // Neither is preferred before: a lot is drawn.
    let older = better.replace(r#"kubernetes: "1.37""#, &format!(r#"{gates}kubernetes: "1.34""#));
    assert!((1..20).any(|seed| under_seed(&older, seed) == ["default/p a"]));
    let taint = r#"(at: "20.7s", do: TaintDevices(node: "b", taint: "ecc:NoExecute"))"#;
    let all = deletions(&ran(&cluster([TWO, four], list, taint)));
    assert_eq!(all.iter().map(|(at, ..)| at / 20 * 20).collect::<Vec<_>>()[..1], [80_000]);
}

fn under_seed(text: &str, seed: u64) -> Vec<String> {
    let plan = plan(text);
    let trace = taintsim::sim::run(&plan, taintsim::kernel::Choices::seeded(seed));
    bound(&trace).into_iter().map(|(_, pod)| pod).collect()
}

/// `allocationMode: All` is for all devices of the driver, each of which has to be free: on `a` one has a taint, and on
/// `b` another pod has one until it is gone at 30 s.
#[test]
fn all_devices_of_a_node() {
    let tainted = r#"(names: "gpu-0"), (names: "gpu-1", taints: ["ecc:NoSchedule"])"#;
    let mixed = r#"(names: "gpu-{0..2}"), (driver: "nic.example.com", names: "nic-0")"#;
    let other = r#"pods: [(name: "q", on: Node("b"), resourceClaims: [()])], timeline: ["#;
    let gone = r#"(at: "30.3s", do: DeletePod(pod: "q", gracePeriodSeconds: 0))"#;
    let text = cluster([tainted, mixed], "(allocationMode: All)", gone);
    let trace = ran(&text.replace("timeline: [", other));
    let bound = bound(&trace).into_iter().filter(|(_, who)| who.contains("/p "));
    let whole: Vec<_> = bound.map(|(at, who)| (at / 1_000, who)).collect();
    // The pod is tried again when a claim is deallocated.
    assert_eq!(whole, [(30, "default/p b".to_owned())]);
    let allocated = told(&trace, "devices-allocated").pop().map(|(_, names)| names);
    assert_eq!(allocated.as_deref(), Some("gpu-0 gpu-1 gpu-2"));
}

/// Pods that are there from the start have what they claim, or what they name; and what does not fit is said.
#[test]
fn pods_of_the_start_have_their_devices() {
    let text = |claims: &str, devices: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.37", horizon: "1m", timing: Ideal,
                nodes: [(name: "a", devices: [(names: "gpu-{{0..2}}")])],
                pods: [(name: "p", on: Node("a"), resourceClaims: [{claims}]{devices})])"#
        )
    };
    let has = |claims: &str, devices: &str| {
        let devices =
            if devices.is_empty() { String::new() } else { format!(", devices: [{devices}]") };
        drawn(&text(claims, &devices)).map(|plan| {
            let trace = taintsim::sim::run(&plan, taintsim::kernel::Choices::seeded(1));
            told(&trace, "devices-allocated")
                .into_iter()
                .map(|(_, names)| names)
                .collect::<Vec<_>>()
        })
    };
    let several = "(requests: [(), (count: 2)])";
    assert_eq!(has(several, ""), Ok(vec!["gpu-0 gpu-1 gpu-2".to_owned()]));
    assert_eq!(
        has(several, r#""gpu-2", "gpu-0", "gpu-1""#),
        Ok(vec!["gpu-2 gpu-0 gpu-1".to_owned()])
    );
    assert_eq!(has("(allocationMode: All)", ""), Ok(vec!["gpu-0 gpu-1 gpu-2".to_owned()]));
    let list = "(requests: [(firstAvailable: [(count: 4), (count: 2)])])";
    assert_eq!(has(list, ""), Ok(vec!["gpu-0 gpu-1".to_owned()]));
    assert_eq!(has(list, r#""gpu-2", "gpu-1""#), Ok(vec!["gpu-2 gpu-1".to_owned()]));
    for (claims, devices, wrong) in [
        (list, r#""gpu-2""#, "names other devices than it claims"),
        ("(allocationMode: All), ()", "", "claims devices that it has not"),
        ("(count: 4)", "", "claim 4 devices of gpu.example.com; it has 3"),
        ("(count: 33)", "", "the scheduler allocates 32 devices at most for a claim"),
        (
            "(allocationMode: All, count: 1)",
            "",
            "must not be given where the allocationMode is All",
        ),
        ("(count: 1, requests: [()])", "", "and not beside them"),
        ("(requests: [(count: 1, firstAvailable: [()])])", "", "and not beside them"),
    ] {
        let said = has(claims, devices).unwrap_err();
        assert!(said.contains(wrong), "{claims}: {said}");
    }
    // In 1.33 the API server knows no alternatives without their gate.
    let gates = r#"feature_gates: {"DRADeviceTaints": true, "DynamicResourceAllocation": true}, kubernetes: "1.33""#;
    let older = text(list, "").replace(r#"kubernetes: "1.37""#, gates);
    assert!(drawn(&older).map(drop).unwrap_err().contains("without the gate DRAPrioritizedList"));
    assert!(drawn(&older.replace("true}", r#"true, "DRAPrioritizedList": true}"#)).is_ok());
    assert!(drawn(&text(&format!("(driver: \"{GPU}\")"), "")).is_ok());
}

/// Up to 1.35 who takes all devices by a later alternative has one of them, which counts as the first of what the first
/// alternative asks for; and all of the second are those of the first, where that is for all, too. Recordings of the same
/// claims have these outcomes, in 1.34.4 and 1.37.1.
#[test]
fn all_as_a_later_alternative() {
    let old = r#"(driver: "old.example.com", allocationMode: All)"#;
    let nic = r#"(driver: "nic.example.com", count: 4)"#;
    let all_nics = nic.replace("count: 4", "allocationMode: All");
    let list = |alternatives: String| format!("(firstAvailable: [{alternatives}, {old}])");
    let none = (vec![], vec![]);
    let whole = "old-0 old-1 old-2";
    for (gpus, requests, before, from) in [
        ("gpu-0", list("(count: 2)".to_owned()), one("old-0 gpu-0", "a"), whole),
        ("gpu-{0..1}", list("(count: 3)".to_owned()), one("old-0 gpu-0 gpu-1", "a"), whole),
        ("gpu-0", list(all_nics), none.clone(), whole),
        (
            "gpu-{0..1}",
            format!("(), {}", list("(allocationMode: All)".to_owned())),
            none,
            "gpu-0 old-0 old-1 old-2",
        ),
        (
            "gpu-0",
            format!("(), {}", list(format!("(), {nic}"))),
            one("gpu-0 old-0", "a"),
            "gpu-0 old-0 old-1 old-2",
        ),
    ] {
        let a = format!(r#"(names: "{gpus}"), (driver: "old.example.com", names: "old-{{0..2}}")"#);
        // A driver that no node has is a mistake.
        let b = r#"(driver: "nic.example.com", names: "nic-0", taints: ["ecc:NoSchedule"])"#;
        let text = cluster([&a, b], &requests, "");
        assert_eq!(got(&text), one(from, "a"), "{requests}");
        let older = r#"feature_gates: {"DRADeviceTaints": true}, kubernetes: "1.34""#;
        assert_eq!(got(&text.replace(r#"kubernetes: "1.37""#, older)), before, "{requests}");
    }
}
