//! Default mode computes what eager mode simulates: both must give the same trace.
//!
//! Other and more scenarios than those of every test run: `EAGER_SEED=2 EAGER_CASES=5000 cargo test
//! --test it eager`.

#[path = "../../benches/workloads/cluster.rs"]
mod cluster;

use super::{invariants, plans};
use proptest::prelude::*;
use taintsim::api::kubectl_taint::TaintEdit;
use taintsim::api::meta::ConditionStatus;
use taintsim::api::node::NodeConditionType;
use taintsim::api::taint::{Effect, Taint};
use taintsim::kernel::{Choices, Dur, Time};
use taintsim::plan::{
    Action, Connections, Delay, Do, DrainOptions, IfNotDrained, Maintenance, NodeFault, NodeIndex,
    Phase, Plan, Resource, TimelineEntry, WatchCache,
};
use taintsim::profiles::profile;
use taintsim::sim::{run, run_eager, run_watched};
use taintsim::trace::Trace;

/// A random step of a timeline.
#[derive(Clone, Debug)]
enum Step {
    Cut(NodeIndex),
    Heal(NodeIndex),
    Crash(NodeIndex),
    Boot(NodeIndex),
    Taint(NodeIndex, bool),
    Cordon(NodeIndex, bool),
    Pressure(NodeIndex, bool),
    NotReady(NodeIndex, bool),
    Delete(NodeIndex),
    Maintain(NodeIndex),
    Restart,
    Slow(NodeIndex, bool),
    Skew(NodeIndex, i64),
    Api(bool),
    Lag(Resource, u64),
    Stall(Resource, u64),
}

fn step(nodes: NodeIndex) -> impl Strategy<Value = Step> {
    let node = 0..nodes;
    prop_oneof![
        4 => node.clone().prop_map(Step::Cut),
        4 => node.clone().prop_map(Step::Heal),
        1 => node.clone().prop_map(Step::Crash),
        1 => node.clone().prop_map(Step::Boot),
        2 => (node.clone(), any::<bool>()).prop_map(|(n, b)| Step::Taint(n, b)),
        1 => (node.clone(), any::<bool>()).prop_map(|(n, b)| Step::Cordon(n, b)),
        1 => (node.clone(), any::<bool>()).prop_map(|(n, b)| Step::Pressure(n, b)),
        1 => (node.clone(), any::<bool>()).prop_map(|(n, b)| Step::NotReady(n, b)),
        1 => node.clone().prop_map(Step::Maintain),
        1 => node.prop_map(Step::Delete),
        1 => Just(Step::Restart),
    ]
}

/// Faults of heartbeats and of what carries them, most of which end.
fn trouble(nodes: NodeIndex) -> impl Strategy<Value = Step> {
    let resource = || prop::sample::select(vec![Resource::Nodes, Resource::Pods, Resource::Leases]);
    prop_oneof![
        (0..nodes, any::<bool>()).prop_map(|(n, b)| Step::Slow(n, b)),
        (0..nodes, prop::sample::select(vec![0, -90, -7, 5, 70]))
            .prop_map(|(n, s)| Step::Skew(n, s)),
        any::<bool>().prop_map(Step::Api),
        (resource(), prop::sample::select(vec![0, 0, 1, 13, 65]))
            .prop_map(|(r, s)| Step::Lag(r, s)),
        (resource(), 1_u64..100).prop_map(|(r, s)| Step::Stall(r, s)),
    ]
}

