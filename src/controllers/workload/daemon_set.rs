//! DaemonSets (`pkg/controller/daemon/daemon_controller.go`, v1.34): the queues, their workers, and
//! what makes a DaemonSet wait in them.
//!
//! What a sync does is in [`super::daemon_set_sync`].

use super::core::Core;
use super::daemon_census::{DaemonCensus, Rules};
use super::daemon_pods::{DaemonTemplate, ShouldRun, pinned_name};
use super::item::{Item, NodeItem};
use crate::api::meta::Uid;
use crate::api::names::{NodeId, WorkloadId};
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::api::workload::{Workload, WorkloadKind};
use crate::client::{
    Client, EventRecorder, InformerFactory, NodeHandler, PodHandler, RateLimiter, Resource,
    WorkQueue, WorkloadHandler,
};
use crate::kernel::{Dur, Group, PointId, Shared, Time};
use crate::plan::switches::workload::DaemonSetSwitches;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

/// `--concurrent-daemonset-syncs`; as many workers look at nodes, too.
const WORKERS: usize = 2;
/// After this long nobody waits any more for what was asked for (`ExpectationsTimeout`).
const EXPECTATIONS_TIMEOUT: Dur = Dur::from_secs(300);

/// Pods that were asked for or deleted and not yet seen to come or go (`ControllerExpectations`). A
/// pod counts as gone when its deletion begins, and once more when it ends: the numbers may fall
/// below zero.
#[derive(Clone, Copy)]
pub(super) struct Expected {
    pub(super) creations: i64,
    pub(super) deletions: i64,
    pub(super) since: Time,
}

/// Back-off of the deletion of failed pods: its length and when it began.
pub(super) type Backoff = (Dur, Time);

/// The DaemonSet controller.
pub(crate) struct DaemonSetController {
    pub(super) me: Weak<DaemonSetController>,
    pub(super) core: Rc<Core>,
    pub(super) switches: DaemonSetSwitches,
    pub(super) expected: Shared<BTreeMap<WorkloadId, Expected>>,
    /// By life of the DaemonSet, the generation that its status is of, and node.
    pub(super) failed_pods_backoff: Shared<BTreeMap<(Uid, i64, NodeId), Backoff>>,
    pub(super) order_point: PointId,
    node_queue: WorkQueue<NodeItem>,
    templates: Shared<BTreeMap<WorkloadId, DaemonTemplate>>,
    /// Of the DaemonSets that were synced.
    pub(super) censuses: Shared<BTreeMap<WorkloadId, DaemonCensus>>,
}

impl DaemonSetController {
    /// A controller that hears of DaemonSets, pods and nodes but does not run yet.
    pub(crate) fn new(
        switches: DaemonSetSwitches,
        client: Client,
        informers: &Rc<InformerFactory>,
        group: Group,
        recorder: EventRecorder,
    ) -> Rc<Self> {
        let ctx = client.api().ctx().clone();
        let core = Core::new(
            client,
            informers,
            group,
            recorder,
            switches.waits_for_own_writes,
            RateLimiter::default(),
        );
        let controller = Rc::new_cyclic(|me| DaemonSetController {
            me: me.clone(),
            core,
            expected: Shared::new(BTreeMap::new()),
            failed_pods_backoff: Shared::new(BTreeMap::new()),
            order_point: ctx.point("daemonset-node-order"),
            node_queue: WorkQueue::new(&ctx),
            templates: Shared::new(BTreeMap::new()),
            censuses: Shared::new(BTreeMap::new()),
            switches,
        });
        informers.on_workload(controller.clone());
        informers.on_pod(controller.clone());
        informers.on_node(controller.clone());
        controller
    }

    /// Starts the workers. `warm`: it has been running for long, so that the DaemonSets that are
    /// there have their revisions.
    pub(crate) fn run(&self, warm: bool) {
        if warm {
            for ds in self.core.informers.workloads(WorkloadKind::DaemonSet) {
                // Creating a revision in the store cannot fail.
                let _ = self.core.pods.client.api().create_revision(ds.id, ds.uid);
            }
        }
        for _ in 0..WORKERS {
            self.core
                .start_worker(&self.me, async |c: &Self, id| c.sync_daemon_set(id).await);
            if !self.switches.node_queue {
                continue;
            }
            let Some(c) = self.me.upgrade() else { return };
            self.core
                .ctx
                .spawn_alike(self.core.ctx.name(), self.core.group, async move {
                    loop {
                        let item = c.node_queue.get().await;
                        c.sync_node_update(item.0);
                        c.node_queue.done(item);
                    }
                });
        }
    }

    /// What a DaemonSet makes of a node.
    pub(super) fn should_run(&self, ds: &Workload, node: &Node) -> ShouldRun {
        self.core.pods.client.api().names(|n| {
            self.with_template(ds, |t| {
                t.should_run(
                    ds,
                    node,
                    n.node_name(node.id),
                    self.switches.comparison_operators,
                )
            })
        })
    }

    /// The template of a DaemonSet's pods, made anew when the DaemonSet's has changed.
    pub(super) fn with_template<R>(
        &self,
        ds: &Workload,
        f: impl FnOnce(&mut DaemonTemplate) -> R,
    ) -> R {
        self.templates.with(|all| {
            let template = all.entry(ds.id).or_insert_with(|| DaemonTemplate::new(ds));
            if !template.is_of(ds) {
                *template = DaemonTemplate::new(ds);
            }
            f(template)
        })
    }

    /// What counts in a census.
    pub(super) fn rules(&self) -> Rules {
        Rules {
            ended_pods_make_room: self.switches.ended_pods_make_room,
            replaces_succeeded: self.switches.replaces_succeeded,
        }
    }

