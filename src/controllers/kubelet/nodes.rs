//! The kubelets of a cluster, node by node: what all their parts work on.

use super::node_state::Kubelet;
use crate::api::names::NodeId;
use crate::apiserver::ApiServer;
use crate::kernel::{Ctx, Object, Shared, Time};
use crate::plan::KubeletMode;
use crate::plan::switches::kubelet::Switches;
use std::rc::Rc;

/// What is known of the kubelet of each node, and how all of them behave.
pub(super) struct Nodes {
    pub(super) ctx: Ctx,
    pub(super) api: Rc<ApiServer>,
    pub(super) mode: KubeletMode,
    pub(super) switches: Switches,
    /// Heartbeats that can't make a difference are computed.
    pub(super) lazy: bool,
    kubelets: Shared<Vec<Option<Kubelet>>>,
}

impl Nodes {
    /// No node has a kubelet yet.
    pub(super) fn new(
        api: &Rc<ApiServer>,
        mode: KubeletMode,
        switches: Switches,
        lazy: bool,
    ) -> Self {
        Self {
            ctx: api.ctx().clone(),
            api: api.clone(),
            mode,
            switches,
            lazy,
            kubelets: Shared::default(),
        }
    }

    pub(super) fn now(&self) -> Time {
        self.ctx.now()
    }

    /// A node has that kubelet from now on.
    pub(super) fn set(&self, node: NodeId, kubelet: Kubelet) {
        self.kubelets.with(|all| {
            if all.len() <= node.index() {
                all.resize(node.index() + 1, None);
            }
            all[node.index()] = Some(kubelet);
        });
    }

    /// Works on one kubelet's state.
    pub(super) fn with<R>(&self, node: NodeId, f: impl FnOnce(&mut Kubelet) -> R) -> Option<R> {
        self.kubelets
            .with(|all| all.get_mut(node.index()).and_then(Option::as_mut).map(f))
    }

    /// The nodes that may have one.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.kubelets.with(|all| all.len()) as u32).map(NodeId)
    }

    /// From when on a kubelet hears of what becomes of pods now; none while nothing gets through.
    pub(super) fn hears_from(&self, node: NodeId) -> Option<Time> {
        let now = self.now();
        self.with(node, |k| k.hears_from(now)).flatten()
    }

    /// A node as an object of chance.
    pub(super) fn object(&self, node: NodeId) -> Object {
        Object {
            id: node.0,
            hash: self.api.names(|n| n.node_hash(node)),
        }
    }
}
