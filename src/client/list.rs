//! What a LIST returns: the objects in the order of their keys in etcd, which is that of their
//! names. Handlers hear of them in this order, and the indexes of the caches are filled in it.

use super::factory::InformerFactory;
use crate::api::names::Names;
use crate::client::prelude::*;

impl InformerFactory {
    /// All nodes.
    pub(super) fn listed_nodes(&self) -> Vec<Rc<Node>> {
        self.nodes_by_name(self.api.nodes())
    }

    /// All pods.
    pub(super) fn listed_pods(&self) -> Vec<Rc<Pod>> {
        self.pods_by_name(self.api.pods())
    }

    /// Nodes in the order of a list.
    pub(super) fn nodes_by_name(&self, nodes: Vec<Rc<Node>>) -> Vec<Rc<Node>> {
        self.sorted(nodes, |n, node| n.node_name(node.id))
    }

    /// Pods in the order of a list.
    pub(super) fn pods_by_name(&self, pods: Vec<Rc<Pod>>) -> Vec<Rc<Pod>> {
        self.sorted(pods, |n, pod| n.pod_name(pod.id))
    }

    /// All workloads.
    pub(super) fn listed_workloads(&self) -> Vec<Rc<Workload>> {
        self.sorted(self.api.workloads(), |n, workload| n.workload_name(workload.id))
    }

    /// All disruption budgets.
    pub(super) fn listed_budgets(&self) -> Vec<Rc<Budget>> {
        self.sorted(self.api.budgets(), |n, budget| n.workload_name(budget.id))
    }

    /// Objects by their names, each of which is looked up once.
    fn sorted<T>(
        &self,
        all: Vec<Rc<T>>,
        name: impl for<'a> Fn(&'a Names, &T) -> &'a str,
    ) -> Vec<Rc<T>> {
        self.api.names(|n| {
            let n: &Names = n;
            let mut named: Vec<(&str, Rc<T>)> =
                all.into_iter().map(|one| (name(n, &one), one)).collect();
            named.sort_unstable_by_key(|(name, _)| *name);
            named.into_iter().map(|(_, one)| one).collect()
        })
    }
}
