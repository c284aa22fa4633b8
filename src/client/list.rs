//! What a LIST returns: the objects in the order of their keys in etcd, which is that of their
//! names. Handlers hear of them in this order, and the indexes of the caches are filled in it.

use super::factory::InformerFactory;
use crate::client::prelude::*;

impl InformerFactory {
    /// All nodes.
    pub(super) fn listed_nodes(&self) -> Vec<Rc<Node>> {
        let mut nodes = self.api.nodes();
        self.api.names(|n| nodes.sort_by(|a, b| n.node_name(a.id).cmp(n.node_name(b.id))));
        nodes
    }

    /// All pods.
    pub(super) fn listed_pods(&self) -> Vec<Rc<Pod>> {
        let mut pods = self.api.pods();
        self.api.names(|n| pods.sort_by(|a, b| n.pod_name(a.id).cmp(n.pod_name(b.id))));
        pods
    }

    /// All workloads.
    pub(super) fn listed_workloads(&self) -> Vec<Rc<Workload>> {
        let mut workloads = self.api.workloads();
        self.api
            .names(|n| workloads.sort_by(|a, b| n.workload_name(a.id).cmp(n.workload_name(b.id))));
        workloads
    }

    /// All disruption budgets.
    pub(super) fn listed_budgets(&self) -> Vec<Rc<Budget>> {
        let mut budgets = self.api.budgets();
        self.api
            .names(|n| budgets.sort_by(|a, b| n.workload_name(a.id).cmp(n.workload_name(b.id))));
        budgets
    }
}
