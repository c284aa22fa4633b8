//! DaemonSets (`pkg/controller/daemon/daemon_controller.go`, v1.34): the queues, their workers, what
//! makes a DaemonSet wait in them, and what a sync does (`syncDaemonSet`, `manage`, `syncNodes`,
//! `updateDaemonSetStatus`).
//!
//! A pod that is being deleted holds its node: there is no second one until it is gone. Left out:
//! rolling updates and surge.
//!
//! Between its syncs the template of its pods and its census are known of every DaemonSet.

use super::daemon_backoff::FailedPodsBackoff;
use super::daemon_census::DaemonCensus;
use super::daemon_pods::{DaemonTemplate, lacking};
use super::expectations::Expectations;
use crate::client::go_all;
use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::DaemonSetSwitches;

/// `--concurrent-daemonset-syncs`; as many workers look at nodes, too.
const WORKERS: usize = 2;

/// Pods that one sync creates, and deletes, at the most (`BurstReplicas`).
const BURST_REPLICAS: usize = 250;
/// The DaemonSet controller.
pub(crate) struct DaemonSetController {
    core: Rc<Core>,
    switches: DaemonSetSwitches,
    node_queue: WorkQueue<NodeId>,
    expectations: Shared<Expectations<i64>>,
    templates: Shared<BTreeMap<WorkloadId, DaemonTemplate>>,
    /// Of the DaemonSets that were synced.
    censuses: Shared<BTreeMap<WorkloadId, DaemonCensus>>,
    failed_pods_backoff: Shared<FailedPodsBackoff>,
}

