//! What kubelets hear of their pods, and when: of new ones and of those that are to end, of all once
//! their way is open again, and of all when they start.
//!
//! `pkg/kubelet/kubelet.go` (`HandlePodAdditions`, `HandlePodUpdates`), v1.34. What is to be done for
//! a pod then is noted as due, and done by the pod workers.

use super::containers::Containers;
use super::pods::Turns;
use super::refusal::{ORPHANS_GRACE, Refusals};
use super::status_manager::{HOUSEKEEPING, StatusManager};
use super::uplink::Back;
use crate::api::pod::Stuck;
use crate::controllers::kubelet::prelude::*;
use crate::plan::Begun;
use crate::plan::switches::kubelet::NoSeconds;

/// What kubelets hear of their pods.
pub(super) struct PodUpdates {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    containers: Rc<Containers>,
    status: Rc<StatusManager>,
    refusals: Rc<Refusals>,
    /// How far its kubelet is with the pod that is created.
    pub(super) begun: Cell<Option<Begun>>,
}

impl PodUpdates {
    /// Nothing was heard yet.
    pub(super) fn new((nodes, pods): Base, refusals: &Rc<Refusals>) -> Self {
        let (containers, status) = (refusals.containers.clone(), refusals.status.clone());
        let begun = Cell::default();
        Self { nodes, pods, containers, status, refusals: refusals.clone(), begun }
    }

    /// A pod of a node is new, or is to end now; its kubelet hears of it then, or not yet.
    pub(super) fn pod_changes(&self, node: NodeId, new: &Pod) {
        let now = self.nodes.now();
        let heard = self.nodes.hears_from(node);
        if self.pods.due(new.uid).is_none() {
            if new.stuck == Some(Stuck::Kubelet) || new.stuck.is_some() && new.is_terminating() {
                return;
            }
            self.added(node, new, heard);
        }
        if !new.is_terminating() {
            return;
        }
        self.refusals.ends(new.uid);
        self.containers.volumes.leaves(node, new);
        let waits = self.containers.gives_up_image(new) && heard.is_some();
        if let Some(due) = self.pods.due(new.uid).filter(|d| d.stop == Time::MAX) {
            let stop = match self.nodes.mode {
                // They stop every pod in the same time, whatever its grace period, but for one with a time of its own.
                KubeletMode::Imitated(i) if new.template.stop.is_none() => i.stop,
                KubeletMode::Imitated(_) | KubeletMode::Real(_) => {
                    self.containers.stopping(new, &due)
                }
            };
            if waits {
                return self.pods.with_due(new.uid, |d| d.held = Some(stop));
            }
            self.pods.with_due(new.uid, |d| {
                (d.stop, d.stop_known) = (heard.unwrap_or(now) + stop, heard == Some(now));
            });
            self.work_after(new.uid, heard, stop);
        }
    }

    /// A pod is on a node, whose kubelet hears of it then, or not yet.
    fn added(&self, node: NodeId, new: &Pod, heard: Option<Time>) {
        let now = self.nodes.now();
        let pending = new.phase == PodPhase::Pending;
        let begun = self.begun.get().filter(|_| pending);
        // A kubelet has heard of what it has begun to start.
        let heard = begun.map_or(heard, |_| Some(now));
        let hears = heard == Some(now);
        let refuses = pending && begun.is_none() && self.refusals.refuses(new, node).is_some();
        let turn = begun.and_then(|b| b.turn);
        let unpulled = pending && turn.is_none() && new.template.image_of(0).is_some();
        let start = match begun {
            Some(_) if turn.is_some() => Dur::ZERO,
            // An image is looked for anew.
            Some(b) if !unpulled => self.pods.draw_left(new, b.waited),
            _ => self.pods.draw_start(new),
        };
        let turns = Turns::of(&new.template, !pending);
        let has_volumes = begun.is_some() || new.phase == PodPhase::Running;
        let due = Due {
            pod: new.id,
            node,
            starting: start,
            unhurried: self.pods.draw_stop(new),
            start: match pending {
                true => heard.unwrap_or(now) + if unpulled { Dur::ZERO } else { start },
                false if turns.are_several() => Time::MAX,
                false => now,
            },
            unpulled,
            turns,
            waits: self.containers.volumes.add_pod(node, new, has_volumes),
            stop: Time::MAX,
            started: !pending,
            up: new.phase == PodPhase::Running,
            start_known: hears,
            admission: if !pending || hears && !refuses {
                Admission::Admitted
            } else {
                Admission::Open
            },
            ..Due::default()
        };
        self.pods.add(new.uid, due);
        if due.up {
            self.pods.restarted_before(new);
            self.containers.run_already(node, new);
        }
        if let Some((turn, begun)) = turn.zip(begun).filter(|_| turns.are_several()) {
            self.containers.lives.go_on(new, &due, (turn, begun.ran));
            self.pods.with_due(new.uid, |d| {
                (d.start, d.turns.turn, d.turns.begun) = (Time::MAX, turn, true);
                d.turns.pass = begun.ran.is_none().then_some(0);
            });
            return self.pods.work_in(new.uid, Dur::ZERO);
        }
        if pending {
            if due.admission == Admission::Open && heard.is_some() {
                self.work_after(new.uid, heard, Dur::ZERO);
            }
            self.work_after(new.uid, heard, due.start.since(heard.unwrap_or(now)));
        }
    }

