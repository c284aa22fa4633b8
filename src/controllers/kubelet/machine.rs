//! Machines that stop and come up again, and kubelets that die, and start anew, while their machines
//! run on; container runtimes that fail, and when their kubelets notice.
//!
//! `pkg/kubelet/kubelet.go` (`Run`, `HandlePodAdditions`), v1.34: a kubelet that starts renews its
//! lease and reports its status whatever it is, hears of all its pods as if they were new, and takes
//! over the containers that run, unless it does not admit a pod any more (`refusal`). Its memory of
//! what it did is gone; what it has asked the container runtime to end, ends without it.
//!
//! `kubelet.go` (`updateRuntimeUp`, every 5 s) and `runtime.go` (`runtimeErrors`, `maxWaitForContainerRuntime`):
//! a runtime that says that it is not ready counts at once, one that does not answer 30 s after it last did. The
//! status loop posts what it finds, and `syncLoop` skips all pods ("Skipping pod synchronization"), in every release since 1.18.
//!
//! Here a runtime that fails does nothing from then on, in either way. What runs runs on, and whatever was asked to stop before
//! stops; but nothing else is started, stopped, pulled, started again or evicted for pressure (`summaryProvider.Get` fails),
//! no image is deleted, and a graceful shutdown waits in vain. What was marked NotReady stays so, as the kubelet does not hear
//! of it. Once its kubelet finds that it works the loop goes on with its next look, and hears of all that it has missed.
//! Left out: probes, which upstream makes meanwhile where they need no runtime (up to 1.20 even what readiness probes find
//! is said); requests that hang until `--runtime-request-timeout`; a kubelet that cannot start without its runtime.

use super::asleep::Sleepers;
use super::containers::Containers;
use super::eviction_manager::EvictionManager;
use super::loops::Loops;
use super::nodes::Kubelet;
use super::pod_workers::PodWorkers;
use super::reach::Reach;
use super::status_manager::BACK_OFF_PERIOD;
use super::updates::PodUpdates;
use super::uplink::Back;
use crate::controllers::kubelet::prelude::*;
use crate::plan::RuntimeFails;

/// From a kubelet's start to its first lease renewal and status report; measured, four times, of
/// 1.34.4.
const KUBELET_START: (Dur, Dur) = (Dur::from_millis(600), Dur::from_millis(1_100));
/// How much later it has its node and asks for its pods (`pkg/kubelet/config/apiserver.go`,
/// `WaitForAPIServerSyncPeriod`): it looks once when it is made, which is too soon, and then a second
/// later. Measured, from the first renewal: 0.92 to 1.11 s, four times.
const NODE_SYNC: Dur = Dur::from_secs(1);
/// How often a kubelet asks its runtime.
const CHECKS: Dur = Dur::from_secs(5);
/// How long after its last answer a runtime counts as down.
const MAX_WAIT: Dur = Dur::from_secs(30);
/// How often a loop that skips its pods looks at its runtime again: once it has for 6.3 s, before that more often (`syncLoop`).
const SKIPS: Dur = Dur::from_secs(5);

/// The machines of all nodes, and the processes of their kubelets.
pub(super) struct Machines {
    pub(super) nodes: Rc<Nodes>,
    pub(super) sleepers: Rc<Sleepers>,
    pub(super) loops: Rc<Loops>,
    pub(super) reach: Rc<Reach>,
    pub(super) workers: Rc<PodWorkers>,
    pub(super) updates: Rc<PodUpdates>,
    pub(super) containers: Rc<Containers>,
    pub(super) eviction: Rc<EvictionManager>,
    /// Has a machine be up.
    pub(super) booter: HandlerId<NodeId>,
    /// Looks at a runtime.
    pub(super) checker: HandlerId<NodeId>,
}

