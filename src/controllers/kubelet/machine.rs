//! Machines that stop and come up again, and kubelets that die, and start anew, while their machines
//! run on.
//!
//! `pkg/kubelet/kubelet.go` (`Run`, `HandlePodAdditions`), v1.34: a kubelet that starts renews its
//! lease and reports its status whatever it is, hears of all its pods as if they were new, and takes
//! over the containers that run, unless it does not admit a pod any more (`refusal`). Its memory of
//! what it did is gone; what it has asked the container runtime to end, ends without it.

use super::asleep::Sleepers;
use super::eviction_manager::EvictionManager;
use super::imitated::ImitatedLoops;
use super::pod_workers::PodWorkers;
use crate::controllers::kubelet::prelude::*;

/// From a kubelet's start to its first lease renewal and status report; measured, four times, of
/// 1.34.4.
const KUBELET_START: (Dur, Dur) = (Dur::from_millis(600), Dur::from_millis(1_100));
/// How much later it has its node and asks for its pods (`pkg/kubelet/config/apiserver.go`,
/// `WaitForAPIServerSyncPeriod`): it looks once when it is made, which is too soon, and then a second
/// later. Measured, from the first renewal: 0.92 to 1.11 s, four times.
const NODE_SYNC: Dur = Dur::from_secs(1);

/// The machines of all nodes, and the processes of their kubelets.
pub(super) struct Machines {
    pub(super) nodes: Rc<Nodes>,
    pub(super) sleepers: Rc<Sleepers>,
    pub(super) imitated: Rc<ImitatedLoops>,
    pub(super) reach: Rc<Reach>,
    pub(super) workers: Rc<PodWorkers>,
    pub(super) updates: Rc<PodUpdates>,
    pub(super) containers: Rc<Containers>,
    pub(super) volumes: Rc<VolumeManager>,
    pub(super) eviction: Rc<EvictionManager>,
    /// When a machine has booted, while it does.
    pub(super) boots_until: ByNode<Option<Time>>,
    /// Has a machine be up.
    pub(super) booter: HandlerId<NodeId>,
    pub(super) start: PointId,
}

impl Machines {
    /// A node has a kubelet from now on, and its machine is on.
    pub(super) fn join(&self, node: NodeId) {
        self.boots_until.join(node, None);
    }

    /// A machine stops, and its containers with it.
    pub(super) fn crash(&self, node: NodeId) {
        let Nodes { ctx, api, .. } = &*self.nodes;
        self.sleepers.silenced(node);
        let was = self.nodes.with(node, |k| {
            let silent = k.cut.is_some() || k.stopped;
            (std::mem::replace(&mut k.crashed, true), silent, k.gone)
        });
        let booting = self.boots_until.with(node, Option::take).flatten();
        if let Some((was_off, silent, false)) = was
            && (!was_off || booting.is_some())
        {
            if !was_off {
                self.containers.machine_off(node);
                self.volumes.forget(node);
            }
            if !was_off && !silent {
                let record = api.record_node(Actor::User, node, What::NodeSilent);
                ctx.set_cause(record);
            }
            self.ends(node);
        }
    }

    /// Ends a node's kubelet with its machine; its pods stay until someone else removes them.
    pub(super) fn leave(&self, node: NodeId) {
        self.sleepers.wake_up(node);
        let was_on = self.nodes.with(node, |k| !std::mem::replace(&mut k.gone, true) && !k.crashed);
        if was_on == Some(true) {
            self.containers.machine_off(node);
        }
        self.eviction.stops(node);
        self.reach.asks_no_more(node);
    }

    /// A kubelet ends, whether its machine does or not.
    fn ends(&self, node: NodeId) {
        self.eviction.stops(node);
        match self.nodes.mode {
            KubeletMode::Imitated(_) => self.imitated.pause(node),
            KubeletMode::Real(_) => self.reach.asks_no_more(node),
        }
    }

    /// A crashed machine is switched on again, and boots.
    pub(super) fn boot(&self, node: NodeId) {
        let boot = match self.nodes.mode {
            KubeletMode::Imitated(_) => Dur::ZERO,
            KubeletMode::Real(real) => real.boot,
        };
        let ctx = &self.nodes.ctx;
        let up = ctx.now() + boot;
        let is_off = self.nodes.with(node, |k| k.crashed && !k.gone);
        if is_off == Some(true) && self.boots_until.with(node, |b| b.replace(up)) == Some(None) {
            if boot.is_zero() {
                self.booted(node);
            } else {
                ctx.post_at(up, Class::Source, self.booter, node);
            }
        }
    }

    /// A machine has booted, unless it stopped again meanwhile: the kubelet starts, unless something
    /// keeps it from that, and starts its pods' containers anew.
    pub(super) fn booted(&self, node: NodeId) {
        let Nodes { ctx, api, .. } = &*self.nodes;
        let up = ctx.now();
        let is_gone = self.nodes.with(node, |k| k.gone) != Some(false);
        if is_gone || self.boots_until.with(node, |b| *b) != Some(Some(up)) {
            return;
        }
        self.boots_until.with(node, |b| *b = None);
        let starts = self.nodes.with(node, |k| {
            k.crashed = false;
            k.runs()
        });
        api.waking(node);
        let on = api.record_node(Actor::User, node, What::MachineOn);
        if starts == Some(true)
            && let Some((hears, real)) = self.begins_anew(node, on)
        {
            self.updates.start_anew(node, hears, real);
        }
    }

    /// A node's kubelet dies.
    pub(super) fn stop_kubelet(&self, node: NodeId) {
        let Nodes { ctx, api, .. } = &*self.nodes;
        self.sleepers.silenced(node);
        let was = self.nodes.with(node, |k| {
            let was = (k.runs(), k.cut.is_some());
            k.stopped = true;
            was
        });
        let Some((true, cut)) = was else { return };
        if !cut {
            let record = api.record_node(Actor::User, node, What::NodeSilent);
            ctx.set_cause(record);
        }
        self.updates.kubelet_dies(node);
        self.ends(node);
    }

    /// A kubelet starts where another has died. On a machine that is off it does so with the machine.
    pub(super) fn start_kubelet(&self, node: NodeId) {
        let Nodes { ctx, api, .. } = &*self.nodes;
        let was = self.nodes.with(node, |k| (std::mem::take(&mut k.stopped), k.is_on()));
        if was != Some((true, true)) {
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
        let Nodes { ctx, api, .. } = &*self.nodes;
        let heard = if self.nodes.with(node, |k| k.cut.is_some()) == Some(true) {
            cause
        } else {
            api.record_node(Actor::User, node, What::NodeHeard)
        };
        ctx.set_cause(heard);
        let KubeletMode::Real(real) = self.nodes.mode else {
            self.imitated.resume(node);
            self.eviction.starts(node, ctx.now());
            self.workers.overdue([node]);
            self.volumes.wake(node);
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
        let drawn = ctx.uniform(self.start, object, least.as_nanos(), most.as_nanos());
        let asks = ctx.now() + Dur::from_nanos(drawn);
        self.updates.kubelet_starts(node, asks);
        self.eviction.starts(node, asks);
        let waits = self.nodes.switches.waits_for_node && !real.recorded;
        let hears = if waits { asks + NODE_SYNC } else { asks };
        self.reach.starts_asking(node, asks, hears);
        hears
    }
}
