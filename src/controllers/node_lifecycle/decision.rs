//! What is to be done about a node's pods, decided once for nodes that are dealt with at once and
//! for those that have to wait (`processTaintBaseEviction`; `processNoTaintBaseEviction` in timeout
//! mode).

use super::skip::Skipper;
use super::tainting::NoExecuteTainter;
use super::timeout::PodEvictor;
use crate::controllers::node_lifecycle::prelude::*;
use crate::plan::switches::node_lifecycle::EvictionMode;

/// The branches of `processTaintBaseEviction` and `processNoTaintBaseEviction`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    /// `markNodeAsReachable`
    MarkNodeAsReachable,
    /// `SwapNodeControllerTaint`: the node has the opposite taint, so that the one for this status
    /// takes its place at once, without the limiter.
    SwapTaint(ConditionStatus),
    /// `markNodeForTainting`, with the taint for this status.
    MarkNodeForTainting(ConditionStatus),
    /// `cancelPodEviction`
    CancelPodEviction,
    /// `evictPods`
    EvictPods,
    /// Timeout mode: the timeout is not over.
    Nothing,
}

/// Decides about nodes, and carries that out.
pub(super) struct Eviction {
    core: Rc<Core>,
    zones: Rc<Zones>,
    tainter: NoExecuteTainter,
    pub(super) evictor: PodEvictor,
}

impl Eviction {
    /// Nothing was decided yet.
    pub(super) fn new(
        core: &Rc<Core>,
        zones: &Rc<Zones>,
        health: &Rc<HealthMap>,
        skipper: &Rc<Skipper>,
        writer: &Rc<Writer>,
    ) -> Rc<Self> {
        Rc::new(Eviction {
            tainter: NoExecuteTainter::new(core, zones, skipper, writer),
            evictor: PodEvictor::new(core, zones, health, skipper),
            zones: zones.clone(),
            core: core.clone(),
        })
    }

    /// What is to be done about a node; none while it never had a Ready condition and is within its
    /// grace.
    pub(super) fn decide(&self, node: &Node, tried: &Tried) -> Option<Decision> {
        let status = tried.decisive(self.core.switches())?;
        Some(match self.core.switches().eviction_mode {
            EvictionMode::Taints => self.decide_taint_base_eviction(node, status),
            EvictionMode::Timeout => self.decide_no_taint_base_eviction(node, tried.observed),
        })
    }

    fn decide_taint_base_eviction(&self, node: &Node, status: ConditionStatus) -> Decision {
        let opposite = match status {
            ConditionStatus::True => return Decision::MarkNodeAsReachable,
            ConditionStatus::False => &self.core.templates.unreachable,
            ConditionStatus::Unknown => &self.core.templates.not_ready,
        };
        if self.core.switches().swap_without_limiter && node.has_taint(opposite) {
            Decision::SwapTaint(status)
        } else {
            Decision::MarkNodeForTainting(status)
        }
    }

    /// What timeout mode does about a node with that status.
    pub(super) fn decide_no_taint_base_eviction(
        &self,
        node: &Node,
        observed: ConditionStatus,
    ) -> Decision {
        if observed == ConditionStatus::True {
            Decision::CancelPodEviction
        } else if self.evictor.eviction_is_due(node, observed) {
            Decision::EvictPods
        } else {
            Decision::Nothing
        }
    }

    /// Whether anything about a node needs a request or a lock. `marks_pods_again`: the last try to
    /// mark its pods failed.
    pub(super) fn has_to_wait(
        &self,
        node: &Node,
        tried: &Tried,
        decision: Option<Decision>,
        marks_pods_again: bool,
    ) -> bool {
        let s = self.core.switches();
        if tried.write.is_some()
            || tried.expired && s.lease_circuit_breaker
            || self.zones.is_locked()
        {
            return true;
        }
        let Some(decision) = decision else { return false };
        marks_pods_again && tried.observed != ConditionStatus::True
            || match decision {
                Decision::MarkNodeAsReachable => self.waits_to_spare(node),
                Decision::SwapTaint(_) | Decision::EvictPods => true,
                Decision::MarkNodeForTainting(_)
                | Decision::CancelPodEviction
                | Decision::Nothing => false,
            }
    }

    /// Whether `markNodeAsReachable` has taints to take off.
    pub(super) fn waits_to_spare(&self, node: &Node) -> bool {
        node.has_taint(&self.core.templates.not_ready)
            || node.has_taint(&self.core.templates.unreachable)
    }

    /// Carries out a decision for which nothing has to wait.
    pub(super) fn process_at_once(&self, node: &Node, decision: Decision) {
        match decision {
            Decision::MarkNodeAsReachable | Decision::CancelPodEviction => self.zones.unqueue(node),
            Decision::MarkNodeForTainting(status) => {
                self.tainter.mark_node_for_tainting(node, status, false)
            }
            Decision::SwapTaint(_) | Decision::EvictPods | Decision::Nothing => {}
        }
    }

    /// Carries out a decision with the requests and the lock that it needs
    /// (`processTaintBaseEviction`; in timeout mode `processNoTaintBaseEviction`).
    pub(super) async fn process_taint_base_eviction(
        &self,
        node: &Rc<Node>,
        decision: Decision,
        pods: &[Rc<Pod>],
    ) {
        match decision {
            Decision::MarkNodeAsReachable => {
                self.tainter.mark_node_as_reachable(node).await;
            }
            Decision::SwapTaint(status) => {
                self.tainter.swap_taint(node, status).await;
            }
            Decision::MarkNodeForTainting(status) => {
                let _held = self.zones.hold_evictor_lock().await;
                self.tainter.mark_node_for_tainting(node, status, true);
            }
            Decision::CancelPodEviction => self.evictor.cancel_pod_eviction(node).await,
            Decision::EvictPods => self.evictor.evict_pods(node, pods).await,
            Decision::Nothing => {}
        }
    }

    /// `markNodeAsReachable`; in timeout mode `cancelPodEviction`.
    pub(super) async fn spare(&self, node: &Rc<Node>) {
        match self.core.switches().eviction_mode {
            // The cause of what is written about a node is the version that was read.
            EvictionMode::Taints => {
                self.tainter.mark_node_as_reachable(node).await;
            }
            EvictionMode::Timeout => self.evictor.cancel_pod_eviction(node).await,
        }
    }

    /// `doNoExecuteTaintingPass`, or `doEvictionPass` in timeout mode.
    pub(super) async fn do_no_execute_tainting_pass(&self) {
        if self.zones.queues_are_empty() && !self.zones.is_locked() {
            return;
        }
        let _held = self.zones.hold_evictor_lock().await;
        if self.zones.queues_are_empty() {
            return;
        }
        let object = |node| self.core.client.node_object(node);
        for zone in self.zones.zones_with_tainters() {
            let Some(queue) = self.zones.tainter(zone) else { continue };
            match self.core.switches().eviction_mode {
                EvictionMode::Taints => {
                    let taint = |node| self.tainter.taint_queued_node(node);
                    queue.try_each(object, taint).await
                }
                EvictionMode::Timeout => {
                    let evict = |node| self.evictor.evict_queued_node(node);
                    queue.try_each(object, evict).await
                }
            }
        }
    }
}
