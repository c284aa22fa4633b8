//! Jobs (`pkg/controller/job/job_controller.go`, v1.34).
//!
//! Left out: indexed completion and per-index back-off, success policies, deadlines, suspension,
//! restarts of containers (a pod of a Job with restartPolicy OnFailure counts as one), and pod
//! failure rules on exit codes.

use super::expectations::Expectations;
use super::item::Item;
use super::job_backoff::BackoffRecord;
use super::pod_control::PodControl;
use super::ranking::{Ranked, Rules, sort};
use super::slow_start::slow_start_batch;
use super::written::Written;
use crate::api::meta::{ConditionStatus, Uid};
use crate::api::names::WorkloadId;
use crate::api::pod::{Pod, PodPhase};
use crate::api::workload::{
    JobEnd, JobSpec, PodFailurePolicyRule, PodReplacementPolicy, Workload, WorkloadKind,
    WorkloadSpec, WorkloadStatus,
};
use crate::apiserver::ApiError;
use crate::client::{
    Client, EventRecorder, InformerFactory, PodHandler, RateLimiter, Resource, WorkQueue,
    WorkloadHandler, parallelize,
};
use crate::kernel::{Ctx, Dur, Group, PointId, Shared};
use crate::plan::switches::workload::JobSwitches;
use crate::trace::EventText;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::{Rc, Weak};

/// Pods that one sync creates or deletes at the most (`MaxPodCreateDeletePerSync`).
const MAX_POD_CREATE_DELETE_PER_SYNC: usize = 500;
/// Pods that wait to be counted in a Job's status at the most (`MaxUncountedPods`).
const MAX_UNCOUNTED_PODS: usize = 500;
/// How often a status is read and written anew where that failed (`statusUpdateRetries`, up to
/// 1.22).
const STATUS_UPDATE_RETRIES: u32 = 3;
/// `--concurrent-job-syncs`
const WORKERS: usize = 5;

/// What the controller remembers of its Jobs, by name.
struct Memory {
    expectations: Expectations,
    /// Pods whose finalizer was taken off and that were not seen without it yet
    /// (`uidTrackingExpectations`).
    finalizers: BTreeMap<WorkloadId, BTreeSet<Uid>>,
    backoff: BTreeMap<WorkloadId, BackoffRecord>,
    /// Jobs that were marked as finished (`finishedJobExpectations`).
    finished: BTreeSet<Uid>,
}

/// The Job controller.
pub struct JobController {
    me: Weak<JobController>,
    ctx: Ctx,
    group: Group,
    switches: JobSwitches,
    pods: PodControl,
    informers: Rc<InformerFactory>,
    queue: WorkQueue<Item>,
    limiter: Shared<RateLimiter<Item>>,
    memory: Shared<Memory>,
    order_point: PointId,
}

/// A sync of one Job (`syncJobCtx`).
struct Sync {
    job: Rc<Workload>,
    spec: JobSpec,
    status: WorkloadStatus,
    pods: Vec<Rc<Pod>>,
    active: Vec<Rc<Pod>>,
    /// The pods whose finalizer has been taken off as far as the controller knows.
    released: BTreeSet<Uid>,
    succeeded: i32,
    terminating: i32,
    ready: i32,
    backoff: BackoffRecord,
    /// How the Job ends, if it does.
    end: Option<JobEnd>,
}

impl Sync {
    /// The pod waits to be counted.
    fn holds(&self, pod: &Pod) -> bool {
        pod.job_finalizer && !self.released.contains(&pod.uid)
    }
}

