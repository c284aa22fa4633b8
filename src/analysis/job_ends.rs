//! How Jobs end: which records say so, and which pods go with a Job that fails.
//!
//! The controller deletes the pods before it writes that the Job has failed, and otherwise only such as
//! are more than the Job asks for.

use super::prelude::*;
use super::wanted::Wanted;

/// How the Jobs of a run end.
pub(crate) struct JobEnds<'a> {
    analysis: &'a Analysis<'a>,
    /// The record that says how a Job ends; of several Jobs of one name the last.
    ends: BTreeMap<WorkloadId, RecordId>,
    /// Pods that the controller deleted as their Job failed, each with the record that says so.
    deleted: BTreeMap<PodId, RecordId>,
}

impl<'a> JobEnds<'a> {
    /// Those of a run.
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Self {
        let (mut follow, mut wanted) = (Follow::new(analysis), Wanted::new(analysis));
        let mut given_up: BTreeMap<WorkloadId, Vec<PodId>> = BTreeMap::new();
        let mut found = JobEnds { analysis, ends: BTreeMap::new(), deleted: BTreeMap::new() };
        if wanted.has_no_jobs() {
            return found;
        }
        while let Some((id, r, step)) = follow.step() {
            if let Some((job, pod)) = wanted.given_up(r, &step) {
                given_up.entry(job).or_default().push(pod);
            }
            wanted.take(r, &step);
            let job = WorkloadId(r.object);
            match r.what {
                What::Noted(Note::JobComplete, _) => _ = found.ends.insert(job, id),
                What::Noted(Note::JobFailed, _) => {
                    found.ends.insert(job, id);
                    let pods = given_up.remove(&job).unwrap_or_default();
                    found.deleted.extend(pods.into_iter().map(|pod| (pod, id)));
                }
                // It goes on.
                What::PodCreated(_) if r.actor == Actor::Job => {
                    if let Some(job) = analysis.trace.names.owner_of(PodId(r.object)) {
                        given_up.remove(&job);
                    }
                }
                _ => {}
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

    /// A record, if it was written by then.
    fn up_to(&self, id: RecordId, until: Time) -> Option<(RecordId, &'a Record)> {
        self.analysis.trace.get(id).filter(|r| r.at <= until).map(|r| (id, r))
    }
}
