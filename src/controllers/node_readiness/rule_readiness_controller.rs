//! What both reconcilers share: the cache of rules, and what is done about a rule at a node
//! (`RuleReadinessController`).

use crate::api::names::stable_hash;
use crate::api::readiness::NodeReadinessRule;
use crate::apiserver::NodePatch;
use crate::client::SeriesRecorder;
use crate::controllers::prelude::*;

/// Tries of a PATCH that meets a conflict, and the sleep between them with its jitter (`retry.DefaultRetry`).
const TRIES: u32 = 5;
const SLEEP: Dur = Dur::from_millis(10);
const JITTER: Dur = Dur::from_millis(1);

/// What both reconcilers share.
pub(super) struct RuleReadinessController {
    pub(super) ctx: Ctx,
    pub(super) client: Client,
    pub(super) informers: Rc<InformerFactory>,
    recorder: SeriesRecorder,
    /// The completion of a bootstrap and the taint exclude each other (#417, 0.5.0).
    is_exclusive: bool,
    /// `ruleCache`
    rule_cache: Shared<BTreeMap<TextId, Rc<NodeReadinessRule>>>,
    retry_point: PointId,
    order_point: PointId,
}

impl RuleReadinessController {
    pub(super) fn new(context: ControllerContext<SeriesRecorder>, is_exclusive: bool) -> Self {
        let ControllerContext { ctx, client, informers, recorder, .. } = context;
        Self {
            rule_cache: Shared::default(),
            retry_point: ctx.point("readiness-retry"),
            order_point: ctx.point("readiness-rule-order"),
            ctx,
            client,
            informers,
            recorder,
            is_exclusive,
        }
    }

    /// `updateRuleCache`
    pub(super) fn update_rule_cache(&self, rule: &Rc<NodeReadinessRule>) {
        self.rule_cache.with(|c| c.insert(rule.name, rule.clone()));
    }

    /// `removeRuleFromCache`
    pub(super) fn remove_rule_from_cache(&self, name: TextId) {
        self.rule_cache.with(|c| c.remove(&name));
    }

    /// `getApplicableRulesForNode`, in the order of Go's map, which is chance.
    pub(super) fn applicable_rules(&self, node: &Node) -> Vec<Rc<NodeReadinessRule>> {
        let applies = |r: &&Rc<NodeReadinessRule>| r.spec.selector.matches(&node.labels);
        let mut rules: Vec<_> =
            self.rule_cache.with(|c| c.values().filter(applies).cloned().collect());
        self.ctx.order(self.order_point, &mut rules, |r| self.rule_object(r.name));
        rules
    }

    /// A rule as an object of chance.
    pub(super) fn rule_object(&self, name: TextId) -> Object {
        let hash = self.client.api().names(|n| stable_hash(n.text_of(name)));
        Object { id: name.0, hash }
    }

    /// PATCH of a rule's status, which nobody reads here, after a look at the cache for it.
    pub(super) async fn patch_status(&self, name: TextId) -> ApiResult {
        self.informers.readiness_rule(name).ok_or(ApiError::NotFound)?;
        let patch = move |api: &ApiServer, _| match api.readiness_rule(name) {
            Some(_) => Ok(()),
            None => Err(ApiError::NotFound),
        };
        self.client.call(self.rule_object(name), patch).await
    }

    /// `evaluateRuleForNode`; `node` becomes what a write to it made of it.
    pub(super) async fn evaluate_rule_for_node(
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
    pub(super) async fn remove_taint(
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
            let extra = self.ctx.uniform(self.retry_point, about, 0, JITTER.as_nanos() - 1);
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

/// Whether a node has the annotation that says that a rule's bootstrap is completed.
pub(super) fn is_completed(node: &Node, rule: Uid) -> bool {
    node.readiness.as_ref().is_some_and(|r| r.completed.contains_key(&rule))
}
