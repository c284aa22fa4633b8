//! What is true of machines and containers, whatever the API says of them: when they run, and when
//! they end.
//!
//! No controller sees any of this; it is written down for those who read the trace. A kubelet that
//! is cut off goes on with what it heard before: it starts the pods and ends those that it knows
//! of, and learns of everything else when it is heard again. Containers of a pod whose object is
//! gone run on until their kubelet hears of that, and for the grace that no seconds are to it (S101) or, where it was cut
//! off meanwhile, of the pod that it knows
//! (`pkg/kubelet/kubelet.go: HandlePodRemoves`), or until their machine stops. A kubelet that has been started since
//! knows no such pod, and gives them two seconds (`HandlePodCleanups`).
//!
//! A kubelet that runs a static pod keeps a mirror of it in the API, and creates it again when it is gone
//! (`SyncPod`). After that it does not sync the pod until it has listed containers (`podWorkerLoop`, `GetNewerThan`), so that a
//! mirror of which each is evicted at once comes once a second. A mirror that is to be deleted ends as any pod does, and is then
//! created again; upstream's kubelet replaces it at once, and its containers run on. A mirror whose node is gone is not created
//! again, nor is it where a node of that name joins later.

use super::images::Images;
use super::lives::{Lives, RELIST};
use super::stats::Stats;
use super::volume_manager::VolumeManager;
use crate::api::probe::RestartPolicy;
use crate::controllers::kubelet::prelude::*;
use crate::plan::switches::kubelet::NoSeconds;

/// The containers of all pods.
pub(super) struct Containers {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    pub(super) volumes: Rc<VolumeManager>,
    stats: Rc<Stats>,
    pub(super) images: Rc<Images>,
    pub(super) lives: Rc<Lives>,
    /// What mirrors of static pods that are gone are to be created again from.
    lost: Shared<BTreeMap<Uid, Rc<PodTemplate>>>,
}

impl Containers {
    /// None runs.
    pub(super) fn new(
        (nodes, pods): Base,
        images: &Rc<Images>,
        volumes: &Rc<VolumeManager>,
        stats: &Rc<Stats>,
    ) -> Self {
        let (images, lives) = (images.clone(), images.lives.clone());
        let (volumes, stats) = (volumes.clone(), stats.clone());
        Self { nodes, pods, volumes, stats, images, lives, lost: Shared::default() }
    }

    /// The containers of a pod run already when its kubelet comes to know of it.
    pub(super) fn run_already(&self, node: NodeId, pod: &Pod) {
        self.stats.started(node, pod);
        self.images.is_there(node, pod);
        self.lives.run_already(pod);
    }

    /// A pod's object is gone: nothing is due for it any more, except for the end of containers
    /// that still run. Where it was the mirror of a static one, it is to be created again.
    pub(super) fn lose_pod(&self, old: &Pod) {
        if old.template.source != PodSource::Api {
            return self.lose_mirror(old);
        }
        self.lives.forget(old.uid);
        self.gives_up_image(old);
        let Some(due) = self.pods.due(old.uid).filter(|d| d.up) else {
            if let Some(node) = old.node {
                self.volumes.remove_pod(node, old.uid);
            }
            return self.pods.forget(old.uid, old.node);
        };
        if let Some(node) = old.node {
            self.volumes.leaves(node, old);
        }
        let heard = old.node.and_then(|n| self.nodes.hears_from(n));
        // The API server writes that a pod has no seconds left before it removes it, which a kubelet hears of that hears
        // everything (`registry/store.go`, `updateForGracefulDeletionAndFinalizers`).
        let by_force = (heard == Some(self.nodes.now())).then_some(0);
        let stop = self.stop_of(old, &due, by_force);
        if due.shutdown.is_some() {
            // They are being stopped, and end when they were to.
            return self.pods.with_due(old.uid, |d| d.orphaned = Some(stop));
        }
        let unheard = match self.nodes.mode {
            // The recorder's kubelets end it by the clock, and do so once they are heard.
            KubeletMode::Imitated(_) if heard.is_none() && old.template.stop.is_none() => {
                self.nodes.now() + stop
            }
            _ => Time::MAX,
        };
        self.pods.with_due(old.uid, |d| {
            d.orphaned = Some(stop);
            d.stop_known |= by_force.is_some();
            // A kubelet that ends them already goes on with that.
            if heard.is_none() && !d.stop_known {
                d.stop = unheard;
            }
        });
        // From 1.22 on a pod worker is busy with containers that it has asked to stop.
        let is_busy = self.nodes.switches.no_seconds != NoSeconds::Kills;
        if let Some(heard) = heard {
            let ends = due.stop_known && due.stop != Time::MAX && is_busy;
            self.end_orphan(old.uid, if ends { due.stop } else { heard + stop });
        }
    }

