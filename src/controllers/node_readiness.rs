//! The node readiness controller: taints nodes whose conditions are not what rules ask for, and untaints them.
//!
//! Models `internal/controller` of kubernetes-sigs/node-readiness-controller, 0.5.0 and the commits up to
//! e5ff8d1, read and not recorded: two reconcilers with a queue and a worker each, which read from one cache and
//! PATCH nodes. Left out: the status of rules but for the requests that write it, with what only the status
//! tells (dry runs, failed nodes, the event TaintAdopted); the lower priority that the work queue of
//! controller-runtime gives to what its first list has; more than one worker; metrics. It starts and dies with
//! the other controllers.
//!
//! Both reconcilers share the cache of rules, and what is done about a rule at a node
//! (`RuleReadinessController`).

use crate::api::names::stable_hash;
use crate::api::readiness::NodeReadinessRule;
use crate::apiserver::NodePatch;
use crate::client::{QueueKey, RateLimiter, SeriesRecorder};
use crate::controllers::prelude::*;

/// Tries of a PATCH that meets a conflict, and the sleep between them with its jitter (`retry.DefaultRetry`).
const TRIES: u32 = 5;
const SLEEP: Dur = Dur::from_millis(10);
const JITTER: Dur = Dur::from_millis(1);

/// `RequeueAfter` of a rule that got its finalizer.
const AFTER_FINALIZER: Dur = Dur::from_secs(1);

/// The node readiness controller.
pub(crate) struct Controller {
    ctx: Ctx,
    client: Client,
    informers: Rc<InformerFactory>,
    recorder: SeriesRecorder,
    /// The completion of a bootstrap and the taint exclude each other (#417, 0.5.0).
    is_exclusive: bool,
    /// `ruleCache`
    rule_cache: Shared<BTreeMap<TextId, Rc<NodeReadinessRule>>>,
    group: Group,
    nodes: WorkQueue<NodeId>,
    rules: WorkQueue<TextId>,
}

