//! What a sync of a StatefulSet does (`stateful_set_control.go: updateStatefulSet`,
//! `stateful_set_status_updater.go`, v1.34).
//!
//! A pod's name is free again only once the object is gone: nothing is done about one that is being
//! deleted, and in an OrderedReady set nothing about those after it either. Left out: the repair of
//! a pod's identity (its labels), volume claims, and updates of the template.

use super::slow_start::slow_start_batch_but;
use super::stateful_pod_control::StatefulPodControl;
use crate::api::workload::{WorkloadSpec, parent_and_ordinal};
use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::{StatefulSetSwitches, TerminalPods};

/// Tries of a status update that meets a conflict, and the sleep between them with its jitter
/// (`retry.DefaultRetry`).
const STATUS_TRIES: u32 = 5;
const STATUS_SLEEP: Dur = Dur::from_millis(10);
const STATUS_JITTER: Dur = Dur::from_millis(1);

/// One sync's view of a set.
struct Round {
    set: Rc<Workload>,
    monotonic: bool,
    first_ordinal: i64,
    /// By ordinal: the pod, or none where one has yet to be created.
    replicas: Shared<Vec<Option<Rc<Pod>>>>,
    /// Pods beyond the range of ordinals, the highest first.
    condemned: Vec<Rc<Pod>>,
    /// The lowest pod that is not healthy, if it is a condemned one.
    first_unhealthy: Option<Uid>,
    /// What releases without batches add to the counts as they go: replicas and current replicas.
    counted: Shared<(i32, i32)>,
}

/// `isRunningAndReady`
fn is_running_and_ready(pod: &Pod) -> bool {
    pod.phase == PodPhase::Running && pod.is_ready()
}

/// Brings a set's pods to what the set asks for, and its status to what was found
/// (`defaultStatefulSetControl`).
pub(super) struct StatefulSetControl {
    core: Rc<Core>,
    switches: StatefulSetSwitches,
    pods: StatefulPodControl,
    jitter_point: PointId,
}

impl StatefulSetControl {
    /// That of a release with these switches.
    pub(super) fn new(core: &Rc<Core>, switches: StatefulSetSwitches) -> Rc<Self> {
        Rc::new(StatefulSetControl {
            pods: StatefulPodControl::new(core.pods.clone(), switches),
            jitter_point: core.ctx.point("statefulset-status-retry"),
            core: core.clone(),
            switches,
        })
    }

    /// `UpdateStatefulSet`, `performUpdate`: gives the status that was found.
    pub(super) async fn update_stateful_set(
        self: &Rc<Self>,
        set: &Rc<Workload>,
        pods: &[Rc<Pod>],
    ) -> ApiResult<WorkloadStatus> {
        self.core.ensure_revision(set).await?;
        let round = Rc::new(self.partition(set, pods));
        let result = self.process(&round).await;
        if let (Err(e), false) = (result, self.switches.status_after_error) {
            return Err(e);
        }
        let status = self.status(&round, pods);
        let written = self.update_status(set, &status).await;
        result.and(written).map(|()| status)
    }

