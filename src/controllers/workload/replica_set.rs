//! ReplicaSets (`pkg/controller/replicaset/replica_set.go`, v1.34): keeps as many active pods as
//! asked for.
//!
//! A pod is active while it has not ended and is not being deleted: an unreachable one counts until
//! its deletion has begun.
//!
//! How many pods a workload has in which state is kept as its pods change: a sync that neither
//! deletes pods nor waits for one to have been ready for long enough needs no more than these
//! numbers, and most are of that kind.

use super::expectations::Expectations;
use super::ranking::{Ranked, Rules, sorted};
use crate::client::parallelize;
use crate::controllers::prelude::*;
use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::Switches;

/// Pods that one sync creates or deletes at the most (`BurstReplicas`).
const BURST_REPLICAS: usize = 500;
/// `--concurrent-replicaset-syncs`
const WORKERS: usize = 5;

/// The ReplicaSet controller.
pub(crate) struct ReplicaSetController {
    core: Rc<Core>,
    switches: Switches,
    numbered_uids: bool,
    expectations: Shared<Expectations<BTreeSet<Uid>>>,
    census: Shared<Census>,
}

impl ReplicaSetController {
    /// A controller that hears of ReplicaSets and pods but does not run yet. `numbered_uids`: those of pods go up.
    pub(crate) fn new(
        switches: Switches,
        numbered_uids: bool,
        context: ControllerContext,
    ) -> Rc<Self> {
        let core = Core::new(context, switches.waits_for_own_writes, RateLimiter::default());
        let controller = Rc::new(ReplicaSetController {
            expectations: Shared::default(),
            census: Shared::default(),
            switches,
            numbered_uids,
            core,
        });
        controller.core.informers.on_workload(WorkloadKind::ReplicaSet, controller.clone());
        controller.core.informers.on_pod(controller.clone());
        controller
    }

    /// Starts the workers.
    pub(crate) fn run(self: &Rc<Self>) {
        for _ in 0..WORKERS {
            self.core.start_worker(self, async |c: &Rc<Self>, id| c.sync_replica_set(id).await);
        }
    }

    /// The ReplicaSet that a reference means, if it is still that one (`resolveControllerRef`), and
    /// its `minReadySeconds`.
    fn resolve(&self, owner: Option<(WorkloadId, Uid)>) -> Option<(WorkloadId, i32)> {
        let (id, uid) = owner?;
        Some((id, self.census.with(|c| c.life(id)).filter(|life| life.0 == uid)?.1))
    }

    fn pod_deleted(&self, pod: &Pod) {
        if let Some((rs, _)) = self.resolve(pod.controller()) {
            self.expectations.with(|e| e.deletion_observed(rs, pod.uid));
            self.core.queue.add(rs);
        }
    }

    /// `syncReplicaSet`
    async fn sync_replica_set(self: &Rc<Self>, id: WorkloadId) -> ApiResult {
        let Some(rs) = self.core.to_sync(id)? else {
            self.expectations.with(|e| e.forget(id));
            return Ok(());
        };
        let needs_sync = self.expectations.with(|e| e.satisfied(id, self.core.ctx.now()));
        let numbers = self.census.with(|c| c.of(id, rs.uid));
        // Whether a pod has been ready for long enough is the only thing that takes a look at each
        // of them.
        let watched = if rs.min_ready_seconds > 0 { self.active_pods(&rs) } else { Vec::new() };
        self.core.ctx.set_saw(rs.record);
        let managed = if needs_sync && !rs.is_terminating() {
            self.manage_replicas(&rs, numbers.active as usize).await
        } else {
            Ok(())
        };
        let status = self.calculate_status(&rs, numbers, &watched, managed.is_err());
        let unavailable = status.ready != status.available;
        let all_ready = status.ready == rs.replicas();
        self.update_status(&rs, status).await?;
        managed?;
        if rs.min_ready_seconds > 0 && unavailable {
            self.plan_next_check(&rs, &watched, all_ready);
        }
        Ok(())
    }

    /// The active pods of this life of a ReplicaSet.
    fn active_pods(&self, rs: &Workload) -> Vec<Rc<Pod>> {
        let mut own = self.core.pods_of(rs);
        own.retain(|p| p.is_active());
        own
    }

