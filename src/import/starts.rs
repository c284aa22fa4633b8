//! What the status of one pod tells of how long it took to start and to stop, and of the probe that it waited for.

use super::containers;
use super::prelude::*;

/// What takes longer was no start, but a pod that became Ready again.
pub(super) const START_MAX_US: i64 = 15 * 60 * SECOND_US;

/// When a pod began to start: with its binding, or once its disks were there.
fn began(pod: &RawPod, attaches: bool) -> Option<Stamp> {
    pod.since(if attaches { "PodReadyToStartContainers" } else { "PodScheduled" })
}

/// How long a pod took to start, if it did so once.
pub(super) fn start_of(pod: &RawPod, attaches: bool) -> Option<i64> {
    if pod.status.container_statuses.iter().any(|c| c.restart_count > 0) {
        return None;
    }
    let took = pod.since("Ready")?.us_since(began(pod, attaches)?) - initialized(pod);
    (0..=START_MAX_US).contains(&took).then_some(took)
}

/// How long the init containers of a pod took, where that is known.
fn initialized(pod: &RawPod) -> i64 {
    containers::inits(&pod.spec, &pod.status).into_iter().flatten().sum()
}

/// When the container of a pod ran whose probe it waits for, how long that took, and how long it took from then on to be Ready,
/// if it did so once. What stands among init containers, or has no name, is taken to run with the last of the others.
pub(super) fn ran_of(pod: &RawPod, attaches: bool) -> Option<(Stamp, (i64, i64))> {
    let all = start_of(pod, attaches)?;
    let started = |c: &RawContainerStatus| parse_time(&c.state.running.as_ref()?.started_at);
    let statuses = &pod.status.container_statuses;
    let at = statuses.iter().map(started).collect::<Option<Vec<_>>>()?;
    let own = containers::waited_for(&pod.spec).map(|c| &c.name).filter(|name| !name.is_empty());
    let own = statuses.iter().position(|c| Some(&c.name) == own);
    let at = own.map_or_else(|| at.iter().max(), |own| at.get(own)).copied()?;
    let ran = at.us_since(began(pod, attaches)?) - initialized(pod);
    (0..=all).contains(&ran).then_some((at, (ran, all - ran)))
}

/// The period of the probe that a pod waits for, in microseconds: of the startup probe, with whose success the other is made at
/// once.
pub(super) fn period_of(pod: &RawPod) -> Option<i64> {
    let waited_for = containers::waited_for(&pod.spec)?;
    let probe = waited_for.startup_probe.as_ref().or(waited_for.readiness_probe.as_ref());
    let period = containers::probe(&probe.cloned())?.period_seconds;
    Some(i64::from(period.unwrap_or(10)) * SECOND_US)
}

/// Whether a liveness probe fails often enough before a container serves that takes so many microseconds for that.
pub(super) fn kills(liveness: &Probe, serves_after: i64) -> bool {
    let or = |value: Option<i32>, default: i32| i64::from(value.unwrap_or(default));
    let last = or(liveness.initial_delay_seconds, 0)
        + (or(liveness.failure_threshold, 3) - 1) * or(liveness.period_seconds, 10);
    last.saturating_mul(SECOND_US) < serves_after
}

/// How long the containers of a pod that is being deleted took to stop.
pub(super) fn stop_of(pod: &RawPod) -> Option<i64> {
    let grace = pod.meta.deletion_grace_period_seconds?;
    let ends = parse_time(&pod.meta.deletion_timestamp)?;
    let mut last: Option<Stamp> = None;
    for container in &pod.status.container_statuses {
        last = last.max(parse_time(&container.state.terminated.as_ref()?.finished_at));
    }
    let took = last?.us_since(ends) + grace * SECOND_US;
    (0..=(grace + 2) * SECOND_US).contains(&took).then_some(took)
}
