//! The kubelets of a cluster, node by node: what all their parts work on.

use super::node_state::Kubelet;
use crate::controllers::prelude::*;
use crate::plan::KubeletMode;
use crate::plan::switches::kubelet::Switches;

/// What a part keeps of each node's kubelet; nothing where there is none.
pub(super) struct ByNode<T>(Shared<Vec<Option<T>>>);

impl<T> Default for ByNode<T> {
    fn default() -> Self {
        Self(Shared::new(Vec::new()))
    }
}

impl<T> ByNode<T> {
    /// A node has a kubelet from now on, of which that is known.
    pub(super) fn join(&self, node: NodeId, known: T) {
        self.0.with(|all| {
            *slot(all, node.index()) = Some(known);
        });
    }

    /// Works on what is known of one.
    pub(super) fn with<R>(&self, node: NodeId, f: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.with(|all| all.get_mut(node.index()).and_then(Option::as_mut).map(f))
    }
}

/// What all parts know of the kubelet of each node, and how all of them behave.
pub(super) struct Nodes {
    pub(super) ctx: Ctx,
    pub(super) api: Rc<ApiServer>,
    pub(super) mode: KubeletMode,
    pub(super) switches: Switches,
    /// Heartbeats that can't make a difference are computed.
    pub(super) lazy: bool,
    kubelets: ByNode<Kubelet>,
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
            kubelets: ByNode::default(),
        }
    }

    pub(super) fn now(&self) -> Time {
        self.ctx.now()
    }

    /// A node has that kubelet from now on.
    pub(super) fn join(&self, node: NodeId, kubelet: Kubelet) {
        self.kubelets.join(node, kubelet);
    }

    /// Works on one kubelet's state.
    pub(super) fn with<R>(&self, node: NodeId, f: impl FnOnce(&mut Kubelet) -> R) -> Option<R> {
        self.kubelets.with(node, f)
    }

    /// The nodes that may have one.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.kubelets.0.with(|all| all.len()) as u32).map(NodeId)
    }

    /// Whether a node has a kubelet of which that is so.
    pub(super) fn is(&self, node: NodeId, so: impl FnOnce(&mut Kubelet) -> bool) -> bool {
        self.with(node, so) == Some(true)
    }

    /// Whether a node's machine runs, and its kubelet.
    pub(super) fn runs(&self, node: NodeId) -> bool {
        self.is(node, |k| k.runs())
    }

    /// The next status of a node has something new to say.
    pub(super) fn view_changes(&self, node: NodeId) {
        let now = self.now();
        self.with(node, |k| {
            k.view_changed.get_or_insert(now);
        });
    }

    /// Writes down what somebody did to a node or its kubelet, and what follows from it follows from that.
    pub(super) fn record(&self, node: NodeId, what: What) {
        self.ctx.set_cause(self.api.record_node(Actor::User, node, what));
    }

    /// Writes an event. A kubelet's recorder is its own, and its rate does not matter here. One that does not arrive is lost;
    /// upstream tries again for two minutes.
    pub(super) fn say(&self, name: EventName, body: EventBody) {
        let _ = self.api.create_event(Actor::Kubelet, name, body, false, 1);
    }

    /// A time that is drawn for a node, from nothing to the most.
    pub(super) fn draw(&self, point: PointId, node: NodeId, most: Dur) -> Dur {
        Dur::from_nanos(self.ctx.uniform(point, self.object(node), 0, most.as_nanos()))
    }

    /// From when on a kubelet hears of what becomes of pods now; none while nothing gets through.
    pub(super) fn hears_from(&self, node: NodeId) -> Option<Time> {
        let now = self.now();
        self.with(node, |k| k.hears_from(now)).flatten()
    }

    /// Whether what a kubelet sends now arrives.
    pub(super) fn gets_through(&self, node: NodeId) -> bool {
        let now = self.now();
        self.is(node, |k| k.gets_through(now))
    }

    /// Whether what a kubelet says now is heard.
    pub(super) fn is_heard(&self, node: NodeId) -> bool {
        self.gets_through(node) && !self.api.is_down()
    }

    /// A node as an object of chance.
    pub(super) fn object(&self, node: NodeId) -> Object {
        Object { id: node.0, hash: self.api.names(|n| n.node_hash(node)) }
    }
}
