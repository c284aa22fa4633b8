//! DaemonSets (`pkg/controller/daemon/daemon_controller.go`, v1.34): the queues, their workers, what
//! makes a DaemonSet wait in them, and what a sync does (`syncDaemonSet`, `manage`, `syncNodes`,
//! `updateDaemonSetStatus`).
//!
//! A pod that is being deleted holds its node: there is no second one until it is gone. Left out:
//! rolling updates and surge.

use super::daemon_census::DaemonCensus;
use super::daemon_censuses::DaemonCensuses;
use super::expectations::ControllerExpectations;
use super::slow_start::slow_start_batch;
use crate::client::go_all;
use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::DaemonSetSwitches;

/// `--concurrent-daemonset-syncs`; as many workers look at nodes, too.
const WORKERS: usize = 2;

/// Pods that one sync creates, and deletes, at the most (`BurstReplicas`).
const BURST_REPLICAS: usize = 250;
/// The back-off of the deletion of failed pods (`app/apps.go: startDaemonSetController`); it starts
/// over after twice the longest.
const BACKOFF: Dur = Dur::from_secs(1);
const LONGEST_BACKOFF: Dur = Dur::from_secs(15 * 60);

/// Back-off of the deletion of failed pods: its length and when it began.
type Backoff = (Dur, Time);

/// The DaemonSet controller.
pub(crate) struct DaemonSetController {
    core: Rc<Core>,
    switches: DaemonSetSwitches,
    node_queue: WorkQueue<NodeId>,
    expectations: Shared<ControllerExpectations>,
    censuses: DaemonCensuses,
    /// By life of the DaemonSet, the generation that its status is of, and node.
    failed_pods_backoff: Shared<BTreeMap<(Uid, i64, NodeId), Backoff>>,
    order_point: PointId,
}

impl DaemonSetController {
    /// A controller that hears of DaemonSets, pods and nodes but does not run yet.
    pub(crate) fn new(switches: DaemonSetSwitches, context: ControllerContext) -> Rc<Self> {
        let core = Core::new(context, switches.waits_for_own_writes, RateLimiter::default());
        let controller = Rc::new(DaemonSetController {
            node_queue: WorkQueue::new(&core.ctx, core.group),
            expectations: Shared::default(),
            censuses: DaemonCensuses::new(&core, switches),
            failed_pods_backoff: Shared::default(),
            order_point: core.ctx.point("daemonset-node-order"),
            core,
            switches,
        });
        controller.core.informers.on_workload(WorkloadKind::DaemonSet, controller.clone());
        controller.core.informers.on_pod(controller.clone());
        controller.core.informers.on_node(controller.clone());
        controller
    }

    /// Starts the workers. `warm`: it has been running for long, so that the DaemonSets that are
    /// there have their revisions.
    pub(crate) fn run(self: &Rc<Self>, warm: bool) {
        if warm {
            self.core.assume_revisions(WorkloadKind::DaemonSet);
        }
        for _ in 0..WORKERS {
            self.core.start_worker(self, async |c: &Rc<Self>, id| c.sync_daemon_set(id).await);
            if !self.switches.node_queue {
                continue;
            }
            let c = self.clone();
            self.core.ctx.spawn_alike(self.core.ctx.name(), self.core.group, async move {
                c.node_queue.work_once(async |node| c.sync_node_update(node)).await;
            });
        }
    }

    fn pod_deleted(&self, pod: &Pod) {
        if let Some(ds) = self.core.resolve(pod.controller(), WorkloadKind::DaemonSet) {
            self.expectations.with(|e| e.deletion_observed(ds.id));
            self.core.queue.add(ds.id);
        }
    }

    /// `syncNodeUpdate`
    fn sync_node_update(&self, id: NodeId) {
        let Some(node) = self.core.informers.node(id) else { return };
        let here = self.core.informers.pods_on(id);
        for ds in self.core.informers.workloads(WorkloadKind::DaemonSet) {
            let ShouldRun { run, stay } = self.censuses.should_run(&ds, &node);
            let scheduled =
                here.iter().any(|p| p.controller().is_some_and(|(owner, _)| owner == ds.id));
            if run && !scheduled || scheduled && (!stay || ds.status.misscheduled > 0) {
                self.core.queue.add(ds.id);
            }
        }
    }

    /// `syncDaemonSet`
    async fn sync_daemon_set(self: &Rc<Self>, id: WorkloadId) -> ApiResult {
        let Some(ds) = self.core.to_sync(id)? else {
            self.expectations.with(|e| e.forget(id));
            self.censuses.forget(id);
            return Ok(());
        };
        if ds.is_terminating() {
            self.core.informers.reads_all(Resource::Nodes);
            return Ok(());
        }
        self.censuses.begin(&ds);
        self.core.ctx.set_saw(ds.record);
        self.core.ensure_revision(&ds).await?;
        let now = self.core.ctx.now();
        if !self.expectations.with(|e| e.satisfied(id, now)) {
            // The controller has not dealt with this generation yet.
            return self.update_status(&ds, false).await;
        }
        let managed = self.manage(&ds).await;
        if managed.is_err() && !self.switches.status_after_error {
            return managed;
        }
        let written = self.update_status(&ds, true).await;
        managed.and(written)
    }

