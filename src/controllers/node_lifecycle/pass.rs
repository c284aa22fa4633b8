//! `monitorNodeHealth`: one pass over the nodes, step for step as upstream's; and what becomes of
//! zones at its end (`handleDisruption`): their states, the rates of their queues, and master
//! disruption.
//!
//! Upstream lists all nodes and hands each to a worker. Here some are left out ([`Skipper`]). A
//! worker's node is dealt with at once where nothing has to wait for a request or for the lock, as
//! most nodes are; otherwise the rest is work that takes time.

use super::decision::{Decision, Eviction};
use super::pods::PodMarker;
use super::round::Round;
use super::skip::Skipper;
use crate::client::parallelize_list;
use crate::controllers::node_lifecycle::prelude::*;
use std::pin::Pin;

/// `retrySleepTime`: between tries of a node's health update.
const RETRY_SLEEP: Dur = Dur::from_millis(20);

/// `retrySleepTime * NodeHealthUpdateRetry`
const RETRY_TIMEOUT: Dur = Dur::from_millis(100);

/// What is left to do about a node once something has to wait.
type Work = Pin<Box<dyn Future<Output = ()>>>;

/// What `classifyNodes` tells apart.
struct Classified<'a> {
    /// Nodes that are not known yet.
    added: Vec<&'a Rc<Node>>,
    /// Known nodes that are gone.
    deleted: Vec<(NodeId, Uid)>,
    /// Known nodes whose zone has no state.
    new_zone_representatives: Vec<&'a Rc<Node>>,
}

/// Makes the passes, and follows disruptions of zones.
pub(super) struct Monitor {
    core: Rc<Core>,
    zones: Rc<Zones>,
    health: Rc<HealthMap>,
    skipper: Rc<Skipper>,
    eviction: Rc<Eviction>,
    pods: Rc<PodMarker>,
    /// `knownNodeSet`
    known: Shared<Vec<Option<Uid>>>,
    /// `nodesToRetry`
    pub(super) nodes_to_retry: Shared<BTreeSet<NodeId>>,
    /// Whether the first round of the NoExecute loop comes amid the first pass, and is still to
    /// come.
    pub(super) round_amid_pass: Cell<bool>,
    /// That loop, while it waits for the pass to come so far.
    round_waits: Cell<Option<Ticket>>,
}

impl Monitor {
    /// No node is known.
    pub(super) fn new(
        (core, zones, health): Base,
        skipper: Rc<Skipper>,
        eviction: Rc<Eviction>,
        pods: Rc<PodMarker>,
    ) -> Rc<Self> {
        Rc::new(Self {
            core,
            zones,
            health,
            skipper,
            eviction,
            pods,
            known: Shared::default(),
            nodes_to_retry: Shared::default(),
            round_amid_pass: Cell::default(),
            round_waits: Cell::default(),
        })
    }

    /// Makes a node known under its uid, or unknown.
    pub(super) fn know(&self, node: NodeId, uid: Option<Uid>) {
        self.known.with(|k| *slot(k, node.index()) = uid);
    }

    /// `monitorNodeHealth`
    pub(super) async fn monitor_node_health(self: &Rc<Self>, number: u32) {
        if let Some(nodes) = self.skipper.list_nodes(number) {
            let Classified { added, deleted, new_zone_representatives } =
                self.classify_nodes(&nodes);
            if !added.is_empty() || !deleted.is_empty() {
                self.skipper.restless();
            }
            for node in new_zone_representatives {
                self.add_pod_evictor_for_new_zone(node).await;
            }
            for node in added {
                self.register(node).await;
            }
            for (id, uid) in deleted {
                self.core.recorder.event(About::Node(id, Some(uid)), EventText::RemovingNode);
                self.know(id, None);
            }
        }
        self.skipper.workers_begin();
        let (me, workers) = (self.clone(), self.core.switches().pass_workers);
        let next = move || me.next_that_waits();
        parallelize_list(&self.core.ctx, self.core.group, workers, next).await;
        let counted = self.skipper.round.with(Round::zone_conditions);
        self.handle_disruption(&counted).await;
        self.skipper.round.with(Round::end);
    }

