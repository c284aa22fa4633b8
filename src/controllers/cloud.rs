//! The cloud controllers as far as nodes' lives go (`cloud-provider/controllers/nodelifecycle`,
//! `controllers/node`, v0.34): a node whose instance is gone is deleted, one whose instance is shut
//! down is tainted, a new one is initialized.
//!
//! Left out: addresses, routes, services, errors of the provider, and what initialization writes
//! beside taking the taint off (providerID, instance type, zone labels, which the scenario's nodes
//! have from the start).

use crate::api::taint::{self, SHUTDOWN, UNINITIALIZED};
use crate::controllers::prelude::*;
use crate::plan::Instance;
use crate::plan::switches::cloud::Switches;

/// `--node-monitor-period` of the cloud controller manager.
const NODE_MONITOR_PERIOD: Dur = Dur::from_secs(5);

/// How often an initialization is tried, and the pause between (`UpdateNodeSpecBackoff`).
const SPEC_TRIES: u32 = 20;
const SPEC_BACKOFF: Dur = Dur::from_millis(50);

/// The provider: what it says of instances, by node.
#[derive(Default)]
pub(crate) struct Provider(Shared<BTreeMap<NodeId, Instance>>);

impl Provider {
    /// From now on it says so of a node's instance.
    pub(crate) fn set(&self, node: NodeId, instance: Instance) {
        self.0.with(|all| all.insert(node, instance));
    }

    fn instance(&self, node: NodeId) -> Instance {
        self.0.with(|all| all.get(&node).copied().unwrap_or(Instance::Running))
    }
}

/// Whether a node is still to be initialized.
fn waits(node: &Rc<Node>) -> bool {
    node.taints.iter().any(|t| t.key == UNINITIALIZED)
}

/// Both cloud controllers.
pub(crate) struct Controller {
    ctx: Ctx,
    group: Group,
    client: Client,
    recorder: EventRecorder,
    informers: Rc<InformerFactory>,
    provider: Rc<Provider>,
    new_nodes: WorkQueue<NodeId>,
    switches: Switches,
}

impl Controller {
    /// Controllers that hear of nodes but do not run yet.
    pub(crate) fn new(
        switches: Switches,
        context: ControllerContext,
        provider: &Rc<Provider>,
    ) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, recorder } = context;
        let (provider, new_nodes) = (provider.clone(), WorkQueue::new(&ctx, group));
        let controller = Rc::new(Controller {
            ctx,
            group,
            client,
            recorder,
            informers,
            provider,
            new_nodes,
            switches,
        });
        controller.informers.on_node(controller.clone());
        if switches.initializes_in_handler {
            controller.initializes();
        }
        controller
    }

    /// Starts to initialize nodes, one after the other: with the informers up to 1.19, later with the loops.
    fn initializes(self: &Rc<Self>) {
        let c = self.clone();
        self.ctx.spawn(self.group, async move {
            c.new_nodes.work_once(async |node| c.initialize(node).await).await;
        });
    }

    /// Starts the loops. `warm`: they have been running for long, so that the next look at the
    /// nodes comes some time within a period.
    pub(crate) fn run(self: &Rc<Self>, warm: bool) {
        let c = self.clone();
        self.ctx.spawn(self.group, async move {
            if warm {
                let point = c.ctx.point("cloud-node-monitor-phase");
                c.ctx.sleep(c.ctx.phase(point, NODE_MONITOR_PERIOD)).await;
            }
            loop {
                c.monitor_nodes().await;
                c.ctx.sleep(NODE_MONITOR_PERIOD).await;
            }
        });
        if !self.switches.initializes_in_handler {
            self.initializes();
        }
    }

    /// `MonitorNodes`
    async fn monitor_nodes(&self) {
        let shutdown = Taint::new(SHUTDOWN, Effect::NoSchedule);
        for node in self.informers.nodes() {
            self.ctx.set_saw(node.record);
            if node.is_ready() {
                if node.has_taint(&shutdown) {
                    let goes = |t: &mut Taint| t.matches(&shutdown);
                    self.change_taints(node.id, |all| all.extract_if(.., goes).count() > 0).await;
                }
                continue;
            }
            match self.provider.instance(node.id) {
                Instance::Gone => {
                    let text = if self.switches.message_as_reason {
                        EventText::DeletingNodeInReason
                    } else {
                        EventText::DeletingNode
                    };
                    self.recorder.event(About::Node(node.id, Some(node.uid)), text);
                    let id = node.id;
                    // A node that is gone already needs no more.
                    let delete = move |api: &ApiServer, actor| api.delete_node(actor, id);
                    let _ = self.client.call(self.client.node_object(id), delete).await;
                }
                Instance::ShutDown => {
                    self.change_taints(node.id, |taints| {
                        let before = taints.clone();
                        taint::add_or_update(taints, &shutdown);
                        *taints != before
                    })
                    .await;
                }
                Instance::Running => {}
            }
        }
    }

    /// `syncNode`, up to 1.19 `initializeNode`: a new node loses its taint.
    async fn initialize(&self, id: NodeId) {
        let Some(uid) = self.node(id).await.filter(waits).map(|n| n.uid) else { return };
        for tries in 1..=SPEC_TRIES {
            let Some(node) = self.node(id).await else { return };
            self.ctx.set_saw(node.record);
            let mut taints = node.taints.clone();
            taints.retain(|t| t.key != UNINITIALIZED);
            match self.client.patch_node_taints(id, Some(node.resource_version), taints).await {
                Ok(()) => break,
                Err(ApiError::Conflict) if tries < SPEC_TRIES => {
                    let point = self.ctx.point("cloud-node-backoff");
                    self.client.back_off(SPEC_BACKOFF, point, id).await
                }
                Err(_) => return,
            }
        }
        if !self.switches.initializes_in_handler {
            self.recorder.event(About::Node(id, Some(uid)), EventText::NodeSynced);
        }
    }

    /// A node as its cache has it, or up to 1.19 as the API server does.
    async fn node(&self, id: NodeId) -> Option<Rc<Node>> {
        if !self.switches.initializes_in_handler {
            return self.informers.node(id);
        }
        self.client.get_node(id).await.ok()
    }

    /// Changes a node's taints; what can't be changed now is tried again when the nodes are looked at
    /// next. `edit` says whether it changed anything.
    async fn change_taints(&self, id: NodeId, edit: impl Fn(&mut Vec<Taint>) -> bool) {
        let has_version = self.switches.taint_patch_has_version;
        let backoff = self.ctx.point("cloud-node-backoff");
        self.client.edit_taints(id, has_version, backoff, edit).await;
    }
}

impl ResourceEventHandler<Node> for Controller {
    fn on_change(&self, _: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let Some(node) = new.filter(|n| waits(n)) {
            self.new_nodes.add(node.id);
        }
    }
}
