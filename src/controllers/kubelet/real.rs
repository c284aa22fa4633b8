//! Kubelets as they are: loops with jitter, admission, pods that take their time.
//!
//! What a kubelet tries while it does not reach the API server leaves no trace, and is followed in
//! thought (`uplink`).

use super::kubelets::Kubelets;
use super::node_state::{Admission, Due, Loop};
use super::notices::Notices;
use super::uplink::Back;
use crate::api::meta::{ConditionStatus, Uid};
use crate::api::names::NodeId;
use crate::api::pod::{Pod, PodPhase};
use crate::client::connection::Link;
use crate::kernel::{Dur, Time};
use crate::plan::switches::kubelet::{FirstTry, ReportOffset};
use crate::plan::{KubeletMode, Real};
use crate::trace::Actor;

/// How often the pod lifecycle event generator lists containers (`pkg/kubelet/kubelet.go`,
/// `genericPlegRelistPeriod`).
const RELIST: Dur = Dur::from_secs(1);
/// How long it takes to read what is written of a pod's end: as good as nothing, as all requests of
/// kubelets here, but what somebody else does in the same instant comes first.
const READ: Dur = Dur::from_nanos(1);

impl Real {
    /// From a pod's binding to Running and Ready.
    pub(super) fn start_of(&self, pod: &Pod) -> Dur {
        pod.template.start.unwrap_or(self.pod_start)
    }

    /// How long a pod would take to stop if its grace period let it.
    fn unhurried(&self, pod: &Pod) -> Dur {
        pod.template.stop.unwrap_or(self.pod_stop)
    }

    /// How long a pod takes to stop: no longer than its grace period.
    pub(super) fn stop_of(&self, pod: &Pod) -> Dur {
        let grace = pod.deletion.map_or_else(
            || pod.termination_grace_period_seconds(),
            |d| d.grace_period_seconds,
        );
        self.unhurried(pod)
            .min(Dur::from_secs(grace.max(1).unsigned_abs()))
    }

    pub(super) fn period_of(&self, which: Loop) -> Dur {
        match which {
            Loop::Lease => Dur::from_nanos(self.node_lease_duration.as_nanos() / 4),
            Loop::Status => self.node_status_update_frequency,
        }
    }
}

impl Kubelets {
    pub(super) fn real(&self) -> Real {
        match self.mode {
            KubeletMode::Real(r) => r,
            KubeletMode::Imitated(_) => {
                unreachable!("loops of real kubelets run in this mode only")
            }
        }
    }

    /// Starts both loops at a phase of their own, as kubelets were started at some time long ago.
    pub(super) fn begin_real(&self, node: NodeId) {
        let real = self.real();
        for which in [Loop::Lease, Loop::Status] {
            let phase = self.given_phase(node, which).unwrap_or_else(|| {
                Dur::from_nanos(self.ctx.uniform(
                    self.points.phase,
                    self.object(node),
                    0,
                    real.period_of(which).as_nanos().saturating_sub(1),
                ))
            });
            self.schedule(node, which, self.ctx.now() + phase);
        }
        let age = self.ctx.uniform(
            self.points.phase,
            self.object(node),
            0,
            real.node_status_report_frequency.as_nanos(),
        );
        self.with(node, |k| {
            // The last report lies up to one period before the start; it can't be earlier than time
            // zero here, so the next one comes earlier instead.
            k.report_offset_ns = -(age as i64);
        });
    }

    /// When a loop begins, where that is given.
    fn given_phase(&self, node: NodeId, which: Loop) -> Option<Dur> {
        let offset = self.with(node, |k| match which {
            Loop::Lease => k.settings.lease_offset,
            Loop::Status => k.settings.status_offset,
        });
        offset.filter(|o| self.real().recorded && !o.is_zero())
    }

    /// The sleep after the tick of that number of a loop.
    pub(super) fn period_after(&self, node: NodeId, which: Loop, tick: u32) -> Dur {
        self.sleeps(node, which)
            .map_or_else(|| self.period(node, which), |s| s.after(tick))
    }

    /// The period of a loop, without its jitter.
    pub(super) fn period(&self, node: NodeId, which: Loop) -> Dur {
        match self.mode {
            KubeletMode::Imitated(_) => self.imitated_period(node, which),
            KubeletMode::Real(real) => self
                .with(node, |k| k.slow)
                .flatten()
                .unwrap_or_else(|| real.period_of(which)),
        }
    }

    /// How old a status post may become.
    pub(super) fn report_period(&self) -> Dur {
        match self.mode {
            KubeletMode::Imitated(i) => i.status_report,
            KubeletMode::Real(r) if self.switches.leases => r.node_status_report_frequency,
            // Without leases every check posts.
            KubeletMode::Real(_) => Dur::ZERO,
        }
    }

    /// Whether a status check at `at` posts although nothing changed.
    pub(super) fn report_is_due(&self, at: Time, last_post: Time, offset_ns: i64) -> bool {
        at.since(last_post).as_nanos() as i64 >= self.report_period().as_nanos() as i64 + offset_ns
    }

