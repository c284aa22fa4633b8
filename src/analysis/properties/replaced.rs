//! Workloads that lack pods, and nothing happens to them. What counts are pods that exist, have not
//! ended and are not being deleted. Anything that changes one of a workload's pods, or how many it
//! asks for, begins the time anew. A workload that is being deleted, in the foreground or with orphans,
//! lacks none: its controller makes no more.
//!
//! `not-replaced`: a Deployment, ReplicaSet or StatefulSet has fewer pods than it asks for, and had as
//! many before.
//!
//! Of a StatefulSet a name is free once its pod is gone: the time begins when the grace period of
//! the one that goes is over; an OrderedReady set waits for it with all that come after it. Left out:
//! OrderedReady StatefulSets of which a pod is not Ready, as the next one waits for it, and DaemonSets, of
//! which no record says on how many nodes they should be. With `never-tainted` and `pod-stuck` it says
//! that whoever was on a dead node is replaced in the end.
//!
//! `job-stalled`: a Job that is not finished has no pod at all.
//!
//! The default bound is what a Job may wait after failures, ten minutes
//! (`MaxJobPodFailureBackOff`), and a minute for its controller. A Job is finished where its status
//! says it or, as its controller may be gone, where as many pods succeeded, or more ended otherwise,
//! than its spec says, or one did whose containers may have been started again too often.

use super::super::owners::asked_from;
use super::prelude::*;
use crate::api::workload::parent_and_ordinal;

/// A workload while walking through the trace.
#[derive(Default)]
struct Open<'a> {
    /// Its plan, where it has one and somebody looks after it.
    plan: Option<&'a WorkloadPlan>,
    /// When it was made last.
    created: Time,
    /// When people delete it, and it stays until what it owns is gone or has no owner any more.
    deletions: Vec<Time>,
    /// How many pods it asks for.
    wanted: u32,
    /// It had as many since it asks for that.
    was_whole: bool,
    /// Its pods that count, and whether each is Ready.
    pods: BTreeMap<PodId, bool>,
    /// Its pods that are still being deleted, and the nodes that they are on.
    leaving: BTreeMap<PodId, Option<NodeId>>,
    /// Its pods that began to be deleted and are not gone, and when their grace periods are over.
    going: BTreeMap<PodId, Time>,
    /// Pods of a Job that succeeded, and that ended otherwise.
    ended: (i64, i64),
    /// Since when it lacks pods and nothing happens to it, by which record.
    since: Option<(Time, RecordId)>,
}

