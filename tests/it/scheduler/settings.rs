//! Whole runs: what of `KubeSchedulerConfiguration` a scenario may set, and what is told of pods
//! that fit nowhere.

use super::{HostPort, Rc, SchedulingSpec, bind, choice, node, place, pod, set_node, template};
use taintsim::analysis::Analysis;
use taintsim::controllers::scheduler::algorithm::Algorithm;
use taintsim::kernel::Choices;
use taintsim::plan::Plan;
use taintsim::sim::run;
use taintsim::trace::{Trace, What};

fn plan(fields: &str) -> Plan {
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "30s", {fields})"#
    );
    crate::plans::plan(&text)
}

fn play(fields: &str) -> Trace {
    run(&plan(fields), Choices::default_order())
}

/// The nodes that pods of a name were bound to, in time.
fn bound(trace: &Trace, pod: &str) -> Vec<String> {
    let fields =
        trace.iter().filter(|r| matches!(r.what, What::PodBound(_))).map(|r| trace.fields(r));
    fields.filter(|f| f.pod.as_deref() == Some(pod)).filter_map(|f| f.node).collect()
}

/// 2 of 4 CPUs and GiB are taken on `used`, nothing on `empty`; with the new pod's one of each it
/// is 3 and 1 of 4. LeastAllocated: 25 and 75 points. MostAllocated: 75 and 25. BalancedAllocation:
/// 100 on both, as CPU and memory are taken alike; spread has no say in a pod without an owner.
#[test]
fn the_strategy_decides() {
    let on = |setting: &str| {
        let world = r#"nodes: [(names: "empty", capacity: {"cpu": "4", "memory": "4Gi", "pods": "110"}),
                               (names: "used", capacity: {"cpu": "4", "memory": "4Gi", "pods": "110"})],
            pods: [(name: "old", on: Node("used"), requests: {"cpu": "2", "memory": "2Gi"}),
                   (name: "new", on: Unbound, requests: {"cpu": "1", "memory": "1Gi"})],"#;
        bound(&play(&format!("{world} {setting}")), "default/new")
    };
    assert_eq!(on(""), ["empty"]);
    assert_eq!(on("scheduler: (scoringStrategy: LeastAllocated),"), ["empty"]);
    assert_eq!(on("scheduler: (scoringStrategy: MostAllocated),"), ["used"]);
}

/// Of 151 nodes the default looks for 50 - 151/125 = 49 %, 73, but 100 at the least, and finds them
/// among the first 100, which are alike: (75 + 75) / 2 points. All of them have the last one among
/// them, of which the pod takes 1 %: 99 points. It is the last by its name, in the order of which
/// the API server lists nodes.
#[test]
fn a_search_for_more_nodes_finds_a_better_one() {
    let on = |setting: &str| {
        let world = r#"nodes: [(names: "n-{000..149}", capacity: {"cpu": "4", "memory": "4Gi", "pods": "110"}),
                               (name: "o-big", capacity: {"cpu": "100", "memory": "100Gi", "pods": "110"})],
            pods: [(name: "new", on: Unbound, requests: {"cpu": "1", "memory": "1Gi"})],"#;
        bound(&play(&format!("{world} {setting}")), "default/new")
    };
    assert_eq!(on(""), ["n-000"]);
    // 66 % of 151 is 99, which is 100 again; 67 % is 101, and the last node is the 151st.
    assert_eq!(on("scheduler: (percentageOfNodesToScore: 67),"), ["n-000"]);
    assert_eq!(on("scheduler: (percentageOfNodesToScore: 100),"), ["o-big"]);
}

