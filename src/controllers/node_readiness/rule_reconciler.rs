//! What is done when a rule comes, or is to go (`RuleReconciler`).

use super::rule_readiness_controller::RuleReadinessController;
use crate::api::names::TextId;
use crate::api::node::Node;
use crate::api::readiness::NodeReadinessRule;
use crate::apiserver::ApiError;
use crate::kernel::Dur;
use std::rc::Rc;

/// `RequeueAfter` of a rule that got its finalizer.
const AFTER_FINALIZER: Dur = Dur::from_secs(1);

/// `Reconcile`: after how long it is to be looked at again, if at all.
pub(super) async fn reconcile(c: &RuleReadinessController, name: TextId) -> Result<Dur, ApiError> {
    let Some(rule) = c.informers.readiness_rule(name) else {
        c.remove_rule_from_cache(name);
        return Ok(Dur::ZERO);
    };
    if !rule.deleting && !rule.finalizer {
        patch_finalizer(c, name, true).await?;
        return Ok(AFTER_FINALIZER);
    }
    let applies = |n: &Rc<Node>| rule.spec.selector.matches(&n.labels);
    let nodes: Vec<Rc<Node>> = c.informers.nodes().into_iter().filter(applies).collect();
    c.update_rule_cache(&rule);
    if rule.deleting {
        reconcile_delete(c, &rule, nodes).await?;
        return Ok(Dur::ZERO);
    }
    // `processAllNodesForRule`: of a node that fails only the status tells.
    for mut node in nodes {
        let _ = c.evaluate_rule_for_node(&rule, &mut node).await;
    }
    c.patch_status(name).await?;
    Ok(Dur::ZERO)
}

/// `reconcileDelete`: taints are cleaned up, and then the rule may go.
async fn reconcile_delete(
    c: &RuleReadinessController,
    rule: &NodeReadinessRule,
    nodes: Vec<Rc<Node>>,
) -> Result<(), ApiError> {
    // `cleanupTaintsForRule`
    let mut result = Ok(());
    for mut node in nodes.into_iter().filter(|n| n.has_taint(&rule.spec.taint)) {
        result = result.and(c.remove_taint(&mut node, rule, false).await);
    }
    result?;
    c.remove_rule_from_cache(rule.name);
    patch_finalizer(c, rule.name, false).await
}

async fn patch_finalizer(
    c: &RuleReadinessController,
    name: TextId,
    finalizer: bool,
) -> Result<(), ApiError> {
    let patch = c
        .client
        .call(c.rule_object(name), move |api, actor| api.patch_finalizer(actor, name, finalizer));
    patch.await
}