impl JobController {
    /// A controller that hears of Jobs and pods but does not run yet.
    pub fn new(
        switches: JobSwitches,
        client: Client,
        informers: &Rc<InformerFactory>,
        group: Group,
        recorder: EventRecorder,
    ) -> Rc<Self> {
        let ctx = client.api().ctx().clone();
        let memory = Memory {
            expectations: Expectations::default(),
            finalizers: BTreeMap::new(),
            backoff: BTreeMap::new(),
            finished: BTreeSet::new(),
        };
        let controller = Rc::new_cyclic(|me| JobController {
            me: me.clone(),
            queue: WorkQueue::new(&ctx),
            limiter: Shared::new(RateLimiter::exponential(switches.retry.0, switches.retry.1)),
            memory: Shared::new(memory),
            order_point: ctx.point("pod-index-order"),
            pods: PodControl {
                client,
                recorder,
                written: Written::new(switches.waits_for_own_writes),
            },
            informers: informers.clone(),
            switches,
            group,
            ctx,
        });
        informers.on_workload(controller.clone());
        informers.on_pod(controller.clone());
        controller
    }

    /// Starts the workers.
    pub fn run(&self) {
        for _ in 0..WORKERS {
            let Some(c) = self.me.upgrade() else { return };
            self.ctx
                .spawn_alike(self.ctx.name(), self.group, async move {
                    c.queue
                        .work(c.group, &c.limiter, async |item| c.sync_job(item.0).await)
                        .await;
                });
        }
    }

    fn resolve(&self, pod: &Pod) -> Option<Rc<Workload>> {
        let (id, uid) = pod.controller()?;
        self.informers
            .workload(id)
            .filter(|w| w.uid == uid && w.kind == WorkloadKind::Job)
    }

    /// A sync some time after the change, so that many changes make one (`enqueueSyncJobBatched`).
    fn enqueue_batched(&self, id: WorkloadId) {
        self.queue
            .add_after(self.group, self.switches.batch_period, Item(id));
    }

    fn finalizer_gone(&self, job: WorkloadId, pod: Uid) {
        self.memory.with(|m| {
            if let Some(expected) = m.finalizers.get_mut(&job) {
                expected.remove(&pod);
            }
        });
    }

    /// `deletePod`: the start of a deletion counts as the deletion.
    fn pod_deleted(&self, pod: &Pod, gone: bool) {
        let Some(job) = self.resolve(pod) else { return };
        self.memory
            .with(|m| m.expectations.deletion_observed(job.id, pod.uid));
        if gone || !pod.job_finalizer {
            self.finalizer_gone(job.id, pod.uid);
        }
        self.enqueue_batched(job.id);
    }

    /// `isPodFailed`: a pod whose deletion has begun counts as failed, unless only failed ones are
    /// replaced.
    fn is_failed(&self, pod: &Pod, spec: &JobSpec) -> bool {
        if pod.phase == PodPhase::Failed {
            return true;
        }
        if !self.switches.tracking_finalizers
            || self.only_replaces_failed(spec)
            || self.policy(spec)
        {
            return false;
        }
        pod.is_terminating() && pod.phase != PodPhase::Succeeded
    }

    /// Before pods' replacement became a policy, Jobs with a failure policy counted only pods in
    /// phase Failed.
    fn policy(&self, spec: &JobSpec) -> bool {
        !self.switches.pod_replacement_policy
            && self.switches.pod_failure_policy
            && !spec.pod_failure_policy.is_empty()
    }

    /// `onlyReplaceFailedPods`, with the default of `pkg/apis/batch/v1/defaults.go`.
    fn only_replaces_failed(&self, spec: &JobSpec) -> bool {
        let default = if spec.pod_failure_policy.is_empty() {
            PodReplacementPolicy::TerminatingOrFailed
        } else {
            PodReplacementPolicy::Failed
        };
        self.switches.pod_replacement_policy
            && spec.pod_replacement_policy.unwrap_or(default) == PodReplacementPolicy::Failed
    }

    /// The rule of a failure policy that a pod meets (`matchPodFailurePolicy`).
    fn rule(&self, spec: &JobSpec, pod: &Pod) -> Option<(usize, PodFailurePolicyRule)> {
        let disrupted = pod
            .disruption_target
            .is_some_and(|c| c.status == ConditionStatus::True);
        spec.pod_failure_policy
            .iter()
            .copied()
            .enumerate()
            .next()
            .filter(|_| self.switches.pod_failure_policy && disrupted)
    }

