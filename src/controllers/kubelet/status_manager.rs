//! What kubelets say of their pods, and when (`pkg/kubelet/status/status_manager.go`, v1.34).

use super::lives::{Lives, RELIST};
use crate::api::container::Restarts;
use crate::controllers::kubelet::prelude::*;
use crate::plan::switches::kubelet::ShutdownPhase;

/// The period of the status manager's sync of pod statuses (`syncPeriod`).
const POD_STATUS_SYNC: Dur = Dur::from_secs(10);
/// How often a kubelet looks for what it does not know (`pkg/kubelet/kubelet.go`, `housekeepingPeriod`).
pub(super) const HOUSEKEEPING: Dur = Dur::from_secs(2);
/// `backOffPeriod`: until a pod whose sync failed is synced again.
pub(super) const BACK_OFF_PERIOD: Dur = Dur::from_secs(10);
/// How long it takes to read what is written of a pod's end: as good as nothing, as all requests of
/// kubelets here, but what somebody else does in the same instant comes first.
const READ: Dur = Dur::from_nanos(1);

/// The status managers of real kubelets.
pub(super) struct StatusManager {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    pub(super) lives: Rc<Lives>,
}

impl StatusManager {
    /// Nothing has been said yet.
    pub(super) fn new((nodes, pods): Base, lives: &Rc<Lives>) -> Self {
        Self { nodes, pods, lives: lives.clone() }
    }

    /// A kubelet starts, and its ticker with it.
    pub(super) fn starts(&self, node: NodeId, at: Time) {
        let into = at.as_nanos() % POD_STATUS_SYNC.as_nanos();
        self.nodes.with(node, |k| k.syncs_at = Some(Dur::from_nanos(into)));
    }

    /// The status manager's next sync at or after a time. Its ticker runs from the kubelet's start on,
    /// and does not jitter.
    pub(super) fn sync_after(&self, node: NodeId, from: Time) -> Time {
        self.tick_after(node, from, POD_STATUS_SYNC)
    }

    /// The first tick of a kubelet's ticker with that period at or after a time. That of its housekeeping starts with that of
    /// the statuses (`Run`), whose period is a multiple of its own.
    pub(super) fn tick_after(&self, node: NodeId, from: Time, period: Dur) -> Time {
        let phase = self.nodes.with(node, |k| k.syncs_at).flatten().unwrap_or_else(|| {
            self.nodes.draw("pod-status-sync", node, POD_STATUS_SYNC - Dur::from_nanos(1))
        });
        self.nodes.with(node, |k| k.syncs_at = Some(phase));
        let period = period.as_nanos();
        let into = from.as_nanos() % period;
        from + Dur::from_nanos((phase.as_nanos() % period + period - into) % period)
    }

    /// Until the pod lifecycle event generator next lists the containers of a node.
    pub(super) fn until_relist(&self, node: NodeId) -> Dur {
        self.nodes.draw("pod-relist", node, RELIST)
    }

    /// Until a pod whose sync failed is synced again after that period: half as much on top at most, and what is due is
    /// looked up once a second, as containers are listed.
    pub(super) fn until_resync(&self, due: &Due, period: Dur, jitter: PointId) -> Dur {
        let object = self.pods.of_chance(due.pod);
        let more = self.nodes.ctx.uniform(jitter, object, 0, period.as_nanos() / 2);
        period + Dur::from_nanos(more) + self.until_relist(due.node)
    }

    /// How often the containers of a pod were started again, as far as their kubelet has seen it.
    pub(super) fn restarts(&self, uid: Uid) -> Restarts {
        let mut restarts = Restarts::default();
        for (which, (role, started)) in self.pods.restarts(uid) {
            restarts.add(role, started - u32::from(self.lives.is_unseen(which)));
        }
        restarts
    }

    /// A pod whose containers run is started, or ready again; or it is not ready, as a probe has found or as none runs.
    pub(super) fn tell_ready(&self, pod: &Pod) {
        let ready = self.lives.is_ready(pod.uid);
        self.lives.say_ready(pod.uid);
        let restarts = self.restarts(pod.uid);
        let status = if ready { ConditionStatus::True } else { ConditionStatus::False };
        if let Some(code) = self.lives.finished(pod.uid) {
            let phase = if code == 0 { PodPhase::Succeeded } else { PodPhase::Failed };
            self.nodes.api.set_pod_phase((pod.id, pod.uid), phase, None);
        } else if pod.phase == PodPhase::Pending {
            self.pods.with_due(pod.uid, |d| d.started = true);
            self.nodes.api.start_pod((pod.id, pod.uid), ready, restarts);
        } else if pod.ready.is_none_or(|c| c.status != status) || pod.restarts != restarts {
            self.nodes.api.set_pod_ready((pod.id, pod.uid), status, restarts);
        }
    }

    /// Containers of a pod that is not started yet were started again: its init containers.
    pub(super) fn tell_restarts(&self, pod: &Pod) {
        let restarts = self.restarts(pod.uid);
        if pod.phase == PodPhase::Pending && pod.restarts != restarts {
            self.nodes.api.set_restarts((pod.id, pod.uid), restarts);
        }
    }

    /// Whether a kubelet has more to say of a pod that runs than it has said (`needsUpdate`). What somebody else wrote since
    /// it only hears of by its watch (`needsReconcile`).
    pub(super) fn needs_update(&self, pod: &Pod, due: &Due) -> bool {
        due.evicted.is_some()
            || self.lives.is_unsaid(pod.uid)
            || self.restarts(pod.uid) != pod.restarts
    }