/// The node's one CPU belongs to a pod of lower priority.
#[test]
fn preemption_can_be_switched_off() {
    let run = |setting: &str| {
        let world = r#"nodes: [(name: "n", capacity: {"cpu": "1", "memory": "4Gi", "pods": "110"})],
            pods: [(name: "low", on: Node("n"), requests: {"cpu": "1"}, priority: 1),
                   (name: "high", on: Unbound, requests: {"cpu": "1"}, priority: 2)],"#;
        let trace = play(&format!("{world} {setting}"));
        let deleted = trace.iter().filter(|r| matches!(r.what, What::PodDeleting(_))).count();
        let told: Vec<String> = trace
            .iter()
            .map(|r| trace.fields(r))
            .filter(|f| f.reason.as_deref() == Some("FailedScheduling"))
            .filter_map(|f| f.message)
            .collect();
        (deleted, bound(&trace, "default/high").len(), told)
    };
    let (deleted, bound, _) = run("");
    assert_eq!((deleted, bound), (1, 1));
    let (deleted, bound, told) = run("scheduler: (preemption: false),");
    assert_eq!((deleted, bound), (0, 0));
    // As recorded of 1.34 (`scheduler-no-preemption`): DynamicResources is asked, too, and has its say.
    let said = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate";
    assert_eq!(told, [said]);
}

/// Three nodes are tainted, nine too small; the fourth tainted one is cordoned too, and that filter
/// comes first (the reference, §1.4).
#[test]
fn each_node_has_its_verdict() {
    let plan = plan(
        r#"nodes: [(names: "a-{00..02}", taints: ["gpu=true:NoSchedule"]), (names: "b-{0..8}", capacity: {"cpu": "2", "pods": "110"}),
                   (name: "c", taints: ["gpu=true:NoSchedule"], unschedulable: true)],
           pods: [(name: "new", on: Unbound, requests: {"cpu": "4"})],"#,
    );
    let trace = run(&plan, Choices::default_order());
    let attempts: Vec<_> =
        trace.iter().filter(|r| matches!(r.what, What::PodUnplaced(_))).collect();
    let first = attempts.first().unwrap_or_else(|| panic!("an attempt failed"));
    let told: Vec<String> = trace
        .verdicts(first)
        .filter_map(|(node, why)| {
            Some(format!("{} {}: {}", trace.names.node_name(node?), why.plugin, why.reason))
        })
        .collect();
    let mut expected: Vec<String> = (0..3)
        .map(|i| format!("a-0{i} TaintToleration: node(s) had untolerated taint(s)"))
        .collect();
    expected.extend((0..9).map(|i| format!("b-{i} NodeResourcesFit: Insufficient cpu")));
    expected.push("c NodeUnschedulable: node(s) were unschedulable".to_owned());
    assert_eq!(told, expected);
    assert!(attempts.iter().all(|r| r.what == first.what), "later attempts come to the same");
    let mut lines = Vec::new();
    taintsim::report::events::write(&mut lines, &Analysis::new(&plan, &trace))
        .unwrap_or_else(|e| panic!("{e}"));
    let lines = String::from_utf8_lossy(&lines);
    let line =
        lines.lines().find(|l| l.contains("pod-unplaced")).unwrap_or_else(|| panic!("{lines}"));
    let line: serde_json::Value =
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
    let taint = serde_json::json!({
        "plugin": "TaintToleration", "reason": "node(s) had untolerated taint(s)", "count": 3, "nodes": ["a-00..a-02"]
    });
    assert_eq!(line["filters"].as_array().map(Vec::len), Some(3));
    assert!(line["filters"].as_array().is_some_and(|f| f.contains(&taint)), "{line}");
    assert_eq!((&line["actor"], &line["pod"]), (&"scheduler".into(), &"default/new".into()));
}

