//! DaemonSets (`pkg/controller/daemon/daemon_controller.go`, v1.34): the queues, their workers, and
//! what makes a DaemonSet wait in them.
//!
//! What a sync does is in [`super::daemon_set_sync`].

use super::daemon_set_sync::DaemonSetSync;
use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::DaemonSetSwitches;

/// `--concurrent-daemonset-syncs`; as many workers look at nodes, too.
const WORKERS: usize = 2;

/// The DaemonSet controller.
pub(crate) struct DaemonSetController {
    core: Rc<Core>,
    switches: DaemonSetSwitches,
    node_queue: WorkQueue<NodeId>,
    sync: Rc<DaemonSetSync>,
}

impl DaemonSetController {
    /// A controller that hears of DaemonSets, pods and nodes but does not run yet.
    pub(crate) fn new(switches: DaemonSetSwitches, context: ControllerContext) -> Rc<Self> {
        let core = Core::new(context, switches.waits_for_own_writes, RateLimiter::default());
        let controller = Rc::new(DaemonSetController {
            node_queue: WorkQueue::new(&core.ctx, core.group),
            sync: DaemonSetSync::new(&core, switches),
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
            self.core.start_worker(self, async |c: &Rc<Self>, id| c.sync.sync_daemon_set(id).await);
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
            self.sync.expectations.with(|e| e.deletion_observed(ds.id));
            self.core.queue.add(ds.id);
        }
    }

    /// `syncNodeUpdate`
    fn sync_node_update(&self, id: NodeId) {
        let Some(node) = self.core.informers.node(id) else { return };
        let here = self.core.informers.pods_on(id);
        for ds in self.core.informers.workloads(WorkloadKind::DaemonSet) {
            let ShouldRun { run, stay } = self.sync.censuses.should_run(&ds, &node);
            let scheduled =
                here.iter().any(|p| p.controller().is_some_and(|(owner, _)| owner == ds.id));
            if run && !scheduled || scheduled && (!stay || ds.status.misscheduled > 0) {
                self.core.queue.add(ds.id);
            }
        }
    }
}

impl ResourceEventHandler<Workload> for DaemonSetController {
    /// `addDaemonset`, `updateDaemonset`, `deleteDaemonset`
    fn on_change(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        let Some(ds) = new.or(old) else { return };
        if old.is_some_and(|o| new.is_none_or(|n| n.uid != o.uid)) {
            self.sync.expectations.with(|e| e.forget(ds.id));
        }
        self.core.queue.add(ds.id);
    }
}

impl ResourceEventHandler<Pod> for DaemonSetController {
    fn cached(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        self.sync.censuses.pod_changed(old, new);
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
            self.sync.expectations.with(|e| e.creation_observed(ds.id));
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
            self.sync.censuses.node_changed(node.id);
        }
    }

    /// `addNode`, `updateNode`. A node that goes concerns the collector.
    fn on_change(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if !counts(old, new) {
            return;
        }
        let Some(new) = new else { return };
        if self.switches.node_queue {
            self.node_queue.add(new.id);
            return;
        }
        for ds in self.core.informers.workloads(WorkloadKind::DaemonSet) {
            let now = self.sync.censuses.should_run(&ds, new);
            if old.map_or(now.run, |o| self.sync.censuses.should_run(&ds, o) != now) {
                self.core.queue.add(ds.id);
            }
        }
    }
}