    /// `manageReplicas`
    async fn manage_replicas(self: &Rc<Self>, rs: &Rc<Workload>, active: usize) -> ApiResult {
        let wanted = usize::try_from(rs.replicas()).unwrap_or_default();
        let now = self.core.ctx.now();
        if active < wanted {
            let missing = (wanted - active).min(BURST_REPLICAS);
            self.expectations.with(|e| e.expect_creations(rs.id, missing, now));
            let (created, result) = create_pods(&self.core, rs, missing, false).await;
            for _ in created..missing {
                self.expectations.with(|e| e.creation_observed(rs.id));
            }
            return result;
        }
        let surplus = (active - wanted).min(BURST_REPLICAS);
        if surplus == 0 {
            return Ok(());
        }
        let doomed = self.pods_to_delete(rs, surplus);
        let uids = doomed.iter().map(|p| p.uid).collect();
        self.expectations.with(|e| e.expect(rs.id, 0, uids, now));
        let failed = Rc::new(Shared::new(None));
        let (me, owner, first) = (self.clone(), rs.clone(), failed.clone());
        parallelize(&self.core.ctx, self.core.group, surplus, surplus, move |i| {
            let (c, owner, pod, first) =
                (me.clone(), owner.clone(), doomed[i].clone(), first.clone());
            Some(async move {
                if let Err(e) = c.core.delete_pod(&owner, &pod).await {
                    c.expectations.with(|x| x.deletion_observed(owner.id, pod.uid));
                    if e != ApiError::NotFound {
                        first.with(|f| *f = f.or(Some(e)));
                    }
                }
            })
        })
        .await;
        failed.with(|f| f.map_or(Ok(()), Err))
    }

    /// `getPodsToDelete`: the first of a ranking, unless all go. The order of those that rank alike
    /// is the index's, which is none.
    fn pods_to_delete(&self, rs: &Workload, count: usize) -> Vec<Rc<Pod>> {
        let mut pods = self.active_pods(rs);
        self.core.order_as_index(&mut pods);
        if count < pods.len() {
            let related = self.related_pods(rs);
            let rules = Rules {
                deletion_cost: self.switches.pod_deletion_cost,
                logarithmic: self.switches.logarithmic_scale_down,
                sidecar_restarts: self.switches.sidecar_restarts,
            };
            let ctx = &self.core.ctx;
            let draws = rules.logarithmic && !self.numbered_uids;
            let point = draws.then(|| ctx.point("pod-uid"));
            let ranked = pods.drain(..).map(|pod| Ranked {
                rank: related.iter().filter(|p| p.node.is_some() && p.node == pod.node).count(),
                uid: point.map_or(0, |p| ctx.rank(p, self.core.client.pod_object(pod.id))),
                pod,
            });
            let ranked = sorted(ranked.collect(), ctx.now(), rules);
            pods.extend(ranked.into_iter().map(|r| r.pod));
        }
        pods.truncate(count);
        pods
    }

    /// The active pods of all ReplicaSets of the same Deployment (`getIndirectlyRelatedPods`).
    fn related_pods(&self, rs: &Workload) -> Vec<Rc<Pod>> {
        let Some(owner) = rs.owner else { return Vec::new() };
        let sets = self.core.informers.workloads_of(owner).into_iter();
        let pods = sets.flat_map(|w| self.core.informers.pods_of(w.id));
        pods.filter(|p| p.is_active()).collect()
    }

    /// `calculateStatus`, from the pods as they were before anything was done.
    fn calculate_status(
        &self,
        rs: &Workload,
        numbers: Numbers,
        watched: &[Rc<Pod>],
        failed: bool,
    ) -> WorkloadStatus {
        let now = self.core.ctx.now();
        let available =
            watched.iter().filter(|p| p.is_available(rs.min_ready_seconds, now)).count() as i32;
        WorkloadStatus {
            replicas: numbers.active,
            ready: numbers.ready,
            available: if rs.min_ready_seconds > 0 { available } else { numbers.ready },
            terminating: if self.switches.terminating_replicas { numbers.terminating } else { 0 },
            replica_failure: failed,
            ..rs.status.clone()
        }
    }

    /// `updateReplicaSetStatus`: a write that would change nothing is left out; one that fails is
    /// tried once more.
    async fn update_status(&self, rs: &Rc<Workload>, mut status: WorkloadStatus) -> ApiResult {
        if rs.status == status && rs.generation == rs.status.observed_generation {
            return Ok(());
        }
        status.observed_generation = rs.generation;
        self.core.write_status_again(rs, status).await
    }

    /// Looks again when the next pod becomes available, in case nothing else makes it.
    fn plan_next_check(&self, rs: &Workload, active: &[Rc<Pod>], all_ready: bool) {
        let whole = seconds(rs.min_ready_seconds);
        let wait = if self.switches.exact_availability_check {
            let now = self.core.ctx.now();
            let left = active.iter().filter_map(|p| p.available_in(rs.min_ready_seconds, now));
            left.min().unwrap_or(whole)
        } else if all_ready {
            whole
        } else {
            return;
        };
        self.core.queue.add_after(wait, rs.id);
    }
}

impl ResourceEventHandler<Workload> for ReplicaSetController {
    fn cached(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        if let Some(rs) = new.or(old) {
            let life = new.map(|rs| (rs.uid, rs.min_ready_seconds));
            self.census.with(|c| c.set_life(rs.id, life));
        }
    }

