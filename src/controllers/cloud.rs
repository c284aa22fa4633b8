//! The cloud controllers as far as nodes' lives go (`cloud-provider/controllers/nodelifecycle`,
//! `controllers/node`, v0.34): a node whose instance is gone is deleted, one whose instance is shut
//! down is tainted, a new one is initialized.
//!
//! Left out: addresses, routes, services, errors of the provider, and what initialization writes
//! beside taking the taint off (providerID, instance type, zone labels, which the scenario's nodes
//! have from the start).

use crate::api::meta::ConditionStatus;
use crate::api::names::NodeId;
use crate::api::node::Node;
use crate::api::taint::{self, Effect, SHUTDOWN, Taint, UNINITIALIZED};
use crate::client::{
    About, Client, EventRecorder, InformerFactory, NodeHandler, QueueKey, WorkQueue,
};
use crate::kernel::{Ctx, Dur, Group, Object, PointId, Shared};
use crate::plan::Instance;
use crate::trace::EventText;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

/// `--node-monitor-period` of the cloud controller manager.
const NODE_MONITOR_PERIOD: Dur = Dur::from_secs(5);

/// The provider: what it says of instances, by node.
#[derive(Default)]
pub(crate) struct Provider(Shared<BTreeMap<NodeId, Instance>>);

impl Provider {
    /// From now on it says so of a node's instance.
    pub(crate) fn set(&self, node: NodeId, instance: Instance) {
        self.0.with(|all| all.insert(node, instance));
    }

    fn instance(&self, node: NodeId) -> Instance {
        self.0
            .with(|all| all.get(&node).copied().unwrap_or(Instance::Running))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct NodeItem(NodeId);

impl QueueKey for NodeItem {
    fn slot(self) -> usize {
        self.0.index()
    }
}

/// Both cloud controllers.
pub(crate) struct Controller {
    me: Weak<Controller>,
    ctx: Ctx,
    group: Group,
    client: Client,
    recorder: EventRecorder,
    informers: Rc<InformerFactory>,
    provider: Rc<Provider>,
    new_nodes: WorkQueue<NodeItem>,
    phase_point: PointId,
}

impl Controller {
    /// Controllers that hear of nodes but do not run yet.
    pub(crate) fn new(
        client: Client,
        informers: &Rc<InformerFactory>,
        group: Group,
        recorder: EventRecorder,
        provider: &Rc<Provider>,
    ) -> Rc<Self> {
        let ctx = client.api().ctx().clone();
        let controller = Rc::new_cyclic(|me| Controller {
            me: me.clone(),
            new_nodes: WorkQueue::new(&ctx),
            phase_point: ctx.point("cloud-node-monitor-phase"),
            provider: provider.clone(),
            informers: informers.clone(),
            recorder,
            client,
            group,
            ctx,
        });
        informers.on_node(controller.clone());
        controller
    }

    /// Starts the loops. `warm`: they have been running for long, so that the next look at the
    /// nodes comes some time within a period.
    pub(crate) fn run(&self, warm: bool) {
        let (Some(c), Some(d)) = (self.me.upgrade(), self.me.upgrade()) else {
            return;
        };
        self.ctx.spawn(self.group, async move {
            if warm {
                c.ctx
                    .sleep(c.ctx.phase(c.phase_point, NODE_MONITOR_PERIOD))
                    .await;
            }
            loop {
                c.monitor_nodes().await;
                c.ctx.sleep(NODE_MONITOR_PERIOD).await;
            }
        });
        self.ctx.spawn(self.group, async move {
            loop {
                let item = d.new_nodes.get().await;
                d.initialize(item.0).await;
                d.new_nodes.done(item);
            }
        });
    }

    /// `MonitorNodes`
    async fn monitor_nodes(&self) {
        let shutdown = Taint::new(SHUTDOWN, Effect::NoSchedule);
        for node in self.informers.nodes() {
            self.ctx.set_saw(node.record);
            if node
                .ready()
                .is_some_and(|c| c.status == ConditionStatus::True)
            {
                if node.has_taint(&shutdown) {
                    self.change_taints(node.id, |taints| {
                        taints.retain(|t| !t.matches(&Taint::new(SHUTDOWN, Effect::NoSchedule)))
                    })
                    .await;
                }
                continue;
            }
            match self.provider.instance(node.id) {
                Instance::Gone => {
                    self.recorder.event(
                        About::Node(node.id, Some(node.uid)),
                        EventText::DeletingNode,
                    );
                    let id = node.id;
                    // A node that is gone already needs no more.
                    let _ = self
                        .client
                        .call(self.object(id), move |api, actor| {
                            api.delete_node(actor, id)
                        })
                        .await;
                }
                Instance::ShutDown if !node.has_taint(&shutdown) => {
                    // `AddOrUpdateTaintOnNode`: the cache may lag, and the node have it.
                    let add = |taints: &mut Vec<Taint>| {
                        taint::add_or_update(taints, &Taint::new(SHUTDOWN, Effect::NoSchedule))
                    };
                    self.change_taints(node.id, add).await;
                }
                Instance::ShutDown | Instance::Running => {}
            }
        }
    }

    /// `syncNode`: a new node loses its taint.
    async fn initialize(&self, id: NodeId) {
        let Some(node) = self
            .informers
            .node(id)
            .filter(|n| n.taints.iter().any(|t| t.key == UNINITIALIZED))
        else {
            return;
        };
        self.change_taints(id, |taints| taints.retain(|t| t.key != UNINITIALIZED))
            .await;
        self.recorder
            .event(About::Node(id, Some(node.uid)), EventText::NodeSynced);
    }

    async fn change_taints(&self, id: NodeId, change: impl Fn(&mut Vec<Taint>) + 'static) {
        // A node that went meanwhile has no taints to change.
        let _ = self
            .client
            .call(self.object(id), move |api, actor| {
                api.mutate_node(actor, id, |n| change(&mut n.taints))
            })
            .await;
    }

    fn object(&self, id: NodeId) -> Object {
        Object {
            id: id.0,
            hash: self.client.api().names(|n| n.node_hash(id)),
        }
    }
}

impl NodeHandler for Controller {
    fn node(&self, _: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let Some(node) = new.filter(|n| n.taints.iter().any(|t| t.key == UNINITIALIZED)) {
            self.new_nodes.add(NodeItem(node.id));
        }
    }
}
