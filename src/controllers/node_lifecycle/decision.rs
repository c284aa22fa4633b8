//! What is to be done about a node's pods, decided once for nodes that are dealt with at once and
//! for those that have to wait (`processTaintBaseEviction`; `processNoTaintBaseEviction` in timeout
//! mode).

use super::controller::Controller;
use super::node_health::Tried;
use crate::api::meta::ConditionStatus;
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::plan::switches::node_lifecycle::EvictionMode;
use std::rc::Rc;

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

impl Controller {
    /// What is to be done about a node; none while it never had a Ready condition and is within its
    /// grace.
    pub(super) fn decide(&self, node: &Node, tried: &Tried) -> Option<Decision> {
        let status = self.decisive(tried)?;
        Some(match self.config.switches.eviction_mode {
            EvictionMode::Taints => self.decide_taint_base_eviction(node, status),
            EvictionMode::Timeout => self.decide_no_taint_base_eviction(node, tried.observed),
        })
    }

    /// The status that decides about taints; none while a node never had a Ready condition and is
    /// within its grace.
    pub(super) fn decisive(&self, tried: &Tried) -> Option<ConditionStatus> {
        let current = tried.current?;
        Some(if self.config.switches.taint_on_observed {
            tried.observed
        } else {
            current
        })
    }

    fn decide_taint_base_eviction(&self, node: &Node, status: ConditionStatus) -> Decision {
        let opposite = match status {
            ConditionStatus::True => return Decision::MarkNodeAsReachable,
            ConditionStatus::False => &self.templates.unreachable,
            ConditionStatus::Unknown => &self.templates.not_ready,
        };
        if self.config.switches.swap_without_limiter && node.has_taint(opposite) {
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
        } else if self.eviction_is_due(node, observed) {
            Decision::EvictPods
        } else {
            Decision::Nothing
        }
    }

    /// Whether anything about a node needs a request or a lock.
    pub(super) fn has_to_wait(
        &self,
        node: &Node,
        tried: &Tried,
        decision: Option<Decision>,
    ) -> bool {
        let s = &self.config.switches;
        if tried.write.is_some()
            || tried.expired && s.lease_circuit_breaker
            || s.lock_across_calls && self.evictor_lock.is_held()
        {
            return true;
        }
        let Some(decision) = decision else {
            return false;
        };
        let marks_pods_again = tried.observed != ConditionStatus::True
            && self.state.with(|st| st.nodes_to_retry.contains(&node.id));
        marks_pods_again
            || match decision {
                Decision::MarkNodeAsReachable => {
                    node.has_taint(&self.templates.not_ready)
                        || node.has_taint(&self.templates.unreachable)
                }
                Decision::SwapTaint(_) | Decision::EvictPods => true,
                Decision::MarkNodeForTainting(_)
                | Decision::CancelPodEviction
                | Decision::Nothing => false,
            }
    }

    /// Carries out a decision for which nothing has to wait.
    pub(super) fn process_at_once(&self, node: &Node, decision: Decision) {
        match decision {
            Decision::MarkNodeAsReachable | Decision::CancelPodEviction => self.unqueue(node),
            Decision::MarkNodeForTainting(status) => {
                self.mark_node_for_tainting(node, status, false)
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
                self.mark_node_as_reachable(node).await;
            }
            Decision::SwapTaint(status) => {
                if let Some((add, opposite)) = self.templates.of(status) {
                    self.swap_node_controller_taint(
                        node,
                        vec![add.clone()],
                        vec![opposite.clone()],
                    )
                    .await;
                }
            }
            Decision::MarkNodeForTainting(status) => {
                let _held = self.hold_evictor_lock().await;
                self.mark_node_for_tainting(node, status, true);
            }
            Decision::CancelPodEviction => self.cancel_pod_eviction(node).await,
            Decision::EvictPods => self.evict_pods(node, pods).await,
            Decision::Nothing => {}
        }
    }
}
