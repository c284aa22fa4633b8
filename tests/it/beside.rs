//! The bench of clusters with DaemonSets and budgets, at small size.

#[path = "../../benches/workloads/beside.rs"]
mod workloads;

use taintsim::plan::{Do, NodeFault, NodeIndex, Plan};
use taintsim::trace::{Trace, What};
use workloads::{PAIRS, checksum, go};

/// How many pods' deletions began, and how many pods were bound by the scheduler.
fn counts(trace: &Trace) -> (usize, usize) {
    let count = |is: fn(&What) -> bool| trace.iter().filter(|r| is(&r.what)).count();
    (
        count(|what| matches!(what, What::PodDeleting(_))),
        count(|what| matches!(what, What::PodBound(_))),
    )
}

/// The nodes that are cut off or drained.
fn struck(plan: &Plan) -> Vec<NodeIndex> {
    let of = |act: &Do| match act {
        Do::Fail(nodes, NodeFault::Cut(_)) | Do::Drain(nodes, _) => Some(nodes.clone()),
        _ => None,
    };
    plan.actions.iter().find_map(|a| of(&a.act)).unwrap_or_default()
}

/// Two runs of a workload are the same, and do what they are timed for, at 60 nodes. All pods of
/// Deployments on the nodes that are cut off go: of 60 nodes 20 are silent, so that the zone stays
/// Normal, all of them are tainted within 55 s and 20 x 10 s, and 300 s later, at 555 s, the last
/// pods go, before the network is back after 600 s. So do those on drained nodes. Each is replaced;
/// pods of DaemonSets stay. A budget changes nothing of that, and a DaemonSet that is new has its
/// 60 pods bound.
#[test]
fn the_benchs_clusters() {
    for pair in &PAIRS {
        for with in [false, true] {
            let plan = (pair.plan)(60, with);
            let trace = go(&plan, 1);
            assert_eq!(checksum(&trace), checksum(&go(&plan, 1)), "{}", pair.name);
            let struck = struck(&plan);
            let goes = |p: &&taintsim::plan::PodPlan| {
                p.name.contains("/web-") && p.node.is_some_and(|n| struck.contains(&n))
            };
            let gone = plan.pods.iter().filter(goes).count();
            let new = if pair.name == "a DaemonSet on new nodes" && with { 60 } else { 0 };
            assert_eq!(
                counts(&trace),
                (gone, gone + new),
                "{}, bar {}, {with}",
                pair.name,
                pair.bar
            );
        }
    }
}