    /// `manage`: finds the nodes that lack a pod and the pods that are too many, and sees to both.
    async fn manage(self: &Rc<Self>, ds: &Rc<Workload>) -> ApiResult {
        let (mut needing, mut doomed) = (Vec::new(), Vec::new());
        self.censuses.with_census(ds, |census| {
            for (node, ShouldRun { stay, .. }, here) in census.wanting() {
                let here = self.censuses.pods_among(here);
                if here.is_empty() {
                    needing.push(node);
                } else if stay {
                    self.pods_to_drop(ds, node, here, &mut doomed);
                } else {
                    doomed.extend(here.into_iter().filter(|p| !p.is_terminating()));
                }
            }
            // A pod that waits for a node that is gone would wait for ever.
            let stranded = census.stranded().flat_map(|here| self.censuses.pods_among(here));
            doomed.extend(stranded.filter(|p| p.node.is_none()));
        });
        self.core.ctx.order(self.order_point, &mut needing, |n| self.core.client.node_object(*n));
        self.sync_nodes(ds, needing, doomed).await
    }

    /// The pods of a node that are to go although the node suits: those that ended, and all but the
    /// oldest of the others (`podsShouldBeOnNode`).
    fn pods_to_drop(
        &self,
        ds: &Workload,
        node: NodeId,
        here: Vec<Rc<Pod>>,
        doomed: &mut Vec<Rc<Pod>>,
    ) {
        let mut running = Vec::new();
        for pod in here.into_iter().filter(|p| !p.is_terminating()) {
            match pod.phase {
                PodPhase::Failed => match self.in_backoff(ds, node) {
                    Some(delay) => self.core.queue.add_after(delay, ds.id),
                    None => {
                        self.tell_of_ended(ds, &pod, node, EventText::FailedDaemonPod);
                        doomed.push(pod);
                    }
                },
                PodPhase::Succeeded if self.switches.replaces_succeeded => {
                    self.tell_of_ended(ds, &pod, node, EventText::SucceededDaemonPod);
                    doomed.push(pod);
                }
                _ => running.push(pod),
            }
        }
        self.censuses.sort_oldest_first(&mut running);
        doomed.extend(running.into_iter().skip(1));
    }

    /// The whole length of the back-off of a node's failed pods while it lasts; otherwise the next,
    /// longer one begins (`flowcontrol.Backoff`).
    fn in_backoff(&self, ds: &Workload, node: NodeId) -> Option<Dur> {
        let (now, key) = (self.core.ctx.now(), (ds.uid, ds.status.observed_generation, node));
        self.failed_pods_backoff.with(|all| {
            let last = all.get(&key).copied();
            let next = match last.filter(|(_, since)| now.since(*since) <= LONGEST_BACKOFF * 2) {
                Some((length, since)) if now.since(since) < length => return Some(length),
                Some((length, _)) => (length * 2).min(LONGEST_BACKOFF),
                None => BACKOFF,
            };
            all.insert(key, (next, now));
            None
        })
    }

    /// `syncNodes`: creations in batches of growing size, then deletions side by side.
    async fn sync_nodes(
        self: &Rc<Self>,
        ds: &Rc<Workload>,
        mut needing: Vec<NodeId>,
        mut doomed: Vec<Rc<Pod>>,
    ) -> ApiResult {
        needing.truncate(BURST_REPLICAS);
        doomed.truncate(BURST_REPLICAS);
        let (creations, deletions) = (needing.len(), doomed.len());
        let now = self.core.ctx.now();
        self.expectations.with(|e| e.expect(ds.id, creations, deletions, now));
        let (sync, owner) = (self.clone(), ds.clone());
        let work = move |i: usize| {
            let (sync, owner, node) = (sync.clone(), owner.clone(), needing[i]);
            async move {
                let template = sync.censuses.pinned_template(&owner, node);
                sync.core.create_pod_from(&owner, template, false).await
            }
        };
        let (created, result) = slow_start_batch(&self.core, creations, |_| false, work).await;
        for _ in created..creations {
            self.expectations.with(|e| e.creation_observed(ds.id));
        }
        let failed = Rc::new(Shared::new(None));
        let (sync, owner, first) = (self.clone(), ds.clone(), failed.clone());
        if deletions > 0 {
            go_all(&self.core.ctx, self.core.group, deletions, move |i| {
                let (sync, owner, pod, first) =
                    (sync.clone(), owner.clone(), doomed[i].clone(), first.clone());
                async move {
                    if let Err(e) = sync.core.delete_pod(&owner, &pod).await {
                        sync.expectations.with(|x| x.deletion_observed(owner.id));
                        if e != ApiError::NotFound {
                            first.with(|f| *f = f.or(Some(e)));
                        }
                    }
                }
            })
            .await;
        }
        result.and(failed.with(|f| f.map_or(Ok(()), Err)))
    }

