//! What a sync of a DaemonSet does (`daemon_controller.go: syncDaemonSet`, `manage`, `syncNodes`,
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

/// Pods that one sync creates, and deletes, at the most (`BurstReplicas`).
const BURST_REPLICAS: usize = 250;
/// The back-off of the deletion of failed pods (`app/apps.go: startDaemonSetController`); it starts
/// over after twice the longest.
const BACKOFF: Dur = Dur::from_secs(1);
const LONGEST_BACKOFF: Dur = Dur::from_secs(15 * 60);

/// Back-off of the deletion of failed pods: its length and when it began.
type Backoff = (Dur, Time);

/// Brings a DaemonSet's pods to what it asks for, and its status to what was found.
pub(super) struct DaemonSetSync {
    core: Rc<Core>,
    switches: DaemonSetSwitches,
    pub(super) expectations: Shared<ControllerExpectations>,
    pub(super) censuses: DaemonCensuses,
    /// By life of the DaemonSet, the generation that its status is of, and node.
    failed_pods_backoff: Shared<BTreeMap<(Uid, i64, NodeId), Backoff>>,
    order_point: PointId,
}

impl DaemonSetSync {
    /// No DaemonSet was synced yet.
    pub(super) fn new(core: &Rc<Core>, switches: DaemonSetSwitches) -> Rc<Self> {
        Rc::new(DaemonSetSync {
            expectations: Shared::default(),
            censuses: DaemonCensuses::new(core, switches),
            failed_pods_backoff: Shared::new(BTreeMap::new()),
            order_point: core.ctx.point("daemonset-node-order"),
            core: core.clone(),
            switches,
        })
    }

    /// `syncDaemonSet`
    pub(super) async fn sync_daemon_set(self: &Rc<Self>, id: WorkloadId) -> ApiResult {
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
            doomed.extend(
                census
                    .stranded()
                    .flat_map(|here| self.censuses.pods_among(here))
                    .filter(|p| p.node.is_none()),
            );
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
                PodPhase::Failed => {
                    if let Some(delay) = self.in_backoff(ds, node) {
                        self.core.queue.add_after(delay, ds.id);
                        continue;
                    }
                    self.tell_of_ended(
                        ds,
                        &pod,
                        node,
                        EventText::FailedDaemonPod,
                        "failed",
                        "kill",
                    );
                    doomed.push(pod);
                }
                PodPhase::Succeeded if self.switches.replaces_succeeded => {
                    self.tell_of_ended(
                        ds,
                        &pod,
                        node,
                        EventText::SucceededDaemonPod,
                        "succeeded",
                        "delete",
                    );
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
        let now = self.core.ctx.now();
        self.failed_pods_backoff.with(|all| {
            let fresh = all
                .get(&(ds.uid, ds.status.observed_generation, node))
                .filter(|(_, since)| now.since(*since) <= LONGEST_BACKOFF * 2);
            let next = match fresh.copied() {
                Some((length, since)) if now.since(since) < length => return Some(length),
                Some((length, _)) => (length * 2).min(LONGEST_BACKOFF),
                None => BACKOFF,
            };
            all.insert((ds.uid, ds.status.observed_generation, node), (next, now));
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
                let pods = &sync.core.pods;
                pods.create_pod_from(&owner, template, false).await
            }
        };
        let (created, result) =
            slow_start_batch(&self.core.ctx, self.core.group, creations, work).await;
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
                    if let Err(e) = sync.core.pods.delete_pod(&owner, &pod).await {
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

    fn tell_of_ended(
        &self,
        ds: &Workload,
        pod: &Pod,
        node: NodeId,
        text: EventText,
        how: &str,
        end: &str,
    ) {
        let words = self.core.client.api().names(|n| {
            format!(
                "Found {how} daemon pod {} on node {}, will try to {end} it",
                n.pod_name(pod.id),
                n.node_name(node)
            )
        });
        self.core.pods.tell_words(ds, text, &words);
    }
}
