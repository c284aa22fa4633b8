//! Writes to nodes and their leases, and to NodeReadinessRules with what goes by them; and the server's
//! part in heartbeats that are computed: whom it asks for them, and how the store catches up with
//! them.

use super::store::put;
use super::{ApiError, ApiResult, ApiServer, Heartbeats, Stored, lease_version};
use crate::api::readiness::{NodeReadiness, ReadinessSpec};
use crate::apiserver::prelude::*;

/// What a PATCH changes of a node: all taints, or a rule whose bootstrap is completed, or both.
pub(crate) type NodePatch = (Option<Vec<Taint>>, Option<(Uid, TextId)>);

impl ApiServer {
    /// Creates a node, of a uid of its own. `registering` runs admission, as for a kubelet that registers itself.
    pub(crate) fn create_node(
        &self,
        actor: Actor,
        mut new: Node,
        registering: bool,
    ) -> Stored<Node> {
        if self.node(new.id).is_some() {
            return Err(ApiError::AlreadyExists);
        }
        if registering {
            self.admission.taint_new_node(&mut new.taints);
        }
        new.uid = self.store.with(|s| s.next_uid());
        Ok(self.commit_node(actor, None, new))
    }

    /// GET of a node.
    pub(crate) fn get_node(&self, id: NodeId) -> Stored<Node> {
        self.touch(id);
        self.node(id).ok_or(ApiError::NotFound)
    }

    /// GET of a node's lease.
    pub(crate) fn get_lease(&self, id: NodeId) -> ApiResult<Lease> {
        self.touch(id);
        self.lease(id).ok_or(ApiError::NotFound)
    }

    /// Deletes a node object; its pods stay.
    pub(crate) fn delete_node(&self, actor: Actor, id: NodeId) -> ApiResult {
        self.touch(id);
        let old = self.node(id).ok_or(ApiError::NotFound)?;
        self.take_out(self.keys.nodes, id.index(), |s| &mut s.nodes);
        let record = self.record_gone(actor, id.0, What::NodeDeleted);
        self.with_cause(record, || self.tell(|w| w.node(Some(&old), None)));
        self.withdraw_devices(id);
        Ok(())
    }

    /// PUT of the status of a node that was read before: refused if it has changed since.
    pub(crate) fn update_node_status(&self, actor: Actor, node: &Node) -> Stored<Node> {
        self.touch(node.id);
        let old = self.node(node.id).ok_or(ApiError::NotFound)?;
        if old.uid != node.uid || self.has_outdated_node(actor, node.resource_version, &old) {
            return Err(ApiError::Conflict);
        }
        Ok(self.change_node(actor, &old, |n| n.conditions.clone_from(&node.conditions)))
    }

    /// PATCH of a node's taints and annotations, of that version if one is given.
    ///
    /// # Errors
    /// `NotFound`, `Conflict`.
    pub(crate) fn patch_node(
        &self,
        actor: Actor,
        id: NodeId,
        version: Option<u64>,
        (taints, completed): NodePatch,
    ) -> Stored<Node> {
        self.touch(id);
        let old = self.node(id).ok_or(ApiError::NotFound)?;
        if version.is_some_and(|v| self.has_outdated_node(actor, v, &old)) {
            return Err(ApiError::Conflict);
        }
        Ok(self.change_node(actor, &old, |n| {
            n.taints = taints.unwrap_or_else(|| std::mem::take(&mut n.taints));
            if let Some((uid, rule)) = completed {
                own(n).completed.insert(uid, rule);
            }
        }))
    }

    /// Applies a change to a node as it is stored now; a change of nothing is not a write.
    pub(crate) fn mutate_node(
        &self,
        actor: Actor,
        id: NodeId,
        f: impl FnOnce(&mut Node),
    ) -> Stored<Node> {
        self.touch(id);
        let old = self.node(id).ok_or(ApiError::NotFound)?;
        Ok(self.change_node(actor, &old, f))
    }

    pub(super) fn has_outdated_node(&self, actor: Actor, read: u64, old: &Rc<Node>) -> bool {
        let touch = || drop(self.commit_node(actor, Some(old), (**old).clone()));
        self.is_outdated(read, old.resource_version, touch)
    }

    pub(super) fn change_node(
        &self,
        actor: Actor,
        old: &Rc<Node>,
        f: impl FnOnce(&mut Node),
    ) -> Rc<Node> {
        let mut new = (**old).clone();
        f(&mut new);
        if new == **old {
            return old.clone();
        }
        self.commit_node(actor, Some(old), new)
    }

