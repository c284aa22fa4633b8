//! What a pass that did nothing about a node notes for the next ones.

use super::super::controller::Controller;
use super::super::node_health::Tried;
use super::super::notices::Notices;
use crate::api::meta::ConditionStatus;
use crate::api::names::NodeId;
use crate::api::node::Node;
use crate::apiserver::Beat;
use crate::plan::switches::node_lifecycle::{EvictionMode, Requeue};
use std::rc::Rc;

impl Controller {
    /// Notes of a node that needed nothing when the next pass has to look at it.
    pub(super) fn note_quiet_node(&self, node: &Rc<Node>, tried: &Tried) {
        if !self.lazy {
            return;
        }
        let (current, decides) = (tried.current, self.decisive(tried));
        let tainted = decides.is_some_and(|d| self.has_wanted_taint(node, d));
        let waits_for_taint = decides.is_some_and(|d| d != ConditionStatus::True) && !tainted;
        let beat = self.informers.beat(node.id);
        let by_timeout = self.config.switches.eviction_mode == EvictionMode::Timeout
            && current != Some(ConditionStatus::True);
        if waits_for_taint || by_timeout || beat == Beat::Awake || self.takes_up_old_lease(node.id)
        {
            self.restless();
            let s = &self.config.switches;
            let plain = s.requeue == Requeue::Correct
                && s.eviction_mode == EvictionMode::Taints
                && !s.lease_circuit_breaker;
            if plain
                && beat == Beat::Silent
                && (current, decides)
                    == (
                        Some(ConditionStatus::Unknown),
                        Some(ConditionStatus::Unknown),
                    )
            {
                self.let_wait(node);
            }
        } else if beat == Beat::Silent
            && (current != Some(ConditionStatus::Unknown)
                || self.config.switches.lease_circuit_breaker)
        {
            // The breaker reads the live lease in every pass from then on, even of a node that is
            // Unknown.
            self.note_deadline(node.id, current.is_some());
        } else if self.config.switches.lease_circuit_breaker {
            // Whether a node is looked at depends on others' leases too.
        } else if beat == Beat::Asleep && current == Some(ConditionStatus::True) {
            self.let_rest(node, true);
        } else if beat == Beat::Silent && decides == Some(ConditionStatus::Unknown) {
            self.let_rest(node, false);
        }
    }

    /// Notes when the grace of a silent node ends.
    fn note_deadline(&self, node: NodeId, has_ready: bool) {
        let grace = if has_ready {
            self.config.grace_period
        } else {
            self.config.startup_grace_period
        };
        let Some(health) = self
            .state
            .with(|s| s.health.get(node.index()).copied().flatten())
        else {
            return;
        };
        let ends = health.probe_ns.saturating_add(grace.as_nanos() as i64);
        self.rest.with(|r| {
            if let Some(f) = &mut r.findings {
                f.deadline_ns = Some(f.deadline_ns.map_or(ends, |d| d.min(ends)));
            }
        });
    }

    /// Whether a node has the taint that its status asks for.
    fn has_wanted_taint(&self, node: &Node, status: ConditionStatus) -> bool {
        match status {
            ConditionStatus::True => true,
            ConditionStatus::False => node.has_taint(&self.templates.not_ready),
            ConditionStatus::Unknown => node.has_taint(&self.templates.unreachable),
        }
    }

    /// Whether the next pass saves a lease that this one dropped with a new heartbeat, and takes
    /// it for a sign of life, though it is none of the renewals that are computed.
    fn takes_up_old_lease(&self, node: NodeId) -> bool {
        let saved = self
            .state
            .with(|s| s.health.get(node.index()).copied().flatten())
            .is_none_or(|h| h.lease.is_some());
        self.config.switches.leases
            && !saved
            && self.informers.lease(node).is_some()
            && self.informers.renewal_seen(node, self.ctx.now()).is_none()
    }
}