    fn counts(&self, spec: &JobSpec, pod: &Pod) -> bool {
        !matches!(
            self.rule(spec, pod),
            Some((_, PodFailurePolicyRule::IgnoreDisruption))
        )
    }

    /// `getFailJobMessage`
    fn fail_job_message(&self, spec: &JobSpec, pods: &[Rc<Pod>]) -> Option<String> {
        pods.iter().filter(|p| self.is_failed(p, spec)).find_map(|p| match self.rule(spec, p) {
            Some((index, PodFailurePolicyRule::FailJobOnDisruption)) => {
                let name = self.pods.client.api().names(|n| n.pod_name(p.id).to_owned());
                Some(format!("Pod {name} has condition DisruptionTarget matching FailJob rule at index {index}"))
            }
            _ => None,
        })
    }

    /// `syncJob`
    async fn sync_job(&self, id: WorkloadId) -> Result<(), ApiError> {
        if !self.pods.written.is_seen(id, &self.informers) {
            return Err(ApiError::Conflict);
        }
        let Some(job) = self.informers.workload(id) else {
            self.pods.written.forget(id);
            self.memory.with(|m| {
                m.expectations.forget(id);
                m.finalizers.remove(&id);
                m.backoff.remove(&id);
            });
            return Ok(());
        };
        let WorkloadSpec::Job(spec) = job.spec.clone() else {
            return Ok(());
        };
        if job.status.job.finished.is_some() {
            self.pods.written.forget(id);
            self.memory.with(|m| {
                m.backoff.remove(&id);
                m.finished.remove(&job.uid);
            });
            return Ok(());
        }
        if self.memory.with(|m| m.finished.contains(&job.uid)) {
            return Ok(());
        }
        self.ctx.set_saw(job.record);
        let satisfied = self
            .memory
            .with(|m| m.expectations.satisfied(id, self.ctx.now()));
        let (mut s, new_failure) = self.look(job, spec);
        let mut result = Ok(());
        let mut active = s.active.len() as i32;
        if s.end.is_some() {
            let deleted;
            (deleted, result) = self.delete_pods(&s, s.active.clone(), false).await;
            if deleted != active || !satisfied {
                // There may be finalizers left, or pods that are not in the cache yet.
                s.end = None;
            }
            active -= deleted;
            s.terminating += deleted;
        } else {
            if satisfied && !s.job.deleting {
                (active, result) = self.manage_job(&mut s).await;
            }
            let complete = match s.spec.completions {
                None => s.succeeded > 0 && active == 0,
                Some(wanted) => s.succeeded >= wanted && active == 0,
            };
            if complete {
                s.end = Some(JobEnd::Complete);
            }
        }
        let terminating = if self.switches.pod_replacement_policy {
            s.terminating
        } else {
            0
        };
        let old = &s.job.status;
        let changed = (active, s.ready, terminating) != (old.replicas, old.ready, old.terminating)
            || old.observed_generation == 0;
        (s.status.replicas, s.status.ready, s.status.terminating) = (active, s.ready, terminating);
        s.status.observed_generation = s.job.generation;
        if self.switches.tracking_finalizers {
            self.track(&mut s, changed).await?;
        } else {
            self.count(&mut s, changed).await?;
        }
        result?;
        // Until Jobs had a record of their own, a new failure made the whole Job wait as an error
        // does.
        if new_failure && self.switches.failure_backoff.is_none() && s.status.job.finished.is_none()
        {
            Err(ApiError::Unavailable)
        } else {
            Ok(())
        }
    }