    fn commit_node(&self, actor: Actor, old: Option<&Rc<Node>>, mut new: Node) -> Rc<Node> {
        self.writes(self.keys.nodes, new.id.index());
        new.resource_version = self.store.with(|s| s.next_version());
        new.record = self.record_node_change(actor, old.map(|o| &**o), &new);
        let new = Rc::new(new);
        self.store.with(|s| put(&mut s.nodes, new.id.index(), new.clone()));
        self.with_cause(new.record, || self.tell(|w| w.node(old, Some(&new))));
        new
    }

    /// Creates or renews a node's lease; `renew_time_us` is the kubelet's clock.
    pub(crate) fn renew_lease(&self, node: NodeId, renew_time_us: i64) -> ApiResult {
        self.writes(self.keys.leases, node.index());
        let uid = self.lease_uid(node).unwrap_or_else(|| self.store.with(|s| s.next_uid()));
        self.put_lease(node, uid, self.ctx.now(), renew_time_us);
        Ok(())
    }

    /// Whose lease it is: that life of it.
    fn lease_uid(&self, node: NodeId) -> Option<Uid> {
        self.store.with(|s| s.leases.get(node.index())?.as_ref().map(|l| l.uid))
    }

    fn put_lease(&self, node: NodeId, uid: Uid, at: Time, renew_time_us: i64) {
        let lease = Lease { node, uid, resource_version: lease_version(at), renew_time_us };
        self.store.with(|s| put(&mut s.leases, node.index(), lease.clone()));
        self.tell(|w| w.lease(node, Some(&lease), at));
    }

    /// Deletes a node's lease.
    pub(crate) fn delete_lease(&self, node: NodeId) -> ApiResult {
        self.lease(node).ok_or(ApiError::NotFound)?;
        self.take_out(self.keys.leases, node.index(), |s| &mut s.leases);
        self.tell(|w| w.lease(node, None, self.ctx.now()));
        Ok(())
    }

    /// Lets heartbeats be computed by `source`.
    pub(crate) fn compute_heartbeats(&self, source: Rc<dyn Heartbeats>) {
        *self.heartbeats.borrow_mut() = Some(source);
    }

    /// Who computes heartbeats, if anybody does.
    pub(crate) fn source_of_heartbeats(&self) -> Option<Rc<dyn Heartbeats>> {
        self.heartbeats.borrow().clone()
    }

    /// Has a node's heartbeats simulated, as something is about to happen to it.
    pub(crate) fn touch(&self, node: NodeId) {
        let source = self.heartbeats.borrow().clone();
        if let Some(source) = source {
            source.wake(node);
        }
    }

    /// Stores the heartbeats of a node that were computed, and reports them to the watchers, who
    /// may still wait for the last ones. `renewals` are the latest renewals with the kubelet's
    /// time in microseconds, `posts` the latest status posts, both in order of time.
    pub(crate) fn catch_up(
        &self,
        node: NodeId,
        renewals: &[(Time, i64)],
        posts: &[(Time, Timestamp)],
    ) {
        for &(at, renew_time_us) in renewals {
            self.writes(self.keys.leases, node.index());
            if let Some(uid) = self.lease_uid(node) {
                self.put_lease(node, uid, at, renew_time_us);
            }
        }
        for &(at, heartbeat) in posts {
            let Some(old) = self.node(node) else { return };
            self.writes(self.keys.nodes, node.index());
            let mut new = (*old).clone();
            for c in &mut new.conditions {
                c.last_heartbeat_time = heartbeat;
            }
            new.resource_version = self.store.with(|s| s.next_version());
            let new = Rc::new(new);
            self.store.with(|s| put(&mut s.nodes, node.index(), new.clone()));
            self.tell(|w| w.heartbeat(&old, &new, at));
        }
    }

    /// Announces to the watchers, in advance, that a node's heartbeats will be simulated after they
    /// were computed, or will come again.
    pub(crate) fn waking(&self, node: NodeId) {
        self.tell(|w| w.waking(node));
    }

    /// Announces to the watchers that a node that was quiet may no longer be so.
    pub(crate) fn stir(&self) {
        self.tell(|w| w.stirred());
    }

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

/// What is written to a node beside what all nodes have.
pub(super) fn own(node: &mut Node) -> &mut NodeReadiness {
    Rc::make_mut(node.readiness.get_or_insert_default())
}
