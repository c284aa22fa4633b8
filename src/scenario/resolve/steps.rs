//! What one entry of the timeline does: how long it lasts, and its primitive steps.

use super::faults::healing;
use super::maintain;
use super::primitive::{Of, Primitive, START, once};
use super::world::World;
use crate::kernel::Dur;
use crate::language::complaints::Complaints;
use crate::language::text::place::at;
use crate::language::values;
use crate::language::{Cut, DrainFlags, DurationText, Step};
use crate::plan::{Do, Phase};

/// How many partitions one flapping entry may stand for.
const FLAPS_MAX: u32 = 100_000;

/// How long an entry lasts, if it ends; complaints about its durations.
pub(super) fn lasts(i: usize, step: &Step, complaints: &mut Complaints) -> Option<Dur> {
    let place = |field: &'static str| at!["timeline", i, "do", field];
    let mut read = |text: &Option<DurationText>, field| {
        text.as_ref().and_then(|t| complaints.take(place(field), values::positive(t.as_str())))
    };
    match step {
        Step::Partition { duration, .. }
        | Step::Crash { duration, .. }
        | Step::SlowHeartbeats { duration, .. }
        | Step::Condition { duration, .. }
        | Step::RuntimeFailure { duration, .. }
        | Step::ApiOutage { duration, .. }
        | Step::TooManyRequests { duration, .. }
        | Step::WatchLag { duration, .. }
        | Step::ClockSkew { duration, .. } => read(duration, "duration"),
        Step::WatchStall { duration, .. } => read(&Some(duration.clone()), "duration"),
        Step::KubeletRestart { downtime, .. } => read(&Some(downtime.clone()), "downtime"),
        Step::ControllerRestart { downtime: Some(downtime), kind: None } => {
            complaints.take(place("downtime"), values::span(downtime.as_str()))
        }
        Step::Flap { down, up, times, .. } => {
            let (down, up) = (read(&Some(down.clone()), "down"), read(&Some(up.clone()), "up"));
            if *times == 0 || *times > FLAPS_MAX {
                complaints.say(
                    place("times"),
                    format!("a flapping node is cut off between 1 and {FLAPS_MAX} times"),
                );
                return None;
            }
            let (down, up) = (down?, up?);
            Some(down.saturating_add(up).saturating_mul(u64::from(*times)).saturating_sub(up))
        }
        _ => None,
    }
}

/// Whether an entry makes nodes unhealthy, so that people want to know times since.
pub(super) fn is_fault(step: &Step) -> bool {
    matches!(
        step,
        Step::Partition { .. }
            | Step::Crash { .. }
            | Step::Reboot { .. }
            | Step::KubeletRestart { .. }
            | Step::Flap { .. }
            | Step::SlowHeartbeats { .. }
            | Step::Condition { .. }
            | Step::RuntimeFailure { .. }
            | Step::ApiOutage { .. }
    )
}

