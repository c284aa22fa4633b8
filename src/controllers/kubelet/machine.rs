//! Machines that stop, and come up again.

use super::kubelets::Kubelets;
use super::notices::Notices;
use super::reach::POD_STATUS_SYNC;
use crate::api::meta::Uid;
use crate::api::names::NodeId;
use crate::kernel::{Dur, Time};
use crate::plan::{KubeletMode, Real};
use crate::trace::{Actor, What};

/// From a kubelet's start to its first lease renewal and status report; measured, four times, of
/// 1.34.4.
const KUBELET_START: (Dur, Dur) = (Dur::from_millis(600), Dur::from_millis(1_100));
/// How much later it has its node and asks for its pods (`pkg/kubelet/config/apiserver.go`,
/// `WaitForAPIServerSyncPeriod`): it looks once when it is made, which is too soon, and then a second
/// later. Measured, from the first renewal: 0.92 to 1.11 s, four times.
const NODE_SYNC: Dur = Dur::from_secs(1);

impl Kubelets {
    /// A machine stops, and its containers with it.
    pub(crate) fn crash(&self, node: NodeId) {
        self.silenced(node);
        let was = self.with(node, |k| {
            (
                std::mem::replace(&mut k.crashed, true),
                k.cut.is_some() || k.stopped,
                k.gone,
                k.boots_until.take().is_some(),
            )
        });
        if let Some((was_off, silent, false, booting)) = was
            && (!was_off || booting)
        {
            if !was_off {
                self.machine_off(node);
            }
            if !was_off && !silent {
                let record = self.api.record_node(Actor::User, node, What::NodeSilent);
                self.ctx.set_cause(record);
            }
            match self.mode {
                KubeletMode::Imitated(_) => self.pause_imitated(node),
                KubeletMode::Real(_) => self.asks_no_more(node),
            }
        }
    }

    /// A crashed machine is switched on again, and boots.
    pub(crate) fn boot(&self, node: NodeId) {
        let boot = match self.mode {
            KubeletMode::Imitated(_) => Dur::ZERO,
            KubeletMode::Real(real) => real.boot,
        };
        let up = self.ctx.now() + boot;
        if self.with(node, |k| {
            k.crashed && !k.gone && k.boots_until.replace(up).is_none()
        }) == Some(true)
        {
            if boot.is_zero() {
                self.booted(node)
            } else {
                self.booted_at(node, up)
            }
        }
    }

    /// A machine has booted, unless it stopped again meanwhile: the kubelet starts, unless something
    /// keeps it from that, and starts its pods' containers anew.
    pub(super) fn booted(&self, node: NodeId) {
        let up = self.ctx.now();
        let Some(Some(starts)) = self.with(node, |k| {
            let done = !k.gone && k.boots_until == Some(up);
            done.then(|| {
                (k.crashed, k.boots_until) = (false, None);
                k.runs()
            })
        }) else {
            return;
        };
        self.api.waking(node);
        let on = self.api.record_node(Actor::User, node, What::MachineOn);
        if starts && let Some((hears, real)) = self.begins_anew(node, on) {
            self.start_anew(node, hears, real);
        }
    }

    /// A kubelet starts, because of `cause`: it renews its lease and posts its status whatever it is.
    /// When it hears of its pods; none of one that is imitated, which goes on at once.
    pub(super) fn begins_anew(&self, node: NodeId, cause: u32) -> Option<(Time, Real)> {
        let heard = if self.with(node, |k| k.cut.is_some()) == Some(true) {
            cause
        } else {
            self.api.record_node(Actor::User, node, What::NodeHeard)
        };
        self.ctx.set_cause(heard);
        let KubeletMode::Real(real) = self.mode else {
            self.resume_imitated(node);
            return None;
        };
        Some((self.begins(node, real), real))
    }

    /// A kubelet has just been started, and asks once it is ready for that. When it hears of its pods.
    pub(super) fn begins(&self, node: NodeId, real: Real) -> Time {
        // The first report after a start is unconditional, except in 1.32.0 to 1.32.2.
        self.with(node, |k| k.report_offset_ns = i64::MIN / 2);
        let asks = self.ctx.now() + self.start_of(node);
        self.admits_anew(node, asks);
        let period = POD_STATUS_SYNC.as_nanos();
        self.with(node, |k| {
            k.syncs_at = Some(Dur::from_nanos(asks.as_nanos() % period));
        });
        let waits = self.switches.waits_for_node && !real.recorded;
        let hears = if waits { asks + NODE_SYNC } else { asks };
        self.starts_asking(node, asks, hears);
        hears
    }

    /// How long a kubelet takes from its start to its first requests.
    fn start_of(&self, node: NodeId) -> Dur {
        let (least, most) = KUBELET_START;
        let drawn = self.ctx.uniform(
            self.points.start,
            self.object(node),
            least.as_nanos(),
            most.as_nanos(),
        );
        Dur::from_nanos(drawn)
    }

    /// A machine has come up, and its kubelet hears of its pods then: it finds their containers
    /// stopped, tells so, and starts them anew, or ends the pods.
    pub(super) fn start_anew(&self, node: NodeId, hears: Time, real: Real) {
        for uid in self.pods_of(node) {
            self.find_stopped(uid, node, hears, real);
        }
    }

    /// A kubelet that hears of its pods then finds what ran of one stopped: it has listed containers
    /// since it started (`pod_workers.go`, `podWorkerLoop`), and nothing is there to be ended. What the
    /// recorder has in place of that finds it at a relist, and takes its time to end nothing.
    pub(super) fn find_stopped(&self, uid: Uid, node: NodeId, hears: Time, real: Real) {
        let pod = self.due(uid).and_then(|d| self.api.pod(d.pod));
        let takes = pod.as_ref().map_or(real.pod_start, |p| real.start_of(p));
        let (found, ended) = if real.recorded {
            let stops = pod.as_ref().map_or(real.pod_stop, |p| real.stop_of(p));
            (hears + self.until_relist(node), hears + stops)
        } else {
            (hears, hears)
        };
        self.with_due(uid, |d| {
            d.found_stopped = d.forgotten.then_some(found);
            d.start = found + takes;
            d.stop_at(ended);
        });
        for at in [found, ended, found + takes] {
            self.work_at(uid, at);
        }
    }
}