    /// What the caches say of a Job, and whether a pod failed that was not counted before.
    fn look(&self, job: Rc<Workload>, spec: JobSpec) -> (Sync, bool) {
        let mut pods = self.informers.pods_of(job.id);
        pods.retain(|p| p.controller().is_some_and(|(_, uid)| uid == job.uid));
        self.ctx
            .order(self.order_point, &mut pods, |p| self.pods.pod_object(p.id));
        let released = self
            .memory
            .with(|m| m.finalizers.get(&job.id).cloned().unwrap_or_default());
        let active: Vec<Rc<Pod>> = pods.iter().filter(|p| p.is_active()).cloned().collect();
        let mut s = Sync {
            ready: active.iter().filter(|p| p.is_ready()).count() as i32,
            terminating: pods
                .iter()
                .filter(|p| p.is_terminating() && !p.phase.is_terminal())
                .count() as i32,
            status: job.status.clone(),
            backoff: self
                .memory
                .with(|m| m.backoff.get(&job.id).copied().unwrap_or_default()),
            succeeded: 0,
            end: None,
            released,
            active,
            pods,
            spec,
            job,
        };
        let old = &s.job.status;
        let counted = |uncounted: &[Uid], p: &Pod| {
            self.switches.tracking_finalizers && (!s.holds(p) || uncounted.contains(&p.uid))
        };
        let newly = |f: &dyn Fn(&Pod) -> bool, uncounted: &[Uid]| -> Vec<Rc<Pod>> {
            s.pods
                .iter()
                .filter(|p| f(p) && !counted(uncounted, p))
                .cloned()
                .collect()
        };
        let succeeded = newly(
            &|p| p.phase == PodPhase::Succeeded,
            &old.job.uncounted_succeeded,
        );
        let failed = newly(&|p| self.is_failed(p, &s.spec), &old.job.uncounted_failed);
        let counting = failed.iter().filter(|p| self.counts(&s.spec, p)).count() as i32;
        let (mut all_succeeded, mut all_failed) = (succeeded.len() as i32, counting);
        if self.switches.tracking_finalizers {
            all_succeeded += old.job.succeeded + old.job.uncounted_succeeded.len() as i32;
            all_failed += old.job.failed + old.job.uncounted_failed.len() as i32;
        }
        let new_failure = all_failed > old.job.failed + old.job.uncounted_failed.len() as i32;
        s.succeeded = all_succeeded;
        s.backoff = s.backoff.with(&succeeded, &failed);
        s.end = old.job.ending.clone();
        if s.end.is_none() {
            s.end = self
                .fail_job_message(&s.spec, &s.pods)
                .map(JobEnd::PodFailurePolicy);
        }
        if s.end.is_none() && all_failed > s.spec.backoff_limit {
            s.end = Some(JobEnd::BackoffLimitExceeded);
        }
        if !self.switches.tracking_finalizers {
            (s.status.job.succeeded, s.status.job.failed) = (all_succeeded, all_failed);
        }
        (s, new_failure)
    }

    /// `manageJob`: how many pods are active afterwards.
    async fn manage_job(&self, s: &mut Sync) -> (i32, Result<(), ApiError>) {
        let active = s.active.len() as i32;
        let wanted = match s.spec.completions {
            None if s.succeeded > 0 => active,
            None => s.spec.parallelism,
            Some(completions) => (completions - s.succeeded).min(s.spec.parallelism).max(0),
        };
        let now = self.ctx.now();
        if active > wanted {
            let mut ranked: Vec<Ranked> = s
                .active
                .iter()
                .map(|p| Ranked {
                    pod: p.clone(),
                    rank: 0,
                })
                .collect();
            sort(&mut ranked, now, Rules::default());
            let count = ((active - wanted) as usize).min(MAX_POD_CREATE_DELETE_PER_SYNC);
            let doomed: Vec<Rc<Pod>> = ranked.into_iter().take(count).map(|r| r.pod).collect();
            self.memory.with(|m| {
                m.expectations
                    .expect_deletions(s.job.id, doomed.iter().map(|p| p.uid), now)
            });
            let (deleted, result) = self.delete_pods(s, doomed, true).await;
            s.terminating += deleted;
            return (active - deleted, result);
        }
        let terminating = if self.only_replaces_failed(&s.spec) {
            s.terminating
        } else {
            0
        };
        let missing = wanted - terminating - active;
        if missing <= 0 {
            return (active, Ok(()));
        }
        let remaining = self
            .switches
            .failure_backoff
            .map_or(Dur::ZERO, |max| s.backoff.remaining(now, max));
        if !remaining.is_zero() {
            self.queue.add_after(self.group, remaining, Item(s.job.id));
            return (0, Ok(()));
        }
        let missing = (missing as usize).min(MAX_POD_CREATE_DELETE_PER_SYNC);
        self.memory
            .with(|m| m.expectations.expect_creations(s.job.id, missing, now));
        let (pods, owner, tracked) = (
            self.pods.clone(),
            s.job.clone(),
            self.switches.tracking_finalizers,
        );
        let work = move |_| {
            let (pods, owner) = (pods.clone(), owner.clone());
            async move { pods.create_pod(&owner, tracked).await }
        };
        let (created, result) = slow_start_batch(&self.ctx, self.group, missing, work).await;
        for _ in created..missing {
            self.memory
                .with(|m| m.expectations.creation_observed(s.job.id));
        }
        (active + created as i32, result)
    }