impl Open<'_> {
    /// Takes a change of one of its pods in.
    fn pod(&mut self, pod: PodId, before: &PodState, after: &PodState) {
        match after.is_active() {
            true => drop(self.pods.insert(pod, after.ready)),
            false => drop(self.pods.remove(&pod)),
        }
        match after.exists && after.deleting && !after.phase.is_terminal() {
            true => drop(self.leaving.insert(pod, after.node_id())),
            false => drop(self.leaving.remove(&pod)),
        }
        if !after.exists {
            self.going.remove(&pod);
        }
        let ends = before.exists && !before.phase.is_terminal();
        if ends && after.phase == PodPhase::Succeeded {
            self.ended.0 += 1;
        } else if ends && (!after.exists || after.phase.is_terminal()) {
            self.ended.1 += 1;
        }
    }

    /// Whether it is being deleted.
    fn is_deleting(&self, at: Time) -> bool {
        self.deletions.iter().any(|deletion| (self.created..=at).contains(deletion))
    }

    /// Whether it has fewer pods than it asks for, and had as many.
    fn is_short(&self) -> bool {
        self.was_whole && self.pods.len() < self.wanted as usize
    }

    /// Whether it lacks pods that it should have by now.
    fn lacks(&self) -> bool {
        match self.plan.map(|plan| &plan.spec) {
            None | Some(WorkloadSpec::DaemonSet) => false,
            Some(WorkloadSpec::Job(job)) => {
                let (succeeded, failed) = self.ended;
                let over = succeeded >= job.completions.unwrap_or(1).into()
                    || failed > job.backoff_limit.into()
                    || failed > 0 && (!job.restart_never || !job.pod_failure_policy.is_empty());
                self.wanted > 0 && self.pods.is_empty() && !over
            }
            Some(WorkloadSpec::StatefulSet { parallel, .. }) => {
                self.is_short() && (*parallel || self.pods.values().all(|ready| *ready))
            }
            Some(WorkloadSpec::Deployment { .. } | WorkloadSpec::ReplicaSet { .. }) => {
                self.is_short()
            }
        }
    }

    /// From when on it should have the pods that it lacks at a time. A Job may wait for all of its pods
    /// that go, a Parallel StatefulSet only for those whose names are all that it lacks; an OrderedReady one
    /// waits for the first pod that it has not got, if that goes. Others wait for `own`.
    fn free(&self, at: Time, own: Time, ordinal: &dyn Fn(PodId) -> Option<i32>) -> Time {
        let mut ends: Vec<Time> = self.going.values().copied().collect();
        ends.sort_unstable();
        let end = match self.plan.map(|plan| &plan.spec) {
            Some(WorkloadSpec::Job(_)) => ends.pop(),
            Some(WorkloadSpec::StatefulSet { parallel: true, .. }) => {
                let missing = (self.wanted as usize).saturating_sub(self.pods.len());
                ends.len().checked_sub(missing).and_then(|place| ends.get(place).copied())
            }
            Some(WorkloadSpec::StatefulSet { first_ordinal, .. }) => {
                let going = self.going.iter().filter_map(|(pod, end)| Some((ordinal(*pod)?, *end)));
                going.min().and_then(|(first, end)| {
                    let before = (*first_ordinal..first).len();
                    let is_before = |pod: &&PodId| ordinal(**pod).is_some_and(|o| o < first);
                    (self.pods.keys().filter(is_before).count() >= before).then_some(end)
                })
            }
            _ => Some(own),
        };
        end.map_or(at, |end| at.max(end))
    }

    /// What it waits for at a time: pods that are still being deleted, on which nodes, and why a Job waits for them.
    fn still(&self, walk: &Walk<'_>, at: Time) -> String {
        let analysis = walk.analysis;
        let of = &analysis.plan.profile.workload.job;
        let policy = match self.plan.map(|plan| &plan.spec) {
            Some(WorkloadSpec::Job(job)) if of.only_replaces_failed(job) => {
                match of.has_failure_policy(job) {
                    true => ", which podFailurePolicy waits for",
                    false => ", which podReplacementPolicy: Failed waits for",
                }
            }
            Some(WorkloadSpec::Job(_) | WorkloadSpec::StatefulSet { .. }) => "",
            _ => return String::new(),
        };
        let one = |(pod, node): (&PodId, &Option<NodeId>)| {
            let name = analysis.pod_name(*pod);
            let Some(node) = node else { return name.to_owned() };
            let (health, since) = (walk.follow.node(*node).health(), walk.healthy_at[node.index()]);
            let is_known = health != Health::Ready && since <= at;
            let health =
                if is_known { format!(" ({health:?} since {since:#})") } else { String::new() };
            format!("{name} on {}{health}", analysis.node_name(*node))
        };
        let all: Vec<String> = self.leaving.iter().map(one).collect();
        match all.as_slice() {
            [] => String::new(),
            [one] => format!(": {one} is still being deleted{policy}"),
            _ => format!(": {} are still being deleted{policy}", all.join(", ")),
        }
    }
}

