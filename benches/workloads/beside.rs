//! Clusters as they are, each beside the same cluster without the DaemonSet, budget or drain that
//! it is about.

use taintsim::kernel::Choices;
use taintsim::plan::Plan;
use taintsim::scenario::{Overrides, build, parse};
use taintsim::sim::run;
use taintsim::trace::Trace;

/// Two clusters that differ in one thing.
pub(crate) struct Pair {
    /// What the second has and the first has not.
    pub(crate) name: &'static str,
    /// So many times as long the second may take.
    pub(crate) bar: f64,
    /// The plan for so many nodes, without it or with it.
    pub(crate) plan: fn(usize, bool) -> Plan,
}

/// A third of the nodes loses its network for ten minutes.
const CUT: &str = r#"(at: "5m", name: "cut", do: Partition(nodes: Share(of: All, fraction: 0.33), duration: "10m"))"#;
/// A pod of each of them on every node.
const DAEMON_SET: &str = r#"DaemonSet(name: "agent", placement: Each(All))"#;

/// All pairs.
pub(crate) const PAIRS: [Pair; 7] = [
    Pair {
        name: "a DaemonSet",
        bar: 2.0,
        plan: |n, with| scenario(n, &[&threes(n), if with { DAEMON_SET } else { "" }], "", CUT),
    },
    Pair {
        name: "a DaemonSet, few other pods",
        bar: 2.0,
        plan: |n, with| {
            scenario(n, &[&threes_of(n * 3 / 100), if with { DAEMON_SET } else { "" }], "", CUT)
        },
    },
    Pair { name: "a DaemonSet on new nodes", bar: 10.0, plan: new_daemon_set },
    Pair {
        name: "a budget over one Deployment",
        bar: 1.1,
        plan: |n, with| {
            budget(
                n,
                &one_of(n),
                r#"(name: "all", selector: (matchLabels: {"app": "web-0"}), maxUnavailable: "10%")"#,
                with,
            )
        },
    },
    Pair {
        name: "a budget over all pods",
        bar: 1.1,
        plan: |n, with| {
            budget(
                n,
                &threes(n),
                r#"(name: "all", selector: (matchLabels: {"team": "shop"}), maxUnavailable: "10%")"#,
                with,
            )
        },
    },
    Pair { name: "a budget for each of 300", bar: 1.1, plan: many_budgets },
    Pair { name: "a budget where a tenth is drained", bar: 1.5, plan: drained },
];

/// What the pods of all Deployments have.
const TEMPLATE: &str = r#"template: (labels: {"team": "shop"})"#;

/// Deployments of three that run from the start, one after the other on the nodes.
fn threes_of(count: usize) -> String {
    let one = |i: usize| {
        let on = format!(r#"["n-{}", "n-{}", "n-{}"]"#, 3 * i, 3 * i + 1, 3 * i + 2);
        format!(r#"Deployment(name: "web-{i}", replicas: 3, placement: Nodes({on}), {TEMPLATE})"#)
    };
    (0..count).map(one).collect::<Vec<_>>().join(", ")
}

/// One Deployment with a pod on each of so many nodes.
fn one_of(replicas: usize) -> String {
    format!(
        r#"Deployment(name: "web-0", replicas: {replicas}, placement: Spread(All), {TEMPLATE})"#
    )
}

/// As many pods as nodes, in Deployments of three.
fn threes(nodes: usize) -> String {
    threes_of(nodes / 3)
}

fn scenario(nodes: usize, workloads: &[&str], budgets: &str, timeline: &str) -> Plan {
    let workloads =
        workloads.iter().filter(|w| !w.is_empty()).copied().collect::<Vec<_>>().join(", ");
    let text = format!(
        r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "n-{{0..{}}}", zone: "a")],
            workloads: [{workloads}], podDisruptionBudgets: [{budgets}], timeline: [{timeline}])"#,
        nodes - 1
    );
    let loaded = parse("bench.ron", text.into_bytes(), std::path::Path::new("."))
        .expect("a scenario that is right");
    build(&loaded, &Overrides::default()).expect("and can be built")
}

/// A DaemonSet whose pods have yet to be made and placed, beside one whose pods run.
fn new_daemon_set(nodes: usize, new: bool) -> Plan {
    scenario(nodes, &[if new { r#"DaemonSet(name: "agent")"# } else { DAEMON_SET }], "", CUT)
}

fn budget(nodes: usize, workloads: &str, budget: &str, with: bool) -> Plan {
    scenario(nodes, &[workloads], if with { budget } else { "" }, CUT)
}

fn many_budgets(nodes: usize, with: bool) -> Plan {
    let one = |i| {
        format!(
            r#"(name: "web-{i}", selector: (matchLabels: {{"app": "web-{i}"}}), minAvailable: 2)"#
        )
    };
    let budgets: Vec<String> = (0..300.min(nodes / 3)).map(one).collect();
    budget(nodes, &threes(nodes), &budgets.join(", "), with)
}

fn drained(nodes: usize, with: bool) -> Plan {
    let budget =
        r#"(name: "all", selector: (matchLabels: {"team": "shop"}), maxUnavailable: "20%")"#;
    let drain = r#"(at: "5m", do: Drain(nodes: Share(of: All, fraction: 0.1), ignore_daemonsets: true, timeout: "10m"))"#;
    scenario(nodes, &[&threes(nodes), DAEMON_SET], if with { budget } else { "" }, drain)
}

/// Runs a plan with a seed.
pub(crate) fn go(plan: &Plan, seed: u64) -> Trace {
    run(plan, Choices::seeded(seed))
}

/// A checksum over all records, in order.
pub(crate) fn checksum(trace: &Trace) -> u64 {
    trace.iter().fold(0, |h: u64, r| {
        let text = format!("{r:?}");
        let of_text = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        (h.rotate_left(5) ^ of_text).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}
