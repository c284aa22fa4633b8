//! How many pods each workload asks for, as records tell it.
//!
//! A Job asks for what its controller keeps up (`job_controller.go: manageJob`, v1.34): as many as its
//! parallelism, and no more than still have to succeed. One without completions asks, once a pod has
//! succeeded, for those alone that it has.
//!
//! A pod has succeeded from when its phase says so. Its controller counts it a second later, which
//! would have a pod that is done be missing until then. One that is being deleted has not succeeded,
//! though its container may exit with 0: the controller counts it as failed (`isPodFailed`). A Job that
//! replaces only failed pods, or has a failure policy, counts it, unless its own controller deleted it.
//! Which of them the controller counts all the same, as it saw the end with the deletion, tells only how
//! the Job ends: [`JobEnds`](super::job_ends::JobEnds) has found them before.
//!
//! A Job that has failed asks for as much as it did: it is not done, and nobody makes what it lacks.

use super::owners::asked_from;
use super::prelude::*;
use crate::api::workload::{JobSpec, WorkloadSpec};

/// How many pods each workload asks for, while walking through a trace.
pub(super) struct Wanted<'a> {
    analysis: &'a Analysis<'a>,
    jobs: BTreeMap<WorkloadId, Job<'a>>,
    /// Pods that count as done by how their Jobs end.
    done: BTreeMap<PodId, RecordId>,
    /// Pods that the Job controller deleted.
    deleted: BTreeSet<PodId>,
}

/// A Job, as far as that depends on it.
struct Job<'a> {
    spec: &'a JobSpec,
    parallelism: u32,
    succeeded: u32,
    /// Its pods that have neither ended nor are being deleted. Of a Job without completions that has failed with
    /// those that its controller deletes for that.
    active: u32,
    /// It is complete, or gone.
    is_over: bool,
}

impl<'a> Wanted<'a> {
    /// Stands at the start of the run, before its first record.
    pub(super) fn new(analysis: &'a Analysis<'a>, done: BTreeMap<PodId, RecordId>) -> Self {
        let names = &analysis.trace.names;
        let job = |plan: &'a WorkloadPlan| {
            let WorkloadSpec::Job(spec) = &plan.spec else { return None };
            let new = Job { spec, parallelism: 0, succeeded: 0, active: 0, is_over: false };
            Some((names.find_workload(&plan.name)?, new))
        };
        let mut jobs: BTreeMap<_, _> = analysis.plan.workloads.iter().filter_map(job).collect();
        let pods = (0..).map(PodId).zip(&analysis.pods).filter(|(_, p)| p.is_active());
        for (pod, _) in pods {
            if let Some(job) = names.owner_of(pod).and_then(|w| jobs.get_mut(&w)) {
                job.active += 1;
            }
        }
        Wanted { analysis, jobs, done, deleted: BTreeSet::new() }
    }

    /// Whether there are no Jobs.
    pub(super) fn has_no_jobs(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The pod that the Job controller deletes with this record, which is not taken in yet, although its Job asks
    /// for as many: it has failed.
    pub(super) fn given_up(&self, r: &Record, step: &Step) -> Option<(WorkloadId, PodId)> {
        let (pod, before) = step.deletion_begins().filter(|_| r.actor == Actor::Job)?;
        let id = self.analysis.trace.names.owner_of(pod)?;
        let job = self.jobs.get(&id)?;
        (before.is_active() && job.active <= job.wanted()).then_some((id, pod))
    }

    /// The pod of a Job that ends well with this record, which is not taken in yet, though others than its controller have told it
    /// to stop: it is being deleted, or its machine is to go off.
    pub(super) fn stopped_well(
        &self,
        (id, r): (RecordId, &Record),
        step: &Step,
    ) -> Option<(WorkloadId, PodId)> {
        let (pod, before, _) = step.pod.filter(|(_, before, _)| ends_well(r, before))?;
        let job = self.analysis.trace.names.owner_of(pod)?;
        let is_told = before.deleting && !self.deleted.contains(&pod)
            || step.shut_down(self.analysis, id, r).is_some();
        (self.jobs.contains_key(&job) && is_told).then_some((job, pod))
    }

    /// How many pods a Job lacks to its completions that has fewer than it asks for.
    pub(super) fn lacks(&self, job: WorkloadId) -> usize {
        let lacking = self.jobs.get(&job).filter(|job| job.active < job.wanted());
        lacking.map_or(0, |job| (job.left() - job.active) as usize)
    }

    /// Takes a record in: the workload that it concerns, and how many pods that asks for from then on.
    pub(super) fn take(&mut self, r: &Record, step: &Step) -> Option<(WorkloadId, u32)> {
        let asked = asked_from(r);
        let id = match step.pod {
            None => r.workload()?,
            Some((pod, ..)) => self.analysis.trace.names.owner_of(pod)?,
        };
        let Some(job) = self.jobs.get_mut(&id) else { return Some((id, asked?)) };
        job.parallelism = asked.unwrap_or(job.parallelism);
        match (r.what, step.pod) {
            (What::WorkloadCreated(_), _) => (job.succeeded, job.is_over) = (0, false),
            (What::WorkloadDeleted | What::Noted(Note::JobComplete, _), _) => job.is_over = true,
            (_, Some((pod, before, after))) => {
                let by_phase = self.analysis.plan.profile.workload.job.fail_by_phase(job.spec);
                let counts = !before.deleting
                    || by_phase && !self.deleted.contains(&pod)
                    || self.done.contains_key(&pod);
                if ends_well(r, &before) && counts {
                    job.succeeded += 1;
                }
                job.count(r, &before, &after);
                if r.actor == Actor::Job && step.deletion_begins().is_some() {
                    self.deleted.insert(pod);
                }
            }
            _ => {}
        }
        Some((id, job.wanted()))
    }
}