fn act(step: &Step) -> Do {
    let taint = || Taint::new("maintenance", Effect::NoExecute);
    let status = |b| {
        if b { ConditionStatus::True } else { ConditionStatus::False }
    };
    match *step {
        Step::Cut(n) => Do::Fail(vec![n], NodeFault::Cut(Connections::Dropped)),
        Step::Heal(n) => Do::Recover(vec![n], NodeFault::Cut(Connections::Dropped)),
        Step::Crash(n) => Do::Fail(vec![n], NodeFault::Off),
        Step::Boot(n) => Do::Recover(vec![n], NodeFault::Off),
        Step::Taint(n, true) => Do::Taint(
            vec![n],
            TaintEdit { add: vec![taint()], overwrite: true, ..TaintEdit::default() },
        ),
        Step::Taint(n, false) => Do::Taint(
            vec![n],
            TaintEdit { remove: vec![("maintenance".to_owned(), None)], ..TaintEdit::default() },
        ),
        Step::Cordon(n, b) => Do::Cordon(vec![n], b),
        Step::Pressure(n, b) => {
            Do::Fail(vec![n], NodeFault::Condition(NodeConditionType::MemoryPressure, status(b)))
        }
        Step::NotReady(n, b) => {
            Do::Fail(vec![n], NodeFault::Condition(NodeConditionType::Ready, status(!b)))
        }
        Step::Delete(n) => Do::DeleteNode(vec![n]),
        Step::Maintain(n) => Do::Maintain(
            vec![n],
            Box::new(Maintenance {
                at_a_time: 1,
                drain: DrainOptions {
                    force: true,
                    timeout: Some(Dur::from_secs(45)),
                    ..DrainOptions::default()
                },
                off: Dur::from_secs(75),
                uncordon: true,
                if_not_drained: IfNotDrained::GoOn,
            }),
        ),
        Step::Restart => Do::RestartControllers(Dur::from_secs(17)),
        Step::Slow(n, slow) => (if slow { Do::Fail } else { Do::Recover })(
            vec![n],
            NodeFault::SlowHeartbeats(Dur::from_secs(31)),
        ),
        Step::Skew(n, seconds) => Do::Fail(vec![n], NodeFault::ClockSkew(seconds * 1_000_000_000)),
        Step::Api(true) => Do::ApiDown,
        Step::Api(false) => Do::ApiUp(WatchCache::Lost),
        Step::Lag(r, seconds) => Do::WatchLag(r, Dur::from_secs(seconds)),
        Step::Stall(r, seconds) => Do::StallWatches(r, Dur::from_secs(seconds)),
    }
}

/// Steps at odd milliseconds, so that none falls on the same instant as a pass or a heartbeat.
fn plan(
    release: &str,
    nodes: usize,
    steps: &[(u64, Step)],
    typical: bool,
    zones: &[&str],
    excluded: bool,
) -> Plan {
    let mut plan = cluster::cluster(nodes, zones, 2, Time::from_secs(1_500));
    if excluded {
        // The second zone has no counted nodes, so that it loses its state in some passes and gets
        // a new queue.
        for node in plan.nodes.iter_mut().skip(1).step_by(2) {
            std::rc::Rc::make_mut(&mut node.labels)
                .insert("node.kubernetes.io/exclude-disruption".to_owned(), String::new());
        }
    }
    plan.profile = profile(release).expect("a release that is in the table");
    plan.flags.node_monitor_grace_period = plan.profile.node_monitor_grace_period;
    if typical {
        plan.timing = cluster::typical();
        plan.timing.watch = Delay { min: Dur::from_millis(2), max: Dur::from_millis(10) };
    }
    let mut steps = steps.to_vec();
    steps.sort_by_key(|(at, _)| *at);
    for (i, (at, step)) in steps.iter().enumerate() {
        let at = Time::from_micros(at * 1_000 + 137 + i as u64);
        plan.timeline.push(TimelineEntry {
            at,
            name: format!("{step:?}"),
            ends: None,
            is_fault: true,
        });
        plan.actions.push(Action { at, entry: i as u32, phase: Phase::Begin, act: act(step) });
    }
    plan
}

/// The records of a trace as texts, with causes left out: a skipped version can't be a cause.
fn lines(trace: &Trace) -> Vec<String> {
    trace
        .iter()
        .map(|r| format!("{} {} {:?}", r.at.as_nanos(), r.actor.as_str(), trace.fields(r)))
        .collect()
}

