//! What can be said of a run before it begins: the most steps of an instant, and whether heartbeats
//! come often enough to be computed.

use crate::api::workload::WorkloadSpec;
use crate::controllers::kubelet::{Loop, STATUS_PERIOD};
use crate::plan::{KubeletMode, NodePlan, WorkloadPlan};
use crate::sim::prelude::*;

/// More steps than any instant of a run can have: each object may be looked at because of each
/// other one on its node or of its workload, several times.
pub(super) fn most_steps(plan: &Plan) -> u64 {
    20_000 + objects(plan).saturating_mul(2_000)
}

/// As many objects as there can be at one time, or more.
pub(super) fn objects(plan: &Plan) -> u64 {
    let replicas = |w: &WorkloadPlan| match &w.spec {
        WorkloadSpec::Job(job) => job.parallelism.max(job.completions.unwrap_or(0)),
        spec => spec.replicas(),
    };
    let scaled = |act: &Do| if let Do::Scale(_, replicas) = act { *replicas } else { 0 };
    let asked = plan.workloads.iter().map(replicas);
    let asked = asked.chain(plan.actions.iter().map(|a| scaled(&a.act)));
    let written = [plan.nodes.len(), plan.pods.len(), plan.workloads.len(), plan.actions.len()];
    written.map(|n| n as u64).iter().sum::<u64>() + asked.map(|n| n.max(0) as u64).sum::<u64>()
}

/// The loop that makes the signs of life of a node, if those of one that nothing happens to come often enough that its
/// grace never ends, and not so often that more than two are on their way; only then do they make
/// no difference.
pub(super) fn signs_that_keep_up(plan: &Plan) -> Option<Loop> {
    let (period, most_often) = heartbeat_periods(plan);
    // Jitter adds up to 4 %, a watch its delay, and opening it two round trips; a second is left
    // for what else there is.
    let opening =
        plan.timing.request.max.saturating_add(plan.timing.response.max).saturating_mul(2);
    let jittered = period.saturating_add(Dur::from_nanos(period.as_nanos() / 25));
    let longest = jittered.saturating_add(plan.timing.watch.max).saturating_add(opening);
    // Of heartbeats that were computed the last two are written when a node wakes.
    let keep_up = plan.timing.watch.max < most_often
        && plan.flags.node_monitor_grace_period > longest.saturating_add(Dur::from_secs(1));
    let signs = if leases_count(plan) { Loop::Lease } else { Loop::Status };
    keep_up.then_some(signs)
}

/// 1.12 has kubelets with leases, and no controller that reads them.
fn leases_count(plan: &Plan) -> bool {
    plan.profile.kubelet.leases && plan.profile.node_lifecycle.leases
}

/// The longest time from one report to the next: it is due at the first check of the status at
/// which the last one is that old.
fn in_checks(report: Dur, check: Dur) -> Dur {
    check.saturating_mul(report.as_nanos().div_ceil(check.as_nanos().max(1)).max(1))
}

/// The longest time from one sign of life to the next, and the shortest.
fn heartbeat_periods(plan: &Plan) -> (Dur, Dur) {
    let longest = |of: fn(&NodePlan) -> Dur| plan.nodes.iter().map(of).max().unwrap_or(Dur::ZERO);
    let shortest = |of: fn(&NodePlan) -> Dur| plan.nodes.iter().map(of).min().unwrap_or(Dur::MAX);
    let has_leases = plan.profile.kubelet.leases;
    let leases_count = leases_count(plan);
    // Without leases every check posts.
    let posts = |report, check| if has_leases { in_checks(report, check) } else { check };
    let offset = longest(|n| n.status_offset);
    let lease_of_imitated = longest(|n| n.lease_period.max(n.lease_offset));
    let least_of_imitated = shortest(|n| n.lease_period).min(STATUS_PERIOD);
    let of_mode = |mode: KubeletMode| match mode {
        KubeletMode::Imitated(i) => {
            let posts = posts(i.status_report, STATUS_PERIOD).saturating_add(offset);
            (if leases_count { lease_of_imitated } else { posts }, least_of_imitated)
        }
        KubeletMode::Real(r) => {
            let lease = Dur::from_nanos(r.node_lease_duration.as_nanos() / 4);
            let posts = posts(r.node_status_report_frequency, r.node_status_update_frequency);
            (if leases_count { lease } else { posts }, lease.min(r.node_status_update_frequency))
        }
    };
    let own = plan.nodes.iter().filter_map(|n| n.kubelet.as_ref()).map(|own| own.mode);
    own.map(of_mode).fold(of_mode(plan.timing.kubelet), |(longest, shortest), (period, least)| {
        (longest.max(period), shortest.min(least))
    })
}
