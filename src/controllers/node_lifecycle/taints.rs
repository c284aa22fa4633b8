//! Writes of taints and labels: GET, change, PATCH, and again on a conflict
//! (`pkg/controller/controller_utils.go: AddOrUpdateTaintOnNode, RemoveTaintOffNode,
//! PatchNodeTaints`, `util/node: SwapNodeControllerTaint`).

use super::core::Core;
use crate::api::taint;
use crate::controllers::prelude::*;

/// Labels that are copied from their stable key to the beta one (`labelReconcileInfo`).
const RECONCILED_LABELS: [(&str, &str); 2] = [
    ("kubernetes.io/os", "beta.kubernetes.io/os"),
    ("kubernetes.io/arch", "beta.kubernetes.io/arch"),
];

/// Writes taints and labels of nodes.
pub(super) struct Writer {
    core: Rc<Core>,
}

impl Writer {
    /// One that has nothing to write.
    pub(super) fn new(core: Rc<Core>) -> Rc<Self> {
        Rc::new(Self { core })
    }

    /// `SwapNodeControllerTaint`: adds, then removes; two writes, between which both can be seen.
    /// False if either failed.
    pub(super) async fn swap_node_controller_taint(
        &self,
        node: &Rc<Node>,
        mut add: Vec<Taint>,
        remove: Vec<Taint>,
    ) -> bool {
        for t in &mut add {
            t.time_added = Some(self.core.api().timestamp());
        }
        // timeAdded always differs, so there always is something to write.
        let put = |taints: &mut Vec<Taint>| {
            add.iter().for_each(|t| taint::add_or_update(taints, t));
            true
        };
        if !add.is_empty() && !self.edit_taints(node, put).await {
            return false;
        }
        if remove.iter().any(|t| node.has_taint(t)) {
            return self.remove_taints_off_node(node, remove).await;
        }
        true
    }

    /// The part of `RemoveTaintOffNode` that makes requests.
    pub(super) async fn remove_taints_off_node(&self, node: &Rc<Node>, remove: Vec<Taint>) -> bool {
        let goes = |t: &mut Taint| remove.iter().any(|r| r.matches(t));
        self.edit_taints(node, |taints| taints.extract_if(.., goes).count() > 0).await
    }

    async fn edit_taints(&self, node: &Node, edit: impl Fn(&mut Vec<Taint>) -> bool) -> bool {
        let has_version = self.core.switches().taint_patch_has_version;
        let backoff = self.core.ctx.point("taint-patch-backoff");
        self.core.client.edit_taints(node.id, has_version, backoff, edit).await
    }

    /// `reconcileNodeLabels`: the beta labels of system and architecture follow the stable ones.
    pub(super) async fn reconcile_node_labels(&self, node: &Rc<Node>) {
        let update: Vec<(String, String)> = RECONCILED_LABELS
            .iter()
            .filter_map(|(stable, beta)| Some((*beta, node.labels.get(*stable)?)))
            .filter(|(beta, value)| node.labels.get(*beta) != Some(value))
            .map(|(beta, value)| (beta.to_owned(), value.clone()))
            .collect();
        if update.is_empty() {
            return;
        }
        let id = node.id;
        if self.core.client.get_node(id).await.is_err() {
            return;
        }
        let write = move |api: &ApiServer, actor| {
            api.mutate_node(actor, id, |n| {
                let mut labels = (*n.labels).clone();
                labels.extend(update);
                n.labels = Rc::new(labels);
            })
        };
        // A failure is logged upstream and not tried again.
        let _ = self.core.client.call(self.core.client.node_object(id), write).await;
    }
}
