//! What all parts of the controller share: its configuration, its caches, and its way to the API
//! server.

use super::config::Config;
use super::templates::Templates;
use crate::controllers::prelude::*;
use crate::plan::Flags;
use crate::plan::switches::node_lifecycle::Switches;

/// What the parts share.
pub(super) struct Core {
    pub(super) ctx: Ctx,
    pub(super) group: Group,
    pub(super) config: Config,
    pub(super) client: Client,
    pub(super) informers: Rc<InformerFactory>,
    pub(super) recorder: EventRecorder,
    pub(super) templates: Templates,
    /// Passes that cannot change anything are skipped.
    pub(super) lazy: bool,
    pub(super) list_point: PointId,
    pods_point: PointId,
}

impl Core {
    /// That of a controller that has done nothing yet.
    pub(super) fn new(config: Config, context: ControllerContext) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, recorder } = context;
        Rc::new(Core {
            templates: Templates::new(config.switches.alpha_taint_keys),
            lazy: client.api().source_of_heartbeats().is_some(),
            list_point: ctx.point("node-lister-order"),
            pods_point: ctx.point("pod-index-order"),
            informers,
            config,
            client,
            recorder,
            group,
            ctx,
        })
    }

    /// What the release does.
    pub(super) fn switches(&self) -> &Switches {
        &self.config.switches
    }

    /// Its flags.
    pub(super) fn flags(&self) -> &Flags {
        &self.config.flags
    }

    /// The API server, for reads that cost no request: recording, names.
    pub(super) fn api(&self) -> &ApiServer {
        self.client.api()
    }

    /// The present, ns from the start.
    pub(super) fn now_ns(&self) -> i64 {
        self.ctx.now().as_nanos() as i64
    }

    /// From one pass to the next, where neither has to wait.
    pub(super) fn pass_period(&self) -> Dur {
        self.flags().node_monitor_period + self.config.pass_overhead
    }

    /// All nodes, given by id, in the order in which a pass comes to them.
    pub(super) fn in_order(&self, number: u32, mut nodes: Vec<Rc<Node>>) -> Vec<Rc<Node>> {
        self.ctx.order_at(self.list_point, number, &mut nodes, |n| self.client.node_object(n.id));
        nodes
    }

    /// The pods of a node in the order of Go's map, which is chance.
    pub(super) fn pods_in_some_order(&self, node: NodeId) -> Vec<Rc<Pod>> {
        let mut pods = self.informers.pods_on(node);
        self.ctx.order(self.pods_point, &mut pods, |p| self.client.pod_object(p.id));
        pods
    }
}