fn check(plan: &Plan, seed: u64) {
    let trace = run(plan, Choices::seeded(seed));
    invariants::hold(
        plan,
        &trace,
        &format!("seed {seed}, {} {}, {:#?}", plan.profile.release, plan.timing.name, plan.actions),
    );
    let (default, eager) = (lines(&trace), lines(&run_eager(plan, Choices::seeded(seed))));
    if let Some(i) = (0..default.len().max(eager.len())).find(|&i| default.get(i) != eager.get(i)) {
        panic!(
            "seed {seed}, {} {}: record {i}\n  default {:?}\n  eager   {:?}\n{:#?}",
            plan.profile.release,
            plan.timing.name,
            default.get(i),
            eager.get(i),
            plan.timeline.iter().map(|e| format!("{} {}", e.at, e.name)).collect::<Vec<_>>()
        );
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a person may ask for other scenarios than those of every test run"
)]
fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .map_or(default, |text| text.parse().unwrap_or_else(|e| panic!("{name}={text}: {e}")))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: from_environment("EAGER_CASES", 500) as u32,
        rng_seed: prop::test_runner::RngSeed::Fixed(from_environment("EAGER_SEED", 1)),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    // Up to eight nodes are walked as a small Go map, more of them each at a rank of its own.
    #[test]
    fn default_and_eager_mode_give_the_same_trace(
        nodes in prop_oneof![1_usize..7, 7_usize..16],
        steps in prop::collection::vec((20_000_u64..1_300_000, step(12)), 0..12),
        troubles in prop::collection::vec((20_000_u64..1_300_000, trouble(12)), 0..5),
        release in prop::sample::select(vec!["1.18", "1.24", "1.29", "1.32", "1.34", "1.37"]),
        typical in any::<bool>(),
        one_zone in any::<bool>(),
        excluded in prop::bool::weighted(0.25),
        seed in 0_u64..1_000,
    ) {
        let steps: Vec<_> = steps.into_iter().chain(troubles).filter(|(_, s)| (nodes as u32) > node_of(s)).collect();
        check(&plan(release, nodes, &steps, typical, if one_zone { &["a"] } else { &["a", "b"] }, excluded), seed);
    }
}

fn node_of(step: &Step) -> NodeIndex {
    match *step {
        Step::Cut(n)
        | Step::Heal(n)
        | Step::Crash(n)
        | Step::Boot(n)
        | Step::Delete(n)
        | Step::Maintain(n) => n,
        Step::Taint(n, _) | Step::Cordon(n, _) | Step::Pressure(n, _) | Step::NotReady(n, _) => n,
        Step::Slow(n, _) | Step::Skew(n, _) => n,
        Step::Restart | Step::Api(_) | Step::Lag(..) | Step::Stall(..) => 0,
    }
}

/// With a renewal every ten seconds, a pass every five and a grace of four, healthy nodes are
/// Unknown after every other pass.
#[test]
fn a_grace_shorter_than_a_heartbeat_makes_heartbeats_matter() {
    for typical in [false, true] {
        let mut plan = plan("1.34", 3, &[], typical, &["a"], false);
        plan.flags.node_monitor_grace_period = Dur::from_secs(4);
        check(&plan, 1);
        assert!(
            lines(&run(&plan, Choices::seeded(1))).iter().any(|l| l.contains("NodeStatusUnknown"))
        );
    }
}

/// Without leases a kubelet posts at each check of its status, every ten seconds (`tryUpdateNodeStatus` of
/// `pkg/kubelet/kubelet_node_status.go`: 1.11.10, and 1.16.15 without the gate NodeLease), and so it does in 1.12 with them, where no
/// controller reads them; in 1.13.12 a minute apart, and the controller reads leases: no healthy node is silent for the 40 s
/// of its grace, in an hour. The one that is cut off at 100 s is Unknown once, whose last post is of 90 or of 100 s: 40 s later at
/// the soonest, and two passes of five seconds later than that at the latest.
#[test]
fn without_leases_each_check_of_the_status_posts() {
    let off = r#"feature_gates: {"NodeLease": false},"#;
    let on = r#"feature_gates: {"NodeLease": true},"#;
    for (release, gates) in [
        ("1.6", ""),
        ("1.11", ""),
        ("1.12", on),
        ("1.13", ""),
        ("1.13", on),
        ("1.14", off),
        ("1.16", off),
    ] {
        for timing in ["Ideal", "Typical"] {
            let text = format!(
                r#"Scenario(version: 1, kubernetes: "{release}", timing: {timing}, horizon: "1h", {gates}
                nodes: [(names: "a-{{0..3}}", zone: "a")],
                timeline: [(at: "100s", do: Partition(node: "a-0"))])"#
            );
            let plan = plans::plan(&text);
            check(&plan, 1);
            let trace = run(&plan, Choices::seeded(1));
            let is_unknown = |r: &&taintsim::trace::Record| {
                let f = trace.fields(r);
                f.what == "node-condition" && f.reason.as_deref() == Some("NodeStatusUnknown")
            };
            let unknown: Vec<_> = trace.iter().filter(is_unknown).collect();
            let of = |r: &&taintsim::trace::Record| trace.fields(r).node.as_deref() == Some("a-0");
            assert!(!unknown.is_empty() && unknown.iter().all(of), "{release} {timing}");
            let seconds = unknown.iter().map(|r| r.at.as_millis() / 1000);
            assert!(seconds.clone().all(|at| (130..=150).contains(&at)), "{release} {timing}");
        }
    }
}

