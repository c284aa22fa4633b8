//! What is done when a node changes (`NodeReconciler`).

use super::rule_readiness_controller::{RuleReadinessController, is_completed};
use crate::api::names::NodeId;
use crate::api::node::{Node, NodeCondition};
use crate::api::taint::Taint;
use crate::apiserver::ApiError;
use std::rc::Rc;

/// `Reconcile`
pub(super) async fn reconcile(c: &RuleReadinessController, node: NodeId) -> Result<(), ApiError> {
    match c.informers.node(node) {
        Some(node) => process_node_against_all_rules(c, node).await,
        None => Ok(()),
    }
}

/// `processNodeAgainstAllRules`: one rule after the other; the last error counts.
async fn process_node_against_all_rules(
    c: &RuleReadinessController,
    mut node: Rc<Node>,
) -> Result<(), ApiError> {
    let mut result = Ok(());
    for rule in c.applicable_rules(&node) {
        let is_done = |n: Rc<Node>| is_completed(&n, rule.uid);
        let skips = rule.deleting
            || rule.spec.bootstrap_only && c.informers.node(node.id).is_some_and(is_done);
        if skips {
            continue;
        }
        let evaluated = c.evaluate_rule_for_node(&rule, &mut node).await;
        result = result.and(evaluated).and(c.patch_status(rule.name).await);
    }
    result
}

/// Whether an update of a node is looked at (`UpdateFunc`).
pub(super) fn is_to_reconcile(old: &Node, new: &Node) -> bool {
    !conditions_equal(old, new)
        || !taints_equal(&old.taints, &new.taints)
        || old.labels != new.labels
}

/// `conditionsEqual`: types and statuses.
fn conditions_equal(old: &Node, new: &Node) -> bool {
    let same = |(a, b): (&NodeCondition, &NodeCondition)| a.kind == b.kind && a.status == b.status;
    let of_agents = |n: &Node| n.readiness.clone().unwrap_or_default();
    old.conditions.len() == new.conditions.len()
        && old.conditions.iter().zip(&new.conditions).all(same)
        && of_agents(old).conditions == of_agents(new).conditions
}

/// `taintsEqual`: keys, effects and values, in any order.
fn taints_equal(old: &[Taint], new: &[Taint]) -> bool {
    let is_there = |t: &Taint| old.iter().any(|o| o.matches(t) && o.value == t.value);
    old.len() == new.len() && new.iter().all(is_there)
}
