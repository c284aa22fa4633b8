//! What the flags of a plan come to for each controller.

use crate::client::Recalled;
use crate::controllers::{attach_detach, node_lifecycle, pod_gc, scheduler};
use crate::plan::switches::node_lifecycle::EvictionMode;
use crate::sim::prelude::*;

/// What the node lifecycle controller is told, and what it remembers.
pub(super) fn node_lifecycle(plan: &Plan, memory: Option<Recalled>) -> node_lifecycle::Config {
    let mut switches = plan.profile.node_lifecycle;
    if !plan.flags.enable_taint_manager {
        switches.eviction_mode = EvictionMode::Timeout;
    }
    let (flags, pass_overhead) = (plan.flags.clone(), plan.timing.pass_overhead);
    node_lifecycle::Config { flags, pass_overhead, memory, switches }
}

/// What the scheduler is told.
pub(super) fn scheduler(plan: &Plan) -> scheduler::Config {
    let choice = scheduler::Choice {
        switches: plan.profile.scheduler,
        percentage_of_nodes_to_score: plan.scheduler.percentage_of_nodes_to_score,
        strategy: plan.scheduler.strategy,
        indexed: true,
    };
    scheduler::Config {
        choice,
        preemption: plan.scheduler.preemption,
        devices: plan.has_devices,
        provisions: plan.provisions,
    }
}

/// What the attach/detach controller is told.
pub(super) fn attach_detach(plan: &Plan) -> attach_detach::Config {
    let switches = plan.profile.attach_detach;
    attach_detach::Config {
        // A release without the flag is not given it.
        disable_force_detach_on_timeout: switches.force_detach_flag
            && plan.flags.disable_force_detach_on_timeout,
        switches,
    }
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
