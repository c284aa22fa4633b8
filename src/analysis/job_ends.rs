//! How Jobs end: which records say so, and which pods go with a Job that fails.
//!
//! The controller deletes the pods before it writes that the Job has failed, and otherwise only such as
//! are more than the Job asks for. A pod that others delete may end well before the controller has counted it as failed, and is
//! done then: as many as that are fewer pods left than the Job asked for, when it is complete or for so long that no back-off holds
//! it up.

use super::prelude::*;
use super::wanted::Wanted;

/// How many pods each workload asks for, with those taken for done that count as that by how their Jobs end.
pub(super) fn wanted<'a>(analysis: &'a Analysis<'a>) -> Wanted<'a> {
    Wanted::new(analysis, JobEnds::new(analysis).done)
}

/// How the Jobs of a run end.
pub(crate) struct JobEnds<'a> {
    analysis: &'a Analysis<'a>,
    /// The record that says how a Job ends; of several Jobs of one name the last.
    ends: BTreeMap<WorkloadId, RecordId>,
    /// Pods that the controller deleted as their Job failed, each with the record that says so.
    deleted: BTreeMap<PodId, RecordId>,
    /// Pods that were told to stop with work left and count as done, each with the record with which it ended.
    done: BTreeMap<PodId, RecordId>,
}

impl<'a> JobEnds<'a> {
    /// Those of a run.
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Self {
        let (mut follow, mut wanted) =
            (Follow::new(analysis), Wanted::new(analysis, BTreeMap::new()));
        let names = &analysis.trace.names;
        let mut given_up: BTreeMap<WorkloadId, Vec<PodId>> = BTreeMap::new();
        let mut stopped: BTreeMap<WorkloadId, Vec<(PodId, RecordId)>> = BTreeMap::new();
        let mut found = JobEnds {
            analysis,
            ends: BTreeMap::new(),
            deleted: BTreeMap::new(),
            done: BTreeMap::new(),
        };
        if wanted.has_no_jobs() {
            return found;
        }
        while let Some((id, r, step)) = follow.step() {
            if let Some((job, pod)) = wanted.given_up(r, &step) {
                given_up.entry(job).or_default().push(pod);
            }
            if let Some((job, pod)) = wanted.stopped_well((id, r), &step) {
                let is_deleted = step.pod.is_some_and(|(_, before, _)| before.deleting);
                match is_deleted && !analysis.plan.successors_wait(names.workload_name(job)) {
                    true => stopped.entry(job).or_default().push((pod, id)),
                    false => _ = found.done.insert(pod, id),
                }
            }
            let job = WorkloadId(r.object);
            let lacks = wanted.lacks(job);
            wanted.take(r, &step);
            match r.what {
                What::Noted(Note::JobComplete, _) => {
                    found.ends.insert(job, id);
                    let pods = stopped.remove(&job).unwrap_or_default();
                    found.done.extend(pods.into_iter().take(lacks));
                }
                What::Noted(Note::JobFailed, _) => {
                    found.ends.insert(job, id);
                    let pods = given_up.remove(&job).unwrap_or_default();
                    found.deleted.extend(pods.into_iter().map(|pod| (pod, id)));
                }
                // It goes on.
                What::PodCreated(_) if r.actor == Actor::Job => {
                    if let Some(job) = names.owner_of(PodId(r.object)) {
                        given_up.remove(&job);
                    }
                }
                _ => {}
            }
        }
        for (job, pods) in stopped {
            // `DefaultJobPodFailureBackOff`, doubled by each failure.
            let back_off = Dur::from_secs(10 << pods.len().min(6));
            let last = pods.last().and_then(|(_, id)| analysis.trace.get(*id));
            let is_over = last.is_some_and(|r| analysis.horizon().since(r.at) > back_off);
            if is_over && !found.ends.contains_key(&job) {
                found.done.extend(pods.into_iter().take(wanted.lacks(job)));
            }
        }
        found
    }

    /// The record that says how a Job has ended by then.
    pub(crate) fn of(&self, job: WorkloadId, until: Time) -> Option<(RecordId, &'a Record)> {
        self.up_to(*self.ends.get(&job)?, until)
    }

    /// The record that says why the controller deleted a pod, if its Job has failed by then.
    pub(crate) fn why_deleted(&self, pod: PodId, until: Time) -> Option<(RecordId, &'a Record)> {
        self.up_to(*self.deleted.get(&pod)?, until)
    }

    /// The record with which a pod ended that was told to stop with work left, if its Job counts it as done and it had ended by then.
    pub(crate) fn done(&self, pod: PodId, until: Time) -> Option<(RecordId, &'a Record)> {
        self.up_to(*self.done.get(&pod)?, until)
    }

    /// Those of a Job, in order.
    pub(crate) fn done_of(&self, job: WorkloadId, until: Time) -> Vec<(RecordId, &'a Record)> {
        let is_own = |pod: &&PodId| self.analysis.trace.names.owner_of(**pod) == Some(job);
        let own = self.done.keys().filter(is_own);
        let mut own: Vec<_> = own.filter_map(|pod| self.done(*pod, until)).collect();
        own.sort_unstable_by_key(|(id, _)| *id);
        own
    }

    /// A record, if it was written by then.
    fn up_to(&self, id: RecordId, until: Time) -> Option<(RecordId, &'a Record)> {
        self.analysis.trace.get(id).filter(|r| r.at <= until).map(|r| (id, r))
    }
}
