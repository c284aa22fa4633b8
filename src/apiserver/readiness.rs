//! Writes to NodeReadinessRules, and to nodes by what goes with them.

use super::nodes::own;
use super::{ApiError, ApiResult, ApiServer};
use crate::api::readiness::ReadinessSpec;
use crate::apiserver::prelude::*;

impl ApiServer {
    /// POST of a NodeReadinessRule; `finalizer`: one that the controller has seen before the run.
    ///
    /// # Errors
    /// `AlreadyExists`.
    pub(crate) fn create_readiness_rule(
        &self,
        spec: &Rc<ReadinessSpec>,
        finalizer: bool,
    ) -> ApiResult {
        let name = self.names(|n| n.text(&spec.name));
        if self.readiness_rule(name).is_some() {
            return Err(ApiError::AlreadyExists);
        }
        let uid = self.store.with(|s| s.next_uid());
        let spec = spec.clone();
        let rule = NodeReadinessRule { name, uid, finalizer, deleting: false, spec };
        self.put_readiness_rule(Actor::User, name, Some(rule));
        Ok(())
    }

    /// DELETE of a NodeReadinessRule, which waits for its finalizer.
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn delete_readiness_rule(&self, name: TextId) -> ApiResult {
        let old = self.readiness_rule(name).ok_or(ApiError::NotFound)?;
        let new = old.finalizer.then(|| NodeReadinessRule { deleting: true, ..(*old).clone() });
        if new.as_ref() != Some(&*old) {
            self.put_readiness_rule(Actor::User, name, new);
        }
        Ok(())
    }

    /// PATCH of a rule's finalizer, without a resourceVersion. One that is being deleted goes with it.
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn patch_finalizer(&self, actor: Actor, name: TextId, finalizer: bool) -> ApiResult {
        let old = self.readiness_rule(name).ok_or(ApiError::NotFound)?;
        let stays = finalizer || !old.deleting;
        let new = stays.then(|| NodeReadinessRule { finalizer, ..(*old).clone() });
        self.put_readiness_rule(actor, name, new);
        Ok(())
    }

    fn put_readiness_rule(&self, actor: Actor, name: TextId, new: Option<NodeReadinessRule>) {
        let new = new.map(Rc::new);
        self.writes(self.keys.readiness_rules, 0);
        let old = self.put_by_name(|s| &mut s.readiness_rules, name, &new);
        let note = match (&old, &new) {
            (None, _) => Some(Note::ReadinessRuleCreated),
            (_, None) => Some(Note::ReadinessRuleGone),
            _ => None,
        };
        let record = note.map(|note| self.record(actor, 0, What::Noted(note, name.0)));
        let cause = record.unwrap_or_else(|| self.ctx.cause());
        self.with_cause(cause, || self.tell(|w| w.readiness_rule(old.as_ref(), new.as_ref())));
    }

    /// A NodeReadinessRule, the version stored now.
    pub(crate) fn readiness_rule(&self, name: TextId) -> Option<Rc<NodeReadinessRule>> {
        self.reads(self.keys.readiness_rules, 0);
        self.store.with_ref(|s| s.readiness_rules.get(&name).cloned())
    }

    /// All NodeReadinessRules, by name.
    pub(crate) fn readiness_rules(&self) -> Vec<Rc<NodeReadinessRule>> {
        self.store.with_ref(|s| s.readiness_rules.values().cloned().collect())
    }

    /// A rule's bootstrap was completed at a node before the run.
    pub(crate) fn bootstrapped_before(&self, id: NodeId, rule: &str) {
        // A scenario that names a rule that is not there was refused, and a node that joins later has none.
        if let Some(rule) = self.readiness_rule(self.names(|n| n.text(rule))) {
            let _ = self.patch_node(Actor::User, id, None, (None, Some((rule.uid, rule.name))));
        }
    }

    /// An agent of a node posts a condition of it.
    pub(crate) fn set_condition(&self, id: NodeId, kind: &str, status: ConditionStatus) {
        // Of a node that is gone nothing is posted.
        let _ = self.mutate_node(Actor::User, id, |n| {
            own(n).conditions.insert(kind.to_owned(), status);
        });
    }
}
