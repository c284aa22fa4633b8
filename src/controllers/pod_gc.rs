//! The pod garbage collector: deletes pods that nobody else will finish.
//!
//! Models `pkg/controller/podgc/gc_controller.go`, v1.34; other releases by
//! [`Switches`](crate::plan::switches::pod_gc::Switches). A pass looks at what its handlers noted
//! rather than at every pod, which changes nothing that can be seen.
//!
//! Left out: that up to 1.26 an orphan with a terminal phase gets the condition DisruptionTarget too.

use crate::api::taint::OUT_OF_SERVICE;
use crate::client::{Recalled, go_all};
use crate::controllers::prelude::*;
use crate::kernel::Idler;
use crate::plan::switches::pod_gc::Switches;

/// `gcCheckPeriod`, from the end of a pass to the next.
const GC_CHECK_PERIOD: Dur = Dur::from_secs(20);
/// `quarantineTime`: how long a node has to be missing from the cache before the API server is
/// asked for it.
const QUARANTINE_TIME: Dur = Dur::from_secs(40);

/// The collector's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// `--terminated-pod-gc-threshold`: how many terminated pods may lie about; none and less is
    /// any number.
    pub(crate) terminated_pod_threshold: i32,
    /// Added to the period, for the time a pass takes.
    pub(crate) pass_overhead: Dur,
    /// What it remembers.
    pub(crate) memory: Option<Recalled>,
    /// What the release does.
    pub(crate) switches: Switches,
}

/// `nodeQueue`, a delaying queue: a name that waits keeps its earlier time.
#[derive(Default)]
struct NodeQueue {
    waiting: BTreeMap<NodeId, Time>,
    due: VecDeque<NodeId>,
}

impl NodeQueue {
    fn add_after(&mut self, node: NodeId, at: Time) {
        let time = self.waiting.entry(node).or_insert(at);
        *time = at.min(*time);
    }

    /// Queues the names whose time has come, earliest first. `now_too` says of a name whose time is
    /// now whether it is in the queue already.
    fn advance(&mut self, now: Time, now_too: impl Fn(NodeId) -> bool) {
        let is_due = |n: &NodeId, at: &mut Time| *at < now || *at == now && now_too(*n);
        let due = self.waiting.extract_if(.., is_due);
        let mut due: Vec<(Time, NodeId)> = due.map(|(node, at)| (at, node)).collect();
        due.sort_unstable();
        for (_, node) in due {
            if !self.due.contains(&node) {
                self.due.push_back(node);
            }
        }
    }
}

/// What the handlers noted of the caches.
#[derive(Default)]
struct Noted {
    terminated: BTreeSet<PodId>,
    /// Pods that are being deleted, by node.
    terminating: BTreeSet<(Option<NodeId>, PodId)>,
    /// Nodes that some pod was on while the cache had no such node, and the record that said so.
    bereft: BTreeMap<NodeId, u32>,
    queue: NodeQueue,
}

/// What a pass sees of the caches at its start.
struct Seen {
    terminated: Vec<Rc<Pod>>,
    terminating: Vec<Rc<Pod>>,
    /// Of the nodes in question those that are not there.
    missing: BTreeSet<NodeId>,
    /// Pods on missing nodes, and the record of their node's end.
    orphaned: Vec<(Rc<Pod>, u32)>,
}

/// The pod garbage collector.
pub(crate) struct Controller {
    ctx: Ctx,
    group: Group,
    config: Config,
    client: Client,
    informers: Rc<InformerFactory>,
    noted: Shared<Noted>,
    /// The loop, while passes would find nothing to do.
    idler: Idler,
}

