//! What all parts of the controller share: its configuration, its caches, and its way to the API
//! server.

use crate::api::taint::{NOT_READY, NOT_READY_ALPHA, UNREACHABLE, UNREACHABLE_ALPHA};
use crate::client::Recalled;
use crate::controllers::prelude::*;
use crate::plan::Flags;
use crate::plan::switches::node_lifecycle::Switches;

/// `nodeEvictionPeriod`: how often the NoExecute pass runs.
pub(super) const NODE_EVICTION_PERIOD: Dur = Dur::from_millis(100);

/// The controller's flags and what its release does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    pub(crate) flags: Flags,
    /// Added to the period, for the time a pass takes.
    pub(crate) pass_overhead: Dur,
    /// What it remembers, if it has been running for long and the objects are an export's.
    pub(crate) memory: Option<Recalled>,
    /// What leases said when the run began: renewTime in microseconds, resourceVersion.
    pub(crate) leases: Rc<BTreeMap<NodeId, (i64, u64)>>,
    pub(crate) switches: Switches,
}

/// `UnreachableTaintTemplate` and `NotReadyTaintTemplate`.
pub(super) struct Templates {
    pub(super) unreachable: Taint,
    pub(super) not_ready: Taint,
}

impl Templates {
    /// The templates under today's keys, or those of 1.6 to 1.8.
    pub(super) fn new(alpha: bool) -> Self {
        let (unreachable, not_ready) =
            if alpha { (UNREACHABLE_ALPHA, NOT_READY_ALPHA) } else { (UNREACHABLE, NOT_READY) };
        Templates {
            unreachable: Taint::new(unreachable, Effect::NoExecute),
            not_ready: Taint::new(not_ready, Effect::NoExecute),
        }
    }

    /// Whether a node lacks the taint that this status asks for.
    pub(super) fn lacks(&self, node: &Node, status: ConditionStatus) -> bool {
        self.of(status).is_some_and(|(taint, _)| !node.has_taint(taint))
    }

    /// The taint of a node with that status, and the opposite one; none for one that is ready.
    pub(super) fn of(&self, status: ConditionStatus) -> Option<(&Taint, &Taint)> {
        match status {
            ConditionStatus::True => None,
            ConditionStatus::False => Some((&self.not_ready, &self.unreachable)),
            ConditionStatus::Unknown => Some((&self.unreachable, &self.not_ready)),
        }
    }
}

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
}

impl Core {
    /// That of a controller that has done nothing yet.
    pub(super) fn new(config: Config, context: ControllerContext) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, recorder } = context;
        Rc::new(Core {
            templates: Templates::new(config.switches.alpha_taint_keys),
            lazy: client.api().source_of_heartbeats().is_some(),
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

    /// Wakes a process, if one waits there.
    pub(super) fn wake(&self, waits: Option<Ticket>) {
        if let Some(ticket) = waits
            && self.ctx.claim(ticket)
        {
            self.ctx.wake(ticket);
        }
    }

    /// How long a node may be silent that has a Ready condition, or has none yet.
    pub(super) fn grace(&self, has_ready: bool) -> Dur {
        let flags = self.flags();
        if has_ready { flags.node_monitor_grace_period } else { flags.node_startup_grace_period }
    }

    /// From one pass to the next, where neither has to wait.
    pub(super) fn pass_period(&self) -> Dur {
        self.flags().node_monitor_period + self.config.pass_overhead
    }

    /// All nodes, given by id, in the order in which a pass comes to them.
    pub(super) fn in_order(&self, number: u32, mut nodes: Vec<Rc<Node>>) -> Vec<Rc<Node>> {
        let point = self.ctx.point("node-lister-order");
        self.ctx.order_at(point, number, &mut nodes, |n| self.client.node_object(n.id));
        nodes
    }

    /// The pods of a node in the order of Go's map, which is chance.
    pub(super) fn pods_in_some_order(&self, node: NodeId) -> Vec<Rc<Pod>> {
        let mut pods = self.informers.pods_on(node);
        let point = self.ctx.point("pod-index-order");
        self.ctx.order(point, &mut pods, |p| self.client.pod_object(p.id));
        pods
    }
}
