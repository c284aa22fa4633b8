//! The attach/detach controller: has volumes attached to the nodes whose pods want them, and detached from
//! those where nobody does.
//!
//! Models `pkg/controller/volume/attachdetach`, v1.34, with the CSI plugin's attacher
//! (`pkg/volume/csi/csi_attacher.go`) and what runs operations
//! (`pkg/volume/util/operationexecutor`, `nestedpendingoperations`); other releases by
//! [`Switches`](crate::plan::switches::attach_detach::Switches). Left out: volumes that are in the pod's spec
//! itself, migration from plugins in the tree (all are CSI's), and the check every minute whether what is
//! attached still is, which here finds what the controller knows. VolumeAttachments are read as they are
//! stored while watches deliver, which takes milliseconds; they are looked at every half second.

mod actual_state_of_world;
mod desired_state_of_world;
mod operation_generator;
mod operations;
mod reconciler;

use crate::api::volume::NodeVolumes;
use crate::controllers::prelude::*;
use actual_state_of_world::AttachState;
pub(crate) use reconciler::Config;
use reconciler::{RECONCILER_LOOP_PERIOD, Reconciler, Turns, is_pod_terminated};

/// After how long the populator adds the pods that it has missed
/// (`DesiredStateOfWorldPopulatorListPodsRetryDuration`).
const LIST_PODS_RETRY_DURATION: Dur = Dur::from_secs(180);
/// After how long it removes those whose end it has missed (`DesiredStateOfWorldPopulatorLoopSleepPeriod`).
const POPULATOR_LOOP_SLEEP_PERIOD: Dur = Dur::from_secs(60);

/// The attach/detach controller.
pub(crate) struct Controller {
    reconciler: Rc<Reconciler>,
    /// The populator, while no pod has been missed.
    populator: Turns,
    /// The same, while no end of one has been missed.
    remover: Turns,
}

impl Controller {
    /// One that hears of nodes and pods but does not run yet.
    pub(crate) fn new(config: Config, context: ControllerContext) -> Rc<Self> {
        let populator = Turns::new(&context.ctx, LIST_PODS_RETRY_DURATION);
        let remover = Turns::new(&context.ctx, POPULATOR_LOOP_SLEEP_PERIOD);
        let reconciler = Rc::new(Reconciler::new(config, context));
        let controller = Rc::new(Self { reconciler, populator, remover });
        controller.reconciler.informers.on_node(controller.clone());
        controller.reconciler.informers.on_pod(controller.clone());
        controller
    }

    /// `Run`; the caches are filled. `warm`: it has been running for long, so that the next pass
    /// comes some time within a period. `before`: for how long nobody has wanted the volumes of pods on other nodes that
    /// have them.
    pub(crate) fn run(self: &Rc<Self>, warm: bool, before: Vec<(PodId, NodeId, Dur)>) {
        let c = self.clone();
        let r = &self.reconciler;
        r.ctx.spawn(r.group, async move {
            let r = &c.reconciler;
            c.populate_actual_state_of_world(warm, before);
            for pod in r.informers.pods() {
                c.pod_changed(&pod);
            }
            for (volume, node) in r.actual.with(|a| a.attached_volumes()) {
                r.compare(volume, node);
            }
            if warm {
                let point = r.ctx.point("attach-detach-phase");
                r.ctx.sleep(r.ctx.phase(point, RECONCILER_LOOP_PERIOD)).await;
            }
            let (populator, remover) = (c.clone(), c.clone());
            r.ctx.spawn(r.group, async move { populator.populate_desired_state_of_world().await });
            r.ctx.spawn(r.group, async move { remover.remove_deleted_pods().await });
            r.clone().run().await;
        });
    }