    /// After a machine's start: containers that ran have stopped. Where none is started again, so has the pod
    /// (`getPhase`).
    pub(super) fn tell_stopped(&self, pod: &Pod, due: &Due) {
        if due.is_over(pod) && !pod.phase.is_terminal() {
            self.nodes.api.set_pod_phase((pod.id, pod.uid), self.last_phase(pod, due), None);
            return;
        }
        // It was taken away when the pod was refused.
        let was_refused = pod.ready.is_none() && pod.phase == PodPhase::Running;
        if pod.is_active() && (pod.is_ready() || was_refused) {
            self.pods.set_ready(pod, ConditionStatus::False);
        }
    }

    /// A pod that its kubelet evicts has failed: once its containers have ended, or, up to 1.21, before.
    pub(super) fn tell_evicted(&self, pod: &Pod, due: &Due) {
        let switches = &self.nodes.switches.eviction;
        let ended = |at: Time| switches.fails_first || self.nodes.now() >= at;
        if due.evicted.is_some_and(ended) && !pod.phase.is_terminal() {
            let target = self.target(switches.disruption_target);
            self.nodes.api.set_pod_evicted((pod.id, pod.uid), target);
        }
    }

    /// The end of a pod. From 1.27 on its phase is terminal before the object goes, at the next relist.
    /// A status is read before it is written (`syncPod`).
    pub(super) fn end_pod(&self, pod: &Pod, due: &Due) {
        let Nodes { api, switches, .. } = &*self.nodes;
        let now = self.nodes.now();
        if switches.terminal_phase_before_removal {
            if !pod.phase.is_terminal() {
                if !due.read {
                    self.pods.with_due(pod.uid, |d| d.read = true);
                    return self.pods.work_at(pod.uid, now + READ);
                }
                let phase = self.last_phase(pod, due);
                api.set_pod_phase((pod.id, pod.uid), phase, None);
            }
            let removal = due.removal.unwrap_or_else(|| now + self.until_relist(due.node));
            if removal > now {
                self.pods.with_due(pod.uid, |d| d.removal = Some(removal));
                return self.pods.work_at(pod.uid, removal);
            }
        }
        if !switches.terminal_phase_before_removal && pod.is_ready() {
            // What runs no more is not ready (`syncTerminatedPod`: `SetPodStatus`).
            self.pods.set_ready(pod, ConditionStatus::False);
        }
        self.pods.remove(pod.id, pod.uid);
    }

    /// A pod is to end because its machine goes off. Up to 1.21 it has failed with that, and has none of
    /// the conditions that are a kubelet's.
    pub(super) fn tell_to_be_shut_down(&self, pod: &Pod) {
        let Nodes { api, switches, .. } = &*self.nodes;
        if switches.shutdown_phase == ShutdownPhase::FailedBefore
            && pod.template.source == PodSource::Api
            && pod.node.is_some_and(|node| self.nodes.gets_through(node))
        {
            api.reject_pod((pod.id, pod.uid), true);
        }
    }

    /// What ran of a pod has ended because its machine goes off (`nodeshutdown_manager.go`, `killPods`;
    /// `kubelet_pods.go`, `generateAPIPodStatus`).
    pub(super) fn tell_shut_down(&self, pod: &Pod, due: &Due) {
        let Nodes { api, switches, .. } = &*self.nodes;
        if pod.phase.is_terminal() {
            return;
        }
        if pod.template.source != PodSource::Api {
            return self.pods.set_ready(pod, ConditionStatus::False);
        }
        let of_a_job = pod.template.owner.as_ref().is_some_and(|o| o.kind == "Job");
        let phase = match switches.shutdown_phase {
            ShutdownPhase::ByExitCode => self.last_phase(pod, due),
            ShutdownPhase::Failed if of_a_job => self.last_phase(pod, due),
            ShutdownPhase::Failed | ShutdownPhase::FailedBefore => PodPhase::Failed,
        };
        let target = self.target(switches.shutdown_disruption_target);
        api.set_pod_phase((pod.id, pod.uid), phase, target);
    }

    /// The condition DisruptionTarget of a pod whose kubelet ends it, where the release has it.
    fn target(&self, is_set: bool) -> Option<PodCondition> {
        let (is, why) = (ConditionStatus::True, PodReason::TerminationByKubelet);
        is_set.then(|| PodCondition::new(is, why, self.nodes.api.timestamp()))
    }

    /// The phase with which a pod ends (`pkg/kubelet/kubelet_pods.go`, `getPhase`;
    /// `status_manager.go`, `TerminatePod`): it goes by the exit codes of its containers, whatever
    /// their restart policy and whoever owns the pod. Failed has also one that was killed at the end of
    /// its grace, which is an exit code of 137, one that never started, and one of whose containers the
    /// runtime knows nothing any more.
    fn last_phase(&self, pod: &Pod, due: &Due) -> PodPhase {
        let grace = due.shutdown.unwrap_or(Dur::MAX).min(self.pods.stop_of(pod, due, None));
        let killed = grace < due.unhurried;
        let ended = pod.template.life.as_ref().and_then(|l| l.ends.as_ref()).filter(|_| due.down);
        let code = ended.map_or(pod.template.exit_code.unwrap_or(0), |(_, code)| *code);
        let failed = killed && !due.down
            || code != 0
            || due.turns.failed
            || due.forgotten
            || pod.phase == PodPhase::Pending;
        if failed && !due.succeeded { PodPhase::Failed } else { PodPhase::Succeeded }
    }
}