/// Upstream's `TestNodePorts` (node_ports_test.go, v1.34): ports that are wanted, ports in use, and
/// whether they fit.
#[test]
fn host_ports() {
    let ports = |text: &str| {
        let port = |t: &str| {
            let parts: Vec<&str> = t.split('/').collect();
            HostPort {
                protocol: parts[0].to_owned(),
                host_ip: parts[1].to_owned(),
                port: parts[2].parse().unwrap_or_default(),
            }
        };
        let spec = SchedulingSpec {
            host_ports: text.split_whitespace().map(port).collect(),
            ..SchedulingSpec::default()
        };
        let mut template = template(&[]);
        template.scheduling = Some(spec.into());
        Rc::new(template)
    };
    for (wanted, used, fits) in [
        ("UDP/127.0.0.1/8080", "UDP/127.0.0.1/9090", true),
        ("UDP/127.0.0.1/8080", "UDP/127.0.0.1/8080", false),
        ("TCP/127.0.0.1/8080", "TCP/127.0.0.1/8080", false),
        ("TCP/127.0.0.1/8080", "TCP/127.0.0.2/8080", true),
        ("UDP/127.0.0.1/8080", "TCP/127.0.0.1/8080", true),
        ("UDP/127.0.0.1/8000 UDP/127.0.0.1/8080", "UDP/127.0.0.1/8080", false),
        ("TCP/127.0.0.1/8001 UDP/127.0.0.1/8080", "TCP/127.0.0.1/8001 UDP/127.0.0.1/8081", false),
        ("TCP/0.0.0.0/8001", "TCP/127.0.0.1/8001", false),
        ("TCP/10.0.10.10/8001 TCP/0.0.0.0/8001", "TCP/127.0.0.1/8001", false),
        ("TCP/127.0.0.1/8001", "TCP/0.0.0.0/8001", false),
        ("UDP/127.0.0.1/8001", "TCP/0.0.0.0/8001", true),
        ("UDP/127.0.0.1/8001", "TCP/0.0.0.0/8001 UDP/0.0.0.0/8001", false),
    ] {
        let mut algorithm = Algorithm::new(choice("1.34"));
        set_node(&mut algorithm, node(1, "", super::ROOMY));
        bind(&mut algorithm, pod(1, &ports(used)), 1);
        let why = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
        let expected = if fits { Ok(1) } else { Err(why.to_owned()) };
        assert_eq!(
            place(&mut algorithm, pod(2, &ports(wanted))),
            expected,
            "{wanted} beside {used}"
        );
    }
}

/// A pod that fits nowhere is tried whenever a small one goes. The first event is about the pod as it was made, the next
/// ones about the pod with its condition: of these the second is written, and the others are counted. Six minutes after
/// the last a series is written once more, as seen every six minutes (`finishSeries`): where it did not grow that changes
/// nothing.
#[test]
fn a_series_is_written_at_its_end_where_it_grew() {
    let told = |gone: u32| {
        let small = |n| format!(r#"(name: "s{n}", on: Node("n"), requests: {{"cpu": "100m"}}),"#);
        let goes =
            |n| format!(r#"(at: "{n}0s", do: DeletePod(pod: "s{n}", gracePeriodSeconds: 0)),"#);
        let (pods, timeline) =
            (1..=gone).map(|n| (small(n), goes(n))).unzip::<_, _, String, String>();
        let trace = run(
            &crate::plans::plan(&format!(
                r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "15m",
                nodes: [(name: "n", capacity: {{"cpu": "1", "memory": "4Gi", "pods": "110"}})],
                pods: [{pods} (name: "high", on: Unbound, requests: {{"cpu": "2"}})],
                timeline: [{timeline} (at: "50s", do: DeletePod(pod: "high"))])"#
            )),
            Choices::default_order(),
        );
        let failed = trace.iter().map(|r| (r.at.as_millis() / 1_000, trace.fields(r)));
        failed
            .filter(|(_, f)| f.reason.as_deref() == Some("FailedScheduling"))
            .map(|(at, f)| (at, f.count))
            .collect::<Vec<_>>()
    };
    let mut wanted = vec![(0, None), (10, None), (20, Some(2))];
    assert_eq!(told(2), wanted);
    wanted.push((720, Some(3)));
    assert_eq!(told(3), wanted);
}