impl DaemonSetController {
    /// A controller that hears of DaemonSets, pods and nodes but does not run yet.
    pub(crate) fn new(switches: DaemonSetSwitches, context: ControllerContext) -> Rc<Self> {
        let core = Core::new(context, switches.waits_for_own_writes, RateLimiter::default());
        let controller = Rc::new(DaemonSetController {
            node_queue: WorkQueue::new(&core.ctx, core.group),
            expectations: Shared::default(),
            templates: Shared::default(),
            censuses: Shared::default(),
            failed_pods_backoff: Shared::default(),
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
            let ShouldRun { run, stay, .. } = self.should_run(&ds, &node);
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
            self.forget_census(id);
            return Ok(());
        };
        if ds.is_terminating() {
            self.core.informers.reads_all(Resource::Nodes);
            return Ok(());
        }
        self.begin_census(&ds);
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
        let (mut needing, mut doomed, mut failed) = (Vec::new(), Vec::new(), false);
        self.tell_suspended(ds);
        self.with_census(ds, |census| {
            for (node, ShouldRun { stay, .. }, here) in census.wanting() {
                let here = self.pods_among(here);
                if here.is_empty() {
                    needing.push(node);
                } else if stay {
                    failed |= self.pods_to_drop(ds, node, here, &mut doomed);
                } else {
                    doomed.extend(here.into_iter().filter(|p| !p.is_terminating()));
                }
            }
            // A pod that waits for a node that is gone would wait for ever.
            let stranded = census.stranded().flat_map(|here| self.pods_among(here));
            doomed.extend(stranded.filter(|p| p.node.is_none()));
        });
        let ctx = &self.core.ctx;
        let order = ctx.point("daemonset-node-order");
        ctx.order(order, &mut needing, |n| self.core.client.node_object(*n));
        self.sync_nodes(ds, needing, doomed).await?;
        // "deleted %d failed pods": the rate limiter of the queue keeps it from a hot loop.
        if failed && !self.switches.backs_off { Err(ApiError::Conflict) } else { Ok(()) }
    }

    /// Says what those nodes lack that are to have a pod; that nodes which change have it said, too (`updateNode`), is left out.
    fn tell_suspended(&self, ds: &Workload) {
        if self.switches.scheduled {
            return;
        }
        let nodes = self.with_census(ds, |c| c.suspended().clone()).unwrap_or_default();
        for node in nodes.into_iter().filter_map(|id| self.core.informers.node(id)) {
            let Some(why) = lacking(&ds.template, &node, &self.others_on(ds, node.id)) else {
                continue;
            };
            let name = self.core.client.api().names(|n| n.node_name(node.id).to_owned());
            let words = format!("failed to place pod on {name:?}: {why}");
            self.core.tell_words(ds, EventText::FailedPlacement, &words);
        }
    }

    /// The pods of a node that are to go although the node suits: those that ended, and all but the
    /// oldest of the others (`podsShouldBeOnNode`). Whether one had failed.
    fn pods_to_drop(
        &self,
        ds: &Workload,
        node: NodeId,
        here: Vec<Rc<Pod>>,
        doomed: &mut Vec<Rc<Pod>>,
    ) -> bool {
        let (mut running, mut failed) = (Vec::new(), false);
        for pod in here.into_iter().filter(|p| !p.is_terminating()) {
            match pod.phase {
                PodPhase::Failed => match self.in_backoff(ds, node) {
                    Some(delay) => self.core.queue.add_after(delay, ds.id),
                    None => {
                        failed = true;
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
        self.sort_oldest_first(&mut running);
        doomed.extend(running.into_iter().skip(1));
        failed
    }

    /// The whole length of the back-off of a node's failed pods while it lasts; up to 1.11 there is none.
    fn in_backoff(&self, ds: &Workload, node: NodeId) -> Option<Dur> {
        let (now, key) = (self.core.ctx.now(), (ds.uid, ds.status.observed_generation, node));
        self.switches.backs_off.then(|| self.failed_pods_backoff.with(|b| b.is_in(now, key)))?
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
        self.expectations.with(|e| e.expect(ds.id, creations, deletions as i64, now));
        let (sync, owner) = (self.clone(), ds.clone());
        let work = move |i: usize| {
            let (sync, owner, node) = (sync.clone(), owner.clone(), needing[i]);
            async move {
                let template = sync.template_on(&owner, node);
                let on = owner.pinned.or((!sync.switches.scheduled).then_some(node));
                sync.core.create_pod_from(&owner, template, on, false).await
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
        let numbers = self.with_census(ds, DaemonCensus::numbers).unwrap_or_default();
        self.tell_suspended(ds);
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

    /// What a DaemonSet makes of a node.
    fn should_run(&self, ds: &Workload, node: &Node) -> ShouldRun {
        let others = (!self.switches.scheduled).then(|| self.others_on(ds, node.id));
        self.core.client.api().names(|n| {
            let (name, comparison_operators) =
                (n.node_name(node.id), self.switches.comparison_operators);
            let others = others.as_deref();
            self.with_template(ds, |t| t.should_run(ds, node, name, comparison_operators, others))
        })
    }

    /// The pods of a node beside a DaemonSet's own, but for those that have ended (`simulate`).
    fn others_on(&self, ds: &Workload, node: NodeId) -> Vec<Rc<Pod>> {
        let mut pods = self.core.informers.pods_on(node);
        pods.retain(|p| !p.phase.is_terminal() && p.controller().is_none_or(|c| c.1 != ds.uid));
        pods
    }

    /// `requeueSuspendedDaemonPods`: a pod that is gone leaves room on its node.
    fn requeue_suspended(&self, pod: &Pod) {
        let other = || self.core.resolve(pod.controller(), WorkloadKind::DaemonSet).is_none();
        let Some(node) = pod.node.filter(|_| !self.switches.scheduled && other()) else { return };
        let waits = |(_, c): &(&WorkloadId, &DaemonCensus)| c.suspended().contains(&node);
        let sets: Vec<WorkloadId> =
            self.censuses.with(|all| all.iter().filter(waits).map(|(ds, _)| *ds).collect());
        sets.into_iter().for_each(|ds| self.core.queue.add_rate_limited(ds));
    }

    /// The template of a DaemonSet's pod on a node.
    fn template_on(&self, ds: &Workload, node: NodeId) -> Rc<PodTemplate> {
        self.core.client.api().names(|n| {
            let name = self.switches.scheduled.then(|| n.node_name(node));
            self.with_template(ds, |t| t.on(node, name))
        })
    }

    /// The template of a DaemonSet's pods, made anew when the DaemonSet's has changed.
    fn with_template<R>(&self, ds: &Workload, f: impl FnOnce(&mut DaemonTemplate) -> R) -> R {
        self.templates.with(|all| {
            let template = all.entry(ds.id).or_insert_with(|| DaemonTemplate::new(ds));
            if !template.is_of(ds) {
                *template = DaemonTemplate::new(ds);
            }
            f(template)
        })
    }

    /// The node that a pod is on, or pinned to.
    fn node_of(&self, pod: &Pod) -> Option<NodeId> {
        pod.node.or_else(|| {
            self.core.client.api().names(|n| n.find_node(pod.template.target_node_name()?))
        })
    }

    /// The census of a DaemonSet, its nodes as they are now: a sync that has begun keeps to them.
    fn begin_census(&self, ds: &Workload) {
        let informers = &self.core.informers;
        informers.reads_all(Resource::Nodes);
        if self.censuses.with(|all| all.get(&ds.id).is_none_or(|c| c.uid != ds.uid)) {
            let mut census = DaemonCensus::new(ds.uid, self.switches);
            for pod in informers.pods_of(ds.id) {
                census.pod_changed(None, Some(&pod), |p| self.node_of(p));
            }
            self.censuses.with(|all| all.insert(ds.id, census));
        }
        let should = |id| Some(self.should_run(ds, &*informers.node(id)?));
        self.censuses.with(|all| {
            if let Some(census) = all.get_mut(&ds.id) {
                census.take_nodes(ds, || informers.nodes().iter().map(|n| n.id).collect(), should);
            }
        });
    }

    /// Tells the censuses of the DaemonSets that it may concern of a change of a pod.
    fn pod_changed(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let owner = |p: &Rc<Pod>| p.controller().map(|(owner, _)| owner);
        let (was, is) = (old.and_then(owner), new.and_then(owner));
        for (owner, old, new) in if was == is {
            [(is, old, new), (None, None, None)]
        } else {
            [(was, old, None), (is, None, new)]
        } {
            let Some(owner) = owner else { continue };
            self.censuses.with(|all| {
                if let Some(census) = all.get_mut(&owner) {
                    let (old, new) = (old.map(|p| &**p), new.map(|p| &**p));
                    census.pod_changed(old, new, |p| self.node_of(p));
                }
            });
        }
    }

    /// The census of a DaemonSet, its pods as they are now.
    fn with_census<R>(&self, ds: &Workload, f: impl FnOnce(&DaemonCensus) -> R) -> Option<R> {
        self.core.informers.reads_all(Resource::Pods);
        let (names, now) = (self.core.client.api(), self.core.ctx.now());
        let find = |id| {
            names.names(|n| n.find_node(self.core.informers.pod(id)?.template.target_node_name()?))
        };
        let oldest_first = |ids: &[PodId]| {
            let mut pods = self.pods_among(ids);
            self.sort_oldest_first(&mut pods);
            pods
        };
        self.censuses.with(|all| {
            let census = all.get_mut(&ds.id)?;
            let is_available = |p: &Pod| p.is_available(ds.min_ready_seconds, now);
            census.take_pods(find, oldest_first, is_available);
            Some(f(census))
        })
    }

    /// Those of these pods that are in the cache.
    fn pods_among(&self, ids: &[PodId]) -> Vec<Rc<Pod>> {
        ids.iter().filter_map(|id| self.core.informers.pod(*id)).collect()
    }

    /// `podByCreationTimestampAndPhase`: those on a node first, then by age and name.
    fn sort_oldest_first(&self, pods: &mut [Rc<Pod>]) {
        if pods.len() > 1 {
            let key = |p: &Rc<Pod>| (p.node.is_none(), p.creation_timestamp);
            let api = self.core.client.api();
            api.names(|n| pods.sort_by_cached_key(|p| (key(p), n.pod_name(p.id).to_owned())));
        }
    }

    /// A node came, went, or has other labels or taints.
    fn node_changed(&self, node: NodeId) {
        self.censuses.with(|all| all.values_mut().for_each(|c| c.node_changed(node)));
    }

    /// The DaemonSet is gone.
    fn forget_census(&self, ds: WorkloadId) {
        self.censuses.with(|all| all.remove(&ds));
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
        self.pod_changed(old, new);
    }

    /// `addPod`, `updatePod`, `deletePod`: the start of a deletion counts as the deletion.
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let (before, now) = match (old, new) {
            (Some(old), None) => {
                self.requeue_suspended(old);
                return self.pod_deleted(old);
            }
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
            self.node_changed(node.id);
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
            let now = self.should_run(&ds, new);
            if old.map_or(now.run, |o| self.should_run(&ds, o) != now) {
                self.core.queue.add(ds.id);
            }
        }
    }
}