impl Machines {
    /// A machine stops, and its containers with it.
    pub(super) fn crash(&self, node: NodeId) {
        self.sleepers.silenced(node);
        let was = self.nodes.with(node, |k| {
            let silent = k.cut.is_some() || k.stopped;
            let was_off = std::mem::replace(&mut k.crashed, true);
            (was_off, k.boots_until.take().is_some(), silent, k.gone)
        });
        let Some((was_off, booting, silent, false)) = was else { return };
        if !was_off {
            self.containers.machine_off(node);
            self.containers.volumes.forget(node);
            if !silent {
                self.nodes.record(node, What::NodeSilent);
            }
        }
        if !was_off || booting {
            self.ends(node);
        }
    }

    /// Ends a node's kubelet with its machine; its pods stay until someone else removes them.
    pub(super) fn leave(&self, node: NodeId) {
        self.sleepers.wake_up(node);
        if self.nodes.is(node, |k| !std::mem::replace(&mut k.gone, true) && !k.crashed) {
            self.containers.machine_off(node);
        }
        self.eviction.stops(node);
        self.reach.asks_no_more(node);
    }

    /// A kubelet ends, whether its machine does or not.
    fn ends(&self, node: NodeId) {
        self.eviction.stops(node);
        match self.nodes.mode {
            KubeletMode::Imitated(_) => self.loops.pause(node),
            KubeletMode::Real(_) => self.reach.asks_no_more(node),
        }
    }

    /// A crashed machine is switched on again, and boots.
    pub(super) fn boot(&self, node: NodeId) {
        let boot = self.nodes.real().map_or(Dur::ZERO, |real| real.boot);
        let up = self.nodes.now() + boot;
        let boots = |k: &mut Kubelet| k.crashed && !k.gone && k.boots_until.replace(up).is_none();
        match self.nodes.is(node, boots) {
            true if boot.is_zero() => self.booted(node),
            true => _ = self.nodes.ctx.post_at(up, Class::Source, self.booter, node),
            false => {}
        }
    }

    /// A machine has booted, unless it stopped again meanwhile: the kubelet starts, unless something
    /// keeps it from that, and starts its pods' containers anew.
    pub(super) fn booted(&self, node: NodeId) {
        let (api, now) = (&self.nodes.api, self.nodes.now());
        let starts = self.nodes.with(node, |k| {
            let is_up = !k.gone && k.boots_until.take_if(|up| *up == now).is_some();
            k.crashed &= !is_up;
            is_up.then(|| k.runs())
        });
        let Some(Some(starts)) = starts else { return };
        api.waking(node);
        let on = api.record_node(Actor::User, node, What::MachineOn);
        if starts && let Some((hears, real)) = self.begins_anew(node, on) {
            self.updates.start_anew(node, hears, real);
        }
    }

    /// A node's kubelet dies.
    pub(super) fn stop_kubelet(&self, node: NodeId) {
        self.sleepers.silenced(node);
        let was = self.nodes.with(node, |k| {
            let was = (k.runs(), k.cut.is_some());
            k.stopped = true;
            was
        });
        let Some((true, cut)) = was else { return };
        if !cut {
            self.nodes.record(node, What::NodeSilent);
        }
        self.updates.kubelet_dies(node);
        self.ends(node);
    }

    /// A kubelet starts where another has died. On a machine that is off it does so with the machine.
    pub(super) fn start_kubelet(&self, node: NodeId) {
        let Nodes { ctx, api, .. } = &*self.nodes;
        if !self.nodes.is(node, |k| std::mem::take(&mut k.stopped) && k.is_on()) {
            return;
        }
        api.waking(node);
        if let Some((hears, real)) = self.begins_anew(node, ctx.cause()) {
            self.updates.take_over(node, hears, real);
        }
    }

    /// A kubelet starts, because of `cause`: it renews its lease and posts its status whatever it is.
    /// When it hears of its pods; none of one that is imitated, which goes on at once.
    fn begins_anew(&self, node: NodeId, cause: u32) -> Option<(Time, Real)> {
        if self.nodes.is(node, |k| k.cut.is_some()) {
            self.nodes.ctx.set_cause(cause);
        } else {
            self.nodes.record(node, What::NodeHeard);
        }
        let Some(real) = self.nodes.real() else {
            self.loops.resume(node);
            self.eviction.starts(node, self.nodes.now());
            self.workers.overdue([node]);
            self.containers.volumes.wake(node);
            return None;
        };
        Some((self.begins(node, real), real))
    }

