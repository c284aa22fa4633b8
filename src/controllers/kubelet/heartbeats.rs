//! What kubelets of both modes say of their nodes: the loops of renewals and status checks, and the
//! writes.

use super::conditions::fill;
use super::kubelets::Kubelets;
use super::node_state::{Loop, Next, Tick};
use crate::api::meta::{ConditionStatus, Timestamp};
use crate::api::names::NodeId;
use crate::api::node::{Node, NodeCondition};
use crate::kernel::{Class, Time};
use crate::plan::KubeletMode;
use crate::trace::{Actor, Note, What};

impl Kubelets {
    /// Schedules the next run of a loop, in place of one that was scheduled before.
    pub(super) fn schedule(&self, node: NodeId, which: Loop, at: Time) {
        let Some(handler) = self.loops.get() else {
            return;
        };
        let old = self
            .with(node, |k| k.next[which as usize].key.take())
            .flatten();
        if let Some(key) = old {
            self.ctx.cancel(key);
        }
        // A loop runs by the clock, whatever had it scheduled.
        let cause = self.ctx.cause();
        self.ctx.set_cause(u32::MAX);
        // In the order of nodes, whenever they were scheduled: a loop that was computed for a while
        // is scheduled later than one that was not.
        let rank = u64::from(node.0) << 1 | which as u64;
        let key = self
            .ctx
            .post_ranked(at, Class::Source, rank, handler, Tick { node, which });
        self.ctx.set_cause(cause);
        self.with(node, |k| {
            k.next[which as usize] = Next { at, key: Some(key) }
        });
    }

    /// Takes both loops of a kubelet off the queue; when they would have run stays known.
    pub(super) fn unschedule(&self, node: NodeId) {
        let keys = self.with(node, |k| [k.next[0].key.take(), k.next[1].key.take()]);
        for key in keys.into_iter().flatten().flatten() {
            self.ctx.cancel(key);
        }
    }

    pub(super) fn tick(&self, node: NodeId, which: Loop) {
        match self.mode {
            KubeletMode::Imitated(_) => self.tick_imitated(node, which),
            KubeletMode::Real(_) => self.tick_real(node, which),
        }
    }

    /// The present by a kubelet's clock, ns from the start.
    fn clock_ns(&self, node: NodeId) -> i64 {
        self.ctx.now().as_nanos() as i64 + self.with(node, |k| k.skew_ns).unwrap_or(0)
    }

    /// Renews a node's lease. A kubelet makes the lease of a node that is there and has none
    /// (`component-helpers/apimachinery/lease/controller.go`, `ensureLease`); the recorder's do
    /// not.
    pub(super) fn renew(&self, node: NodeId) {
        let makes = || matches!(self.mode, KubeletMode::Real(_)) && self.api.node(node).is_some();
        if !self.api.is_down() && (self.api.lease(node).is_some() || makes()) {
            // renewTime is in microseconds; a lease cannot refuse.
            let _ = self
                .api
                .renew_lease(node, self.clock_ns(node).div_euclid(1_000));
            let now = self.ctx.now();
            self.with(node, |k| k.renewals = [Some(now), k.renewals[0]]);
            if self.records_renewals {
                self.api
                    .record_node(Actor::Kubelet, node, What::Noted(Note::LeaseRenewed, 0));
            }
        }
    }

    /// Posts a node's status: all conditions with a new heartbeat.
    pub(super) fn post(&self, node: NodeId) {
        if self.api.is_down() {
            return;
        }
        let at = Timestamp(self.clock_ns(node).div_euclid(1_000_000_000));
        let now = self.ctx.now();
        let Some(view) = self.with(node, |k| {
            (k.last_post, k.view_changed) = (now, None);
            k.posts = [Some((now, at)), k.posts[0]];
            k.view
        }) else {
            return;
        };
        // The node may have been deleted; then there is nothing to post to.
        let _ = self
            .api
            .mutate_node(Actor::Kubelet, node, |n| fill(&mut n.conditions, &view, at));
    }

    /// Posts new heartbeats of a node's conditions, and leaves alone what they say.
    pub(super) fn post_heartbeats(&self, node: NodeId) {
        let at = Timestamp(self.clock_ns(node).div_euclid(1_000_000_000));
        let now = self.ctx.now();
        let Some(view) = self.with(node, |k| {
            k.last_post = now;
            k.posts = [Some((now, at)), k.posts[0]];
            k.view
        }) else {
            return;
        };
        let own = |c: &NodeCondition| {
            view.iter()
                .any(|(kind, status)| *kind == c.kind && status.is_some())
        };
        // The node may have been deleted; then there is nothing to post to.
        let _ = self.api.mutate_node(Actor::Kubelet, node, |n| {
            n.conditions
                .iter_mut()
                .filter(|c| own(c))
                .for_each(|c| c.last_heartbeat_time = at);
        });
    }

    /// Whether the API has another status for any condition than the kubelet.
    pub(super) fn differs(&self, node: &Node) -> bool {
        self.with(node.id, |k| {
            k.view.iter().any(|(kind, status)| {
                status.is_some_and(|s| node.condition(*kind).is_none_or(|c| c.status != s))
            })
        })
        .unwrap_or(false)
    }

    /// Sets pods that were marked NotReady back to Ready.
    pub(super) fn repost_ready(&self, node: NodeId) {
        let uids = self
            .state
            .with(|s| s.pods_of.get(node.index()).cloned().unwrap_or_default());
        for uid in uids {
            let Some(due) = self.due(uid) else { continue };
            let Some(pod) = self.api.pod(due.pod).filter(|p| p.uid == uid) else {
                continue;
            };
            if !pod.is_terminating()
                && !pod.phase.is_terminal()
                && pod
                    .ready
                    .is_some_and(|c| c.status == ConditionStatus::False)
            {
                // It exists, so this can't fail.
                let _ = self
                    .api
                    .set_pod_ready(Actor::Kubelet, pod.id, uid, ConditionStatus::True);
            }
        }
    }
}
