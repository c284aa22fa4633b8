//! StatefulSets (`pkg/controller/statefulset/stateful_set.go`, v1.34): the queue, its workers, what
//! makes a set wait in it, and what a sync does (`stateful_set_control.go: updateStatefulSet`,
//! `stateful_set_status_updater.go`). Its pods, each with a name of its own, come last
//! (`stateful_pod_control.go`).
//!
//! A pod's name is free again only once the object is gone: nothing is done about one that is being
//! deleted, and in an OrderedReady set nothing about those after it either. Left out: the repair of
//! a pod's identity (its labels), claims whose volumes take no time, and updates of the template.

use crate::api::workload::{WorkloadSpec, parent_and_ordinal};
use crate::controllers::prelude::*;
use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::{StatefulSetSwitches, TerminalPods};

/// `--concurrent-statefulset-syncs`
const WORKERS: usize = 5;
/// Steps that others take while a sync computes, where clocks stand still.
const STEPS_OF_OTHERS: u32 = 3;

/// How often of a thousand times others of the instant go on before a set's first revision has been
/// laid over it (`ApplyRevision`), which is much to compute, where that order is drawn.
const REVISION_LAST: u32 = 400;

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

/// The StatefulSet controller, with the steps of `defaultStatefulSetControl` and of
/// `StatefulPodControl`.
pub(crate) struct StatefulSetController {
    core: Rc<Core>,
    switches: StatefulSetSwitches,
}

impl StatefulSetController {
    /// A controller that hears of StatefulSets and pods but does not run yet.
    pub(crate) fn new(switches: StatefulSetSwitches, context: ControllerContext) -> Rc<Self> {
        let core = Core::new(context, switches.waits_for_own_writes, RateLimiter::default());
        let controller = Rc::new(StatefulSetController { core, switches });
        controller.core.informers.on_workload(WorkloadKind::StatefulSet, controller.clone());
        controller.core.informers.on_pod(controller.clone());
        controller
    }

    /// Starts the workers. `warm`: it has been running for long, so that the sets that are there
    /// have their revisions.
    pub(crate) fn run(self: &Rc<Self>, warm: bool) {
        if warm {
            self.core.assume_revisions(WorkloadKind::StatefulSet);
        }
        for _ in 0..WORKERS {
            self.core.start_worker(self, async |c: &Rc<Self>, id| c.sync(id).await);
        }
    }

    /// Between what a sync reads and what it writes it has much to compute: whoever hears of the
    /// same change in this instant has handled it by then. The eviction controller does so in two
    /// steps, of its dispatcher and of a worker.
    async fn take_time(&self) {
        for _ in 0..STEPS_OF_OTHERS {
            self.core.ctx.sleep(Dur::ZERO).await;
        }
    }

    /// `sync`, `syncStatefulSet`
    async fn sync(self: &Rc<Self>, id: WorkloadId) -> ApiResult {
        let Some(set) = self.core.to_sync(id)? else { return Ok(()) };
        let pods = self.core.pods_of(&set);
        self.core.ctx.set_saw(set.record);
        self.take_time().await;
        let status = self.update_stateful_set(&set, &pods).await?;
        let min = self.min_ready_seconds(&set);
        if min == 0 {
            return Ok(());
        }
        let whole = seconds(min);
        if !self.switches.exact_availability_check {
            if status.available != set.replicas() {
                self.core.queue.add_after(whole, id);
            }
        } else if status.ready != status.available {
            let wait = pods.iter().filter_map(|p| p.available_in(min, self.core.ctx.now())).min();
            self.core.queue.add_after(wait.unwrap_or(whole), id);
        }
        Ok(())
    }

