//! What a kubelet does for its pods once it is due (`pkg/kubelet/pod_workers.go`, v1.34).

use super::containers::Containers;
use super::refusal::Refusals;
use super::restarts::Restarts;
use super::status_manager::StatusManager;
use crate::controllers::kubelet::prelude::*;
use crate::plan::Imitated;

/// The pod workers of all kubelets.
pub(super) struct PodWorkers {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    containers: Rc<Containers>,
    status: Rc<StatusManager>,
    refusals: Rc<Refusals>,
    restarts: Restarts,
}

impl PodWorkers {
    /// Nothing is due yet.
    pub(super) fn new((nodes, pods): Base, refusals: &Rc<Refusals>, restarts: Restarts) -> Self {
        let (containers, status) = (refusals.containers.clone(), refusals.status.clone());
        Self { nodes, pods, containers, status, refusals: refusals.clone(), restarts }
    }

    /// What comes about in a kubelet's containers is seen again.
    pub(super) fn watch(&self, node: NodeId) {
        for uid in self.pods.of_node(node) {
            self.restarts.watch(uid);
            self.restarts.work(uid);
        }
    }

    /// Does whatever is due for one life of a pod.
    pub(super) fn work(&self, uid: Uid) {
        match self.nodes.mode {
            KubeletMode::Imitated(mode) => self.work_imitated(uid, mode),
            KubeletMode::Real(_) => self.work_real(uid),
        }
    }

    /// Does at once what came due while these kubelets were cut off.
    pub(super) fn overdue(&self, nodes: impl IntoIterator<Item = NodeId>) {
        self.pods.of_nodes(nodes).into_iter().for_each(|uid| self.work(uid));
    }

    /// The recorder's kubelets: nothing but the end of containers goes on where they are cut off.
    fn work_imitated(&self, uid: Uid, mode: Imitated) {
        let Nodes { ctx, api, .. } = &*self.nodes;
        let now = ctx.now();
        let Some(due) = self.pods.due(uid) else { return };
        let state = self.nodes.with(due.node, |k| (k.cut.is_some(), !k.is_on()));
        let Some((cut, false)) = state else { return };
        let cut = cut || !self.nodes.works(due.node) || api.is_down();
        match (due.missing, due.orphaned) {
            (true, _) | (_, Some(_)) if cut => return,
            (true, _) => return self.containers.create_mirror(uid, &due),
            (_, Some(stop)) if due.stop == Time::MAX => {
                return self.containers.end_orphan(uid, now + stop);
            }
            (_, Some(_)) if now < due.stop => return self.pods.work_at(uid, due.stop),
            (_, Some(_)) => return self.containers.stopped(uid, &due),
            (false, None) => {}
        }
        self.containers.run(uid, &due, cut);
        self.restarts.work(uid);
        self.images(uid, &due);
        if cut {
            return;
        }
        if let Some(pod) = self.pods.object(uid, &due) {
            if due.admission == Admission::Open {
                self.refusals.admit(uid, &pod, now);
            }
            if let Some(refused) = self.pods.due(uid).and_then(|d| d.refused) {
                self.refusals.tell(&pod, refused);
            }
            self.status.tell_evicted(&pod, &due);
        }
        self.images(uid, &due);
        let stop = now >= due.stop;
        let runs = self.pods.due(uid).is_some_and(|d| d.refused.is_none() && d.evicted.is_none());
        let over = self.pods.object(uid, &due).filter(|p| due.is_over(p));
        if let Some(pod) = over {
            self.status.tell_stopped(&pod, &due);
            self.containers.volumes.remove_pod(due.node, uid);
        } else if runs && !due.started && !due.waits && !stop && self.is_started(uid, &due) {
            self.pods.with_due(uid, |d| d.started = true);
            // The pod may be gone, or another life of it begun.
            let ready = self.containers.lives.is_ready(uid);
            self.containers.lives.say_ready(uid);
            api.start_pod((due.pod, uid), ready, self.status.restarts(uid));
        } else if runs
            && !stop
            && self.containers.lives.knows(uid)
            && let Some(pod) = self.pods.object(uid, &due).filter(|p| !p.phase.is_terminal())
        {
            let has_finished = self.containers.lives.finished(uid).is_some();
            if !due.started && !has_finished {
                self.status.tell_restarts(&pod);
            } else if has_finished || mode.repost_pod_ready || self.status.needs_update(&pod, &due)
            {
                self.status.tell_ready(&pod);
            }
        }
        if stop {
            self.pods.remove(due.pod, uid);
        }
    }

    /// Whether a pod of which that was due has started by now.
    fn is_started(&self, uid: Uid, due: &Due) -> bool {
        let now = if due.turns.are_several() { self.pods.due(uid) } else { None };
        self.containers.lives.is_started(uid, now.as_ref().unwrap_or(due))
    }

    /// Goes for the image of a pod that waits for that.
    fn images(&self, uid: Uid, due: &Due) {
        if due.unpulled {
            self.containers.images.work(uid);
        }
    }

    /// Stops, starts or refuses a pod, or tells that it is ready.
    fn work_real(&self, uid: Uid) {
        let now = self.nodes.now();
        let Some(due) = self.pods.due(uid) else { return };
        // Containers end as they were asked to, also when nobody looks.
        let Some((heard, true)) = self.nodes.with(due.node, |k| (k.hears_from(now), k.is_on()))
        else {
            return;
        };
        if due.missing {
            if heard == Some(now) {
                self.containers.create_mirror(uid, &due);
            }
            return;
        }
        self.containers.run(uid, &due, heard.is_none());
        self.restarts.work(uid);
        self.images(uid, &due);
        // While nothing gets through or its loop skips pods, nothing is told; it is once that is over.
        let tells = heard.is_some() && self.nodes.gets_through(due.node);
        if due.orphaned.is_some() || !tells {
            return;
        }
        let Some(pod) = self.pods.object(uid, &due) else { return };
        if due.admission == Admission::Open && heard == Some(now) {
            self.refusals.admit(uid, &pod, now);
            if let Some(due) = self.pods.due(uid) {
                self.images(uid, &due);
            }
        }
        let Some(due) = self.pods.due(uid) else { return };
        if let Some(refused) = due.refused {
            return self.refusals.work(&pod, &due, refused);
        }
        self.status.tell_evicted(&pod, &due);
        if due.evicted.is_some() && due.stop == Time::MAX {
            return;
        }
        if due.found_stopped.is_some_and(|at| at <= now) {
            self.pods.with_due(uid, |d| d.found_stopped = None);
            self.status.tell_stopped(&pod, &due);
        }
        if due.is_over(&pod) {
            return self.containers.volumes.remove_pod(due.node, uid);
        }
        if due.stop != Time::MAX {
            if now >= due.stop && (due.shutdown.is_none() || pod.is_terminating()) {
                self.status.end_pod(&pod, &due);
            } else if now >= due.stop {
                self.status.tell_shut_down(&pod, &due);
            } else if due.shutdown.is_some() && due.up && !pod.phase.is_terminal() {
                // What was marked NotReady for its node is not, while it runs.
                self.status.tell_ready(&pod);
            }
        } else if (self.containers.lives.is_started(uid, &due) || due.down)
            && !due.waits
            && !pod.phase.is_terminal()
        {
            self.status.tell_ready(&pod);
        } else {
            self.status.tell_restarts(&pod);
        }
    }
}
