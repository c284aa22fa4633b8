//! What controllers remember of pods that wait, of Jobs whose pods failed, and of disruption
//! budgets, as far as an export shows it.
//!
//! A Job's back-off is computed from the finish times of its failed pods
//! (`pkg/controller/job/backoff_utils.go`, v1.34: `newBackoffRecord`, `getFinishedTime`); of those
//! that are gone only the number is known, by `status.failed`. The scheduler's is computed from the
//! number of tries and the last of them, which events of FailedScheduling tell where they were
//! exported; otherwise it is known since when the pod has been unschedulable.

use super::disks::held_elsewhere;
use super::gathered::Gathered;
use super::pod::NamedPod;
use super::scheduling::RawBudget;
use super::workload::RawWorkload;
use crate::api::volume::MAX_WAIT_FOR_UNMOUNT;
use crate::import::prelude::*;

/// A time before time zero, in the words of the language.
fn ago(at: Stamp, zero: Stamp) -> DurationText {
    micros(at.us_since(zero).min(0))
}

/// A time that a run can reckon with.
fn known(text: &str) -> Option<Stamp> {
    parse_time(text).filter(|at| YEARS.contains(at))
}

/// What is remembered, beside what the node lifecycle controller does, of the pods that are imported.
pub(super) fn memory(
    gathered: &Gathered,
    bound: &[NamedPod],
    zero: Stamp,
    own: Memory,
) -> Result<Memory> {
    let Gathered { pods, nodes, workloads, tried, .. } = gathered;
    let aged = |(name, _, shape): &NamedPod| {
        let full = format!("{}/{name}", shape.namespace);
        let age = age(&pods.get(&full)?.1, shape.start == PodStart::Running, zero)?;
        Some((full, age))
    };
    let attached = held_elsewhere(gathered, bound);
    let requested =
        |name: &String| Some((name.clone(), detach_requested(&pods.get(name)?.1, zero)));
    Ok(Memory {
        ages: bound.iter().filter_map(aged).collect(),
        bound: bound_late(pods, nodes, zero),
        detach_requested: attached.keys().filter_map(requested).collect(),
        attached,
        waiting: waiting(pods, tried, zero),
        failures: failures(workloads, pods, zero)?,
        budgets: budgets(&gathered.budgets, zero)?,
        ..own
    })
}

/// Pods that the scheduler tried in vain: those without a node whose condition PodScheduled says
/// so.
fn waiting(
    pods: &Named<RawPod>,
    tried: &BTreeMap<String, (u32, Stamp)>,
    zero: Stamp,
) -> BTreeMap<String, Waiting> {
    let waits = |pod: &RawPod| {
        let unschedulable =
            |c: &&RawCondition| c.is("PodScheduled", "False") && c.reason == "Unschedulable";
        let condition = pod.status.conditions.iter().find(unschedulable)?;
        let since = parse_time(&condition.last_transition_time).unwrap_or(zero);
        let name = pod.full_name();
        let known = tried.get(&name).filter(|(_, last)| *last <= zero);
        let (tries, last) = known.map(|k| (k.0, ago(k.1, zero))).unzip();
        Some((name, Waiting { since: ago(since, zero), tries, last }))
    };
    pods.iter().filter(|p| p.node().is_none()).filter_map(waits).collect()
}

/// When a pod came to be, where that is told; since when it has been Ready is said of one that starts so.
fn age(pod: &RawPod, starts_ready: bool, zero: Stamp) -> Option<Age> {
    let created = known(&pod.meta.creation_timestamp)?;
    let started = known(&pod.status.start_time).filter(|at| *at != created);
    let ready = pod.since("Ready").filter(|_| starts_ready);
    let [started, ready] = [started, ready].map(|at| Some(ago(at?, zero)));
    Some(Age { created: ago(created, zero), started, ready })
}

/// Since when nobody wants the volumes of a pod where its former one had them. A StatefulSet makes the next of a name when the
/// former is gone; others do so when its deletion begins, so that it went later, and not so long ago that they are detached.
fn detach_requested(pod: &RawPod, zero: Stamp) -> DetachRequested {
    let created = known(&pod.meta.creation_timestamp);
    let of_set = |o: &RawOwner| o.kind == WorkloadKind::StatefulSet.as_str();
    let (from, until) = match created.filter(|_| pod.meta.controller().is_some_and(of_set)) {
        // In that second.
        Some(at) => (at, Stamp(at.0.saturating_add(SECOND_US))),
        None => {
            let longest = MAX_WAIT_FOR_UNMOUNT.as_micros() as i64;
            (created.max(Some(Stamp(zero.0 - longest))).unwrap_or(zero), zero)
        }
    };
    DetachRequested { from: ago(from, zero), until: ago(until, zero) }
}

/// When pods were bound to nodes with NoExecute taints, where one of these was there by then or may
/// have been. One that was made for its node was bound when it was created.
fn bound_late(
    pods: &Named<RawPod>,
    nodes: &Named<RawNode>,
    zero: Stamp,
) -> BTreeMap<String, DurationText> {
    let late = |pod: &RawPod| {
        let (_, node) = nodes.get(pod.node()?)?;
        let at = pod.since("PodScheduled").max(parse_time(&pod.meta.creation_timestamp))?;
        let was_there = |t: &RawTaint| {
            t.effect == "NoExecute" && parse_time(&t.time_added).is_none_or(|added| added < at)
        };
        node.spec.taints.iter().any(was_there).then(|| (pod.full_name(), ago(at, zero)))
    };
    pods.iter().filter_map(late).collect()
}