    /// Puts pods in their places.
    fn partition(&self, set: &Rc<Workload>, pods: &[Rc<Pod>]) -> Round {
        let WorkloadSpec::StatefulSet { replicas, parallel, first_ordinal } = set.spec else {
            unreachable!("the queue holds StatefulSets only");
        };
        let first_ordinal = i64::from(first_ordinal);
        let mut places = vec![None; usize::try_from(replicas).unwrap_or_default()];
        let mut condemned = Vec::new();
        for pod in pods {
            let Some(ordinal) = self.ordinal(set, pod) else { continue };
            match usize::try_from(ordinal - first_ordinal).ok().and_then(|i| places.get_mut(i)) {
                Some(place) => *place = Some(pod.clone()),
                None => condemned.push((ordinal, pod.clone())),
            }
        }
        condemned.sort_by_key(|(ordinal, _)| std::cmp::Reverse(*ordinal));
        let condemned: Vec<Rc<Pod>> = condemned.into_iter().map(|(_, pod)| pod).collect();
        let healthy = |p: &Pod| {
            let well = if self.switches.unavailable_blocks {
                self.is_available(set, p)
            } else {
                is_running_and_ready(p)
            };
            well && !p.is_terminating()
        };
        let all_well =
            places.iter().all(|p: &Option<Rc<Pod>>| p.as_ref().is_some_and(|p| healthy(p)));
        let first_unhealthy =
            condemned.iter().rev().find(|p| !healthy(p)).filter(|_| all_well).map(|p| p.uid);
        Round {
            monotonic: !parallel,
            first_ordinal,
            replicas: Shared::new(places),
            condemned,
            first_unhealthy,
            counted: Shared::new((0, 0)),
            set: set.clone(),
        }
    }

    /// The number at the end of a pod's name, if the rest is the set's (`getParentNameAndOrdinal`).
    fn ordinal(&self, set: &Workload, pod: &Pod) -> Option<i64> {
        self.core.client.api().names(|n| {
            let (parent, ordinal) = parent_and_ordinal(short_name(n.pod_name(pod.id)))?;
            (parent == short_name(n.workload_name(set.id))).then(|| i64::from(ordinal))
        })
    }

    /// How long a pod of a set has to be ready, in seconds.
    pub(super) fn min_ready_seconds(&self, set: &Workload) -> i32 {
        if self.switches.min_ready_seconds { set.min_ready_seconds } else { 0 }
    }

    fn is_available(&self, set: &Workload, pod: &Pod) -> bool {
        pod.is_available(self.min_ready_seconds(set), self.core.ctx.now())
    }