    /// `updateDaemonSetStatus`
    async fn update_status(&self, ds: &Rc<Workload>, dealt_with: bool) -> ApiResult {
        let numbers = self.censuses.with_census(ds, DaemonCensus::numbers).unwrap_or_default();
        let status = WorkloadStatus {
            replicas: numbers.scheduled,
            ready: numbers.ready,
            available: numbers.available,
            desired: numbers.desired,
            misscheduled: numbers.misscheduled,
            ..ds.status.clone()
        };
        let apart = status.ready != status.available;
        self.store_status(ds, status, dealt_with).await?;
        if ds.min_ready_seconds > 0 && apart {
            self.core.queue.add_after(seconds(ds.min_ready_seconds), ds.id);
        }
        Ok(())
    }

    /// `storeDaemonSetStatus`: a write that would change nothing is left out; one that fails is
    /// tried once more.
    async fn store_status(
        &self,
        ds: &Rc<Workload>,
        mut status: WorkloadStatus,
        dealt_with: bool,
    ) -> ApiResult {
        if status == ds.status && ds.status.observed_generation >= ds.generation {
            return Ok(());
        }
        if dealt_with {
            status.observed_generation = ds.generation;
        }
        self.core.write_status_again(ds, status).await
    }

    fn tell_of_ended(&self, ds: &Workload, pod: &Pod, node: NodeId, text: EventText) {
        let (how, end) = match text {
            EventText::FailedDaemonPod => ("failed", "kill"),
            _ => ("succeeded", "delete"),
        };
        let words = self.core.client.api().names(|n| {
            let (pod, node) = (n.pod_name(pod.id), n.node_name(node));
            format!("Found {how} daemon pod {pod} on node {node}, will try to {end} it")
        });
        self.core.tell_words(ds, text, &words);
    }
}

impl ResourceEventHandler<Workload> for DaemonSetController {
    /// `addDaemonset`, `updateDaemonset`, `deleteDaemonset`
    fn on_change(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        let Some(ds) = new.or(old) else { return };
        if old.is_some_and(|o| new.is_none_or(|n| n.uid != o.uid)) {
            self.expectations.with(|e| e.forget(ds.id));
        }
        self.core.queue.add(ds.id);
    }
}

impl ResourceEventHandler<Pod> for DaemonSetController {
    fn cached(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        self.censuses.pod_changed(old, new);
    }

    /// `addPod`, `updatePod`, `deletePod`: the start of a deletion counts as the deletion.
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let (before, now) = match (old, new) {
            (Some(old), None) => return self.pod_deleted(old),
            (_, Some(new)) if new.is_terminating() => return self.pod_deleted(new),
            (old, Some(new)) => (old, new),
            (None, None) => return,
        };
        let Some(ds) = self.core.resolve(now.controller(), WorkloadKind::DaemonSet) else { return };
        if before.is_none_or(|b| b.uid != now.uid) {
            self.expectations.with(|e| e.creation_observed(ds.id));
        }
        self.core.queue.add(ds.id);
        if before.is_some_and(|b| !b.is_ready()) && now.is_ready() && ds.min_ready_seconds > 0 {
            // The second on top is for clocks that are apart.
            let wait = seconds(ds.min_ready_seconds) + Dur::from_secs(1);
            self.core.queue.add_after(wait, ds.id);
        }
    }
}

/// Whether a change of a node concerns DaemonSets: labels and taints do, and nothing else.
fn counts(old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) -> bool {
    old.zip(new).is_none_or(|(o, n)| o.labels != n.labels || o.taints != n.taints)
}

impl ResourceEventHandler<Node> for DaemonSetController {
    fn cached(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let Some(node) = new.or(old).filter(|_| counts(old, new)) {
            self.censuses.node_changed(node.id);
        }
    }

    /// `addNode`, `updateNode`. A node that goes concerns the collector.
    fn on_change(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if !counts(old, new) {
            return;
        }
        let Some(new) = new else { return };
        if self.switches.node_queue {
            return self.node_queue.add(new.id);
        }
        for ds in self.core.informers.workloads(WorkloadKind::DaemonSet) {
            let now = self.censuses.should_run(&ds, new);
            if old.map_or(now.run, |o| self.censuses.should_run(&ds, o) != now) {
                self.core.queue.add(ds.id);
            }
        }
    }
}