    /// `populateActualStateOfWorld`, `processVolumeAttachments`; and what
    /// `populateDesiredStateOfWorld` says of what is attached for pods.
    fn populate_actual_state_of_world(&self, warm: bool, before: Vec<(PodId, NodeId, Dur)>) {
        let r = &self.reconciler;
        for node in r.informers.nodes() {
            let volumes = node.volumes.as_deref().cloned().unwrap_or_default();
            r.actual.with(|a| {
                for volume in volumes.attached {
                    a.add_volume_node((volume, node.id), true, false);
                }
                a.set_volumes_mounted_by_node(node.id, &volumes.in_use);
            });
            r.desired.with(|d| d.add_node(node.id));
        }
        for (volume, node) in r.client.api().attachments() {
            // Who has been running knew the node before it was deleted, and what is attached to it.
            let recalled = warm && !r.informers.has_node(node);
            if recalled {
                r.desired.with(|d| d.add_node(node));
            }
            r.actual.with(|a| {
                if a.attach_state(volume, node) == AttachState::Detached {
                    a.add_volume_node((volume, node), recalled, true);
                }
            });
        }
        for (pod, node, before) in before {
            let pod = r.informers.pod(pod);
            for volume in pod.iter().flat_map(|pod| r.client.api().volumes_of(pod)) {
                r.actual.with(|a| a.recall_detach_request(volume.id, node, before));
            }
        }
        for pod in r.informers.pods() {
            let Some(node) = pod.node.filter(|_| !pod.template.claims.is_empty()) else { continue };
            for volume in r.client.api().volumes_of(&pod) {
                r.actual.with(|a| {
                    if a.attach_state(volume.id, node) == AttachState::Attached {
                        a.add_volume_node((volume.id, node), true, true);
                    }
                });
            }
        }
    }

    /// `findAndAddActivePods`, where a pod was missed.
    async fn populate_desired_state_of_world(self: Rc<Self>) {
        let r = &self.reconciler;
        loop {
            self.populator.next().await;
            self.populator.begin();
            for pod in r.informers.pods() {
                if !is_pod_terminated(&pod) {
                    r.process_pod_volumes(&pod, true);
                }
            }
        }
    }

    /// `findAndRemoveDeletedPods`, where an end was missed. Turns are counted from the start of the run where the controller has been
    /// running for long.
    async fn remove_deleted_pods(self: Rc<Self>) {
        loop {
            self.remover.next().await;
            self.remover.begin();
            self.reconciler.find_and_remove_deleted_pods();
        }
    }

    /// `podAdd`, `podUpdate`
    fn pod_changed(&self, pod: &Pod) {
        if !self.reconciler.process_pod_volumes(pod, !is_pod_terminated(pod)) {
            self.populator.want();
        }
    }
}

/// What of a node a pass goes by.
fn relevant(node: &Node) -> (Uid, bool, &[Taint], Option<&NodeVolumes>) {
    (node.uid, node.is_ready(), &node.taints, node.volumes.as_deref())
}

impl ResourceEventHandler<Node> for Controller {
    /// `nodeAdd`, `nodeUpdate`, `nodeDelete`
    fn cached(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        let (r, Some(node)) = (&self.reconciler, new.or(old)) else { return };
        // `processVolumesInUse`
        let in_use = node.volumes.as_ref().map_or(&[][..], |v| &v.in_use);
        let is_news = r.actual.with(|a| a.set_volumes_mounted_by_node(node.id, in_use));
        // Most changes are heartbeats.
        if !is_news && old.zip(new).is_some_and(|(o, n)| relevant(o) == relevant(n)) {
            return;
        }
        r.desired.with(|d| match new {
            Some(_) => d.add_node(node.id),
            None => d.delete_node(node.id),
        });
        if old.is_none() {
            r.actual.with(|a| a.set_node_status_update_needed(node.id));
        }
        r.turns.want();
    }

    fn listens(&self) -> bool {
        false
    }
}

impl ResourceEventHandler<Pod> for Controller {
    fn cached(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let r = &self.reconciler;
        if let Some(old) = old.filter(|o| new.is_none_or(|n| n.uid != o.uid)) {
            // A list shows one that another follows under its name by that one alone (`podUpdate`), and others by what is no pod
            // (`DeletedFinalStateUnknown`).
            let hears = r.config.switches.hears_of_unseen_ends || !r.informers.is_listing();
            match new {
                None if hears => drop(r.process_pod_volumes(old, false)),
                _ => self.remover.want(),
            }
        }
        if let Some(new) = new {
            self.pod_changed(new);
        }
    }

    fn listens(&self) -> bool {
        false
    }
}
