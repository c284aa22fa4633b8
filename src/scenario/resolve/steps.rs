//! What one entry of the timeline does: how long it lasts, and its primitive steps.

use super::actions::removing;
use super::maintain;
use super::primitive::{Primitive, Reader, START, failing, once, partition};
use crate::kernel::Dur;
use crate::language::complaints::Complaints;
use crate::language::text::place::at;
use crate::language::values;
use crate::language::{DrainFlags, DurationText, Step};
use crate::plan::{Do, NodeFault};

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

/// The steps of an entry; nothing if a complaint is about it.
pub(super) fn primitives(mut reader: Reader<'_>) -> Option<Vec<Primitive>> {
    let step = reader.step;
    match step {
        Step::Partition { cut, connections, .. } => reader.fails(&partition(*cut, *connections)),
        Step::Heal { .. } => reader.heal(),
        Step::Crash { .. } => reader.fails(&[NodeFault::Off]),
        Step::Reboot { .. } => reader.reboot(),
        Step::KubeletRestart { .. } => {
            let steps = reader.fails(&[NodeFault::NoKubelet]);
            reader.lasts.and(steps)
        }
        Step::Flap { cut, connections, down, up, times, .. } => {
            reader.flap(&partition(*cut, *connections), down, up, *times)
        }
        Step::SlowHeartbeats { period, .. } => {
            let (period, nodes) = (reader.positive("period", period), reader.nodes());
            Some(failing(&nodes?, &[NodeFault::SlowHeartbeats(period?)], reader.lasts))
        }
        Step::Condition { kind, status, .. } => reader.condition(*kind, *status),
        Step::RuntimeFailure { fails, .. } => reader.fails(&[NodeFault::Runtime(*fails)]),
        Step::ApiOutage { of: Some(share), .. } => reader.servers_die(share),
        Step::ApiOutage { watch_cache, .. } => reader.lasting(Do::ApiDown, Do::ApiUp(*watch_cache)),
        Step::TooManyRequests { clients, .. } => reader.too_many_requests(clients.as_deref()),
        Step::WatchLag { resource, lag, .. } => {
            let (resource, lag) = (*resource, reader.positive("lag", lag)?);
            reader.lasting(Do::WatchLag(resource, lag), Do::WatchLag(resource, START))
        }
        Step::WatchStall { resource, .. } => {
            reader.lasting(Do::StallWatches(*resource, reader.lasts?), Do::Over)
        }
        Step::ControllerRestart { kind: None, downtime: Some(_) } => {
            once(Do::RestartControllers(reader.lasts?))
        }
        Step::ControllerRestart { kind, downtime } => {
            once(reader.replace_leader(*kind, downtime.as_ref())?)
        }
        Step::ClockSkew { skew, .. } => {
            let skew = reader.complaints.take(reader.at("skew"), values::signed(skew.as_str()));
            let nodes = reader.nodes()?;
            Some(failing(&nodes, &[NodeFault::ClockSkew(skew?)], reader.lasts))
        }
        Step::AddNode { .. } => reader.each_added(Do::AddNode),
        Step::DeleteNode { .. } => once(Do::DeleteNode(reader.nodes()?)),
        Step::Taint { taint, overwrite, .. } => reader.taint(taint.texts(), *overwrite),
        Step::Untaint { taint, .. } => reader.taint(&removing(taint.texts()), false),
        Step::Cordon { .. } => once(Do::Cordon(reader.nodes()?, true)),
        Step::Uncordon { .. } => once(Do::Cordon(reader.nodes()?, false)),
        Step::Label { labels, .. } => reader.label(labels),
        Step::CreatePod { .. } => reader.each_added(Do::CreatePod),
        Step::DeletePod { grace_period_seconds, .. } => reader.delete_pod(*grace_period_seconds),
        Step::BindPod { pod, node } => reader.bind_pod(pod, node),
        Step::PatchTolerations { tolerations, .. } => reader.patch_tolerations(tolerations),
        Step::Instance { state, .. } => once(Do::Instance(reader.nodes()?, *state)),
        Step::Drain {
            force,
            ignore_daemonsets,
            delete_emptydir_data,
            disable_eviction,
            grace_period_seconds,
            timeout,
            skip_wait_for_delete_timeout,
            ..
        } => reader.drain(&DrainFlags {
            force: *force,
            ignore_daemonsets: Some(*ignore_daemonsets),
            delete_emptydir_data: *delete_emptydir_data,
            disable_eviction: *disable_eviction,
            grace_period_seconds: *grace_period_seconds,
            timeout: timeout.clone(),
            skip_wait_for_delete_timeout: skip_wait_for_delete_timeout.clone(),
        }),
        Step::Scale { workload, replicas } => reader.scale(workload, *replicas),
        Step::CreateWorkload { .. } => reader.each_added(Do::CreateWorkload),
        Step::DeleteWorkload { workload, cascade } => {
            let index = reader.workload(workload)?;
            once(Do::DeleteWorkload(index, cascade.unwrap_or_default()))
        }
        Step::CreateBudget { .. } => reader.each_added(Do::CreateBudget),
        Step::PatchBudget { budget, min_available, max_unavailable } => {
            reader.patch_budget(budget, min_available.as_ref(), max_unavailable.as_ref())
        }
        Step::DeleteBudget { budget } => once(Do::DeleteBudget(reader.budget(budget)?)),
        Step::Maintain { at_a_time, drain, off, then, if_not_drained, .. } => {
            reader.maintain(&maintain::Written {
                at_a_time: at_a_time.as_ref(),
                drain,
                off,
                then: *then,
                if_not_drained: *if_not_drained,
            })
        }
    }
}