/// Failures of the pods of each Job that goes on, since its last success.
fn failures(
    workloads: &Named<RawWorkload>,
    pods: &Named<RawPod>,
    zero: Stamp,
) -> Result<BTreeMap<String, Failures>> {
    let mut finished: BTreeMap<String, Vec<(bool, Stamp)>> = BTreeMap::new();
    for pod in pods.iter() {
        let ended = match &*pod.status.phase {
            "Failed" => false,
            "Succeeded" => true,
            _ => continue,
        };
        let is_job = |o: &&RawOwner| o.kind == WorkloadKind::Job.as_str();
        if let Some(job) = pod.meta.controller().filter(is_job)
            && let Some(at) = pod.finished_at()
        {
            let job = format!("{}/{}", pod.namespace, job.name);
            finished.entry(job).or_default().push((ended, at));
        }
    }
    let mut all = BTreeMap::new();
    let running = |w: &RawWorkload| w.kind == WorkloadKind::Job && w.is_over().is_none();
    for (place, job) in workloads.placed().filter(|(_, w)| running(w)) {
        let name = format!("{}/{}", job.namespace, job.name);
        let seen = finished.remove(&name).unwrap_or_default();
        let started = time("startTime", &job.status.start_time);
        let started = started.map_err(at(place))?;
        let failures = failures_of(job.status.ended(), &seen, started, zero);
        all.extend(failures.map(|failures| (name, failures)));
    }
    Ok(all)
}

/// From how many pods of a Job succeeded and failed, and from those that are left to look at: how
/// often they failed since the last success, and when the last time was.
fn failures_of(
    (succeeded, failed): (i32, i32),
    seen: &[(bool, Stamp)],
    started: Option<Stamp>,
    zero: Stamp,
) -> Option<Failures> {
    let times = |wanted: bool| seen.iter().filter(move |s| s.0 == wanted).map(|s| s.1);
    let success = times(true).max();
    let after: Vec<Stamp> = times(false).filter(|t| success.is_none_or(|s| *t > s)).collect();
    let gone = usize::try_from(failed).unwrap_or(0).saturating_sub(times(false).count());
    let last = after.iter().max().copied();
    let most = after.len() + gone;
    if most == 0 {
        return None;
    }
    // Without any success all failures count, also those of pods that are gone.
    let least = if succeeded == 0 { most } else { after.len() };
    let (least, most) = (least as u32, most as u32);
    let from = last.or(success).or(started).unwrap_or(zero).min(zero);
    // Without pods that are gone the last failure is known.
    let until = if gone == 0 { from } else { zero };
    Some(Failures { least, most, from: ago(from, zero), until: ago(until, zero) })
}

/// What disruption budgets were counted to, of those whose status is of their present spec.
fn budgets(budgets: &Named<RawBudget>, zero: Stamp) -> Result<BTreeMap<String, Counted>> {
    let mut all = BTreeMap::new();
    let is_of_spec = |b: &RawBudget| b.status.observed_generation >= b.meta.generation.max(1);
    for (place, budget) in budgets.placed().filter(|(_, b)| is_of_spec(b)) {
        let status = &budget.status;
        let mut disrupted = BTreeMap::new();
        for (pod, text) in &status.disrupted_pods {
            let granted = time("status.disruptedPods", text).map_err(at(place))?;
            disrupted.extend(granted.map(|g| (pod.clone(), ago(g, zero))));
        }
        let counted = Counted {
            allowed: status.disruptions_allowed,
            healthy: status.current_healthy,
            desired: status.desired_healthy,
            expected: status.expected_pods,
            disrupted,
        };
        all.insert(budget.full_name(), counted);
    }
    Ok(all)
}

impl RawPod {
    /// When it finished (`getFinishedTime`): when its last container did; when it stopped being
    /// ready; when its deletion began; when it was created.
    fn finished_at(&self) -> Option<Stamp> {
        let times = [self.ended(), self.turned("Ready", "False"), self.deletion_began()];
        let known = times.into_iter().flatten().next();
        known.or_else(|| parse_time(&self.meta.creation_timestamp))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: Stamp = Stamp(1_000 * SECOND_US);

    fn at(s: i64) -> Stamp {
        Stamp(ZERO.0 + s * SECOND_US)
    }

    fn of(counts: (i32, i32), seen: &[(bool, i64)]) -> Option<(u32, u32, String, String)> {
        let seen: Vec<(bool, Stamp)> = seen.iter().map(|(ok, s)| (*ok, at(*s))).collect();
        let f = failures_of(counts, &seen, Some(at(-100)), ZERO)?;
        let text = |t: DurationText| t.0;
        Some((f.least, f.most, text(f.from), text(f.until)))
    }

    /// By `newBackoffRecord`: the failures after the last success count, and the last of them.
    #[test]
    fn failures_count_since_the_last_success() {
        let some = |l, m, f: &str, u: &str| Some((l, m, f.to_owned(), u.to_owned()));
        // All pods are there to be looked at.
        assert_eq!(of((0, 0), &[]), None);
        assert_eq!(of((0, 2), &[(false, -40), (false, -12)]), some(2, 2, "-12s", "-12s"));
        assert_eq!(
            of((1, 2), &[(false, -40), (true, -30), (false, -12)]),
            some(1, 1, "-12s", "-12s")
        );
        assert_eq!(of((1, 1), &[(false, -40), (true, -30)]), None);
        // One of three is gone: it failed at some time since the last that is known, or before.
        assert_eq!(of((0, 3), &[(false, -40), (false, -12)]), some(3, 3, "-12s", "0s"));
        assert_eq!(
            of((1, 3), &[(false, -40), (true, -30), (false, -12)]),
            some(1, 2, "-12s", "0s")
        );
        // All are gone: since the Job's start.
        assert_eq!(of((0, 3), &[]), some(3, 3, "-1m40s", "0s"));
    }
}