/// The violations of one of the two properties.
pub(super) fn lacking<'a>(
    analysis: &'a Analysis<'a>,
    found: &mut Found,
    within: Dur,
    of_jobs: bool,
) {
    let names = &analysis.trace.names;
    let mut all: Vec<Open<'a>> = (0..names.workloads()).map(|_| Open::default()).collect();
    for plan in &analysis.plan.workloads {
        if (plan.kind == WorkloadKind::Job) == of_jobs
            && plan.owner.is_none()
            && analysis.plan.is_controlled(plan.kind)
            && let Some(id) = names.find_workload(&plan.name)
        {
            all[id.index()].plan = Some(plan);
        }
    }
    for action in &analysis.plan.actions {
        if let Do::DeleteWorkload(index, how) = action.act
            && how != Propagation::Background
            && let Some(id) = names.find_workload(&analysis.plan.workloads[index as usize].name)
        {
            all[id.index()].deletions.push(action.at);
        }
    }
    let owners = Owners::new(analysis);
    let mut walk = Walk::new(analysis);
    for (pod, state) in walk.follow.pods().filter(|(_, state)| state.exists) {
        if let Some(open) = owners.of(analysis, pod).and_then(|w| all.get_mut(w.index())) {
            open.pod(pod, &PodState::default(), state);
        }
    }
    let bound = Bound::new(analysis, within);
    let mut overdue = |walk: &Walk<'_>, (i, open): (usize, &Open<'a>), now: Time| {
        let (since, record) = open.since?;
        let ready = Dur::from_secs(u64::try_from(open.plan?.min_ready_seconds).unwrap_or(0));
        let at = bound.due(since.saturating_add(ready))?;
        if at >= now || open.is_deleting(at) {
            return None;
        }
        let pod = analysis.trace.get(record).and_then(Record::pod);
        let whose = analysis.workload_in_words(WorkloadId(i as u32));
        let lacks = match of_jobs {
            true => "is not finished and has no pod".to_owned(),
            false => format!("has {} of {} pods", open.pods.len(), open.wanted),
        };
        let still = open.still(walk, at);
        let text = format!(
            "{whose} {lacks} at {at:#}, and nothing has happened to it since {since:#}{still}"
        );
        found.add(at, (pod, None), text, &[record]);
        found.lasts((pod, None), if now > analysis.horizon() { Time::MAX } else { now });
        Some(())
    };
    while let Some((id, r, step)) = walk.step() {
        let changed = step.pod.filter(|(_, before, after)| before != after);
        let ends = matches!(r.what, What::Noted(Note::JobComplete | Note::JobFailed, _));
        let wanted = asked_from(r).or(ends.then_some(0));
        let whose = match (changed, wanted) {
            (Some((pod, ..)), _) => owners.of(analysis, pod),
            (_, Some(_)) => r.workload(),
            _ => None,
        };
        let Some((i, open)) = whose.and_then(|w| Some((w.index(), all.get_mut(w.index())?))) else {
            continue;
        };
        overdue(&walk, (i, open), r.at);
        if let Some((pod, before, after)) = changed {
            open.pod(pod, &before, &after);
        }
        if matches!(r.what, What::WorkloadCreated(_)) {
            open.created = r.at;
        }
        let wanted = wanted.unwrap_or(open.wanted);
        open.was_whole &= wanted == open.wanted;
        open.wanted = wanted;
        open.was_whole |= open.pods.len() >= wanted as usize;
        let grace = if let What::PodDeleting(grace) = r.what { grace } else { 0 };
        let own = r.at.saturating_add(Dur::from_secs(grace.into()));
        if let (What::PodDeleting(_), Some((pod, ..))) = (r.what, changed) {
            open.going.insert(pod, own);
        }
        let ordinal = |pod| parent_and_ordinal(short_name(analysis.pod_name(pod))).map(|of| of.1);
        open.since = open.lacks().then(|| (open.free(r.at, own, &ordinal), id));
    }
    let end = analysis.horizon().saturating_add(Dur::from_nanos(1));
    all.iter().enumerate().for_each(|open| _ = overdue(&walk, open, end));
    let horizon = analysis.horizon();
    let is_open = |open: &Open<'_>| {
        let since = open.since.filter(|(since, _)| *since <= horizon && !open.is_deleting(horizon));
        since.is_some_and(|(since, _)| bound.due(since).is_some_and(|at| at > horizon))
    };
    found.is_open = all.iter().any(is_open);
}