    /// `classifyNodes`
    fn classify_nodes<'a>(&self, nodes: &'a [Rc<Node>]) -> Classified<'a> {
        let is_known =
            |node: &Node| self.known.with(|k| k.get(node.id.index()).is_some_and(Option::is_some));
        let (known, added): (Vec<_>, Vec<_>) = nodes.iter().partition(|n| is_known(n));
        let new_zone_representatives =
            known.iter().copied().filter(|n| !self.zones.zone_has_state(n)).collect();
        let deleted = self.known.with(|k| {
            let all_known =
                k.iter().enumerate().filter_map(|(i, uid)| Some((NodeId(i as u32), (*uid)?)));
            if known.len() == all_known.clone().count() {
                return Vec::new();
            }
            let present: BTreeSet<NodeId> = known.iter().map(|n| n.id).collect();
            all_known.filter(|(id, _)| !present.contains(id)).collect()
        });
        Classified { added, deleted, new_zone_representatives }
    }

    /// Goes on through a pass's nodes up to the next one that has to wait, and returns what is left
    /// to do about it.
    fn next_that_waits(self: &Rc<Self>) -> Option<Work> {
        loop {
            let node = self.skipper.round.with(Round::next)?;
            let Some(work) = self.update_or_skip(&node) else { continue };
            for roused in self.skipper.worker_waits(node.id) {
                let waits = self.update_or_skip(&roused).is_some();
                debug_assert!(!waits, "a node that rests needs nothing");
            }
            self.round_is_due();
            return Some(work);
        }
    }

    /// A zone without state gets one, and a queue.
    async fn add_pod_evictor_for_new_zone(&self, node: &Node) {
        if self.zones.add_pod_evictor_for_new_zone(node).await {
            // A node that the zone's old queue knew is put into the new one, tainted as it may be.
            self.skipper.rouse_all();
        }
    }

    /// What `monitorNodeHealth` does about a node that is new to it.
    async fn register(&self, node: &Rc<Node>) {
        self.core.recorder.event(About::Node(node.id, Some(node.uid)), EventText::RegisteredNode);
        self.know(node.id, Some(node.uid));
        self.add_pod_evictor_for_new_zone(node).await;
        if self.eviction.waits_to_spare(node) {
            self.round_is_due();
        }
        self.eviction.spare(node).await;
    }

    /// Updates a node, unless all there is to do about it is to queue it again. Returns what is
    /// left to do if something has to wait.
    fn update_or_skip(self: &Rc<Self>, node: &Rc<Node>) -> Option<Work> {
        if self.skipper.only_waits(node.id) {
            self.skipper.restless();
            self.count(node, Some(ConditionStatus::Unknown));
            let again = Decision::MarkNodeForTainting(ConditionStatus::Unknown);
            self.eviction.process_at_once(node, again);
            return None;
        }
        self.update_node(node)
    }

    /// `updateNodeFunc`: what is left to do if something has to wait.
    fn update_node(self: &Rc<Self>, node: &Rc<Node>) -> Option<Work> {
        if self.health.waits_for_leases() {
            self.skipper.restless();
            return None;
        }
        let listed = self.skipper.round.with(|r| r.listed_node(node.id));
        let tried = self.health.try_update_node_health(node, Some(listed));
        let decision = self.eviction.decide(node, &tried);
        let retries = self.nodes_to_retry.with(|r| r.contains(&node.id));
        if !self.eviction.has_to_wait(node, &tried, decision, retries) {
            self.count(node, tried.current);
            if let Some(decision) = decision {
                self.eviction.process_at_once(node, decision);
            }
            self.nodes_to_retry.with(|r| r.remove(&node.id));
            self.skipper.note_quiet_node(node, &tried);
            return None;
        }
        self.skipper.restless();
        let (c, node) = (self.clone(), node.clone());
        Some(Box::pin(async move {
            c.core.ctx.set_cause(node.record);
            c.core.ctx.set_saw(node.record);
            c.update_node_waiting(node, tried).await;
        }))
    }

    /// `updateNodeFunc` from its first request on.
    async fn update_node_waiting(self: Rc<Self>, node: Rc<Node>, first: Tried) {
        let Some((node, tried)) = self.poll_health(node, first).await else { return };
        self.count(&node, tried.current);
        if let (Some(current), Some(decision)) =
            (tried.current, self.eviction.decide(&node, &tried))
        {
            // The pods are read before the taint decision is carried out, whose requests may take
            // a while.
            let pods = self.core.pods_in_some_order(node.id);
            self.eviction.process_taint_base_eviction(&node, decision, &pods).await;
            let needs_retry = self.nodes_to_retry.with(|r| r.contains(&node.id));
            let went_silent =
                current != ConditionStatus::True && tried.observed == ConditionStatus::True;
            if went_silent {
                let about = About::Node(node.id, Some(node.uid));
                self.core.recorder.event(about, EventText::NodeNotReady);
            }
            if went_silent || needs_retry && tried.observed != ConditionStatus::True {
                let marked = self.pods.mark_pods_not_ready(pods, node.id).await;
                if !marked && self.core.switches().pod_workers {
                    self.nodes_to_retry.with(|r| r.insert(node.id));
                    return;
                }
            }
        }
        self.nodes_to_retry.with(|r| r.remove(&node.id));
    }

    /// `wait.PollImmediate(20ms, 100ms, tryUpdateNodeHealth)`: a try at once, then at ticks that are
    /// counted from its end (`poller`), and a last one when the time is over. After an error the
    /// node is read live; none if that fails, or no try went well.
    async fn poll_health(&self, node: Rc<Node>, first: Tried) -> Option<(Rc<Node>, Tried)> {
        let (mut node, mut tried, mut last) = (node, first, false);
        let mut start = None;
        loop {
            if tried.expired
                && self.core.switches().lease_circuit_breaker
                && !self.health.live_lease_agrees(&node).await
            {
                return None;
            }
            let Some(write) = tried.write.take() else { return Some((node, tried)) };
            let (lease, at) = (self.health.observed_lease(node.id), self.core.now_ns());
            self.core.ctx.set_saw(node.record);
            self.health.note_expired(node.id);
            let (client, body) = (&self.core.client, write.clone());
            let update = move |api: &ApiServer, actor| api.update_node_status(actor, &body);
            if client.call(client.node_object(node.id), update).await.is_ok() {
                self.health.silence_written(&write, at, lease);
                return Some((Rc::new(write), tried));
            }
            node = client.get_node(node.id).await.ok()?;
            self.core.ctx.set_saw(node.record);
            if last {
                return None;
            }
            let start = *start.get_or_insert(self.core.ctx.now());
            last = !self.next_tick(start).await;
            if self.health.waits_for_leases() {
                return None;
            }
            tried = self.health.try_update_node_health(&node, None);
        }
    }

    /// Sleeps until the next tick of the poll; false if the time is over then.
    async fn next_tick(&self, start: Time) -> bool {
        let elapsed = self.core.ctx.now().since(start).as_nanos();
        let next = Dur::from_nanos((elapsed / RETRY_SLEEP.as_nanos() + 1) * RETRY_SLEEP.as_nanos());
        self.core.ctx.sleep_until(start + next.min(RETRY_TIMEOUT)).await;
        next < RETRY_TIMEOUT
    }

    /// Counts a node in its zone, unless it is excluded.
    fn count(&self, node: &Node, current: Option<ConditionStatus>) {
        let (zone, excluded) = self.zones.zone_of(node);
        if !excluded {
            let one = ZoneConditions::of_one(current == Some(ConditionStatus::True));
            self.skipper.round.with(|r| r.counted.entry(zone).or_default().add(one));
        }
    }

    /// Where the first round of the NoExecute loop comes amid the first pass and turns are drawn:
    /// waits until it is due.
    pub(super) async fn until_amid_pass(&self) {
        if self.core.ctx.draws_turns() && self.round_amid_pass.get() {
            self.core.ctx.parked(|ticket| self.round_waits.set(Some(ticket))).await;
        }
    }

    /// The first round of the NoExecute loop comes now, if it was to come amid this pass: the pass
    /// has come to the limiters, or waits before that, which is when that loop looks at the latest.
    /// Returns whether it was to come amid this pass.
    fn round_is_due(&self) -> bool {
        self.core.wake(self.round_waits.take());
        self.round_amid_pass.take()
    }

    /// `handleDisruption`
    async fn handle_disruption(&self, counted: &Counted) {
        let amid = self.round_is_due();
        for zone in counted.keys() {
            self.zones.init_zone_state(*zone);
        }
        let is_full = |z| self.zones.compute_zone_state(z) == ZoneState::FullDisruption;
        let all_are = counted.values().copied().all(is_full);
        let all_was = self.forget_zones_without_nodes(counted);
        if all_are && all_was || !all_are && !all_was && self.zones.no_zone_changes(counted) {
            return;
        }
        self.skipper.restless();
        // A round of the NoExecute loop may come between the `Add` of a node's update and the
        // `SwapLimiter` below: each is a goroutine.
        if !self.zones.queues_are_empty() {
            if amid {
                self.core.ctx.after_others().await;
            } else {
                self.core.ctx.yield_point(self.core.ctx.point("node-disruption"), 0).await;
            }
        }
        if all_are {
            self.enter_master_disruption().await;
            return;
        }
        if all_was {
            self.leave_master_disruption(counted).await;
            return;
        }
        for zone in self.zones.zones_with_states() {
            let was = self.zones.zone_state(zone);
            if was.unwrap_or(ZoneState::Empty) != self.zones.new_zone_state(zone, counted) {
                self.zones.enter(zone, counted).await;
            }
        }
    }

    /// All zones became fully disrupted: nodes lose their NoExecute taints, and nothing is tainted.
    async fn enter_master_disruption(&self) {
        self.core.api().record(Actor::NodeLifecycle, 0, What::MasterDisruptionEntered);
        // The next pass queues those again that are taken out here and that its cache still has
        // as Unknown.
        self.skipper.rouse_all();
        for node in &self.skipper.every_node() {
            self.eviction.spare(node).await;
        }
        for zone in self.zones.zones_with_states() {
            self.zones.swap_limiter(zone, 0.0).await;
            self.zones.set_zone_state(zone, ZoneState::FullDisruption);
        }
    }

    /// Some zone is no longer fully disrupted: every node counts as heard of now.
    async fn leave_master_disruption(&self, counted: &Counted) {
        self.core.api().record(Actor::NodeLifecycle, 0, What::MasterDisruptionLeft);
        let now = self.core.now_ns();
        self.skipper.rouse_all();
        for node in self.skipper.every_node() {
            self.health.count_as_heard(node.id, now);
        }
        for zone in self.zones.zones_with_states() {
            self.zones.enter(zone, counted).await;
        }
    }

    /// The second loop of `handleDisruption`: zones without counted nodes lose their state, until
    /// the first zone that was not fully disrupted ends the loop. Returns whether all zones were
    /// fully disrupted.
    fn forget_zones_without_nodes(&self, counted: &Counted) -> bool {
        if self.zones.all_states(|z, _| counted.contains_key(&z)) {
            // Every zone has counted nodes, so the walk's order does not matter.
            return self.zones.all_states(|_, state| state == ZoneState::FullDisruption);
        }
        self.skipper.restless();
        for zone in self.zones.zones_with_states() {
            if !counted.contains_key(&zone) {
                self.zones.remove_zone_state(zone);
                continue;
            }
            if self.zones.zone_state(zone) != Some(ZoneState::FullDisruption) {
                return false;
            }
        }
        true
    }
}