impl Controller {
    /// A collector that hears of nodes and pods but does not run yet (`NewPodGC`).
    pub(crate) fn new(config: Config, context: ControllerContext<()>) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, .. } = context;
        let (noted, idler) = (Shared::default(), ctx.idler());
        let controller = Rc::new(Self { ctx, group, config, client, informers, noted, idler });
        controller.informers.on_node(controller.clone());
        controller.informers.on_pod(controller.clone());
        controller
    }

    /// Starts the loop (`Run`); the caches are filled. `warm`: it has been running for long, so
    /// that the next pass comes some time within a period.
    pub(crate) fn run(self: &Rc<Self>, warm: bool) {
        let c = self.clone();
        self.ctx.spawn(self.group, async move {
            let period = GC_CHECK_PERIOD + c.config.pass_overhead;
            if warm {
                let phase = c.ctx.phase(c.ctx.point("pod-gc-phase"), period);
                c.recall(phase, period);
                c.ctx.sleep(phase).await;
            }
            // A search tries orders of what does nothing, too.
            let lazy = c.client.api().source_of_heartbeats().is_some() && !c.ctx.is_searching();
            loop {
                if c.gc().await && lazy {
                    c.ctx.idle(c.idler, period).await;
                } else {
                    c.ctx.sleep(period).await;
                }
            }
        });
    }

    /// Nodes that are gone from the start were found missing in one of the last two passes, or are in the next: as their
    /// pods are still there, in none before.
    fn recall(&self, next: Dur, period: Dur) {
        let bereft: Vec<NodeId> = self.noted.with(|n| n.bereft.keys().copied().collect());
        let quarantine = self.config.switches.quarantine;
        for node in bereft.into_iter().filter(|n| quarantine && !self.informers.has_node(*n)) {
            let point = self.ctx.point("pod-gc-recalled");
            let ago = self.ctx.choose(point, self.client.node_object(node), 3);
            let found =
                next.as_nanos() as i64 - period.saturating_mul(ago.into()).as_nanos() as i64;
            let found = self.config.memory.map_or(found, |m| m.since_office(found));
            let over = found + QUARANTINE_TIME.as_nanos() as i64;
            let over = self.ctx.now() + Dur::from_nanos(over.max(0).unsigned_abs());
            self.noted.with(|n| n.queue.add_after(node, over));
        }
    }

    /// `gc`. True if there was nothing to do, and will be nothing until [`Controller::stir`].
    async fn gc(&self) -> bool {
        let Some(seen) = self.look() else { return true };
        self.gc_terminated(seen.terminated).await;
        if self.config.switches.out_of_service {
            self.gc_terminating(&seen.terminating).await;
        }
        self.gc_orphaned(&seen.missing, seen.orphaned).await;
        self.gc_unscheduled_terminating(seen.terminating).await;
        false
    }

    /// The next pass may find something to do.
    fn stir(&self) {
        self.ctx.take_turn(self.idler);
    }

    /// How many of so many terminated pods are over the threshold.
    fn over(&self, terminated: usize) -> usize {
        let threshold = self.config.terminated_pod_threshold;
        if threshold > 0 { terminated.saturating_sub(threshold as usize) } else { 0 }
    }

    /// The pods and nodes in question, as the caches have them now; the lister has no order. None if
    /// there is none of them, and nobody waits for the end of a quarantine.
    fn look(&self) -> Option<Seen> {
        let in_cache = |ids: &BTreeSet<PodId>| {
            ids.iter().filter_map(|id| self.informers.pod(*id)).collect::<Vec<_>>()
        };
        let (terminated, mut terminating, bereft, queued) = self.noted.with(|n| {
            let over = self.over(n.terminated.len()) > 0;
            n.bereft.retain(|node, _| {
                !self.informers.has_node(*node) && self.informers.has_pods_on(*node)
            });
            let queued: Vec<NodeId> = n.queue.waiting.keys().chain(&n.queue.due).copied().collect();
            let terminated = if over { in_cache(&n.terminated) } else { Vec::new() };
            // Unless something is deleted first, no time passes until nodes are looked at: those
            // that are not given up by now are of no concern to this pass.
            let concerned = |node: Option<NodeId>| {
                !terminated.is_empty() || node.is_none_or(|n| self.given_up(n).is_some())
            };
            let terminating = n.terminating.iter().filter(|(node, _)| concerned(*node));
            let terminating = in_cache(&terminating.map(|(_, pod)| *pod).collect());
            (terminated, terminating, n.bereft.clone(), queued)
        });
        let pods_in_question = terminated.len() + terminating.len();
        if pods_in_question == 0 && bereft.is_empty() && queued.is_empty() {
            return None;
        }
        let orphaned = self.pods_of_missing_nodes(&bereft);
        let point = self.ctx.point("pod-gc-order");
        self.ctx.order(point, &mut terminating, |p| self.client.pod_object(p.id));
        let queued = queued.into_iter().filter(|n| !self.informers.has_node(*n));
        let missing = bereft.keys().copied().chain(queued).collect();
        Some(Seen { terminated, terminating, missing, orphaned })
    }

    /// The pods on nodes that are missing, each with the record of its node's end.
    fn pods_of_missing_nodes(&self, bereft: &BTreeMap<NodeId, u32>) -> Vec<(Rc<Pod>, u32)> {
        let on = |(node, told): (&NodeId, &u32)| {
            self.informers.pods_on(*node).into_iter().map(|p| (p, *told)).collect::<Vec<_>>()
        };
        let mut orphaned: Vec<(Rc<Pod>, u32)> = bereft.iter().flat_map(on).collect();
        if orphaned.is_empty() {
            return orphaned;
        }
        // They have their places among all pods of the cache, which is filled from a list by name.
        let pods = self.informers.pods();
        let place = |(pod, _): &(Rc<Pod>, u32)| {
            self.client.api().names(|n| {
                let name = n.pod_name(pod.id);
                pods.iter().filter(|p| n.pod_name(p.id) < name).count()
            })
        };
        let object = |(p, _): &(Rc<Pod>, u32)| self.client.pod_object(p.id);
        let point = self.ctx.point("pod-gc-order");
        self.ctx.order_some(point, None, pods.len(), &mut orphaned, place, object);
        orphaned
    }

    /// `gcTerminated`: what is over the threshold goes.
    async fn gc_terminated(&self, pods: Vec<Rc<Pod>>) {
        let over = self.over(pods.len());
        self.delete_all(pods.into_iter().map(|p| (p.record, p)).collect(), over).await;
    }

    /// `gcTerminating`: pods that are being deleted on nodes that are out of service and not ready.
    async fn gc_terminating(&self, pods: &[Rc<Pod>]) {
        let given_up = |p: &Rc<Pod>| Some((self.given_up(p.node?)?, p.clone()));
        self.delete_all(pods.iter().filter_map(given_up).collect(), usize::MAX).await;
    }

    /// The last record of a node that is out of service and not ready.
    fn given_up(&self, node: NodeId) -> Option<u32> {
        let node = self.informers.node(node)?;
        (!node.is_ready() && node.taints.iter().any(|t| t.key == OUT_OF_SERVICE))
            .then_some(node.record)
    }

    /// `gcOrphaned`: pods on nodes that the API server does not know, and that have been missing for the time of quarantine
    /// where there is one; one after the other.
    async fn gc_orphaned(&self, missing: &BTreeSet<NodeId>, orphaned: Vec<(Rc<Pod>, u32)>) {
        let deleted = if self.config.switches.quarantine {
            let now = self.ctx.now();
            self.advance_queue();
            self.noted.with(|n| {
                for (pod, _) in &orphaned {
                    if let Some(node) = pod.node {
                        n.queue.add_after(node, now + QUARANTINE_TIME);
                    }
                }
            });
            self.discover_deleted_nodes(missing).await
        } else {
            self.not_listed(missing).await
        };
        for (pod, told) in orphaned {
            if pod.node.is_some_and(|n| deleted.contains(&n)) {
                self.ctx.set_cause(told);
                // What cannot be deleted now is found again in the next pass.
                let _ = mark_failed_and_delete_pod(&self.client, self.config.switches, &pod, true)
                    .await;
            }
        }
    }

    /// Those of the nodes that a list from the API server has not: none where that fails, until the next pass.
    async fn not_listed(&self, nodes: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
        let Some(first) = nodes.first() else { return BTreeSet::new() };
        let (about, mut gone) = (self.client.node_object(*first), nodes.clone());
        let list = move |api: &ApiServer, _| {
            gone.retain(|node| api.node(*node).is_none());
            Ok(gone)
        };
        self.client.get(about, list).await.unwrap_or_default()
    }

    /// `discoverDeletedNodes`
    async fn discover_deleted_nodes(&self, missing: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
        let mut deleted = BTreeSet::new();
        while let Some(node) = self.noted.with(|n| n.queue.due.pop_front()) {
            if missing.contains(&node) {
                let get = move |api: &ApiServer, _| api.node(node).ok_or(ApiError::NotFound);
                let found = self.client.get(self.client.node_object(node), get).await;
                if found == Err(ApiError::NotFound) {
                    deleted.insert(node);
                }
            }
            self.advance_queue();
        }
        deleted
    }

    /// Where the end of a quarantine and a pass meet in one instant, either may come first.
    fn advance_queue(&self) {
        let point = self.ctx.point("pod-gc-quarantine");
        let now_too = |node| self.ctx.choose(point, self.client.node_object(node), 2) == 0;
        self.noted.with(|n| n.queue.advance(self.ctx.now(), now_too));
    }

    /// `gcUnscheduledTerminating`: one after the other.
    async fn gc_unscheduled_terminating(&self, pods: Vec<Rc<Pod>>) {
        for pod in pods.into_iter().filter(|p| p.node.is_none()) {
            self.ctx.set_cause(pod.record);
            // What cannot be deleted now is found again in the next pass.
            let _ =
                mark_failed_and_delete_pod(&self.client, self.config.switches, &pod, false).await;
        }
    }

    /// Deletes so many of these pods, the oldest first (`byCreationTimestamp`, `byEvictionAndCreationTimestamp`), each in a
    /// goroutine of its own, and waits for all of them. With each goes the record that led to it.
    async fn delete_all(&self, mut pods: Vec<(u32, Rc<Pod>)>, most: usize) {
        self.client.api().names(|n| {
            pods.sort_by_cached_key(|(_, p)| {
                let evicted = p.evicted && self.config.switches.evicted_first;
                (!evicted, p.creation_timestamp, short_name(n.pod_name(p.id)).to_owned())
            })
        });
        pods.truncate(most);
        if pods.is_empty() {
            return;
        }
        let (client, switches, n) = (self.client.clone(), self.config.switches, pods.len());
        let start = move |i: usize| {
            let (client, (cause, pod)) = (client.clone(), pods[i].clone());
            async move {
                client.api().ctx().set_cause(cause);
                // What cannot be deleted now is found again in the next pass.
                let _ = mark_failed_and_delete_pod(&client, switches, &pod, false).await;
            }
        };
        go_all(&self.ctx, self.group, n, start).await;
    }
}