    /// `addRS`, `updateRS`, `deleteRS`
    fn on_change(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        let Some(rs) = new.or(old) else { return };
        if old.zip(new).is_none_or(|(o, n)| o.uid != n.uid) && old.is_some() {
            // Expectations belong to one life of the ReplicaSet.
            self.expectations.with(|e| e.forget(rs.id));
        }
        self.core.queue.add(rs.id);
    }
}

impl ResourceEventHandler<Pod> for ReplicaSetController {
    fn cached(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        self.census.with(|c| c.take(old.map(|p| &**p), new.map(|p| &**p)));
    }

    /// `addPod`, `updatePod`, `deletePod`: the start of a deletion counts as the deletion.
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let (before, now) = match (old, new) {
            (Some(old), None) => return self.pod_deleted(old),
            (_, Some(new)) if new.is_terminating() => return self.pod_deleted(new),
            (old, Some(new)) => (old, new),
            (None, None) => return,
        };
        let Some((rs, min_ready_seconds)) = self.resolve(now.controller()) else { return };
        if before.is_none_or(|b| b.uid != now.uid) {
            self.expectations.with(|e| e.creation_observed(rs));
        }
        self.core.queue.add(rs);
        if before.is_some_and(|b| !b.is_ready()) && now.is_ready() && min_ready_seconds > 0 {
            self.core.queue.add_after(seconds(min_ready_seconds), rs);
        }
    }
}

impl Pod {
    /// Ready, and for long enough (`podutil.IsPodAvailable`).
    pub(super) fn is_available(&self, min_ready_seconds: i32, now: crate::kernel::Time) -> bool {
        self.is_ready() && self.available_in(min_ready_seconds, now).is_none()
    }

    /// How long until a ready pod is available; none if it is, or is not ready
    /// (`nextPodAvailabilityCheck`).
    pub(super) fn available_in(
        &self,
        min_ready_seconds: i32,
        now: crate::kernel::Time,
    ) -> Option<Dur> {
        let Timestamp(since) = self.ready.filter(|_| self.is_ready())?.last_transition_time;
        if min_ready_seconds == 0 {
            return None;
        }
        let at = (i128::from(since) + i128::from(min_ready_seconds)) * 1_000_000_000;
        let left = at - i128::from(now.as_nanos());
        (left > 0).then(|| Dur::from_nanos(left as u64))
    }
}

/// The pods of one life of a workload, as the cache has them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    /// Not ended and not being deleted.
    pub(super) active: i32,
    /// Active and ready.
    pub(super) ready: i32,
    /// Being deleted and not ended.
    pub(super) terminating: i32,
}

/// What is known of an owner, side by side, as it is all looked up for each change of a pod.
#[derive(Clone, Copy, Default)]
struct Owner {
    /// The life of the workload that the cache has, and its `minReadySeconds`.
    life: Option<(Uid, i32)>,
    /// The life that had the first pod seen; seldom is there another.
    first: Option<(Uid, Numbers)>,
}

/// The numbers of every owner.
#[derive(Default)]
pub(super) struct Census {
    owners: Vec<Owner>,
    /// Of other lives.
    others: BTreeMap<(WorkloadId, Uid), Numbers>,
}

impl Census {
    /// Takes another version of a pod in the place of the old one.
    pub(super) fn take(&mut self, old: Option<&Pod>, new: Option<&Pod>) {
        for (pod, by) in old.map(|p| (p, -1)).into_iter().chain(new.map(|p| (p, 1))) {
            let Some((owner, uid)) = pod.controller() else { continue };
            let numbers = self.numbers(owner, uid);
            if pod.is_active() {
                numbers.active += by;
                numbers.ready += if pod.is_ready() { by } else { 0 };
            } else if !pod.phase.is_terminal() {
                numbers.terminating += by;
            }
        }
    }

    fn owner(&mut self, owner: WorkloadId) -> &mut Owner {
        slot(&mut self.owners, owner.index())
    }

    /// Notes which life of a workload the cache has, with its `minReadySeconds`.
    fn set_life(&mut self, owner: WorkloadId, life: Option<(Uid, i32)>) {
        self.owner(owner).life = life;
    }

    /// Which life of a workload the cache has, with its `minReadySeconds`.
    pub(super) fn life(&self, owner: WorkloadId) -> Option<(Uid, i32)> {
        self.owners.get(owner.index())?.life
    }

    fn numbers(&mut self, owner: WorkloadId, uid: Uid) -> &mut Numbers {
        self.owner(owner);
        match self.owners[owner.index()].first.get_or_insert((uid, Numbers::default())) {
            (first, numbers) if *first == uid => numbers,
            _ => self.others.entry((owner, uid)).or_default(),
        }
    }

    /// The numbers of one life of a workload.
    pub(super) fn of(&self, owner: WorkloadId, uid: Uid) -> Numbers {
        match self.owners.get(owner.index()).and_then(|o| o.first) {
            Some((first, numbers)) if first == uid => numbers,
            _ => self.others.get(&(owner, uid)).copied().unwrap_or_default(),
        }
    }
}
