//! Kubelets as they are: loops with jitter, retries and back-off, healing by release, admission,
//! pods that take their time.
//!
//! What a kubelet does while it is cut off leaves no trace, so it is not simulated try by try: on
//! healing, the try or sleep that is under way is found by walking the loop's arithmetic from the
//! last tick.

use super::kubelets::Kubelets;
use super::node_state::{Due, Loop};
use super::notices::Notices;
use crate::api::meta::{ConditionStatus, Uid};
use crate::api::names::NodeId;
use crate::api::pod::{Pod, PodPhase, PodSource};
use crate::api::taint::{Effect, Taint};
use crate::api::toleration::matching_tolerations;
use crate::client::About;
use crate::kernel::{Dur, Time};
use crate::plan::switches::kubelet::{FirstTry, ReportOffset};
use crate::plan::{KubeletMode, Real};
use crate::trace::{Actor, EventText};

/// The share of a period by which it may be longer, in percent (S6, S7).
const JITTER_PERCENT: u64 = 4;
/// How long one try of a request takes to fail while packets are dropped: the heartbeat client's
/// timeout.
const TRY: Dur = Dur::from_secs(10);
/// Back-to-back tries of one renewal, and of one status update.
const TRIES: u64 = 5;
/// Sleeps of the lease's ensure loop: 200 ms doubling up to 7 s.
const ENSURE_FIRST: Dur = Dur::from_millis(200);
const ENSURE_MAX: Dur = Dur::from_secs(7);
/// How long a silent connection stays unnoticed: HTTP/2 read idle and ping timeouts.
const BROKEN_CONNECTION: Dur = Dur::from_secs(45);
/// The reflector's back-off when it can't reconnect: 800 ms doubling up to 30 s.
const RECONNECT_FIRST: Dur = Dur::from_millis(800);
const RECONNECT_MAX: Dur = Dur::from_secs(30);
/// The period of the status manager's sync of pod statuses.
const POD_STATUS_SYNC: Dur = Dur::from_secs(10);

