//! Writes to nodes and their leases.

use super::store::put;
use super::{ApiError, ApiResult, ApiServer, Stored, lease_version};
use crate::api::readiness::NodeReadiness;
use crate::apiserver::prelude::*;

/// What a PATCH changes of a node: all taints, or a rule whose bootstrap is completed, or both.
pub(crate) type NodePatch = (Option<Vec<Taint>>, Option<(Uid, TextId)>);

impl ApiServer {
    /// Creates a node, of a uid and a time of its own. `registering` runs admission, as for a kubelet that registers itself.
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
        new.creation_timestamp = self.timestamp();
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
        let now = self.ctx.now();
        let lease = self.store.with(|s| {
            let known = s.leases.get(node.index()).and_then(Option::as_ref).map(|l| l.uid);
            let uid = known.unwrap_or_else(|| s.next_uid());
            let lease = Lease { node, uid, resource_version: lease_version(now), renew_time_us };
            put(&mut s.leases, node.index(), lease.clone());
            lease
        });
        self.tell(|w| w.lease(node, Some(&lease), now));
        Ok(())
    }

    /// Deletes a node's lease.
    pub(crate) fn delete_lease(&self, node: NodeId) -> ApiResult {
        self.lease(node).ok_or(ApiError::NotFound)?;
        self.take_out(self.keys.leases, node.index(), |s| &mut s.leases);
        self.tell(|w| w.lease(node, None, self.ctx.now()));
        Ok(())
    }
}

/// What is written to a node beside what all nodes have.
pub(super) fn own(node: &mut Node) -> &mut NodeReadiness {
    Rc::make_mut(node.readiness.get_or_insert_default())
}