    /// A kubelet has just been started, and asks once it is ready for that. When it hears of its pods.
    pub(super) fn begins(&self, node: NodeId, real: Real) -> Time {
        // The first report after a start is unconditional, except in 1.32.0 to 1.32.2.
        self.nodes.with(node, |k| k.report_offset_ns = i64::MIN / 2);
        let ctx = &self.nodes.ctx;
        let (least, most) = KUBELET_START;
        let object = self.nodes.object(node);
        let point = ctx.point("kubelet-start");
        let drawn = ctx.uniform(point, object, least.as_nanos(), most.as_nanos());
        let asks = ctx.now() + Dur::from_nanos(drawn);
        self.updates.kubelet_starts(node, asks);
        self.eviction.starts(node, asks);
        let waits = self.nodes.switches.waits_for_node && !real.recorded;
        let hears = if waits { asks + NODE_SYNC } else { asks };
        self.reach.starts_asking(node, asks, hears);
        hears
    }

    /// A node's container runtime fails, or works again.
    pub(super) fn runtime_fails(&self, node: NodeId, fails: Option<RuntimeFails>) {
        let draw = |_| self.nodes.draw("runtime-check", node, CHECKS);
        let check = self.nodes.real().map_or(Dur::ZERO, draw);
        let (after, status) = match fails {
            Some(RuntimeFails::Ready) => (check, ConditionStatus::False),
            Some(RuntimeFails::Status) => (MAX_WAIT.saturating_sub(check), ConditionStatus::False),
            None => (check, ConditionStatus::True),
        };
        if fails.is_some() {
            self.updates.runtime_fails(node);
            self.nodes.with(node, |k| k.runtime_fails = true);
        }
        let at = self.nodes.now() + after;
        self.nodes.with(node, |k| k.runtime_news = Some((at, Some(status))));
        self.nodes.ctx.post_at(at, Class::Source, self.checker, node);
    }

    /// A kubelet notices what has become of its runtime, or syncs its pods again, unless something else has come of it since.
    pub(super) fn check_runtime(&self, node: NodeId) {
        let now = self.nodes.now();
        let due = self.nodes.with(node, |k| k.runtime_news.take_if(|(at, _)| *at == now));
        let Some(Some((_, news))) = due else { return };
        let Some(status) = news else { return self.syncs_pods(node) };
        self.sleepers.wake_up(node);
        let ready = NodeConditionType::Ready as usize;
        let changes = self.nodes.is(node, |k| k.view[ready].replace(status) != Some(status));
        if changes {
            self.nodes.view_changes(node);
        }
        if status == ConditionStatus::True {
            // Where it had not noticed, its pod workers try again what they could not do (`completeWork`).
            let most = if changes { SKIPS } else { BACK_OFF_PERIOD };
            let draw = |_| self.nodes.draw("runtime-check", node, most);
            let at = now + self.nodes.real().map_or(Dur::ZERO, draw);
            self.nodes.with(node, |k| k.runtime_news = Some((at, None)));
            self.nodes.ctx.post_at(at, Class::Source, self.checker, node);
        }
    }

    /// A kubelet's loop goes on, and does what it has skipped.
    fn syncs_pods(&self, node: NodeId) {
        let failed = |k: &mut Kubelet| std::mem::take(&mut k.runtime_fails) && k.runs();
        if !self.nodes.is(node, failed) {
            return;
        }
        self.workers.watch(node);
        match self.nodes.hears_from(node) {
            Some(_) if self.nodes.real().is_none() => self.workers.overdue([node]),
            Some(pods) => {
                let back = Back { pods, connection: pods, ..Back::default() };
                self.updates.go_on(node, back, false);
            }
            None => {}
        }
    }
}