impl Real {
    /// How long a pod takes to stop: no longer than its grace period.
    pub(super) fn stop_of(&self, pod: &Pod) -> Dur {
        let grace = pod.deletion.map_or_else(
            || pod.termination_grace_period_seconds(),
            |d| d.grace_period_seconds,
        );
        self.pod_stop
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
    fn real(&self) -> Real {
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
            let phase = self.ctx.uniform(
                self.points.phase,
                self.object(node),
                0,
                real.period_of(which).as_nanos().saturating_sub(1),
            );
            self.schedule(node, which, self.ctx.now() + Dur::from_nanos(phase));
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

    /// The sleep after the tick of that number of a loop.
    pub(super) fn period_after(&self, node: NodeId, which: Loop, tick: u32) -> Dur {
        let KubeletMode::Real(real) = self.mode else {
            return self.imitated_period(node, which);
        };
        let period = self
            .with(node, |k| k.slow)
            .flatten()
            .unwrap_or_else(|| real.period_of(which));
        let (jittered, point) = match which {
            Loop::Lease => (self.switches.lease_jitter, self.points.lease_jitter),
            Loop::Status => (self.switches.status_jitter, self.points.status_jitter),
        };
        if !jittered {
            return period;
        }
        let most = (period.as_nanos() / 100).saturating_mul(JITTER_PERCENT);
        period
            + Dur::from_nanos(self.ctx.uniform_at(
                point,
                self.object(node),
                tick,
                0,
                most.saturating_sub(1),
            ))
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
            .with(node, |k| k.cut || k.crashed || k.gone)
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
    /// first try that reads the informer does not know of changes that its watch has not delivered.
    fn check_status_real(&self, node: NodeId, read: FirstTry) {
        let Some(stored) = self.api.node(node) else {
            return;
        };
        let now = self.ctx.now();
        let knows =
            read == FirstTry::Get || self.with(node, |k| now >= k.watch_back).unwrap_or(false);
        let differs = knows && self.differs(&stored);
        let due = self
            .with(node, |k| (k.last_post, k.report_offset_ns))
            .is_some_and(|(post, offset)| self.report_is_due(now, post, offset));
        if !differs && !due {
            return;
        }
        if differs {
            self.ctx.set_cause(stored.record);
        }
        self.post(node);
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

    /// A kubelet is cut off: its loops stop leaving traces.
    pub(super) fn cut_real(&self, node: NodeId) {
        self.unschedule(node);
    }

    /// A kubelet reaches the API server again: its loops go on where they would be by now, its
    /// watches come back, its pods' statuses are synced, and deletions it now hears of begin.
    pub(super) fn heal_real(&self, node: NodeId) {
        let now = self.ctx.now();
        let Some((next, cut_at, crashed)) = self.with(node, |k| (k.next, k.cut_at, k.crashed))
        else {
            return;
        };
        if crashed {
            return;
        }
        self.schedule(
            node,
            Loop::Lease,
            lease_resumes(next[Loop::Lease as usize].at, now),
        );
        let (status, live) = status_resumes(next[Loop::Status as usize].at, now, || {
            self.next_sleep(node, Loop::Status)
        });
        self.schedule(node, Loop::Status, status);
        // A later try of the same update reads live, and so sees at once what the API made of the
        // silence.
        let watch_back = if live {
            now
        } else {
            self.watch_reconnects(node, cut_at, now)
        };
        self.with(node, |k| k.watch_back = watch_back);
        let sync = Dur::from_nanos(self.ctx.uniform(
            self.points.pod_status,
            self.object(node),
            0,
            POD_STATUS_SYNC.as_nanos(),
        ));
        let back = self.watch_reconnects(node, cut_at, now);
        for uid in self.pods_of(node) {
            let Some(due) = self.due(uid) else { continue };
            if let Some(stop) = due.orphaned {
                self.end_orphan(uid, back.since(now) + stop);
                continue;
            }
            let Some(pod) = self.api.pod(due.pod).filter(|p| p.uid == uid) else {
                continue;
            };
            let at = if pod.is_terminating() {
                back + self.real().stop_of(&pod)
            } else {
                back + sync
            };
            self.with_due(uid, |d| {
                d.start = d.start.min(at);
                d.stop_at(at);
            });
            self.work_at(uid, at);
        }
    }

    /// A pod was marked NotReady although its kubelet reaches the API server: the kubelet hears of
    /// it, and its next sync of pod statuses sets it back (`status_manager.go: needsReconcile`).
    pub(super) fn sync_pod(&self, node: NodeId, uid: Uid) {
        let wait = self.ctx.uniform(
            self.points.pod_status,
            self.object(node),
            0,
            POD_STATUS_SYNC.as_nanos(),
        );
        self.work_at(uid, self.ctx.now() + Dur::from_nanos(wait));
    }

    /// When a watch that was cut delivers again: at once if the connection was not yet given up,
    /// else after the back-off that is under way.
    fn watch_reconnects(&self, node: NodeId, cut_at: Time, now: Time) -> Time {
        let silent = now.since(cut_at);
        if silent <= BROKEN_CONNECTION {
            return now;
        }
        let (mut backoff, mut spent) = (RECONNECT_FIRST, Dur::ZERO);
        while backoff < RECONNECT_MAX && BROKEN_CONNECTION + spent < silent {
            spent += backoff;
            backoff = (backoff * 2).min(RECONNECT_MAX);
        }
        now + Dur::from_nanos(self.ctx.uniform(
            self.points.watch_back,
            self.object(node),
            0,
            backoff.as_nanos(),
        ))
    }

    /// Does what is due for one life of a pod: stop, start, refuse, or tell that it is ready.
    pub(super) fn work_real(&self, uid: Uid) {
        let now = self.ctx.now();
        let Some(due) = self.due(uid) else { return };
        let Some((cut, off)) = self.with(due.node, |k| (k.cut, k.crashed || k.gone)) else {
            return;
        };
        if off {
            return;
        }
        self.run_containers(uid, &due, cut || self.api.is_down());
        if due.orphaned.is_some() {
            return;
        }
        if self.api.is_down() {
            self.work_at(uid, now + POD_STATUS_SYNC);
            return;
        }
        if cut {
            return;
        }
        let Some(pod) = self.api.pod(due.pod).filter(|p| p.uid == uid) else {
            return;
        };
        if due.stop != Time::MAX {
            if now >= due.stop {
                self.stop_pod(&pod);
            }
            return;
        }
        if now < due.start || pod.phase.is_terminal() {
            return;
        }
        if pod.phase == PodPhase::Pending {
            if self.turns_away(&pod, &due) {
                self.refuse(&pod);
                return;
            }
            self.with_due(uid, |d| d.started = true);
            let _ = self.api.start_pod(Actor::Kubelet, pod.id, uid);
        } else if pod.ready.is_some_and(|c| c.status != ConditionStatus::True) {
            let _ = self
                .api
                .set_pod_ready(Actor::Kubelet, pod.id, uid, ConditionStatus::True);
        }
    }

    /// The end of a pod: from 1.27 its phase is terminal before the object goes. It is Succeeded,
    /// as of a server that ends in order when it is asked to; a Job's pod that had to end before
    /// its work was done has Failed. Mirror pods are created again by the kubelet, which is left
    /// out: the object goes, the containers stay.
    fn stop_pod(&self, pod: &Pod) {
        if self.switches.terminal_phase_before_removal && !pod.phase.is_terminal() {
            let unfinished = pod.template.owner.as_ref().is_some_and(|o| o.kind == "Job");
            let phase = if unfinished {
                PodPhase::Failed
            } else {
                PodPhase::Succeeded
            };
            let _ = self
                .api
                .set_pod_phase(Actor::Kubelet, pod.id, pod.uid, phase);
        }
        let _ = self
            .api
            .delete_pod(Actor::Kubelet, pod.id, Some(0), Some(pod.uid));
    }

    /// A pod that has not been started is not admitted.
    pub(super) fn turns_away(&self, pod: &Pod, due: &Due) -> bool {
        matches!(self.mode, KubeletMode::Real(_))
            && pod.phase == PodPhase::Pending
            && !due.started
            && self.refuses(pod, due.node)
    }

    /// Admission by the kubelet (S9): a pod, not static, that does not tolerate a NoExecute taint
    /// of its node; seconds are ignored.
    fn refuses(&self, pod: &Pod, node: NodeId) -> bool {
        if !self.switches.no_execute_admission || pod.template.source != PodSource::Api {
            return false;
        }
        let Some(node) = self.api.node(node) else {
            return false;
        };
        let taints: Vec<Taint> = node
            .taints
            .iter()
            .filter(|t| t.effect == Effect::NoExecute)
            .cloned()
            .collect();
        matching_tolerations(&taints, &pod.template.tolerations, false).is_none()
    }

    fn refuse(&self, pod: &Pod) {
        let about = About::Pod(pod.id, Some(pod.uid));
        let _ = self
            .api
            .set_pod_phase(Actor::Kubelet, pod.id, pod.uid, PodPhase::Failed);
        // The kubelet's recorder is its own and its rate does not matter here: the event is stored
        // at once.
        let _ = self.api.create_event(
            Actor::Kubelet,
            about.name(self.ctx.now()),
            EventText::TaintToleration.into(),
            false,
            1,
        );
    }
}

/// When the lease loop that would have run at `tick` renews, now that it can: at the tick if that
/// is to come, else when the try or sleep under way ends. Five tries of the renewal, then the
/// ensure loop: a try, and a sleep that doubles.
fn lease_resumes(tick: Time, now: Time) -> Time {
    if tick >= now {
        return tick;
    }
    let mut t = tick;
    for _ in 0..TRIES {
        t += TRY;
        if t >= now {
            return t;
        }
    }
    let mut sleep = ENSURE_FIRST;
    loop {
        for step in [TRY, sleep] {
            t += step;
            if t >= now {
                return t;
            }
        }
        sleep = (sleep * 2).min(ENSURE_MAX);
    }
}

/// When the status loop that would have run at `tick` makes its next try, and whether that try
/// reads live (a later try of the same update) or is a first one.
fn status_resumes(tick: Time, now: Time, sleep: impl Fn() -> Dur) -> (Time, bool) {
    let mut t = tick;
    while t < now {
        for tries in 1..=TRIES {
            t += TRY;
            if t >= now && tries < TRIES {
                return (t, true);
            }
        }
        t += sleep();
    }
    (t, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_resumes_when_the_try_under_way_ends() {
        let s = Time::from_secs;
        // The tick is still to come.
        assert_eq!(lease_resumes(s(100), s(95)), s(100));
        // Cut at the tick at 100; healed at 123: the third try ends at 130.
        assert_eq!(lease_resumes(s(100), s(123)), s(130));
        // Five tries end at 150; the ensure loop's GET ends at 160, its sleep of 200 ms at 160.2.
        assert_eq!(lease_resumes(s(100), s(155)), s(160));
        assert_eq!(
            lease_resumes(s(100), Time::from_millis(160_100)),
            Time::from_millis(160_200)
        );
    }

    #[test]
    fn a_status_update_resumes_with_its_next_try() {
        let s = Time::from_secs;
        let ten = || Dur::from_secs(10);
        assert_eq!(status_resumes(s(100), s(95), ten), (s(100), false));
        // Tries end at 110, 120, 130, 140; the one that follows 130 reads live.
        assert_eq!(status_resumes(s(100), s(123), ten), (s(130), true));
        // The fifth try fails at 150, then the loop sleeps until 160.
        assert_eq!(status_resumes(s(100), s(145), ten), (s(160), false));
    }
}