    fn next_sleep(&self, node: NodeId, which: Loop) -> Dur {
        let tick = self.with(node, |k| {
            k.ticks[which as usize] += 1;
            k.ticks[which as usize] - 1
        });
        self.period_after(node, which, tick.unwrap_or(0))
    }

    /// A tick of a loop of a kubelet that reaches the API server.
    pub(super) fn tick_real(&self, node: NodeId, which: Loop) {
        if self
            .with(node, |k| k.link != Link::Open || !k.runs())
            .unwrap_or(true)
        {
            return;
        }
        let sleep = self.next_sleep(node, which);
        self.schedule(node, which, self.ctx.now() + sleep);
        match which {
            Loop::Lease if self.switches.leases => self.renew(node),
            Loop::Lease => {}
            Loop::Status => {
                self.check_status_real(node, self.switches.first_try);
                self.rests(node);
            }
        }
    }

    /// `tryUpdateNodeStatus`: posts if anything but heartbeats changed, or the report is due. A
    /// first try that reads the informer does not know of changes that its watch has not delivered:
    /// its patch is the difference to what it knows, so that it tells of the kubelet's own changes
    /// and of heartbeats, and leaves alone what others wrote.
    fn check_status_real(&self, node: NodeId, read: FirstTry) {
        let Some(stored) = self.api.node(node) else {
            return;
        };
        let now = self.ctx.now();
        let (knows, changed) = self
            .with(node, |k| (k.knows_its_node(now), k.view_changed.is_some()))
            .unwrap_or((false, false));
        let knows = knows || read == FirstTry::Get;
        let differs = changed || knows && self.differs(&stored);
        let due = self
            .with(node, |k| (k.last_post, k.report_offset_ns))
            .is_some_and(|(post, offset)| self.report_is_due(now, post, offset));
        if !differs && !due {
            return;
        }
        if differs {
            self.ctx.set_cause(stored.record);
        }
        if differs || knows {
            self.post(node);
        } else {
            self.post_heartbeats(node);
        }
        self.draw_report_offset(node, differs);
    }

    /// S23: a real change moves the next periodic report by up to half a period; a periodic one
    /// does not.
    fn draw_report_offset(&self, node: NodeId, changed: bool) {
        let offset = if changed && self.switches.report_offset != ReportOffset::None {
            let half = self.real().node_status_report_frequency.as_nanos() / 2;
            let drawn = self.ctx.uniform(
                self.points.report_offset,
                self.object(node),
                0,
                half.saturating_mul(2).saturating_sub(1),
            );
            drawn as i64 - half as i64
        } else {
            0
        };
        self.with(node, |k| k.report_offset_ns = offset);
    }

    /// A pod of a kubelet whose way is open again: what its kubelet did is told once its connection
    /// carries something or, where it was `refused`, with the next sync of pod statuses; what it is
    /// to do is done once its watch delivers.
    pub(super) fn pod_goes_on(&self, uid: Uid, back: Back, refused: bool) {
        let now = self.ctx.now();
        let Some(due) = self.due(uid) else { return };
        if due.missing {
            return self.work_at(uid, back.pods);
        }
        if let Some(stop) = due.orphaned {
            return self.end_orphan(uid, back.pods.since(now) + stop);
        }
        let Some(pod) = self.api.pod(due.pod).filter(|p| p.uid == uid) else {
            return;
        };
        if due.refused.is_some() {
            return self.work_at(uid, self.sync_after(due.node, back.connection));
        }
        if due.admission == Admission::Open && pod.phase != PodPhase::Pending {
            self.work_at(uid, back.pods);
        }
        let real = self.real();
        let told = |done: Time| match refused {
            true if done <= now => self.sync_after(due.node, now),
            _ => done.max(back.connection),
        };
        if pod.is_terminating() {
            let at = if due.stop_known {
                let removal = due.stop + self.until_relist(due.node);
                self.with_due(uid, |d| {
                    d.removal.get_or_insert(removal);
                });
                told(due.stop)
            } else {
                back.pods + self.stopping(&pod, &due)
            };
            self.with_due(uid, |d| d.stop_at(at));
            self.work_at(uid, at);
        } else if pod.phase == PodPhase::Pending {
            if due.admission == Admission::Open {
                self.work_at(uid, back.pods);
            }
            let start = if due.start_known {
                told(due.start)
            } else {
                back.pods + real.start_of(&pod)
            };
            self.with_due(uid, |d| d.start = start);
            self.work_at(uid, start);
        } else {
            self.work_at(uid, self.sync_after(due.node, back.pods));
        }
    }

    /// How long what runs of a pod takes to stop.
    pub(super) fn stopping(&self, pod: &Pod, due: &Due) -> Dur {
        if pod.phase.is_terminal() && !due.up {
            Dur::ZERO
        } else {
            self.real().stop_of(pod)
        }
    }

    /// Until the pod lifecycle event generator next lists the containers of a node.
    pub(super) fn until_relist(&self, node: NodeId) -> Dur {
        Dur::from_nanos(self.ctx.uniform(
            self.points.relist,
            self.object(node),
            0,
            RELIST.as_nanos(),
        ))
    }