    /// Deletes pods side by side, without their finalizer if they need not be counted
    /// (`deleteJobPods`, `deleteActivePods`).
    async fn delete_pods(
        &self,
        s: &Sync,
        doomed: Vec<Rc<Pod>>,
        release: bool,
    ) -> (i32, Result<(), ApiError>) {
        let count = doomed.len();
        let errors = Rc::new(Shared::new(Vec::new()));
        let (me, owner, failed) = (self.me.clone(), s.job.clone(), errors.clone());
        parallelize(&self.ctx, self.group, count, count, move |i| {
            let (c, owner, pod, failed) = (
                me.upgrade()?,
                owner.clone(),
                doomed[i].clone(),
                failed.clone(),
            );
            Some(async move {
                let mut result = Ok(());
                if release && pod.job_finalizer {
                    result = c.remove_finalizer(&owner, &pod).await;
                }
                if result.is_ok() {
                    result = c.pods.delete_pod(&owner, &pod).await;
                }
                if let Err(e) = result {
                    c.memory
                        .with(|m| m.expectations.deletion_observed(owner.id, pod.uid));
                    if e != ApiError::NotFound {
                        failed.with(|f| f.push(e));
                    }
                }
            })
        })
        .await;
        let errors = errors.with(std::mem::take);
        (
            (count - errors.len()) as i32,
            errors.first().map_or(Ok(()), |e| Err(*e)),
        )
    }

    async fn remove_finalizer(&self, job: &Workload, pod: &Pod) -> Result<(), ApiError> {
        let (id, uid) = (pod.id, pod.uid);
        let new = self
            .pods
            .client
            .call(self.pods.pod_object(id), move |api, actor| {
                api.remove_job_finalizer(actor, id, uid)
            })
            .await?;
        self.pods
            .written
            .wrote_at(job, Resource::Pods, new.resource_version);
        Ok(())
    }

