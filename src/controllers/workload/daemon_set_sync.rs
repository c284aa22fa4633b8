//! What a sync of a DaemonSet does (`daemon_controller.go: syncDaemonSet`, `manage`, `syncNodes`, `updateDaemonSetStatus`).
//!
//! A pod that is being deleted holds its node: there is no second one until it is gone. Left out: rolling updates and surge.

use super::daemon_pods::{ShouldRun, pinned_name};
use super::daemon_set::{DaemonSetController, Expected};
use super::slow_start::slow_start_batch;
use crate::api::names::{NodeId, WorkloadId};
use crate::api::node::Node;
use crate::api::pod::{Pod, PodPhase};
use crate::api::workload::{Workload, WorkloadStatus};
use crate::apiserver::ApiError;
use crate::client::{Resource, go_all};
use crate::kernel::{Dur, Object, Shared};
use crate::trace::EventText;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Pods that one sync creates, and deletes, at the most (`BurstReplicas`).
const BURST_REPLICAS: usize = 250;
/// Tries of a status update beyond the first (`StatusUpdateRetries`).
const STATUS_UPDATE_RETRIES: u32 = 1;
/// The back-off of the deletion of failed pods (`app/apps.go: startDaemonSetController`); it starts over after twice the longest.
const BACKOFF: Dur = Dur::from_secs(1);
const LONGEST_BACKOFF: Dur = Dur::from_secs(15 * 60);

type PodsByNode = BTreeMap<NodeId, Vec<Rc<Pod>>>;

impl DaemonSetController {
    /// `syncDaemonSet`
    pub(super) async fn sync_daemon_set(&self, id: WorkloadId) -> Result<(), ApiError> {
        if !self.pods.written.is_seen(id, &self.informers) {
            return Err(ApiError::Conflict);
        }
        let Some(ds) = self.informers.workload(id) else {
            self.expected.with(|all| all.remove(&id));
            self.pods.written.forget(id);
            return Ok(());
        };
        let nodes = self.informers.nodes();
        if ds.deleting {
            return Ok(());
        }
        self.ctx.set_saw(ds.record);
        let uid = ds.uid;
        if !self.pods.client.api().has_revision(id, uid) {
            self.pods.client.call(self.pods.object(&ds), move |api, _| api.create_revision(id, uid)).await?;
        }
        if !self.satisfied(id) {
            // The controller has not dealt with this generation yet.
            return self.update_status(&ds, &nodes, false).await;
        }
        let managed = self.manage(&ds, &nodes).await;
        if managed.is_err() && !self.switches.status_after_error {
            return managed;
        }
        let written = self.update_status(&ds, &nodes, true).await;
        managed.and(written)
    }

    /// `getNodesToDaemonPods`: by the node they are on or pinned to.
    fn nodes_to_daemon_pods(&self, ds: &Workload) -> PodsByNode {
        let mut out = PodsByNode::new();
        for pod in self.informers.pods_of(ds.id) {
            let ended = pod.phase.is_terminal() && pod.is_terminating();
            if pod.controller().is_none_or(|(_, uid)| uid != ds.uid) || self.switches.ended_pods_make_room && ended {
                continue;
            }
            let pinned = || self.pods.client.api().names(|n| n.find_node(pinned_name(&pod.template)?));
            if let Some(node) = pod.node.or_else(pinned) {
                out.entry(node).or_default().push(pod);
            }
        }
        out
    }

    /// `manage`: finds the nodes that lack a pod and the pods that are too many, and sees to both.
    async fn manage(&self, ds: &Rc<Workload>, nodes: &[Rc<Node>]) -> Result<(), ApiError> {
        let mut pods = self.nodes_to_daemon_pods(ds);
        let (mut needing, mut doomed) = (Vec::new(), Vec::new());
        for node in nodes {
            let here = pods.remove(&node.id);
            let ShouldRun { run, stay } = self.should_run(ds, node);
            match here {
                None if run => needing.push(node.id),
                None => {}
                Some(here) if stay => self.pods_to_drop(ds, node.id, here, &mut doomed),
                Some(here) => doomed.extend(here.into_iter().filter(|p| !p.is_terminating())),
            }
        }
        // A pod that waits for a node that is gone would wait for ever.
        doomed.extend(pods.into_values().flatten().filter(|p| p.node.is_none()));
        self.ctx.order(self.order_point, &mut needing, |n| self.node_object(*n));
        self.sync_nodes(ds, needing, doomed).await
    }

    /// The pods of a node that are to go although the node suits: those that ended, and all but the oldest of the others
    /// (`podsShouldBeOnNode`).
    fn pods_to_drop(&self, ds: &Workload, node: NodeId, here: Vec<Rc<Pod>>, doomed: &mut Vec<Rc<Pod>>) {
        let mut running = Vec::new();
        for pod in here.into_iter().filter(|p| !p.is_terminating()) {
            match pod.phase {
                PodPhase::Failed => {
                    if let Some(delay) = self.in_backoff(ds, node) {
                        self.queue.add_after(self.group, delay, super::item::Item(ds.id));
                        continue;
                    }
                    self.tell_of_ended(ds, &pod, node, EventText::FailedDaemonPod, "failed", "kill");
                    doomed.push(pod);
                }
                PodPhase::Succeeded if self.switches.replaces_succeeded => {
                    self.tell_of_ended(ds, &pod, node, EventText::SucceededDaemonPod, "succeeded", "delete");
                    doomed.push(pod);
                }
                _ => running.push(pod),
            }
        }
        self.sort_oldest_first(&mut running);
        doomed.extend(running.into_iter().skip(1));
    }