/// The steps of an entry; nothing if a complaint is about it.
pub(super) fn primitives(
    i: usize,
    step: &Step,
    lasts: Option<Dur>,
    world: &World<'_>,
    complaints: &mut Complaints,
) -> Option<Vec<Primitive>> {
    let of = Of { i, lasts, world };
    match step {
        Step::Partition { node, nodes, cut, connections, .. } => {
            of.partition(node, nodes, (*cut, *connections), complaints)
        }
        Step::Heal { node, nodes } => {
            let nodes = of.nodes(node, nodes, complaints)?;
            Some(healing(nodes, Cut::Network, START, Phase::Begin))
        }
        Step::Crash { node, nodes, .. } => of.crash(node, nodes, complaints),
        Step::Reboot { node, nodes } => of.reboot(node, nodes, complaints),
        Step::KubeletRestart { node, nodes, .. } => of.kubelet_restart(node, nodes, complaints),
        Step::Flap { node, nodes, cut, connections, down, up, times } => {
            of.flap(node, nodes, (*cut, *connections), (down, up), *times, complaints)
        }
        Step::SlowHeartbeats { node, nodes, period, .. } => {
            of.slow_heartbeats(node, nodes, period, complaints)
        }
        Step::Condition { node, nodes, kind, status, .. } => {
            of.condition(node, nodes, *kind, *status, complaints)
        }
        Step::RuntimeFailure { node, nodes, fails, .. } => {
            of.runtime(node, nodes, *fails, complaints)
        }
        Step::ApiOutage { of: Some(share), .. } => of.servers_die(share, complaints),
        Step::ApiOutage { watch_cache, .. } => of.lasting(Do::ApiDown, Do::ApiUp(*watch_cache)),
        Step::TooManyRequests { clients, .. } => of.too_many_requests(clients, complaints),
        Step::WatchLag { resource, lag, .. } => of.watch_lag(*resource, lag, complaints),
        Step::WatchStall { resource, .. } => {
            of.lasting(Do::StallWatches(*resource, lasts?), Do::Over)
        }
        Step::ControllerRestart { kind: None, downtime: Some(_) } => {
            once(Do::RestartControllers(lasts?))
        }
        Step::ControllerRestart { kind, downtime } => {
            once(of.replace_leader(*kind, downtime.as_ref(), complaints)?)
        }
        Step::ClockSkew { node, nodes, skew, .. } => of.clock_skew(node, nodes, skew, complaints),
        Step::AddNode { .. } => of.each_added(Do::AddNode),
        Step::DeleteNode { node, nodes } => {
            once(Do::DeleteNode(of.nodes(node, nodes, complaints)?))
        }
        Step::Taint { node, nodes, taint, overwrite } => {
            of.taint(node, nodes, taint, *overwrite, complaints)
        }
        Step::Untaint { node, nodes, taint } => of.untaint(node, nodes, taint, complaints),
        Step::Cordon { node, nodes } => once(Do::Cordon(of.nodes(node, nodes, complaints)?, true)),
        Step::Uncordon { node, nodes } => {
            once(Do::Cordon(of.nodes(node, nodes, complaints)?, false))
        }
        Step::Label { node, nodes, labels } => of.label(node, nodes, labels, complaints),
        Step::CreatePod { .. } => of.each_added(Do::CreatePod),
        Step::DeletePod { pod, pods, grace_period_seconds } => {
            of.delete_pod(pod, pods, *grace_period_seconds, complaints)
        }
        Step::BindPod { pod, node } => of.bind_pod(pod, node, complaints),
        Step::PatchTolerations { pod, pods, tolerations } => {
            of.patch_tolerations(pod, pods, tolerations, complaints)
        }
        Step::Instance { node, nodes, state } => of.instance(node, nodes, *state, complaints),
        Step::Drain {
            node,
            nodes,
            force,
            ignore_daemonsets,
            delete_emptydir_data,
            disable_eviction,
            grace_period_seconds,
            timeout,
            skip_wait_for_delete_timeout,
        } => {
            let flags = DrainFlags {
                force: *force,
                ignore_daemonsets: Some(*ignore_daemonsets),
                delete_emptydir_data: *delete_emptydir_data,
                disable_eviction: *disable_eviction,
                grace_period_seconds: *grace_period_seconds,
                timeout: timeout.clone(),
                skip_wait_for_delete_timeout: skip_wait_for_delete_timeout.clone(),
            };
            of.drain(node, nodes, &flags, complaints)
        }
        Step::Scale { workload, replicas } => of.scale(workload, *replicas, complaints),
        Step::CreateWorkload { .. } => of.each_added(Do::CreateWorkload),
        Step::DeleteWorkload { workload, cascade } => {
            let index = world.target_workload(i, workload, complaints)?;
            once(Do::DeleteWorkload(index, cascade.unwrap_or_default()))
        }
        Step::CreateBudget { .. } => of.each_added(Do::CreateBudget),
        Step::PatchBudget { budget, min_available, max_unavailable } => {
            of.patch_budget(budget, min_available.as_ref(), max_unavailable.as_ref(), complaints)
        }
        Step::DeleteBudget { budget } => {
            once(Do::DeleteBudget(world.target_budget(i, budget, complaints)?))
        }
        Step::Maintain { node, nodes, at_a_time, drain, off, then, if_not_drained } => {
            let written = maintain::Written {
                at_a_time: at_a_time.as_ref(),
                drain,
                off,
                then: *then,
                if_not_drained: *if_not_drained,
            };
            of.maintain(node, nodes, &written, complaints)
        }
    }
}