    /// `trackJobStatusAndRemoveFinalizers`: pods that ended go into the status by their uid, then
    /// lose their finalizer, then are counted.
    async fn track(&self, s: &mut Sync, mut flush: bool) -> Result<(), ApiError> {
        let held: Vec<Rc<Pod>> = s.pods.iter().filter(|p| s.holds(p)).cloned().collect();
        let mut holding: BTreeSet<Uid> = held.iter().map(|p| p.uid).collect();
        flush |= settle(&mut s.status, &holding);
        let mut release = Vec::new();
        let mut full = false;
        for pod in &held {
            let failed = self.is_failed(pod, &s.spec);
            if !(s.job.deleting || s.end.is_some() || pod.phase == PodPhase::Succeeded || failed) {
                continue;
            }
            release.push(pod.clone());
            if pod.phase == PodPhase::Succeeded && !s.status.job.uncounted_failed.contains(&pod.uid)
            {
                if !s.status.job.uncounted_succeeded.contains(&pod.uid) {
                    flush = true;
                    s.status.job.uncounted_succeeded.push(pod.uid);
                }
            } else if (failed || s.end.as_ref().is_some_and(|e| *e != JobEnd::Complete))
                && !s.status.job.uncounted_failed.contains(&pod.uid)
                && self.counts(&s.spec, pod)
            {
                flush = true;
                s.status.job.uncounted_failed.push(pod.uid);
            }
            if s.status.job.uncounted_succeeded.len() + s.status.job.uncounted_failed.len()
                >= MAX_UNCOUNTED_PODS
            {
                full = true;
                break;
            }
        }
        if self.switches.delays_terminal_condition
            && s.end.is_some()
            && s.status.job.ending != s.end
        {
            s.status.job.ending.clone_from(&s.end);
            flush = true;
        }
        let mut read = s.job.clone();
        if flush {
            read = self.put_status(&read, s.status.clone()).await?;
            self.memory.with(|m| m.backoff.insert(s.job.id, s.backoff));
            flush = false;
        }
        let result = self.release(s, &release, &mut holding).await;
        flush |= settle(&mut s.status, &holding);
        if let Err(e) = result {
            if flush {
                self.put_status(&read, s.status.clone()).await?;
            }
            return Err(e);
        }
        let waits = self.switches.delays_terminal_condition && s.terminating > 0;
        let uncounted =
            s.status.job.uncounted_succeeded.len() + s.status.job.uncounted_failed.len();
        let finished = s.end.clone().filter(|_| !full && !waits && uncounted == 0);
        if finished.is_some() {
            s.status.job.finished.clone_from(&finished);
            flush = true;
        }
        if flush {
            self.put_status(&read, s.status.clone()).await?;
            self.tell_finished(s);
        }
        Ok(())
    }

    /// `removeTrackingFinalizerFromPods`
    async fn release(
        &self,
        s: &Sync,
        pods: &[Rc<Pod>],
        holding: &mut BTreeSet<Uid>,
    ) -> Result<(), ApiError> {
        let id = s.job.id;
        self.memory.with(|m| {
            m.finalizers
                .entry(id)
                .or_default()
                .extend(pods.iter().map(|p| p.uid))
        });
        let outcome = Rc::new(Shared::new((Vec::new(), None)));
        let (me, job, all, told) = (
            self.me.clone(),
            s.job.clone(),
            pods.to_vec(),
            outcome.clone(),
        );
        parallelize(&self.ctx, self.group, pods.len(), pods.len(), move |i| {
            let (c, job, pod, told) = (me.upgrade()?, job.clone(), all[i].clone(), told.clone());
            Some(async move {
                let result = c.remove_finalizer(&job, &pod).await;
                if result.is_err() {
                    c.finalizer_gone(id, pod.uid);
                }
                told.with(|(released, failed)| match result {
                    Ok(()) | Err(ApiError::NotFound) => released.push(pod.uid),
                    Err(e) => *failed = Some(e),
                });
            })
        })
        .await;
        let (released, failed) = outcome.with(std::mem::take);
        for uid in released {
            holding.remove(&uid);
        }
        failed.map_or(Ok(()), Err)
    }

    /// The status without finalizers: pods are counted as long as they exist, up to 1.24.
    async fn count(&self, s: &mut Sync, changed: bool) -> Result<(), ApiError> {
        let old = &s.job.status;
        let mut flush = changed
            || (s.status.job.succeeded, s.status.job.failed) != (old.job.succeeded, old.job.failed);
        if s.end.is_some() {
            s.status.job.finished.clone_from(&s.end);
            flush = true;
        }
        if flush {
            self.put_status(&s.job, s.status.clone()).await?;
            self.tell_finished(s);
        }
        Ok(())
    }