/// A pod's phase becomes Succeeded.
fn ends_well(r: &Record, before: &PodState) -> bool {
    r.what == What::PodPhase(PodPhase::Succeeded) && before.exists && !before.phase.is_terminal()
}

impl Job<'_> {
    /// Takes in what became of one of its pods.
    fn count(&mut self, r: &Record, before: &PodState, after: &PodState) {
        // Without completions, once one has succeeded, its controller deletes pods only as it has failed.
        let is_missed = r.actor == Actor::Job && self.succeeded > 0;
        match (before.is_active(), after.is_active()) {
            (false, true) => self.active += 1,
            (true, false) if !is_missed || self.spec.completions.is_some() => {
                self.active = self.active.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn wanted(&self) -> u32 {
        match self.spec.completions {
            _ if self.is_over => 0,
            None if self.succeeded > 0 => self.active,
            _ => self.parallelism.min(self.left()),
        }
    }

    /// How many pods have to succeed yet; without completions as many as run at a time.
    fn left(&self) -> u32 {
        let left = |n: i32| u32::try_from(n).unwrap_or(0).saturating_sub(self.succeeded);
        self.spec.completions.map_or(self.parallelism, left)
    }
}

#[cfg(test)]
mod tests {
    use super::super::job_ends;
    use super::super::tests::synthetic::{Run, ms};
    use super::*;
    use crate::api::workload::{
        PodFailurePolicyAction, PodFailurePolicyRule, PodReplacementPolicy,
    };
    use crate::profiles;
    use std::rc::Rc;

    type Asks = (Option<i32>, Option<PodReplacementPolicy>, Vec<PodFailurePolicyRule>);

    /// What a Job of three pods at a time asks for from each second on, where this happens to its pods by
    /// their numbers. Its run is over before the 20 s after a pod's end at 11 s in which a back-off may keep another away.
    fn asked(
        completions: Option<i32>,
        pod_replacement_policy: Option<PodReplacementPolicy>,
        happens: &[(u64, Actor, What, usize)],
    ) -> Vec<(u64, u32)> {
        let run = Run::new("w", ms(31_000));
        asked_in(run, (completions, pod_replacement_policy, Vec::new()), happens)
    }

    /// The same of a run of another release, and of a Job with a failure policy.
    fn asked_in(
        mut run: Run,
        (completions, pod_replacement_policy, pod_failure_policy): Asks,
        happens: &[(u64, Actor, What, usize)],
    ) -> Vec<(u64, u32)> {
        let node = run.node("n", "a");
        let pods = ["default/sum-0", "default/sum-1", "default/sum-2"].map(|p| run.pod(p, node));
        let (job, _) = run.workload("Job/default/sum", "Job/default/sum");
        pods.iter().for_each(|&p| run.owned(p, job));
        run.plan.workloads.push(WorkloadPlan {
            name: "Job/default/sum".to_owned(),
            kind: WorkloadKind::Job,
            owner: None,
            selector: Rc::default(),
            template: 0,
            node: None,
            min_ready_seconds: 0,
            needs: None,
            spec: WorkloadSpec::Job(JobSpec {
                parallelism: 3,
                completions,
                backoff_limit: 6,
                pod_replacement_policy,
                pod_failure_policy,
                restart_never: true,
            }),
        });
        run.record(ms(0), NO_RECORD, Actor::User, What::WorkloadCreated(3), job);
        for &(s, actor, what, pod) in happens {
            let object = if what == COMPLETE { job } else { pods[pod] };
            run.record(ms(s * 1000), NO_RECORD, actor, what, object);
        }
        let (plan, trace) = run.finish();
        let analysis = Analysis::new(&plan, &trace);
        let (mut follow, mut wanted) = (Follow::new(&analysis), job_ends::wanted(&analysis));
        let mut steps = Steps::new();
        for (id, r) in (0..).zip(trace.iter()) {
            let step = follow.apply(id, r);
            if let Some((_, n)) = wanted.take(r, &step) {
                set(&mut steps, r.at, n);
            }
        }
        steps.into_iter().map(|(at, n)| (at.as_secs(), n)).collect()
    }

    const SUCCEEDED: What = What::PodPhase(PodPhase::Succeeded);
    const COMPLETE: What = What::Noted(Note::JobComplete, NO_RECORD);

    /// Of four completions three are left after the first, which is as many as run at a time, and two
    /// after the second.
    #[test]
    fn a_job_asks_for_no_more_pods_than_still_have_to_succeed() {
        let ends = [(10, Actor::Kubelet, SUCCEEDED, 0), (20, Actor::Kubelet, SUCCEEDED, 1)];
        assert_eq!(asked(Some(4), None, &ends), [(0, 3), (20, 2)]);
    }

    /// A pod that exits with 0 as it is deleted has failed; where only failed pods are replaced, it has
    /// succeeded, unless the Job's controller deleted it.
    #[test]
    fn a_pod_that_is_deleted_has_not_succeeded() {
        let gone = |by| [(10, by, What::PodDeleting(30), 0), (11, Actor::Kubelet, SUCCEEDED, 0)];
        let failed = Some(PodReplacementPolicy::Failed);
        assert_eq!(asked(Some(3), None, &gone(Actor::TaintEviction)), [(0, 3)]);
        assert_eq!(asked(Some(3), failed, &gone(Actor::TaintEviction)), [(0, 3), (11, 2)]);
        assert_eq!(asked(Some(3), failed, &gone(Actor::Job)), [(0, 3)]);
    }

    /// Complete without another in its place, a Job has counted a pod that was being deleted: from its end on two are left,
    /// not only once all is over. With another in its place it has not.
    #[test]
    fn a_pod_that_its_job_has_counted_is_wanted_no_more_from_its_end_on() {
        let mut happens = vec![
            (10, Actor::User, What::PodDeleting(30), 0),
            (11, Actor::Kubelet, SUCCEEDED, 0),
            (20, Actor::Kubelet, SUCCEEDED, 1),
            (30, Actor::Kubelet, SUCCEEDED, 2),
            (31, Actor::Job, COMPLETE, 0),
        ];
        assert_eq!(asked(Some(3), None, &happens), [(0, 3), (11, 2), (20, 1), (30, 0)]);
        happens[1].2 = What::PodPhase(PodPhase::Failed);
        assert_eq!(asked(Some(3), None, &happens), [(0, 3), (20, 2), (30, 1), (31, 0)]);
    }

    /// With a failure policy a pod fails by its phase alone, from 1.26 on, which has the policy (`isPodFailed`); whether the Job
    /// waits for the phase, too, which it does from 1.28 on, is another matter.
    #[test]
    fn a_pod_of_a_job_with_a_failure_policy_may_succeed_as_it_is_deleted() {
        let gone = [
            (10, Actor::TaintEviction, What::PodDeleting(30), 0),
            (11, Actor::Kubelet, SUCCEEDED, 0),
        ];
        let rule =
            PodFailurePolicyRule { action: PodFailurePolicyAction::Ignore, statuses: [true; 3] };
        let of = |release: &str, rules: &[PodFailurePolicyRule]| {
            let mut run = Run::new("w", ms(31_000));
            run.plan.profile = profiles::profile(release).expect("is a release");
            asked_in(run, (Some(3), None, rules.to_vec()), &gone)
        };
        for release in ["1.26", "1.27", "1.34"] {
            assert_eq!(of(release, &[rule]), [(0, 3), (11, 2)], "{release}");
            assert_eq!(of(release, &[]), [(0, 3)], "{release}");
        }
        // It does not know the policy, which the API server drops.
        assert_eq!(of("1.25", &[rule]), [(0, 3)]);
    }

    /// Without completions three are asked for until one has succeeded, whatever is deleted meanwhile;
    /// then those that are left, of which one is evicted and one succeeds.
    #[test]
    fn a_job_without_completions_asks_for_no_more_once_one_has_succeeded() {
        let happens = [
            (10, Actor::Kubelet, SUCCEEDED, 0),
            (20, Actor::TaintEviction, What::PodDeleting(30), 1),
            (30, Actor::Kubelet, SUCCEEDED, 2),
        ];
        assert_eq!(asked(None, None, &happens), [(0, 3), (10, 2), (20, 1), (30, 0)]);
        assert_eq!(asked(None, None, &happens[1..2]), [(0, 3)]);
    }

    /// As above, but its controller deletes the pods, which is how a Job fails: two are missing to the end.
    #[test]
    fn a_job_that_has_failed_asks_for_what_it_lacks() {
        let happens = [
            (10, Actor::Kubelet, SUCCEEDED, 0),
            (20, Actor::Job, What::PodDeleting(30), 1),
            (20, Actor::Job, What::PodDeleting(30), 2),
            (21, Actor::Kubelet, SUCCEEDED, 1),
        ];
        assert_eq!(asked(None, None, &happens), [(0, 3), (10, 2)]);
        assert_eq!(asked(Some(3), None, &happens), [(0, 3), (10, 2)]);
    }
}
