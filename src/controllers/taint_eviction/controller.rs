//! Queues, dispatchers and workers (`Run`, `worker`, `PodUpdated`, `NodeUpdated`, the two
//! handlers).

use super::decision::{Config, NoExecuteTaints, PodTimers, no_execute};
use super::memory::Recaller;
use crate::client::{QueueKey, Recalled};
use crate::controllers::prelude::*;
use crate::kernel::{Chan, Either, select2};

/// `NodeUpdateChannelSize` and `podUpdateChannelSize`
const NODE_UPDATE_CHANNEL_SIZE: usize = 10;
const POD_UPDATE_CHANNEL_SIZE: usize = 1;

/// Tries of a live LIST of a node's pods, and the sleep between them.
const LIVE_LIST_TRIES: u32 = 6;
const LIVE_LIST_SLEEP: Dur = Dur::from_millis(100);

/// A pod and the node it was on when it was queued.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct PodItem(PodId, Option<NodeId>);

impl QueueKey for PodItem {
    fn slot(self) -> usize {
        self.0.index()
    }
}

struct Channels {
    node: Chan<(NodeId, u32)>,
    pod: Chan<(PodItem, u32)>,
}

/// The taint eviction controller.
pub(crate) struct Controller {
    ctx: Ctx,
    group: Group,
    config: Config,
    client: Client,
    timers: Rc<PodTimers>,
    informers: Rc<InformerFactory>,
    tainted_nodes: Shared<Vec<Option<NoExecuteTaints>>>,
    node_queue: WorkQueue<NodeId>,
    pod_queue: WorkQueue<PodItem>,
    channels: Vec<Channels>,
    /// The hashes that nodes are dealt by: of no node, then by node.
    hashes: Shared<Vec<Option<u32>>>,
    /// What it hears while its caches are filled is new to it; not if it has been running for long
    /// and knows what came of that.
    listens: Cell<bool>,
    /// For searches: the nodes' taints by node.
    tainted_keys: Keys,
}

impl Controller {
    /// A controller that hears of nodes and pods but does not run yet (`New`).
    pub(crate) fn new(config: Config, context: ControllerContext) -> Rc<Self> {
        let channels = (0..config.switches.workers)
            .map(|_| Channels {
                node: Chan::new(&context.ctx, NODE_UPDATE_CHANNEL_SIZE),
                pod: Chan::new(&context.ctx, POD_UPDATE_CHANNEL_SIZE),
            })
            .collect();
        let timers = PodTimers::new(config, &context);
        let ControllerContext { ctx, group, client, informers, .. } = context;
        let controller = Rc::new(Controller {
            timers,
            tainted_nodes: Shared::default(),
            node_queue: WorkQueue::new(&ctx, group),
            pod_queue: WorkQueue::new(&ctx, group),
            listens: Cell::new(config.memory.is_none()),
            tainted_keys: ctx.keys("tainted-nodes"),
            hashes: Shared::default(),
            informers,
            channels,
            config,
            client,
            group,
            ctx,
        });
        controller.informers.on_pod(controller.clone());
        controller.informers.on_node(controller.clone());
        controller
    }

    /// Starts dispatchers and workers (`Run`); the caches are filled. `bound_us`: when pods came to nodes with taints.
    pub(crate) fn run(self: &Rc<Self>, bound_us: &BTreeMap<PodId, i64>) {
        if let Some(recalled) = self.config.memory {
            self.recall(recalled, bound_us);
            self.listens.set(true);
        }
        let named = |name| Name::of(name, Keys::NOTHING);
        let c = self.clone();
        self.ctx.spawn_named(named("eviction-node-dispatcher"), self.group, async move {
            loop {
                let item = c.node_queue.get().await;
                c.ctx.yield_point(c.ctx.point("eviction-node-dispatch"), 0).await;
                c.channels[c.worker_of(Some(item))].node.send((item, c.ctx.cause())).await;
            }
        });
        let c = self.clone();
        self.ctx.spawn_named(named("eviction-pod-dispatcher"), self.group, async move {
            loop {
                let item = c.pod_queue.get().await;
                c.ctx.yield_point(c.ctx.point("eviction-pod-dispatch"), 0).await;
                c.channels[c.worker_of(item.1)].pod.send((item, c.ctx.cause())).await;
            }
        });
        for worker in 0..self.channels.len() {
            let c = self.clone();
            let work = async move { c.worker(&c.channels[worker]).await };
            self.ctx.spawn_named(named("eviction-worker"), self.group, work);
        }
    }

    /// Takes over what it would know.
    fn recall(&self, recalled: Recalled, bound_us: &BTreeMap<PodId, i64>) {
        let recaller = Recaller {
            bound_us,
            client: &self.client,
            informers: &self.informers,
            switches: self.config.switches,
        };
        let memory = recaller.recall(recalled);
        let api = self.client.api();
        for (node, taints) in memory.tainted {
            api.record_taints_known(Actor::TaintEviction, node, &taints);
            self.set_tainted(node, Some(taints));
        }
        for pod in memory.forever {
            let what = What::Noted(Note::ToleratesForever, 0);
            api.record_pod(Actor::TaintEviction, pod, what);
        }
        for (pod, left, drawn) in memory.timers {
            self.timers.recall_work(pod, left);
            if let Some((why, most)) = drawn {
                api.record_pod(Actor::TaintEviction, pod, What::Noted(why, most));
            }
        }
    }

    /// The worker of a node: 32-bit FNV-1a of its name.
    fn worker_of(&self, node: Option<NodeId>) -> usize {
        let at = node.map_or(0, |id| id.index() + 1);
        let api = self.client.api();
        let hash = || api.names(|n| fnv1a32(node.map_or("", |id| n.node_name(id))));
        let hash = self.hashes.with(|h| *slot(h, at).get_or_insert_with(hash));
        hash as usize % self.channels.len()
    }