    /// A pod that is to end needs its image no more; whether it waits for its turn to pull it.
    pub(super) fn gives_up_image(&self, pod: &Pod) -> bool {
        let node = pod.node.filter(|_| pod.template.images().next().is_some());
        node.is_some_and(|node| self.images.gives_up(node, pod.uid))
    }

    /// Containers whose pod is gone end then, if not before: their kubelet has learnt of it only now.
    pub(super) fn end_orphan(&self, uid: Uid, mut at: Time) {
        self.pods.with_due(uid, |d| {
            at = at.min(d.stop);
            d.stop = at;
        });
        self.pods.work_at(uid, at);
    }

    /// How long a pod takes to stop once its kubelet is to end it, within so many seconds where they are given.
    pub(super) fn stop_of(&self, pod: &Pod, due: &Due, given: Option<i64>) -> Dur {
        match self.nodes.mode {
            // They stop every pod in the same time, but for one with a time of its own.
            KubeletMode::Imitated(_) if pod.template.stop.is_none() => due.unhurried,
            KubeletMode::Imitated(_) | KubeletMode::Real(_) => self.pods.stop_of(pod, due, given),
        }
    }

    /// How long what runs of a pod takes to stop: nothing does where they all have ended, wait for an image, or were never started
    /// (`killPod`). A container that is about to start may run already.
    pub(super) fn stopping(&self, pod: &Pod, due: &Due) -> Dur {
        let rests = if due.turns.are_several() {
            !due.waits && !self.lives.any_runs(pod.uid)
        } else {
            due.down || due.unpulled && !due.waits
        };
        let ended = pod.phase.is_terminal() || rests;
        if ended && !due.up { Dur::ZERO } else { self.pods.stop_of(pod, due, None) }
    }

    /// Starts or ends the containers of one life of a pod, if that is due and its kubelet knows.
    /// Its machine runs.
    pub(super) fn run(&self, uid: Uid, due: &Due, cut: bool) {
        let Nodes { ctx, api, .. } = &*self.nodes;
        let now = ctx.now();
        if due.up {
            let ends = now >= due.stop && (due.stop_known || !cut);
            if ends || due.evicted.is_some_and(|at| now >= at) {
                return self.stopped(uid, due);
            }
            if !due.turns.are_several() {
                return;
            }
        }
        let starts = now >= due.start
            && !due.waits
            && !due.unpulled
            && due.stop == Time::MAX
            && due.evicted.is_none()
            && (due.start_known || !cut);
        let wanted = |p: &Pod| {
            p.uid == uid
                && !p.phase.is_terminal()
                && due.admission != Admission::Refused
                && !due.is_over(p)
        };
        if starts && let Some(pod) = api.pod(due.pod).filter(|p| wanted(p)) {
            if due.turns.are_several() {
                return self.start_one(uid, due, &pod);
            }
            if due.down || due.forgotten {
                self.pods.restarted(&pod, 0);
            }
            self.pods.with_due(uid, |d| {
                (d.up, d.down, d.forgotten, d.succeeded) = (true, false, false, false);
            });
            self.stats.started(due.node, &pod);
            self.lives.started(&pod, due);
            api.record_pod(Actor::Kubelet, due.pod, What::ContainersStarted(due.node.0));
        }
    }

    /// The container whose turn it is starts, of several. They run once those of `spec.containers` have all been started.
    fn start_one(&self, uid: Uid, due: &Due, pod: &Pod) {
        let again = self.lives.with((uid, due.turns.turn), |c| c.exited.is_some()) == Some(true);
        self.lives.started(pod, due);
        let run = self.lives.have_begun(uid);
        if again || due.forgotten {
            self.pods.restarted(pod, due.turns.turn);
        }
        self.pods.with_due(uid, |d| {
            (d.start, d.turns.begun, d.turns.pass) = (Time::MAX, true, Some(d.turns.next()));
            if run {
                (d.up, d.down, d.forgotten, d.succeeded) = (true, false, false, false);
                d.turns.failed = false;
            }
        });
        if run && !due.up {
            self.stats.started(due.node, pod);
        }
        self.lives.tell_serves(uid);
        if !run {
            let name = self.lives.name((uid, due.turns.turn), due);
            let name = self.nodes.api.names(|n| n.text(&name)).0;
            let note = if again { Note::ContainerRestarted } else { Note::ContainerStarted };
            self.lives.note(due.pod, note, name);
        } else if !due.up || again {
            let started = What::ContainersStarted(due.node.0);
            self.nodes.api.record_pod(Actor::Kubelet, due.pod, started);
        }
    }

