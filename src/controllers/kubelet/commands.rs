//! What the timeline of a run does to kubelets: they join and leave, are cut off, fail, and err.

use super::conditions::healthy;
use super::kubelets::Kubelets;
use super::node_state::{Kubelet, Loop, Next, NodeSettings};
use super::notices::Notices;
use crate::api::meta::ConditionStatus;
use crate::api::names::NodeId;
use crate::api::node::{NodeCondition, NodeConditionType};
use crate::client::connection::Link;
use crate::kernel::Dur;
use crate::plan::{Connections, KubeletMode};
use crate::trace::{Actor, What};

impl Kubelets {
    /// Has a kubelet for a node, which exists: one that starts now, or has been running for long.
    /// `cut`: it does not reach the API server, whose packets are lost. A machine that was taken away
    /// is back.
    pub(crate) fn join(&self, node: NodeId, settings: NodeSettings, cut: bool, starts: bool) {
        let now = self.ctx.now();
        let is_back = self.with(node, |k| k.gone) == Some(true);
        if is_back {
            let on = self.api.record_node(Actor::User, node, What::MachineOn);
            self.ctx.set_cause(on);
        }
        let kubelet = Kubelet {
            settings,
            cut: cut.then_some(Connections::Dropped),
            link: Link::Open,
            uplink: None,
            back: None,
            backoffs: None,
            runtime: None,
            view_changed: None,
            crashed: false,
            boots_until: None,
            began: None,
            stopped: false,
            gone: false,
            view: healthy(),
            last_post: now,
            posts: [None; 2],
            renewals: [None; 2],
            asleep: None,
            woken_at: None,
            sleepless: false,
            ticks: [0; 2],
            skew_ns: 0,
            slow: None,
            report_offset_ns: 0,
            next: [Next::default(); 2],
            syncs_at: None,
        };
        self.state.with(|s| {
            if s.nodes.len() <= node.index() {
                s.nodes.resize(node.index() + 1, None);
            }
            s.nodes[node.index()] = Some(kubelet);
        });
        self.api.waking(node);
        match self.mode {
            KubeletMode::Imitated(_) => {
                self.begin_imitated(node);
                if is_back {
                    self.overdue(node);
                }
            }
            KubeletMode::Real(real) if starts => {
                let hears = self.begins(node, real);
                self.start_anew(node, hears, real);
            }
            KubeletMode::Real(_) => {
                self.begin_real(node);
                self.way_changes(node);
            }
        }
    }

    /// Whether a kubelet that starts makes its lease itself when it first renews it.
    pub(crate) fn make_leases(&self) -> bool {
        matches!(self.mode, KubeletMode::Real(_))
    }

    /// How long ago a kubelet that starts now would have renewed its lease, had it been running for
    /// long: one period before it does so next.
    pub(crate) fn lease_age(&self, node: NodeId) -> Dur {
        let Some(next) = self.with(node, |k| k.next[Loop::Lease as usize].at) else {
            return Dur::ZERO;
        };
        let period = match self.mode {
            KubeletMode::Imitated(_) => self.imitated_period(node, Loop::Lease),
            KubeletMode::Real(r) => r.period_of(Loop::Lease),
        };
        period.saturating_sub(next.since(self.ctx.now()))
    }

    /// A kubelet renewed its lease that long before it starts here: it does so next when the period
    /// from then on is over.
    pub(crate) fn renewed_before(&self, node: NodeId, age: Dur) {
        // No tick of the run has that number.
        let period = self
            .sleeps(node, Loop::Lease)
            .map_or_else(|| self.period(node, Loop::Lease), |s| s.drawn(u32::MAX));
        let at = self.ctx.now() + period.saturating_sub(age);
        self.schedule(node, Loop::Lease, at);
    }

    /// What a kubelet thinks of its node when it starts, where that is not that all is well: the
    /// conditions that it posted last. What was written about it is not its own view.
    pub(crate) fn begin_with(&self, node: NodeId, conditions: &[NodeCondition]) {
        self.with(node, |k| {
            for c in conditions {
                let own = k.view.iter_mut().find(|v| v.0 == c.kind && v.1.is_some());
                if let Some(view) = own.filter(|_| c.status != ConditionStatus::Unknown) {
                    view.1 = Some(c.status);
                }
            }
        });
    }

    /// Ends a node's kubelet with its machine; its pods stay until someone else removes them.
    pub(crate) fn leave(&self, node: NodeId) {
        self.touched(node);
        if self.with(node, |k| {
            !std::mem::replace(&mut k.gone, true) && !k.crashed
        }) == Some(true)
        {
            self.machine_off(node);
        }
        self.asks_no_more(node);
    }

    /// Cuts a kubelet off from the API server, or lets it reach it again.
    pub(crate) fn cut(&self, node: NodeId, how: Option<Connections>) {
        self.silenced(node);
        let Some((was, off)) = self.with(node, |k| {
            (std::mem::replace(&mut k.cut, how).is_some(), !k.runs())
        }) else {
            return;
        };
        let cut = how.is_some();
        if was == cut {
            // Cut off in another way, if at all.
            return self.way_changes(node);
        }
        self.api.waking(node);
        // A machine that is off was silent before, and stays it.
        if !off {
            let record = self.api.record_node(
                Actor::User,
                node,
                if cut {
                    What::NodeSilent
                } else {
                    What::NodeHeard
                },
            );
            self.ctx.set_cause(record);
        }
        match self.mode {
            KubeletMode::Imitated(_) if cut => self.pause_imitated(node),
            KubeletMode::Imitated(_) => self.resume_imitated(node),
            KubeletMode::Real(_) => self.way_changes(node),
        }
    }

    /// Sets a kubelet's own view of a condition. One that is imitated posts at once unless it is cut
    /// off, others at their next check.
    pub(crate) fn set_condition(
        &self,
        node: NodeId,
        kind: NodeConditionType,
        status: ConditionStatus,
    ) {
        self.touched(node);
        let now = self.ctx.now();
        let reaches = self.with(node, |k| {
            if let Some(c) = k.view.iter_mut().find(|c| c.0 == kind) {
                c.1 = Some(status);
            }
            k.view_changed.get_or_insert(now);
            k.gets_through(now)
        });
        if reaches == Some(true) && matches!(self.mode, KubeletMode::Imitated(_)) {
            self.post(node);
        }
    }

    /// Sets how far a kubelet's clock is off.
    pub(crate) fn set_skew(&self, node: NodeId, skew_ns: i64) {
        self.deviates(node);
        self.with(node, |k| k.skew_ns = skew_ns);
    }

    /// Makes heartbeats come only once in `period`, or as configured.
    pub(crate) fn set_heartbeat_period(&self, node: NodeId, period: Option<Dur>) {
        self.deviates(node);
        self.with(node, |k| k.slow = period);
    }
}
