//! What the flags of a plan come to for each controller.

use crate::client::Recalled;
use crate::controllers::{node_lifecycle, pod_gc, scheduler};
use crate::kernel::Dur;
use crate::plan::switches::node_lifecycle::EvictionMode;
use crate::plan::{Flags, Plan};

/// What the node lifecycle controller is told, and what it remembers.
pub(super) fn node_lifecycle(plan: &Plan, memory: Option<Recalled>) -> node_lifecycle::Config {
    let Flags {
        node_monitor_period,
        node_monitor_grace_period,
        node_startup_grace_period,
        node_eviction_rate,
        secondary_node_eviction_rate,
        large_cluster_size_threshold,
        unhealthy_zone_threshold,
        pod_eviction_timeout,
        enable_taint_manager,
        ..
    } = plan.flags;
    let mut switches = plan.profile.node_lifecycle;
    if !enable_taint_manager {
        switches.eviction_mode = EvictionMode::Timeout;
    }
    node_lifecycle::Config {
        monitor_period: node_monitor_period,
        pass_overhead: plan.timing.pass_overhead,
        grace_period: node_monitor_grace_period,
        startup_grace_period: node_startup_grace_period,
        eviction_rate: node_eviction_rate,
        secondary_eviction_rate: secondary_node_eviction_rate,
        large_cluster_threshold: large_cluster_size_threshold,
        unhealthy_zone_threshold,
        pod_eviction_timeout,
        memory,
        switches,
    }
}

/// What the scheduler is told.
pub(super) fn scheduler(plan: &Plan) -> scheduler::Config {
    let choice = scheduler::Choice {
        switches: plan.profile.scheduler,
        percentage_of_nodes_to_score: plan.scheduler.percentage_of_nodes_to_score,
        strategy: plan.scheduler.strategy,
        indexed: true,
    };
    scheduler::Config { choice, preemption: plan.scheduler.preemption }
}

/// What the pod garbage collector is told.
pub(super) fn pod_gc(plan: &Plan) -> pod_gc::Config {
    pod_gc::Config {
        terminated_pod_threshold: plan.flags.terminated_pod_gc_threshold,
        pass_overhead: if plan.timing.clock_advances || plan.profile.pod_gc.settable_period {
            plan.timing.pod_gc_overhead
        } else {
            Dur::ZERO
        },
        switches: plan.profile.pod_gc,
    }
}