    /// The containers of one life of a pod have ended, and may be started again; of several one has.
    pub(super) fn ended(&self, uid: Uid, due: &Due) {
        if due.turns.are_several() && (!due.up || self.lives.any_runs(uid)) {
            return;
        }
        let failed = due.turns.are_several() && self.lives.any_failed(uid);
        self.pods.with_due(uid, |d| {
            (d.up, d.down, d.start) = (false, true, Time::MAX);
            (d.turns.idle, d.turns.failed) = (false, failed);
        });
        self.stats.stopped(due.node, Some(uid));
        self.nodes.api.record_pod(Actor::Kubelet, due.pod, What::ContainersStopped(due.node.0));
    }

    /// The containers of one life of a pod have ended.
    pub(super) fn stopped(&self, uid: Uid, due: &Due) {
        let now = self.nodes.now();
        let failed = due.turns.are_several() && self.lives.any_failed(uid);
        self.pods.with_due(uid, |d| {
            d.up = false;
            d.start_over(now, false);
            d.turns.failed = failed;
        });
        self.lives.forget(uid);
        self.stats.stopped(due.node, Some(uid));
        self.volumes.remove_pod(due.node, uid);
        self.nodes.api.record_pod(Actor::Kubelet, due.pod, What::ContainersStopped(due.node.0));
        if due.orphaned.is_some() {
            self.pods.forget(uid, Some(due.node));
        }
    }

    /// A machine stops, or is taken away: its containers end with it.
    pub(super) fn machine_off(&self, node: NodeId) {
        let now = self.nodes.now();
        self.nodes.api.record_node(Actor::User, node, What::MachineOff);
        self.stats.stopped(node, None);
        self.images.kubelet_dies(node);
        for uid in self.pods.of_node(node) {
            match self.pods.due(uid) {
                Some(due) if due.orphaned.is_some() => {
                    self.volumes.remove_pod(node, uid);
                    self.pods.forget(uid, Some(node));
                }
                // What it knew is gone with its memory.
                due => {
                    let pod = due.and_then(|due| self.pods.object(uid, &due));
                    let code = self.lives.exit_code(uid);
                    self.lives.forget(uid);
                    let goes = pod.as_ref().is_some_and(|p| p.is_terminating());
                    let image = pod.as_ref().is_some_and(|p| p.template.image_of(0).is_some());
                    let never = |p: &Rc<Pod>| p.template.restart_policy == RestartPolicy::Never;
                    let never = pod.as_ref().is_some_and(never);
                    self.pods.with_due(uid, |d| {
                        d.forgotten |= d.up || d.down || d.turns.begun && never;
                        d.succeeded |= code == Some(0);
                        if d.down {
                            d.start = now;
                        }
                        (d.up, d.down) = (false, false);
                        d.start_over(now, image && !d.forgotten);
                        (d.start_known, d.stop_known) = (false, false);
                        d.evicted = None;
                        if d.shutdown.take().is_some() && !goes {
                            d.stop = Time::MAX;
                        }
                    });
                }
            }
        }
    }

    /// The mirror of a static pod is gone: its kubelet creates it again once it hears of that.
    fn lose_mirror(&self, old: &Pod) {
        let Some(node) = old.node.filter(|_| self.pods.due(old.uid).is_some()) else {
            return self.pods.forget(old.uid, old.node);
        };
        self.pods.with_due(old.uid, |d| (d.missing, d.stop) = (true, Time::MAX));
        self.lost.with(|lost| lost.insert(old.uid, old.template.clone()));
        if let Some(heard) = self.nodes.hears_from(node) {
            self.pods.work_at(old.uid, heard);
        }
    }

    /// Creates a mirror again, if its node is there, once its kubelet syncs the pod. What ran of it runs on.
    pub(super) fn create_mirror(&self, uid: Uid, due: &Due) {
        let now = self.nodes.now();
        if now < due.listed {
            return self.pods.work_at(uid, due.listed);
        }
        let lists = match self.nodes.mode {
            KubeletMode::Real(_) if now != due.listed => {
                self.nodes.draw("pod-relist", due.node, RELIST)
            }
            KubeletMode::Imitated(_) | KubeletMode::Real(_) => RELIST,
        };
        self.pods.forget(uid, Some(due.node));
        let template = self.lost.with(|lost| lost.remove(&uid));
        let api = &self.nodes.api;
        let Some(template) = template.filter(|_| api.node(due.node).is_some()) else { return };
        let new = Pod::pending(due.pod, template, Some(due.node));
        // Somebody else may have made one of that name.
        if let Ok(pod) = api.create_pod(Actor::Kubelet, new, false) {
            self.pods.with_due(pod.uid, |d| {
                (d.up, d.listed) = (due.up, now + lists);
                if due.turns.are_several() && due.up {
                    (d.turns, d.start, d.unpulled) = (due.turns, Time::MAX, false);
                    d.turns.idle = false;
                }
            });
            self.stats.goes_on_as(due.node, uid, pod.uid);
            self.lives.goes_on_as(uid, pod.uid);
        }
    }
}