    /// `updateJobStatus`
    async fn put_status(
        &self,
        read: &Rc<Workload>,
        status: WorkloadStatus,
    ) -> Result<Rc<Workload>, ApiError> {
        let (about, id) = (self.pods.object(read), read.id);
        let mut old = read.clone();
        let mut retries = if self.switches.gets_before_status {
            STATUS_UPDATE_RETRIES
        } else {
            0
        };
        loop {
            if self.switches.gets_before_status {
                old = self
                    .pods
                    .client
                    .call(about, move |api, _| {
                        api.workload(id).ok_or(ApiError::NotFound)
                    })
                    .await?;
            }
            let (old, status) = (old.clone(), status.clone());
            match self
                .pods
                .client
                .call(about, move |api, actor| {
                    api.update_workload_status(actor, &old, status)
                })
                .await
            {
                Err(_) if retries > 0 => retries -= 1,
                Err(error) => return Err(error),
                Ok(new) => {
                    self.pods
                        .written
                        .wrote_at(read, Resource::Jobs, new.resource_version);
                    return Ok(new);
                }
            }
        }
    }

    /// `recordJobFinished`
    fn tell_finished(&self, s: &Sync) {
        let (text, words) = match &s.status.job.finished {
            None => return,
            Some(JobEnd::Complete) => (EventText::JobCompleted, "Job completed"),
            Some(JobEnd::BackoffLimitExceeded) => (
                EventText::BackoffLimitExceeded,
                "Job has reached the specified backoff limit",
            ),
            Some(JobEnd::PodFailurePolicy(message)) => {
                (EventText::PodFailurePolicy, message.as_str())
            }
        };
        self.pods.tell_words(&s.job, text, words);
        self.memory.with(|m| m.finished.insert(s.job.uid));
    }
}

/// Counts the pods that no longer hold their finalizer (`cleanUncountedPodsWithoutFinalizers`).
/// True if that changed anything.
fn settle(status: &mut WorkloadStatus, holding: &BTreeSet<Uid>) -> bool {
    let before = (
        status.job.uncounted_succeeded.len(),
        status.job.uncounted_failed.len(),
    );
    status
        .job
        .uncounted_succeeded
        .retain(|u| holding.contains(u));
    status.job.uncounted_failed.retain(|u| holding.contains(u));
    let now = (
        status.job.uncounted_succeeded.len(),
        status.job.uncounted_failed.len(),
    );
    status.job.succeeded += (before.0 - now.0) as i32;
    status.job.failed += (before.1 - now.1) as i32;
    before != now
}

impl WorkloadHandler for JobController {
    /// `addJob`, `updateJob`, `deleteJob`
    fn workload(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        let Some(job) = new.or(old).filter(|w| w.kind == WorkloadKind::Job) else {
            return;
        };
        if old
            .zip(new)
            .is_some_and(|(o, n)| o.generation == n.generation)
        {
            self.enqueue_batched(job.id);
        } else {
            self.queue.add(Item(job.id));
        }
    }
}

impl PodHandler for JobController {
    /// `addPod`, `updatePod`, `deletePod`
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let (before, now) = match (old, new) {
            (Some(old), None) => return self.pod_deleted(old, true),
            (_, Some(new)) if new.is_terminating() => return self.pod_deleted(new, false),
            (old, Some(new)) => (old, new),
            (None, None) => return,
        };
        let Some(job) = self.resolve(now) else { return };
        if before.is_none_or(|b| b.uid != now.uid) {
            self.memory
                .with(|m| m.expectations.creation_observed(job.id));
        } else if !now.job_finalizer {
            self.finalizer_gone(job.id, now.uid);
        }
        if self.switches.failure_backoff.is_none() && now.phase == PodPhase::Failed {
            // A failed pod makes the Job wait as long as its last failures say (`getBackoff`).
            let wait = self.limiter.with(|l| l.current(Item(job.id)));
            self.queue.add_after(self.group, wait, Item(job.id));
        } else {
            self.enqueue_batched(job.id);
        }
    }
}