    /// A pod was marked NotReady although its kubelet reaches the API server: the kubelet hears of
    /// it, and its next sync of pod statuses sets it back (`status_manager.go: needsReconcile`).
    pub(super) fn sync_pod(&self, node: NodeId, uid: Uid) {
        let now = self.ctx.now();
        if let Some(heard) = self.with(node, |k| k.hears_from(now)).flatten() {
            self.work_at(uid, self.sync_after(node, heard));
        }
    }

    /// Does what is due for one life of a pod: stop, start, refuse, or tell that it is ready.
    pub(super) fn work_real(&self, uid: Uid) {
        let now = self.ctx.now();
        let Some(due) = self.due(uid) else { return };
        // Containers end as they were asked to, also when nobody looks.
        let Some((heard, true)) = self.with(due.node, |k| (k.hears_from(now), k.is_on())) else {
            return;
        };
        if due.missing {
            if heard == Some(now) {
                self.mirror(uid, &due);
            }
            return;
        }
        self.run_containers(uid, &due, heard.is_none());
        // While nothing gets through, nothing is told; it is once something does.
        let through = self.with(due.node, |k| k.gets_through(now));
        if due.orphaned.is_some() || through != Some(true) {
            return;
        }
        let Some(pod) = self.api.pod(due.pod).filter(|p| p.uid == uid) else {
            return;
        };
        if due.admission == Admission::Open
            && let Some(heard) = heard.filter(|at| *at == now)
        {
            self.admit(uid, &pod, heard);
        }
        let Some(due) = self.due(uid) else { return };
        if let Some(refused) = due.refused {
            return self.work_refused(&pod, &due, refused);
        }
        if due.found_stopped.is_some_and(|at| at <= now) {
            self.with_due(uid, |d| d.found_stopped = None);
            self.tell_stopped(&pod);
        }
        if due.stop != Time::MAX {
            if now >= due.stop {
                self.end_pod(&pod, &due);
            }
            return;
        }
        if now < due.start || pod.phase.is_terminal() {
            return;
        }
        if pod.phase == PodPhase::Pending {
            self.with_due(uid, |d| d.started = true);
            let _ = self.api.start_pod(Actor::Kubelet, pod.id, uid);
        } else if pod.ready.is_none_or(|c| c.status != ConditionStatus::True) {
            let _ = self
                .api
                .set_pod_ready(Actor::Kubelet, pod.id, uid, ConditionStatus::True);
        }
    }

    /// After a machine's start: containers that ran have stopped.
    fn tell_stopped(&self, pod: &Pod) {
        let ready = match pod.ready {
            Some(c) => c.status == ConditionStatus::True,
            // It was taken away when the pod was refused.
            None => pod.phase == PodPhase::Running,
        };
        if ready && !pod.is_terminating() && !pod.phase.is_terminal() {
            let _ = self
                .api
                .set_pod_ready(Actor::Kubelet, pod.id, pod.uid, ConditionStatus::False);
        }
    }

    /// The end of a pod. From 1.27 on its phase is terminal before the object goes, at the next relist.
    /// A status is read before it is written (`status_manager.go`, `syncPod`).
    pub(super) fn end_pod(&self, pod: &Pod, due: &Due) {
        let now = self.ctx.now();
        if self.switches.terminal_phase_before_removal {
            if !pod.phase.is_terminal() {
                if !due.read {
                    self.with_due(pod.uid, |d| d.read = true);
                    return self.work_at(pod.uid, now + READ);
                }
                let phase = self.last_phase(pod, due);
                let _ = self
                    .api
                    .set_pod_phase(Actor::Kubelet, pod.id, pod.uid, phase);
            }
            let removal = due
                .removal
                .unwrap_or_else(|| now + self.until_relist(due.node));
            if removal > now {
                self.with_due(pod.uid, |d| d.removal = Some(removal));
                return self.work_at(pod.uid, removal);
            }
        }
        if !self.switches.terminal_phase_before_removal
            && pod.ready.is_some_and(|c| c.status == ConditionStatus::True)
        {
            // What runs no more is not ready (`syncTerminatedPod`: `SetPodStatus`).
            let _ = self
                .api
                .set_pod_ready(Actor::Kubelet, pod.id, pod.uid, ConditionStatus::False);
        }
        let _ = self
            .api
            .delete_pod(Actor::Kubelet, pod.id, Some(0), Some(pod.uid));
    }

    /// The phase with which a pod ends (`pkg/kubelet/kubelet_pods.go`, `getPhase`;
    /// `status_manager.go`, `TerminatePod`): it goes by the exit codes of its containers, whatever
    /// their restart policy and whoever owns the pod. Failed has also one that was killed at the end of
    /// its grace, which is an exit code of 137, one that never started, and one of whose containers the
    /// runtime knows nothing any more.
    fn last_phase(&self, pod: &Pod, due: &Due) -> PodPhase {
        let killed = self.real().stop_of(pod) < self.real().unhurried(pod);
        let failed = killed || pod.template.exit_code != 0;
        if failed || due.forgotten || pod.phase == PodPhase::Pending {
            PodPhase::Failed
        } else {
            PodPhase::Succeeded
        }
    }
}