    /// Each replica, then those beyond the range, until something goes wrong or has to be waited
    /// for (`updateStatefulSet`).
    async fn process(self: &Rc<Self>, round: &Rc<Round>) -> ApiResult {
        if round.set.is_terminating() {
            return Ok(());
        }
        let (replicas, condemned) = (round.replicas.with(|r| r.len()), round.condemned.len());
        if !round.monotonic && self.switches.batches {
            for (count, condemned) in [(replicas, false), (condemned, true)] {
                let (control, shared) = (self.clone(), round.clone());
                let work = move |i| {
                    let (c, round) = (control.clone(), shared.clone());
                    async move {
                        let one = if condemned {
                            c.process_condemned(&round, i).await
                        } else {
                            c.process_replica(&round, i).await
                        };
                        one.map(|_| ())
                    }
                };
                let settled = |i: usize| {
                    if condemned {
                        round.condemned[i].is_terminating()
                    } else {
                        self.is_settled(round, i)
                    }
                };
                slow_start_batch_but(&self.core.ctx, self.core.group, count, settled, work)
                    .await
                    .1?;
            }
            return Ok(());
        }
        for i in 0..replicas {
            if self.process_replica(round, i).await? {
                return Ok(());
            }
        }
        for i in 0..condemned {
            if self.process_condemned(round, i).await? && round.monotonic {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether a replica is there and has not ended: a set whose pods are not seen to in order has
    /// nothing to do about it.
    fn is_settled(&self, round: &Round, i: usize) -> bool {
        let too = self.switches.terminal_pods != TerminalPods::RecreateFailed;
        let ended = |p: &Pod| p.phase == PodPhase::Failed || too && p.phase == PodPhase::Succeeded;
        round.replicas.with_ref(|r| r[i].as_ref().is_some_and(|p| !ended(p)))
    }

    /// `processReplica`: true if the round is over.
    async fn process_replica(&self, round: &Round, i: usize) -> ApiResult<bool> {
        let set = &round.set;
        let mut pod = round.replicas.with(|r| r[i].clone());
        let too = self.switches.terminal_pods != TerminalPods::RecreateFailed;
        if let Some(ended) = pod
            .clone()
            .filter(|p| p.phase == PodPhase::Failed || too && p.phase == PodPhase::Succeeded)
        {
            if self.switches.terminal_pods == TerminalPods::Delete {
                if !ended.is_terminating() {
                    self.pods.delete_stateful_pod(set, &ended).await?;
                }
                return Ok(true);
            }
            self.pods.tell_of_recreation(set, &ended);
            self.pods.delete_stateful_pod(set, &ended).await?;
            round.count(-1, -1);
            round.replicas.with(|r| r[i] = None);
            pod = None;
        }
        let Some(pod) = pod else {
            self.pods.create_stateful_pod(set, round.first_ordinal + i as i64).await?;
            round.count(1, 1);
            return Ok(round.monotonic);
        };
        let waits =
            pod.is_terminating() || !is_running_and_ready(&pod) || !self.is_available(set, &pod);
        Ok(round.monotonic && waits)
    }

    /// `processCondemned`: true if the round is over.
    async fn process_condemned(&self, round: &Round, i: usize) -> ApiResult<bool> {
        let pod = &round.condemned[i];
        if pod.is_terminating() {
            return Ok(round.monotonic);
        }
        let waits = !is_running_and_ready(pod) || !self.is_available(&round.set, pod);
        if round.monotonic && waits && round.first_unhealthy != Some(pod.uid) {
            return Ok(true);
        }
        self.pods.delete_stateful_pod(&round.set, pod).await?;
        round.count(0, -1);
        Ok(true)
    }

    /// `computeReplicaStatus`: with batches the pods as the round left them, in which one that was
    /// just created does not count yet; before, the pods as they were, and what the round counted
    /// on top.
    fn status(&self, round: &Round, pods: &[Rc<Pod>]) -> WorkloadStatus {
        let set = &round.set;
        let batches = self.switches.batches && !set.is_terminating();
        let (mut replicas, mut current) = if batches { (0, 0) } else { round.counted.with(|c| *c) };
        let (mut ready, mut available) = (0, 0);
        let mut count = |pod: &Rc<Pod>| {
            replicas += 1;
            current += i32::from(!pod.is_terminating());
            ready += i32::from(is_running_and_ready(pod));
            available += i32::from(is_running_and_ready(pod) && self.is_available(set, pod));
        };
        if batches {
            round.replicas.with(|r| r.iter().flatten().for_each(&mut count));
            round.condemned.iter().for_each(count);
        } else {
            pods.iter().for_each(count);
        }
        WorkloadStatus {
            replicas,
            ready,
            available,
            current,
            observed_generation: set.generation.max(set.status.observed_generation),
            ..set.status.clone()
        }
    }

    /// `UpdateStatefulSetStatus`: a write that would change nothing is left out; after a conflict
    /// it is tried again with the set as the cache has it by then.
    async fn update_status(&self, set: &Rc<Workload>, status: &WorkloadStatus) -> ApiResult {
        if set.status == *status {
            return Ok(());
        }
        let about = self.core.client.workload_object(set.id);
        let mut read = set.clone();
        let mut tries = 1;
        loop {
            match self.core.write_status(set, &read, status.clone()).await {
                Ok(_) => return Ok(()),
                Err(ApiError::Conflict) if tries < STATUS_TRIES => {}
                Err(e) => return Err(e),
            }
            tries += 1;
            read = self.core.informers.workload(set.id).unwrap_or(read);
            let jitter =
                self.core.ctx.uniform(self.jitter_point, about, 0, STATUS_JITTER.as_nanos());
            self.core.ctx.sleep(STATUS_SLEEP + Dur::from_nanos(jitter)).await;
        }
    }
}

impl Round {
    fn count(&self, replicas: i32, current: i32) {
        self.counted.with(|c| *c = (c.0 + replicas, c.1 + current));
    }
}