    /// The whole length of the back-off of a node's failed pods while it lasts; otherwise the next, longer one begins
    /// (`flowcontrol.Backoff`).
    fn in_backoff(&self, ds: &Workload, node: NodeId) -> Option<Dur> {
        let now = self.ctx.now();
        self.failed_pods_backoff.with(|all| {
            let fresh =
                all.get(&(ds.uid, ds.status.observed_generation, node)).filter(|(_, since)| now.since(*since) <= LONGEST_BACKOFF * 2);
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
    async fn sync_nodes(&self, ds: &Rc<Workload>, mut needing: Vec<NodeId>, mut doomed: Vec<Rc<Pod>>) -> Result<(), ApiError> {
        needing.truncate(BURST_REPLICAS);
        doomed.truncate(BURST_REPLICAS);
        let (creations, deletions) = (needing.len(), doomed.len());
        let expected = Expected { creations: creations as i64, deletions: deletions as i64, since: self.ctx.now() };
        self.expected.with(|all| all.insert(ds.id, expected));
        let (me, owner) = (self.me.clone(), ds.clone());
        let work = move |i: usize| {
            let (me, owner, node) = (me.upgrade(), owner.clone(), needing[i]);
            async move {
                let Some(c) = me else { return Ok(()) };
                let name = c.pods.client.api().names(|n| n.node_name(node).to_owned());
                let template = c.with_template(&owner, |t| t.pinned_to(node, &name));
                c.pods.create_pod_from(&owner, template, false).await
            }
        };
        let (created, result) = slow_start_batch(&self.ctx, self.group, creations, work).await;
        self.observe(ds.id, |e| e.creations -= (creations - created) as i64);
        let failed = Rc::new(Shared::new(None));
        let (me, owner, first) = (self.me.clone(), ds.clone(), failed.clone());
        if deletions > 0 {
            go_all(&self.ctx, self.group, deletions, move |i| {
                let (me, owner, pod, first) = (me.upgrade(), owner.clone(), doomed[i].clone(), first.clone());
                async move {
                    let Some(c) = me else { return };
                    if let Err(e) = c.pods.delete_pod(&owner, &pod).await {
                        c.observe(owner.id, |x| x.deletions -= 1);
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
    async fn update_status(&self, ds: &Rc<Workload>, nodes: &[Rc<Node>], dealt_with: bool) -> Result<(), ApiError> {
        let mut pods = self.nodes_to_daemon_pods(ds);
        let now = self.ctx.now();
        let blank = WorkloadStatus { replicas: 0, ready: 0, available: 0, desired: 0, misscheduled: 0, ..ds.status.clone() };
        let mut status = blank;
        for node in nodes {
            let run = self.should_run(ds, node).run;
            let here = pods.get_mut(&node.id);
            status.desired += i32::from(run);
            let Some(here) = here else { continue };
            if !run {
                status.misscheduled += 1;
                continue;
            }
            status.replicas += 1;
            self.sort_oldest_first(here);
            status.ready += i32::from(here[0].is_ready());
            status.available += i32::from(here[0].is_available(ds.min_ready_seconds, now));
        }
        let apart = status.ready != status.available;
        self.store_status(ds, status, dealt_with).await?;
        if ds.min_ready_seconds > 0 && apart {
            let wait = Dur::from_secs(u64::try_from(ds.min_ready_seconds).unwrap_or_default());
            self.queue.add_after(self.group, wait, super::item::Item(ds.id));
        }
        Ok(())
    }

    /// `storeDaemonSetStatus`: a write that would change nothing is left out; one that fails is tried once more.
    async fn store_status(&self, ds: &Rc<Workload>, mut status: WorkloadStatus, dealt_with: bool) -> Result<(), ApiError> {
        if status == ds.status && ds.status.observed_generation >= ds.generation {
            return Ok(());
        }
        if dealt_with {
            status.observed_generation = ds.generation;
        }
        let (about, id) = (self.pods.object(ds), ds.id);
        let (mut read, mut tries) = (ds.clone(), 0);
        loop {
            let status = status.clone();
            match self.pods.client.call(about, move |api, actor| api.update_workload_status(actor, &read, status)).await {
                Ok(new) => {
                    self.pods.written.wrote_at(ds, Resource::DaemonSets, new.resource_version);
                    return Ok(());
                }
                Err(e) if tries == STATUS_UPDATE_RETRIES => return Err(e),
                Err(_) => {}
            }
            tries += 1;
            read = self.pods.client.call(about, move |api, _| api.workload(id).ok_or(ApiError::NotFound)).await?;
        }
    }

    /// `podByCreationTimestampAndPhase`: those on a node first, then by age and name.
    fn sort_oldest_first(&self, pods: &mut [Rc<Pod>]) {
        if pods.len() > 1 {
            let key = |p: &Rc<Pod>| (p.node.is_none(), p.creation_timestamp);
            self.pods.client.api().names(|n| pods.sort_by_cached_key(|p| (key(p), n.pod_name(p.id).to_owned())));
        }
    }

    fn tell_of_ended(&self, ds: &Workload, pod: &Pod, node: NodeId, text: EventText, how: &str, end: &str) {
        let words = self
            .pods
            .client
            .api()
            .names(|n| format!("Found {how} daemon pod {} on node {}, will try to {end} it", n.pod_name(pod.id), n.node_name(node)));
        self.pods.tell_words(ds, text, &words);
    }

    fn node_object(&self, node: NodeId) -> Object {
        Object { id: node.0, hash: self.pods.client.api().names(|n| n.node_hash(node)) }
    }
}