impl Controller {
    /// A controller that hears of nodes and rules but does not work yet.
    pub(crate) fn new(context: ControllerContext<SeriesRecorder>, is_exclusive: bool) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, recorder } = context;
        let controller = Rc::new(Self {
            rule_cache: Shared::default(),
            nodes: queue(&ctx, group),
            rules: queue(&ctx, group),
            ctx,
            group,
            client,
            informers,
            recorder,
            is_exclusive,
        });
        controller.informers.on_node(controller.clone());
        controller.informers.on_readiness_rule(controller.clone());
        controller
    }

    /// Starts a worker for rules and one for nodes (`MaxConcurrentReconciles`); the caches are filled.
    pub(crate) fn run(self: &Rc<Self>) {
        let c = self.clone();
        self.ctx.spawn(self.group, async move {
            let rule = async |name| match reconcile_rule(&c, name).await {
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
        self.ctx.spawn(self.group, async move {
            c.nodes.work(async |node| reconcile_node(&c, node).await).await;
        });
    }

    /// `updateRuleCache`
    fn update_rule_cache(&self, rule: &Rc<NodeReadinessRule>) {
        self.rule_cache.with(|c| c.insert(rule.name, rule.clone()));
    }

    /// `removeRuleFromCache`
    fn remove_rule_from_cache(&self, name: TextId) {
        self.rule_cache.with(|c| c.remove(&name));
    }

    /// `getApplicableRulesForNode`, in the order of Go's map, which is chance.
    fn applicable_rules(&self, node: &Node) -> Vec<Rc<NodeReadinessRule>> {
        let applies = |r: &&Rc<NodeReadinessRule>| r.spec.selector.matches(&node.labels);
        let mut rules: Vec<_> =
            self.rule_cache.with(|c| c.values().filter(applies).cloned().collect());
        let point = self.ctx.point("readiness-rule-order");
        self.ctx.order(point, &mut rules, |r| self.rule_object(r.name));
        rules
    }

    /// A rule as an object of chance.
    fn rule_object(&self, name: TextId) -> Object {
        let hash = self.client.api().names(|n| stable_hash(n.text_of(name)));
        Object { id: name.0, hash }
    }

    /// PATCH of a rule's status, which nobody reads here, after a look at the cache for it.
    async fn patch_status(&self, name: TextId) -> ApiResult {
        self.informers.readiness_rule(name).ok_or(ApiError::NotFound)?;
        let patch = move |api: &ApiServer, _| match api.readiness_rule(name) {
            Some(_) => Ok(()),
            None => Err(ApiError::NotFound),
        };
        self.client.call(self.rule_object(name), patch).await
    }

    /// `evaluateRuleForNode`; `node` becomes what a write to it made of it.
    async fn evaluate_rule_for_node(
        &self,
        rule: &NodeReadinessRule,
        node: &mut Rc<Node>,
    ) -> ApiResult {
        let spec = &*rule.spec;
        let status = |kind: &str| node.condition_status(kind);
        let (should_remove_taint, found) = (spec.is_met(status), spec.told(status));
        let has_taint = node.has_taint(&spec.taint);
        self.ctx.set_saw(node.record);
        let before = self.ctx.cause();
        if should_remove_taint == has_taint {
            let api = self.client.api();
            let found = What::Noted(Note::ReadinessEvaluated, api.names(|n| n.text(&found)).0);
            self.ctx.set_cause(api.record_node(Actor::NodeReadiness, node.id, found));
        }
        let done = match (should_remove_taint, has_taint) {
            // `removeTaintAndCompleteBootstrap`, up to 0.4 one after the other.
            (true, true) if spec.bootstrap_only => {
                let removed = self.remove_taint(node, rule, self.is_exclusive).await;
                if removed.is_ok() && !self.is_exclusive {
                    self.mark_bootstrap_completed(node.id, rule).await;
                }
                removed
            }
            (true, true) => self.remove_taint(node, rule, false).await,
            (false, false) => self.add_taint_by_spec(node, rule).await,
            (true, false) if spec.bootstrap_only => {
                self.mark_bootstrap_completed(node.id, rule).await;
                Ok(())
            }
            (true, false) | (false, true) => Ok(()),
        };
        self.ctx.set_cause(before);
        done
    }

    /// `addTaintBySpec`
    async fn add_taint_by_spec(&self, node: &mut Rc<Node>, rule: &NodeReadinessRule) -> ApiResult {
        let spec = &rule.spec;
        let added = self.retry_on_conflict(node.id, true, |latest| {
            let completes = self.is_exclusive && spec.bootstrap_only;
            let is_done =
                latest.has_taint(&spec.taint) || completes && is_completed(latest, rule.uid);
            let taints = || latest.taints.iter().chain([&spec.taint]).cloned().collect();
            (!is_done).then(|| (Some(taints()), None))
        });
        if let Some(latest) = added.await? {
            self.event(&latest, EventText::TaintAdded, "added", rule);
            *node = latest;
        }
        Ok(())
    }

    /// `removeTaint`; `completes`: with the annotation that says so.
    async fn remove_taint(
        &self,
        node: &mut Rc<Node>,
        rule: &NodeReadinessRule,
        completes: bool,
    ) -> ApiResult {
        let taint = &rule.spec.taint;
        let removed = self.retry_on_conflict(node.id, true, |latest| {
            let has_taint = latest.has_taint(taint);
            let completed =
                (completes && !is_completed(latest, rule.uid)).then_some((rule.uid, rule.name));
            if !has_taint && completed.is_none() {
                return None;
            }
            let left = |t: &&Taint| !t.matches(taint);
            let taints = has_taint.then(|| latest.taints.iter().filter(left).cloned().collect());
            Some((taints, completed))
        });
        if let Some(latest) = removed.await? {
            if node.has_taint(taint) {
                self.event(&latest, EventText::TaintRemoved, "removed", rule);
            }
            *node = latest;
        }
        Ok(())
    }

    /// `markBootstrapCompleted`: an error is logged, and nothing else.
    async fn mark_bootstrap_completed(&self, node: NodeId, rule: &NodeReadinessRule) {
        let marked = self.retry_on_conflict(node, self.is_exclusive, |latest| {
            let waits = self.is_exclusive && latest.has_taint(&rule.spec.taint);
            let is_done = is_completed(latest, rule.uid) || waits;
            (!is_done).then_some((None, Some((rule.uid, rule.name))))
        });
        let _ = marked.await;
    }

    /// `retry.RetryOnConflict(retry.DefaultRetry, …)`: a look at the node in the cache, and a PATCH of what is
    /// to change, with the resourceVersion (`MergeFromWithOptimisticLock`) or without. The node as the PATCH
    /// left it; none if nothing was to change.
    async fn retry_on_conflict(
        &self,
        node: NodeId,
        has_version: bool,
        change: impl Fn(&Node) -> Option<NodePatch>,
    ) -> ApiResult<Option<Rc<Node>>> {
        let about = self.client.node_object(node);
        for tries in 1.. {
            if has_version {
                // Posts that change nothing but their time are simulated only where somebody asks, and each makes a version.
                self.client.api().touch(node);
            }
            let latest = self.informers.node(node).ok_or(ApiError::NotFound)?;
            let Some(patch) = change(&latest) else { return Ok(None) };
            self.ctx.set_saw(latest.record);
            let version = has_version.then_some(latest.resource_version);
            let patch = move |api: &ApiServer, by| api.patch_node(by, node, version, patch);
            match self.client.call(about, patch).await {
                Err(ApiError::Conflict) if tries < TRIES => {}
                result => return result.map(Some),
            }
            let point = self.ctx.point("readiness-retry");
            let extra = self.ctx.uniform(point, about, 0, JITTER.as_nanos() - 1);
            self.ctx.sleep(SLEEP + Dur::from_nanos(extra)).await;
        }
        Err(ApiError::Conflict)
    }

    fn event(&self, node: &Node, text: EventText, verb: &str, rule: &NodeReadinessRule) {
        let taint = Taint::new(&rule.spec.taint.key, rule.spec.taint.effect);
        let message = format!("Taint '{taint}' {verb} by rule '{}'", rule.spec.name);
        let words = self.client.api().names(|n| n.text(&message));
        let about = About::Node(node.id, Some(node.uid));
        self.recorder.event(about, node.resource_version, EventBody::of_words(text, words));
    }
}

/// A queue with the limiter that controller-runtime gives to it.
fn queue<K: QueueKey>(ctx: &Ctx, group: Group) -> WorkQueue<K> {
    let limiter = RateLimiter::exponential(Dur::from_millis(5), Dur::from_secs(1000));
    WorkQueue::with_limiter(ctx, group, limiter)
}

/// `NodeReconciler.Reconcile`, `processNodeAgainstAllRules`: one rule after the other; the last error counts.
async fn reconcile_node(c: &Controller, node: NodeId) -> ApiResult {
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
async fn reconcile_rule(c: &Controller, name: TextId) -> ApiResult<Dur> {
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
    c: &Controller,
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

async fn patch_finalizer(c: &Controller, name: TextId, finalizer: bool) -> ApiResult {
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

/// Whether a node has the annotation that says that a rule's bootstrap is completed.
fn is_completed(node: &Node, rule: Uid) -> bool {
    node.readiness.as_ref().is_some_and(|r| r.completed.contains_key(&rule))
}