    /// `worker`: takes from whichever channel is ready; before a pod it empties the node channel.
    async fn worker(&self, channels: &Channels) {
        loop {
            let select = self.ctx.point("eviction-worker-select");
            let first = || self.ctx.choose(select, Object::NONE, 2) == 0;
            let item = select2(&channels.node, &channels.pod, first).await;
            self.ctx.yield_point(self.ctx.point("eviction-work"), 0).await;
            match item {
                Either::A((item, cause)) => self.handle_node_item(item, cause).await,
                Either::B((item, cause)) => {
                    while let Some((node, cause)) = channels.node.try_recv() {
                        self.handle_node_item(node, cause).await;
                    }
                    self.ctx.set_cause(cause);
                    self.handle_pod_update(item);
                    self.pod_queue.done(item);
                }
            }
        }
    }

    async fn handle_node_item(&self, item: NodeId, cause: u32) {
        self.ctx.set_cause(cause);
        self.handle_node_update(item).await;
        self.node_queue.done(item);
    }

    /// `handlePodUpdate`
    fn handle_pod_update(&self, item: PodItem) {
        let Some(pod) = self.informers.pod(item.0) else {
            return self.timers.cancel_work_with_event(item.0);
        };
        // Items are dealt to workers by node; a pod that is elsewhere by now is another worker's.
        let Some(node) = pod.node.filter(|n| Some(*n) == item.1) else { return };
        self.ctx.reads(self.tainted_keys.of(node.0));
        if let Some(taints) = self.tainted_nodes.with(|t| t.get(node.index()).cloned().flatten()) {
            self.timers.process_pod_on_node(&pod, &taints);
        }
    }

    /// `handleNodeUpdate`
    async fn handle_node_update(&self, id: NodeId) {
        let Some(node) = self.informers.node(id) else {
            // Timers of the node's pods keep running.
            self.set_tainted(id, None);
            return;
        };
        let taints = Rc::new(no_execute(&node.taints).cloned().collect::<Vec<_>>());
        let was_tainted = self.set_tainted(id, (!taints.is_empty()).then(|| taints.clone()));
        let has_pods = self.informers.has_pods_on(id);
        self.ctx.set_saw(node.record);
        if !taints.is_empty() {
            self.client.api().record_taints_known(Actor::TaintEviction, id, &taints);
        } else if was_tainted {
            // That a node never had any is not worth a record.
            let what = What::Noted(Note::TaintsGone, has_pods.into());
            self.client.api().record_node(Actor::TaintEviction, id, what);
        }
        if !has_pods || taints.is_empty() && self.timers.is_empty() {
            return;
        }
        let mut pods = if self.config.switches.pods_by_live_list {
            self.list_pods_on(id).await
        } else {
            self.informers.pods_on(id)
        };
        let point = self.ctx.point("pod-index-order");
        self.ctx.order(point, &mut pods, |p| self.client.pod_object(p.id));
        for pod in pods {
            if taints.is_empty() {
                self.timers.cancel_work_with_event(pod.id);
            } else {
                self.timers.process_pod_on_node(&pod, &taints);
            }
        }
    }

    /// LISTs a node's pods from the API server, as older releases do: up to six times, 100 ms apart
    /// (`getPodsAssignedToNode`).
    async fn list_pods_on(&self, id: NodeId) -> Vec<Rc<Pod>> {
        let about = self.client.node_object(id);
        for _ in 0..LIVE_LIST_TRIES {
            let list = self.client.get(about, move |api, _| {
                Ok(api.pods().into_iter().filter(|p| p.node == Some(id)).collect())
            });
            if let Ok(pods) = list.await {
                return pods;
            }
            self.ctx.sleep(LIVE_LIST_SLEEP).await;
        }
        Vec::new()
    }

    /// Notes a node's taints, and says whether it had any before.
    fn set_tainted(&self, id: NodeId, taints: Option<NoExecuteTaints>) -> bool {
        self.ctx.writes(self.tainted_keys.of(id.0));
        self.tainted_nodes.with(|t| std::mem::replace(slot(t, id.index()), taints).is_some())
    }
}

impl ResourceEventHandler<Node> for Controller {
    /// `NodeUpdated`: on add, delete, and when the NoExecute taints differ in anything, their order
    /// included.
    fn on_change(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let (Some(o), Some(n)) = (old, new)
            && (Rc::ptr_eq(o, n) || no_execute(&o.taints).eq(no_execute(&n.taints)))
        {
            return;
        }
        if let Some(n) = new.or(old).filter(|_| self.listens.get()) {
            self.node_queue.add(n.id);
        }
    }
}

impl ResourceEventHandler<Pod> for Controller {
    /// `PodUpdated`: on add, delete, and when tolerations or nodeName differ. A deletionTimestamp
    /// alone does not count.
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        if let (Some(o), Some(n)) = (old, new)
            && o.node == n.node
            && (Rc::ptr_eq(&o.template, &n.template)
                || o.template.tolerations == n.template.tolerations)
        {
            return;
        }
        if let Some(p) = new.or(old).filter(|_| self.listens.get()) {
            self.pod_queue.add(PodItem(p.id, p.node));
        }
    }
}

/// `hash/fnv` with 32 bits, as upstream deals nodes to workers.
fn fnv1a32(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    /// Go's `hash/fnv` has "" go to worker 5 of eight, node1 to 4, node-0 to 0.
    #[test]
    fn nodes_are_dealt_by_fnv() {
        for (name, worker) in [("", 5), ("node1", 4), ("node-0", 0)] {
            assert_eq!(super::fnv1a32(name) % 8, worker, "{name:?}");
        }
    }
}