    /// Has a pod worked on so long after its kubelet has heard of a change; where it does not, so
    /// long after the change.
    fn work_after(&self, uid: Uid, heard: Option<Time>, delay: Dur) {
        match heard {
            Some(at) if at > self.nodes.now() => self.pods.work_at(uid, at + delay),
            _ => self.pods.work_in(uid, delay),
        }
    }

    /// The pods of a kubelet whose way is open again: what it did is told once its connection
    /// carries something or, where it was `refused`, with the next sync of pod statuses; what it is
    /// to do is done once its watch delivers.
    pub(super) fn go_on(&self, node: NodeId, back: Back, refused: bool) {
        for uid in self.pods.of_node(node) {
            self.pod_goes_on(uid, back, refused);
        }
    }

    fn pod_goes_on(&self, uid: Uid, back: Back, refused: bool) {
        let now = self.nodes.now();
        let (pods, status) = (&self.pods, &self.status);
        let Some(due) = pods.due(uid) else { return };
        if due.missing {
            return pods.work_at(uid, back.pods);
        }
        if let Some(stop) = due.orphaned {
            let heard = back.pods.max(now);
            let at = match due.unknown {
                true => self.end_of_unknown(due.node, heard, stop),
                false => heard + stop,
            };
            return self.containers.end_orphan(uid, at);
        }
        let Some(pod) = pods.object(uid, &due) else { return };
        if due.unknown {
            pods.with_due(uid, |d| d.unknown = false);
        }
        if due.refused.is_some() {
            return pods.work_at(uid, status.sync_after(due.node, back.connection));
        }
        if due.admission == Admission::Open && pod.phase != PodPhase::Pending {
            pods.work_at(uid, back.pods);
        }
        let told = |done: Time| match refused {
            true if done <= now => status.sync_after(due.node, now),
            _ => done.max(back.connection),
        };
        if pod.is_terminating() {
            let at = if due.stop_known {
                let removal = due.stop + status.until_relist(due.node);
                pods.with_due(uid, |d| {
                    d.removal.get_or_insert(removal);
                });
                told(due.stop)
            } else {
                back.pods + self.containers.stopping(&pod, &due)
            };
            pods.with_due(uid, |d| d.stop_at(at));
            pods.work_at(uid, at);
        } else if due.down {
            pods.work_at(uid, status.sync_after(due.node, back.connection));
        } else if pod.phase == PodPhase::Pending {
            if due.admission == Admission::Open {
                pods.work_at(uid, back.pods);
            }
            if due.unpulled && due.start_known {
                // It goes for its image without the API server.
                return pods.work_at(uid, back.connection);
            }
            if due.turns.are_several() && self.containers.lives.knows(uid) {
                // It goes on with its containers as well.
                return pods.work_at(uid, told(now));
            }
            let start = if due.start_known { told(due.start) } else { due.start_from(back.pods) };
            pods.with_due(uid, |d| d.start = start);
            pods.work_at(uid, start);
        } else {
            let needs_update = status.needs_update(&pod, &due);
            let from = if needs_update { back.connection } else { back.pods };
            pods.work_at(uid, status.sync_after(due.node, from));
        }
    }

    /// When containers end that would take so long, and of whose pod a kubelet that hears of its pods then knows nothing: it
    /// finds them with its housekeeping (`HandlePodCleanups`).
    fn end_of_unknown(&self, node: NodeId, heard: Time, stop: Dur) -> Time {
        // S92
        let most = match self.nodes.switches.no_seconds {
            NoSeconds::Kills => stop,
            _ => self.nodes.effective_grace_period(ORPHANS_GRACE, ORPHANS_GRACE),
        };
        self.status.tick_after(node, heard, HOUSEKEEPING) + stop.min(most)
    }