    /// The node that a pod is on, or pinned to.
    pub(super) fn node_of(&self, pod: &Pod) -> Option<NodeId> {
        pod.node.or_else(|| {
            self.core
                .pods
                .client
                .api()
                .names(|n| n.find_node(pinned_name(&pod.template)?))
        })
    }

    /// The census of a DaemonSet, its nodes as they are now: a sync that has begun keeps to them.
    pub(super) fn begin_census(&self, ds: &Workload) {
        let informers = &self.core.informers;
        informers.reads_all(Resource::Nodes);
        if self
            .censuses
            .with(|all| all.get(&ds.id).is_none_or(|c| c.uid != ds.uid))
        {
            let mut census = DaemonCensus::new(ds.uid);
            for pod in informers.pods_of(ds.id) {
                census.pod_changed(None, Some(&pod), &self.rules(), |p| self.node_of(p));
            }
            self.censuses.with(|all| all.insert(ds.id, census));
        }
        let should = |id| Some(self.should_run(ds, &*informers.node(id)?));
        self.censuses.with(|all| {
            if let Some(census) = all.get_mut(&ds.id) {
                census.take_nodes(
                    ds,
                    || informers.nodes().iter().map(|n| n.id).collect(),
                    should,
                );
            }
        });
    }

    fn pod_deleted(&self, pod: &Pod) {
        if let Some(ds) = self.core.resolve(pod.controller(), WorkloadKind::DaemonSet) {
            self.observe(ds.id, |e| e.deletions -= 1);
            self.core.queue.add(Item(ds.id));
        }
    }

    /// Tells the censuses of the DaemonSets that it may concern of a change of a pod.
    fn count(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
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
                    census.pod_changed(old, new, &self.rules(), |p| self.node_of(p));
                }
            });
        }
    }

    /// Notes that something expected was seen, or will not be.
    pub(super) fn observe(&self, ds: WorkloadId, f: impl FnOnce(&mut Expected)) {
        self.expected.with(|all| all.get_mut(&ds).map(f));
    }

    /// `SatisfiedExpectations`
    pub(super) fn satisfied(&self, ds: WorkloadId) -> bool {
        let now = self.core.ctx.now();
        let done = |e: &Expected| {
            e.creations <= 0 && e.deletions <= 0 || now.since(e.since) > EXPECTATIONS_TIMEOUT
        };
        self.expected.with(|all| all.get(&ds).is_none_or(done))
    }

    /// `syncNodeUpdate`
    fn sync_node_update(&self, id: NodeId) {
        let Some(node) = self.core.informers.node(id) else {
            return;
        };
        let here = self.core.informers.pods_on(id);
        for ds in self.core.informers.workloads(WorkloadKind::DaemonSet) {
            let ShouldRun { run, stay } = self.should_run(&ds, &node);
            let scheduled = here
                .iter()
                .any(|p| p.controller().is_some_and(|(owner, _)| owner == ds.id));
            if run && !scheduled || scheduled && (!stay || ds.status.misscheduled > 0) {
                self.core.queue.add(Item(ds.id));
            }
        }
    }
}

impl WorkloadHandler for DaemonSetController {
    /// `addDaemonset`, `updateDaemonset`, `deleteDaemonset`
    fn workload(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        let Some(ds) = new.or(old).filter(|w| w.kind == WorkloadKind::DaemonSet) else {
            return;
        };
        if old.is_some_and(|o| new.is_none_or(|n| n.uid != o.uid)) {
            self.expected.with(|all| all.remove(&ds.id));
        }
        self.core.queue.add(Item(ds.id));
    }
}

impl PodHandler for DaemonSetController {
    /// `addPod`, `updatePod`, `deletePod`: the start of a deletion counts as the deletion.
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        self.count(old, new);
        let (before, now) = match (old, new) {
            (Some(old), None) => return self.pod_deleted(old),
            (_, Some(new)) if new.is_terminating() => return self.pod_deleted(new),
            (old, Some(new)) => (old, new),
            (None, None) => return,
        };
        let Some(ds) = self.core.resolve(now.controller(), WorkloadKind::DaemonSet) else {
            return;
        };
        if before.is_none_or(|b| b.uid != now.uid) {
            self.observe(ds.id, |e| e.creations -= 1);
        }
        self.core.queue.add(Item(ds.id));
        if before.is_some_and(|b| !b.is_ready()) && now.is_ready() && ds.min_ready_seconds > 0 {
            // The second on top is for clocks that are apart.
            let wait = u64::try_from(ds.min_ready_seconds).unwrap_or_default() + 1;
            self.core
                .queue
                .add_after(self.core.group, Dur::from_secs(wait), Item(ds.id));
        }
    }
}

impl NodeHandler for DaemonSetController {
    /// `addNode`, `updateNode`: labels and taints count, and nothing else of a node. A node that
    /// goes concerns the collector.
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if old
            .zip(new)
            .is_some_and(|(o, n)| o.labels == n.labels && o.taints == n.taints)
        {
            return;
        }
        if let Some(node) = new.or(old) {
            self.censuses
                .with(|all| all.values_mut().for_each(|c| c.node_changed(node.id)));
        }
        let Some(new) = new else { return };
        if self.switches.node_queue {
            self.node_queue.add(NodeItem(new.id));
            return;
        }
        for ds in self.core.informers.workloads(WorkloadKind::DaemonSet) {
            let now = self.should_run(&ds, new);
            if old.map_or(now.run, |o| self.should_run(&ds, o) != now) {
                self.core.queue.add(Item(ds.id));
            }
        }
    }
}
