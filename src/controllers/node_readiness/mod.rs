//! The node readiness controller: taints nodes whose conditions are not what rules ask for, and untaints them.
//!
//! Models `internal/controller` of kubernetes-sigs/node-readiness-controller, 0.5.0 and the commits up to
//! e5ff8d1, read and not recorded: two reconcilers with a queue and a worker each, which read from one cache and
//! PATCH nodes. Left out: the status of rules but for the requests that write it, with what only the status
//! tells (dry runs, failed nodes, the event TaintAdopted); the lower priority that the work queue of
//! controller-runtime gives to what its first list has; more than one worker; metrics. It starts and dies with
//! the other controllers.

mod rule_readiness_controller;

use crate::api::readiness::NodeReadinessRule;
use crate::client::{QueueKey, RateLimiter, SeriesRecorder};
use crate::controllers::prelude::*;
use rule_readiness_controller::{RuleReadinessController, is_completed};

/// `RequeueAfter` of a rule that got its finalizer.
const AFTER_FINALIZER: Dur = Dur::from_secs(1);

/// The node readiness controller.
pub(crate) struct Controller {
    core: RuleReadinessController,
    group: Group,
    nodes: WorkQueue<NodeId>,
    rules: WorkQueue<TextId>,
}

impl Controller {
    /// A controller that hears of nodes and rules but does not work yet.
    pub(crate) fn new(context: ControllerContext<SeriesRecorder>, is_exclusive: bool) -> Rc<Self> {
        let (ctx, group, informers) =
            (context.ctx.clone(), context.group, context.informers.clone());
        let controller = Rc::new(Self {
            core: RuleReadinessController::new(context, is_exclusive),
            nodes: queue(&ctx, group),
            rules: queue(&ctx, group),
            group,
        });
        informers.on_node(controller.clone());
        informers.on_readiness_rule(controller.clone());
        controller
    }

    /// Starts a worker for rules and one for nodes (`MaxConcurrentReconciles`); the caches are filled.
    pub(crate) fn run(self: &Rc<Self>) {
        let c = self.clone();
        self.core.ctx.spawn(self.group, async move {
            let rule = async |name| match reconcile_rule(&c.core, name).await {
                Err(_) => c.rules.add_rate_limited(name),
                Ok(again) => {
                    c.rules.forget(name);
                    if !again.is_zero() {
                        c.rules.add_after(again, name);
                    }
                }
            };
            c.rules.work_once(rule).await;
        });
        let c = self.clone();
        self.core.ctx.spawn(self.group, async move {
            c.nodes.work(async |node| reconcile_node(&c.core, node).await).await;
        });
    }
}

/// A queue with the limiter that controller-runtime gives to it.
fn queue<K: QueueKey>(ctx: &Ctx, group: Group) -> WorkQueue<K> {
    let limiter = RateLimiter::exponential(Dur::from_millis(5), Dur::from_secs(1000));
    WorkQueue::with_limiter(ctx, group, limiter)
}

/// `NodeReconciler.Reconcile`, `processNodeAgainstAllRules`: one rule after the other; the last error counts.
async fn reconcile_node(c: &RuleReadinessController, node: NodeId) -> ApiResult {
    let Some(mut node) = c.informers.node(node) else { return Ok(()) };
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
fn is_to_reconcile(old: &Node, new: &Node) -> bool {
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

/// `RuleReconciler.Reconcile`: after how long it is to be looked at again, if at all.
async fn reconcile_rule(c: &RuleReadinessController, name: TextId) -> ApiResult<Dur> {
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
) -> ApiResult {
    // `cleanupTaintsForRule`
    let mut result = Ok(());
    for mut node in nodes.into_iter().filter(|n| n.has_taint(&rule.spec.taint)) {
        result = result.and(c.remove_taint(&mut node, rule, false).await);
    }
    result?;
    c.remove_rule_from_cache(rule.name);
    patch_finalizer(c, rule.name, false).await
}

async fn patch_finalizer(c: &RuleReadinessController, name: TextId, finalizer: bool) -> ApiResult {
    let patch = move |api: &ApiServer, actor| api.patch_finalizer(actor, name, finalizer);
    c.client.call(c.rule_object(name), patch).await
}

impl ResourceEventHandler<Node> for Controller {
    fn on_change(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let Some(node) = new.or(old)
            && old.zip(new).is_none_or(|(o, n)| is_to_reconcile(o, n))
        {
            self.nodes.add(node.id);
        }
    }
}

impl ResourceEventHandler<NodeReadinessRule> for Controller {
    /// `GenerationChangedPredicate`: nothing of a rule but its deletion changes the generation.
    fn on_change(&self, old: Option<&Rc<NodeReadinessRule>>, new: Option<&Rc<NodeReadinessRule>>) {
        if let Some(rule) = new.or(old)
            && old.zip(new).is_none_or(|(o, n)| o.deleting != n.deleting)
        {
            self.rules.add(rule.name);
        }
    }
}