    /// A pod was marked NotReady although its kubelet reaches the API server: the kubelet hears of
    /// it, and its next sync of pod statuses sets it back (`status_manager.go: needsReconcile`).
    pub(super) fn pod_to_reconcile(&self, node: NodeId, uid: Uid) {
        if let Some(heard) = self.nodes.hears_from(node) {
            let sync = self.status.sync_after(node, heard);
            self.pods.work_at(uid, sync);
        }
    }

    /// A kubelet starts, and asks for its pods from then on: it has to admit all of them anew.
    pub(super) fn kubelet_starts(&self, node: NodeId, asks: Time) {
        self.refusals.admits_anew(node, asks);
        self.status.starts(node, asks);
    }

    /// A kubelet's container runtime does nothing any more: nobody watches what runs, and what was to start does not.
    pub(super) fn runtime_fails(&self, node: NodeId) {
        self.containers.images.kubelet_dies(node);
        for uid in self.pods.of_node(node) {
            self.containers.lives.kubelet_dies(uid);
            self.pods.with_due(uid, |d| d.start_known = false);
        }
    }

    /// A kubelet dies, and what it knew with it, but for what it has started.
    pub(super) fn kubelet_dies(&self, node: NodeId) {
        self.runtime_fails(node);
        for uid in self.pods.of_node(node) {
            self.pods.with_due(uid, |d| {
                (d.evicted, d.unknown) = (None, true);
                if d.admission == Admission::Admitted && !d.up && !d.down {
                    d.admission = Admission::Open;
                }
            });
        }
    }

    /// A machine has come up, and its kubelet hears of its pods then: it finds their containers
    /// stopped, tells so, and starts them anew, or the pods have ended with them.
    pub(super) fn start_anew(&self, node: NodeId, hears: Time, real: Real) {
        for uid in self.pods.of_node(node) {
            self.find_stopped(uid, node, hears, real);
        }
    }

    /// A kubelet that hears of its pods then finds what ran of one stopped: it has listed containers
    /// since it started (`pod_workers.go`, `podWorkerLoop`), and nothing is there to be ended. What the
    /// recorder has in place of that finds it at a relist, and takes its time to end nothing.
    fn find_stopped(&self, uid: Uid, node: NodeId, hears: Time, real: Real) {
        let due = self.pods.due(uid);
        let pod = due.and_then(|d| self.nodes.api.pod(d.pod));
        let takes = pod.as_ref().map_or(real.pod_start, |p| self.pods.draw_start(p));
        let (found, ended) = if real.recorded {
            let stops = pod
                .as_ref()
                .zip(due.as_ref())
                .map_or(real.pod_stop, |(p, d)| self.pods.stop_of(p, d, None));
            (hears + self.status.until_relist(node), hears + stops)
        } else {
            (hears, hears)
        };
        let starts = |p: &Rc<Pod>| due.is_none_or(|d| !d.is_over(p));
        let pulls =
            pod.as_ref().filter(|p| starts(p)).is_some_and(|p| p.template.image_of(0).is_some());
        self.pods.with_due(uid, |d| {
            d.found_stopped = d.forgotten.then_some(found);
            (d.start, d.starting) = (found + if pulls { Dur::ZERO } else { takes }, takes);
            (d.unpulled, d.pulled) = (pulls, Dur::ZERO);
            d.stop_at(ended);
        });
        for at in [found, ended, found + takes] {
            self.pods.work_at(uid, at);
        }
    }

    /// A kubelet that starts hears of its pods then, and finds their containers as they are.
    pub(super) fn take_over(&self, node: NodeId, hears: Time, real: Real) {
        for uid in self.pods.of_node(node) {
            let Some(due) = self.pods.due(uid).filter(|d| d.orphaned.is_none()) else { continue };
            if due.missing {
                self.pods.work_at(uid, hears);
                continue;
            }
            let pod = self.pods.object(uid, &due);
            if let Some(pod) = pod.as_ref().filter(|_| self.nodes.works(node)) {
                self.containers.lives.taken_over(pod, hears);
            }
            if due.forgotten && !due.up {
                // Its machine was off meanwhile.
                self.find_stopped(uid, node, hears, real);
            } else if let Some(pod) = pod.filter(|p| p.is_terminating()) {
                let at = if due.stop_known {
                    due.stop.max(hears)
                } else {
                    hears + self.containers.stopping(&pod, &due)
                };
                self.pods.with_due(uid, |d| (d.stop, d.removal) = (at, None));
                self.pods.work_at(uid, at);
            } else if due.up || due.down {
                self.pods.work_at(uid, hears);
            }
        }
    }
}