/// The workloads of the benches at a small size, so that they cannot rot: what their full size is
/// asserted to do.
#[test]
fn the_benches_workloads_do_what_they_are_timed_for() {
    use taintsim::trace::What;
    let deletions = |plan: &Plan| {
        run(plan, Choices::seeded(1))
            .iter()
            .filter(|r| matches!(r.what, What::PodDeleting(_)))
            .count()
    };
    assert_eq!(deletions(&cluster::healthy_day(50)), 0);
    // 30 nodes of 30 pods: ten nodes per second and zone are tainted, and 300 s later their pods
    // are deleted.
    assert_eq!(deletions(&cluster::outage(30, 30)), 900);
    assert_eq!(deletions(&cluster::outage_with_room(30)), 900);
    let placed = |plan: &Plan| {
        run(plan, Choices::seeded(1)).iter().filter(|r| matches!(r.what, What::PodBound(_))).count()
    };
    assert_eq!(
        [placed(&cluster::placement(10)), placed(&cluster::outage_with_room(30))],
        [300, 900]
    );
    assert_eq!(deletions(&cluster::master_disruption(30, 30)), 0);
    assert_eq!(deletions(&cluster::tainted_at_once(30, 30)), 900);
    // Every ninth node is in the first zone: 111 of its 334 are dark, which is a third, so the zone
    // stays Normal and one node is tainted per ten seconds. The last is at about 60 + 55 + 1,100 s,
    // and its ten pods go 30 s later, before 1,300 s.
    assert_eq!(deletions(&cluster::real_stack()), 1_110);
    // The ten pods of the one node that fails.
    assert_eq!(deletions(&cluster::one_of_a_sweep()), 10);
    // Ten of 30 nodes are dark, and all are tainted within a second or two; 300 s later their pods
    // go.
    assert_eq!(deletions(&cluster::a_zone_of_three(30, 3)), 30);
}

/// A pod that has ended and that the controller marked NotReady stays so, and nobody waits for it. If
/// its kubelet did, a month after the outage would have a pass every five seconds, of some events
/// each: 518,400 and more. A watched run reports every 65,536 events.
#[test]
fn a_finished_pod_keeps_no_kubelet_awake() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "720h",
        nodes: [(names: "a-{0..2}")],
        pods: [(name: "done", on: Node("a-0"), start: Imported(phase: Succeeded, ready: (status: True, lastTransitionTime: "0s")))],
        timeline: [(at: "1h", do: Crash(node: "a-0", duration: "3m"))])"#;
    let plan = plans::plan(text);
    let mut reports = 0;
    let (trace, _) = run_watched(&plan, Choices::seeded(1), &mut |_| {
        reports += 1;
        true
    });
    let marked = trace.iter().any(|r| {
        matches!(r.what, taintsim::trace::What::PodCondition(_, ConditionStatus::False, _))
    });
    assert!(marked, "the controller marks it");
    assert_eq!(reports, 0);
}

/// A watch that lags or stalls for the whole run has heartbeats simulated if it carries any; those
/// of anything else cost nothing.
#[test]
fn a_lagging_watch_that_carries_no_heartbeat_costs_nothing() {
    let looks = |what: &str| {
        let text = format!(
            "Scenario(version: 1, kubernetes: \"1.34\", horizon: \"96h\", timing: Typical,
            nodes: [(names: \"a-{{0..1}}\", zone: \"a\"), (names: \"b-{{0..1}}\", zone: \"b\")],
            timeline: [(at: \"1s\", do: {what})])"
        );
        let plan = plans::plan(&text);
        let mut looks = 0;
        // Every 65,536 events.
        run_watched(&plan, Choices::seeded(1), &mut |_| {
            looks += 1;
            true
        });
        looks
    };
    for resource in ["Jobs", "Deployments", "Pods"] {
        assert!(looks(&format!("WatchLag(resource: {resource}, lag: \"1s\")")) <= 1, "{resource}");
        let stall = format!("WatchStall(resource: {resource}, duration: \"95h\")");
        assert!(looks(&stall) <= 1, "{resource}");
    }
    // 96 hours are 34,560 renewals of each of four leases.
    assert!(looks("WatchLag(resource: Leases, lag: \"1s\")") > 1);
}