    /// `UpdateStatefulSet`, `performUpdate`: gives the status that was found.
    async fn update_stateful_set(
        self: &Rc<Self>,
        set: &Rc<Workload>,
        pods: &[Rc<Pod>],
    ) -> ApiResult<WorkloadStatus> {
        let is_new = self.core.ensure_revision(set).await?;
        let ctx = &self.core.ctx;
        if is_new && ctx.draws_turns() {
            ctx.yield_point(ctx.point("statefulset-revision"), REVISION_LAST).await;
        }
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
        let blocks = self.switches.unavailable_blocks;
        let healthy = |p: &Rc<Pod>| {
            let well = if blocks { self.is_available(set, p) } else { is_running_and_ready(p) };
            well && !p.is_terminating()
        };
        let all_well = places.iter().all(|p: &Option<Rc<Pod>>| p.as_ref().is_some_and(healthy));
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
    fn min_ready_seconds(&self, set: &Workload) -> i32 {
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
                slow_start_batch(&self.core, count, settled, work).await.1?;
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
        round.replicas.with_ref(|r| r[i].as_ref().is_some_and(|p| !self.has_ended(p)))
    }

    /// Whether a pod has ended and is to be replaced.
    fn has_ended(&self, pod: &Pod) -> bool {
        let too = self.switches.terminal_pods != TerminalPods::RecreateFailed;
        pod.phase == PodPhase::Failed || too && pod.phase == PodPhase::Succeeded
    }

    /// `processReplica`: true if the round is over.
    async fn process_replica(&self, round: &Round, i: usize) -> ApiResult<bool> {
        let set = &round.set;
        let mut pod = round.replicas.with(|r| r[i].clone());
        if let Some(ended) = pod.clone().filter(|p| self.has_ended(p)) {
            if self.switches.terminal_pods == TerminalPods::Delete {
                if !ended.is_terminating() {
                    self.delete_stateful_pod(set, &ended).await?;
                }
                return Ok(true);
            }
            self.tell_of_recreation(set, &ended);
            self.delete_stateful_pod(set, &ended).await?;
            round.count(-1, -1);
            round.replicas.with(|r| r[i] = None);
            pod = None;
        }
        let Some(pod) = pod else {
            self.create_stateful_pod(set, round.first_ordinal + i as i64).await?;
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
        self.delete_stateful_pod(&round.set, pod).await?;
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
            let most = STATUS_JITTER.as_nanos();
            let point = self.core.ctx.point("statefulset-status-retry");
            let jitter = self.core.ctx.uniform(point, about, 0, most);
            self.core.ctx.sleep(STATUS_SLEEP + Dur::from_nanos(jitter)).await;
        }
    }

    /// `CreateStatefulPod`; a pod that is there already is a failure that is not reported.
    async fn create_stateful_pod(&self, set: &Rc<Workload>, ordinal: i64) -> ApiResult {
        let id = self.core.client.api().names(|n| {
            let full = n.workload_name(set.id).to_owned();
            let pod = n.pod(&format!("{}/{}-{ordinal}", namespace_of(&full), short_name(&full)));
            n.set_owner(pod, set.id);
            pod
        });
        self.create_persistent_volume_claims(set, id).await?;
        let new = Pod::pending(id, set.template.clone(), set.pinned);
        let (client, about) = (&self.core.client, self.core.client.pod_object(id));
        let create = move |api: &ApiServer, actor| api.create_pod(actor, new, false);
        let created = client.call(about, create).await;
        match created {
            Err(ApiError::AlreadyExists) => return Err(ApiError::AlreadyExists),
            Ok(ref pod) => self.core.written.wrote_at(set, Resource::Pods, pod.resource_version),
            Err(_) => {}
        }
        let words = format!("Pod {}", self.name_of(id));
        let ended = created.as_ref().map(|_| "successful").map_err(|e| e.of("post pods"));
        self.record_event("create", &words, set, ended);
        created.map(drop)
    }

    /// `createPersistentVolumeClaims`, which upstream does in no order; after a failure it goes on with the others.
    async fn create_persistent_volume_claims(&self, set: &Workload, pod: PodId) -> ApiResult {
        let (client, api) = (&self.core.client, self.core.client.api());
        let (mut failed, mut all) = (Vec::new(), Ok(()));
        for claim in set.template.claims.iter().filter(|c| c.per_pod && c.provision.is_some()) {
            let (name, own) = (self.name_of(pod), claim.clone());
            let claim = claim.name_for(&name);
            let id = api.names(|n| n.text(&format!("{}/{claim}", namespace_of(n.pod_name(pod)))));
            if api.has_volume_claim(id) {
                continue;
            }
            let create = move |api: &ApiServer, _| api.create_volume_claim(id, &own);
            let created = client.call(client.claim_object(id), create).await;
            let ended = created.map_err(|e| e.of("post persistentvolumeclaims"));
            let of = if created.is_ok() { "Pod" } else { "for Pod" };
            let words = format!("Claim {claim} {of} {name}");
            failed
                .extend(ended.clone().err().map(|e| format!("failed to create PVC {claim}: {e}")));
            all = all.and(created);
            if created != Err(ApiError::AlreadyExists) {
                self.record_event("create", &words, set, ended.map(|()| "success"));
            }
        }
        let why = match &failed[..] {
            [] => return Ok(()),
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        self.record_event("create", &format!("Pod {}", self.name_of(pod)), set, Err(why));
        all
    }

    /// `DeleteStatefulPod`
    async fn delete_stateful_pod(&self, set: &Rc<Workload>, pod: &Rc<Pod>) -> ApiResult {
        let id = pod.id;
        let mut deleted = self.core.client.delete_pod(id, None, None).await;
        if deleted == Err(ApiError::NotFound) && self.switches.missing_is_deleted {
            deleted = Ok(());
        }
        let name = self.name_of(id);
        let ended =
            deleted.map(|()| "successful").map_err(|e| e.of(&format!("delete pods {name}")));
        self.record_event("delete", &format!("Pod {name}"), set, ended);
        deleted
    }

    fn name_of(&self, pod: PodId) -> String {
        self.core.client.api().names(|n| short_name(n.pod_name(pod)).to_owned())
    }

    /// `recordPodEvent`, `recordClaimEvent`: what was done about whom, and how that ended.
    fn record_event(&self, verb: &str, about: &str, set: &Workload, ended: Result<&str, String>) {
        let text = match (verb, &ended) {
            ("create", Ok(_)) => EventText::SuccessfulCreate,
            ("create", Err(_)) => EventText::FailedCreate,
            (_, Ok(_)) => EventText::SuccessfulDelete,
            (_, Err(_)) => EventText::FailedDelete,
        };
        let set_name =
            self.core.client.api().names(|n| short_name(n.workload_name(set.id)).to_owned());
        let ended = ended.map_or_else(|e| format!("failed error: {e}"), str::to_owned);
        let mut words = format!("{verb} {about} in StatefulSet {set_name} {ended}");
        if self.switches.capital_words {
            words[..1].make_ascii_uppercase();
        }
        self.core.tell_words(set, text, &words);
    }

    /// That a pod has ended and another one takes its place.
    fn tell_of_recreation(&self, set: &Workload, pod: &Pod) {
        let (text, how) = match pod.phase {
            PodPhase::Failed => (EventText::RecreatingFailedPod, "failed"),
            _ => (EventText::RecreatingTerminatedPod, "terminated"),
        };
        let words = self.core.client.api().names(|n| {
            let (full, pod) = (n.workload_name(set.id), short_name(n.pod_name(pod.id)));
            let (namespace, name) = (namespace_of(full), short_name(full));
            format!("StatefulSet {namespace}/{name} is recreating {how} Pod {pod}")
        });
        self.core.tell_words(set, text, &words);
    }
}

impl ResourceEventHandler<Workload> for StatefulSetController {
    fn on_change(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        if let Some(set) = new.or(old) {
            self.core.queue.add(set.id);
        }
    }
}

impl ResourceEventHandler<Pod> for StatefulSetController {
    /// `addPod`, `updatePod`, `deletePod`
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let Some(pod) = new.or(old) else { return };
        let set = self.core.resolve(pod.controller(), WorkloadKind::StatefulSet);
        let Some(set) = set else { return };
        self.core.queue.add(set.id);
        if let (Some(old), Some(new)) = (old, new)
            && !old.is_ready()
            && new.is_ready()
            && self.min_ready_seconds(&set) > 0
        {
            // The second on top was for clocks that are apart.
            let more = if self.switches.exact_availability_check { 0 } else { 1 };
            let wait = seconds(set.min_ready_seconds) + Dur::from_secs(more);
            self.core.queue.add_after(wait, set.id);
        }
    }
}

impl Round {
    fn count(&self, replicas: i32, current: i32) {
        self.counted.with(|c| *c = (c.0 + replicas, c.1 + current));
    }
}