/// `markFailedAndDeletePodWithCondition`: PATCH of the status unless the phase is terminal, then
/// DELETE with grace 0.
async fn mark_failed_and_delete_pod(
    client: &Client,
    switches: Switches,
    pod: &Rc<Pod>,
    orphaned: bool,
) -> ApiResult {
    let (id, uid) = (pod.id, pod.uid);
    client.api().ctx().set_saw(pod.record);
    if switches.marks_failed && !pod.phase.is_terminal() {
        let condition = (orphaned && switches.disruption_target).then(|| {
            let since = match pod.disruption_target {
                Some(c) if c.status == ConditionStatus::True => c.last_transition_time,
                _ => client.api().timestamp(),
            };
            PodCondition::new(ConditionStatus::True, PodReason::DeletionByPodGc, since)
        });
        let mark = move |api: &ApiServer, actor| api.mark_pod_failed(actor, id, uid, condition);
        client.call(client.pod_object(id), mark).await?;
    }
    client.delete_pod(id, Some(0), None).await
}

impl ResourceEventHandler<Node> for Controller {
    /// Notes nodes that are gone while pods are on them.
    fn cached(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let (Some(gone), None) = (old, new)
            && self.informers.has_pods_on(gone.id)
        {
            self.noted.with(|n| *n.bereft.entry(gone.id).or_insert(self.ctx.cause()));
            self.stir();
        }
        if new.is_some_and(|n| n.taints.iter().any(|t| t.key == OUT_OF_SERVICE)) {
            self.stir();
        }
    }

    fn listens(&self) -> bool {
        false
    }
}

impl ResourceEventHandler<Pod> for Controller {
    /// Notes pods that are terminated or being deleted, and nodes that are not there while pods are
    /// on them.
    fn cached(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let place = |p: &Rc<Pod>| (p.node, p.id);
        let terminated = |p: Option<&Rc<Pod>>| p.filter(|p| p.phase.is_terminal()).map(|p| p.id);
        let terminating = |p: Option<&Rc<Pod>>| p.filter(|p| p.is_terminating()).map(place);
        let mut stirs = false;
        self.noted.with(|n| {
            let (was, now) = (terminated(old), terminated(new));
            if was != now {
                was.map(|id| n.terminated.remove(&id));
                now.map(|id| n.terminated.insert(id));
                stirs |= self.over(n.terminated.len()) > 0;
            }
            let (was, now) = (terminating(old), terminating(new));
            if was != now {
                was.map(|pod| n.terminating.remove(&pod));
                now.map(|pod| n.terminating.insert(pod));
                let given_up = |node: NodeId| self.given_up(node).is_some();
                stirs |= now.is_some_and(|(node, _)| node.is_none_or(given_up));
            }
            if let Some(node) = new.and_then(|p| p.node)
                && !self.informers.has_node(node)
            {
                n.bereft.entry(node).or_insert(self.ctx.cause());
                stirs = true;
            }
        });
        if stirs {
            self.stir();
        }
    }

    fn listens(&self) -> bool {
        false
    }
}
