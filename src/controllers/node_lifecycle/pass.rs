//! `monitorNodeHealth`: one pass over all nodes.

use super::controller::Controller;
use super::health::Tried;
use super::quiet::Skipped;
use super::resting::Roster;
use super::switches::EvictionMode;
use crate::api::meta::{ConditionStatus, Uid};
use crate::api::names::{NodeId, TextId};
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::client::{About, parallelize_list};
use crate::kernel::{Dur, Shared, Time};
use crate::trace::EventText;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// `retrySleepTime`: between tries of a node's health update.
const RETRY_SLEEP: Dur = Dur::from_millis(20);
/// `retrySleepTime * NodeHealthUpdateRetry`
const RETRY_TIMEOUT: Dur = Dur::from_millis(100);

/// The Ready conditions of a zone's counted nodes: how many are True, and how many are not.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct ZoneConditions {
    pub(super) ready: u32,
    pub(super) not_ready: u32,
}

impl ZoneConditions {
    /// Counted nodes of the zone.
    pub(super) fn size(self) -> u32 {
        self.ready + self.not_ready
    }
}

/// What the workers of a pass gather.
pub(super) type Counted = Rc<Shared<BTreeMap<TextId, ZoneConditions>>>;

/// The nodes that the workers of a pass go through.
pub(super) struct Round {
    number: u32,
    nodes: std::vec::IntoIter<Rc<Node>>,
    /// How many had to wait.
    waiting: usize,
    /// The cache as it was when the pass began, by id; taken when the pass has to wait for the first time.
    all: Option<Vec<Rc<Node>>>,
    /// The nodes that rest, unless the workers go through them too.
    rested: Option<Rested>,
}

/// What a pass leaves out: those that rest since before this pass, and their conditions.
struct Rested {
    pass: u64,
    counted: Vec<(TextId, ZoneConditions)>,
}

impl Controller {
    /// One pass, the one of that number.
    pub(super) async fn monitor_node_health(self: &Rc<Self>, number: u32) {
        let (mut all, nodes) = (None, self.awake_nodes(number));
        let nodes = if self.has_to_see_every_node(&nodes) {
            self.rouse_all();
            let every = all.insert(self.informers.nodes()).clone();
            let nodes = self.in_order(number, every);
            self.greet_and_forget(&nodes).await;
            nodes
        } else {
            nodes
        };
        let began = self.ctx.now();
        let rested = self
            .roster
            .with(|r| Rested { counted: r.counted(), pass: r.note_passes(Skipped { first: began, period: self.pass_period(), count: 1 }) });
        let round = Round { number, nodes: nodes.into_iter(), waiting: 0, all, rested: Some(rested) };
        let round = Rc::new(Shared::new(round));
        let counted: Counted = Rc::new(Shared::new(BTreeMap::new()));
        let next = {
            let (c, round, counted) = (self.clone(), round.clone(), counted.clone());
            move || c.next_that_waits(&round, &counted)
        };
        parallelize_list(&self.ctx, self.group, self.config.switches.pass_workers, next).await;
        let mut counted = counted.with(std::mem::take);
        for (zone, of) in round.with(|r| r.rested.take()).map(|r| r.counted).unwrap_or_default() {
            let z = counted.entry(zone).or_default();
            (z.ready, z.not_ready) = (z.ready + of.ready, z.not_ready + of.not_ready);
        }
        self.handle_disruption(&counted, &round).await;
    }

    /// The nodes that do not rest, in the order in which a pass over all of them comes to them.
    fn awake_nodes(&self, number: u32) -> Vec<Rc<Node>> {
        let (whole, ids) = self.roster.with_ref(|r| (r.len(), r.awake()));
        let mut nodes: Vec<Rc<Node>> = ids.into_iter().filter_map(|id| self.informers.node(id)).collect();
        let place = |n: &Rc<Node>| self.roster.with_ref(|r| r.place(n.id));
        self.ctx.order_some_at(self.points.list, number, whole, &mut nodes, place, |n| self.object(n.id));
        nodes
    }

    /// All nodes, given by id, in the order in which a pass comes to them.
    fn in_order(&self, number: u32, mut nodes: Vec<Rc<Node>>) -> Vec<Rc<Node>> {
        self.ctx.order_at(self.points.list, number, &mut nodes, |n| self.object(n.id));
        nodes
    }

    /// All nodes as they were when a pass began, in its order.
    pub(super) fn every_node(&self, round: &Shared<Round>) -> Vec<Rc<Node>> {
        let (number, all) = round.with(|r| (r.number, r.all.clone()));
        self.in_order(number, all.unwrap_or_else(|| self.informers.nodes()))
    }

    /// Whether nodes that rest matter to this pass: nodes came or went, a zone has no state, or everybody waits for the lock.
    fn has_to_see_every_node(&self, awake: &[Rc<Node>]) -> bool {
        let zones: Vec<TextId> = self.roster.with_ref(|r| r.zones().collect());
        let all_have_state = self.state.with_ref(|s| zones.iter().all(|z| s.zone_states.get(*z).is_some()));
        let locked = self.config.switches.lock_across_calls && self.evictor_lock.is_held();
        self.roster.with(Roster::take_members_changed) || locked || !all_have_state || !awake.iter().all(|n| self.zone_has_state(n))
    }

    /// New nodes are registered, those that are gone are forgotten, and zones get their queues.
    async fn greet_and_forget(&self, nodes: &[Rc<Node>]) {
        let (added, deleted) = self.classify_nodes(nodes);
        if !added.is_empty() || !deleted.is_empty() {
            self.restless();
        }
        for node in nodes.iter().filter(|n| added.binary_search(&n.id).is_err()) {
            if !self.zone_has_state(node) {
                self.add_pod_evictor_for_new_zone(node).await;
            }
        }
        let new = if added.is_empty() { &[][..] } else { nodes };
        for node in new.iter().filter(|n| added.binary_search(&n.id).is_ok()) {
            self.recorder.event(About::Node(node.id, Some(node.uid)), EventText::RegisteredNode);
            self.state.with(|s| s.know(node.id, Some(node.uid)));
            self.add_pod_evictor_for_new_zone(node).await;
            match self.config.switches.eviction_mode {
                // The cause of what is written about a node is the version that was read.
                EvictionMode::Taints => {
                    self.mark_node_as_reachable(node).await;
                }
                EvictionMode::Timeout => self.cancel_pod_eviction(node).await,
            }
        }
        for (id, uid) in deleted {
            self.recorder.event(About::Node(id, Some(uid)), EventText::RemovingNode);
            self.state.with(|s| s.know(id, None));
        }
    }

    /// Goes on through a pass's nodes up to the next one that has to wait, and returns what is left to do about it.
    fn next_that_waits(self: &Rc<Self>, round: &Shared<Round>, counted: &Counted) -> Option<impl Future<Output = ()> + use<>> {
        loop {
            let node = round.with(|r| r.nodes.next())?;
            let Some(work) = self.update_node(&node, counted) else { continue };
            let waiting = round.with(|r| {
                r.waiting += 1;
                r.all.get_or_insert_with(|| self.informers.nodes());
                r.waiting
            });
            if waiting == self.config.switches.pass_workers {
                self.see_those_that_rest(round, node.id, counted);
            }
            return Some(work);
        }
    }

    /// From this node on the workers are busy, and come to the other nodes one by one as time goes on: to those that rest too.
    fn see_those_that_rest(self: &Rc<Self>, round: &Shared<Round>, last: NodeId, counted: &Counted) {
        let Some(rested) = round.with(|r| r.rested.take()) else { return };
        let mut nodes = self.every_node(round);
        let seen = nodes.iter().position(|n| n.id == last).map_or(0, |i| i + 1);
        for (i, node) in nodes.iter().enumerate() {
            if self.rouse_before(node.id, rested.pass) && i < seen {
                let waits = self.update_node(node, counted).is_some();
                debug_assert!(!waits, "a node that rests needs nothing");
            }
        }
        round.with(|r| r.nodes = nodes.split_off(seen).into_iter());
    }

    /// `classifyNodes`: names not known yet, and known names that are gone.
    fn classify_nodes(&self, nodes: &[Rc<Node>]) -> (Vec<NodeId>, Vec<(NodeId, Uid)>) {
        self.state.with(|s| {
            let mut added: Vec<NodeId> =
                nodes.iter().map(|n| n.id).filter(|id| s.known.get(id.index()).is_none_or(Option::is_none)).collect();
            added.sort_unstable();
            let known = s.known.iter().flatten().count();
            let deleted = if known + added.len() == nodes.len() {
                Vec::new()
            } else {
                let present: BTreeSet<NodeId> = nodes.iter().map(|n| n.id).collect();
                let known = s.known.iter().enumerate().filter_map(|(i, uid)| Some((NodeId(i as u32), (*uid)?)));
                known.filter(|(id, _)| !present.contains(id)).collect()
            };
            (added, deleted)
        })
    }

    /// Handles one node of a pass: all of it at once if nothing has to wait, else the rest as work for a worker.
    fn update_node(self: &Rc<Self>, node: &Rc<Node>, counted: &Counted) -> Option<impl Future<Output = ()> + use<>> {
        if self.breaker.is_waiting(&self.informers) {
            self.restless();
            return None;
        }
        if self.only_waits(node.id) {
            self.restless();
            self.count(node, Some(ConditionStatus::Unknown), counted);
            self.queue_for_tainting(node, ConditionStatus::Unknown, false);
            return None;
        }
        let tried = self.try_update_node_health(node);
        if !self.has_to_wait(node, &tried) {
            self.count(node, tried.current, counted);
            let decides = tried.current.map(|c| if self.config.switches.taint_on_observed { tried.observed } else { c });
            if let Some(decides) = decides {
                self.process_without_waiting(node, decides);
            }
            self.note_quiet_node(node, tried.current, decides, decides.is_some_and(|d| self.has_wanted_taint(node, d)));
            self.state.with(|s| s.nodes_to_retry.remove(&node.id));
            return None;
        }
        self.restless();
        let (c, node, counted) = (self.clone(), node.clone(), counted.clone());
        Some(async move {
            c.ctx.set_cause(node.record);
            c.ctx.set_saw(node.record);
            c.update_node_waiting(node, tried, counted).await;
        })
    }

    /// Whether anything about a node needs a request or a lock.
    fn has_to_wait(&self, node: &Node, tried: &Tried) -> bool {
        let s = &self.config.switches;
        if tried.write.is_some() || tried.expired && s.lease_circuit_breaker || s.lock_across_calls && self.evictor_lock.is_held() {
            return true;
        }
        if s.eviction_mode == EvictionMode::Timeout {
            return tried.current.is_some() && self.timeout_has_to_wait(node, tried);
        }
        let Some(current) = tried.current else { return false };
        if tried.observed != ConditionStatus::True && self.state.with(|st| st.nodes_to_retry.contains(&node.id)) {
            return true;
        }
        let decides = if s.taint_on_observed { tried.observed } else { current };
        match decides {
            ConditionStatus::True => node.has_taint(&self.templates.not_ready) || node.has_taint(&self.templates.unreachable),
            ConditionStatus::False => s.swap_without_limiter && node.has_taint(&self.templates.unreachable),
            ConditionStatus::Unknown => s.swap_without_limiter && node.has_taint(&self.templates.not_ready),
        }
    }

    fn has_wanted_taint(&self, node: &Node, status: ConditionStatus) -> bool {
        match status {
            ConditionStatus::True => true,
            ConditionStatus::False => node.has_taint(&self.templates.not_ready),
            ConditionStatus::Unknown => node.has_taint(&self.templates.unreachable),
        }
    }

    fn process_without_waiting(&self, node: &Node, decides: ConditionStatus) {
        match (self.config.switches.eviction_mode, decides) {
            (EvictionMode::Timeout, ConditionStatus::True) | (EvictionMode::Taints, ConditionStatus::True) => self.unqueue(node),
            (EvictionMode::Taints, status) => self.queue_for_tainting(node, status, false),
            (EvictionMode::Timeout, _) => {}
        }
    }

    /// The body of `updateNodeFunc` where something has to wait.
    async fn update_node_waiting(self: Rc<Self>, node: Rc<Node>, first: Tried, counted: Counted) {
        let Some((node, tried)) = self.poll_health(node, first).await else { return };
        self.count(&node, tried.current, &counted);
        let Some(current) = tried.current else {
            self.state.with(|s| s.nodes_to_retry.remove(&node.id));
            return;
        };
        // The pods are read before the taint decision, whose requests may take a while.
        let pods = self.pods_in_some_order(node.id);
        let decides = if self.config.switches.taint_on_observed { tried.observed } else { current };
        match self.config.switches.eviction_mode {
            EvictionMode::Taints => self.process_taint_base_eviction(&node, decides).await,
            EvictionMode::Timeout => self.process_no_taint_base_eviction(&node, tried.observed, &pods).await,
        }
        let needs_retry = self.state.with(|s| s.nodes_to_retry.contains(&node.id));
        let went_silent = current != ConditionStatus::True && tried.observed == ConditionStatus::True;
        if went_silent {
            self.recorder.event(About::Node(node.id, Some(node.uid)), EventText::NodeNotReady);
        }
        if went_silent || needs_retry && tried.observed != ConditionStatus::True {
            let marked = self.mark_pods_not_ready(pods, node.id).await;
            if !marked && self.config.switches.pod_workers {
                self.state.with(|s| s.nodes_to_retry.insert(node.id));
                return;
            }
        }
        self.state.with(|s| s.nodes_to_retry.remove(&node.id));
    }

    /// The pods of a node in the order of Go's map, which is chance.
    pub(super) fn pods_in_some_order(&self, node: NodeId) -> Vec<Rc<Pod>> {
        let mut pods = self.informers.pods_on(node);
        self.ctx.order(self.points.pods, &mut pods, |p| self.pod_object(p.id));
        pods
    }

    /// `wait.PollImmediate(20ms, 100ms, tryUpdateNodeHealth)`: a try at once, then at ticks, and a last one when the time is
    /// over. After an error the node is read live; none if that fails, or no try went well.
    async fn poll_health(&self, node: Rc<Node>, first: Tried) -> Option<(Rc<Node>, Tried)> {
        let start = self.ctx.now();
        let (mut node, mut tried, mut last) = (node, first, false);
        loop {
            if tried.expired && self.config.switches.lease_circuit_breaker && !self.live_lease_agrees(&node).await {
                return None;
            }
            let Some(write) = tried.write.take() else { return Some((node, tried)) };
            let (lease, at) = (self.observed_lease(&node), self.now_ns());
            self.ctx.set_saw(node.record);
            self.note_expired(node.id);
            let body = write.clone();
            if self.client.call(self.object(node.id), move |api, actor| api.update_node_status(actor, &body)).await.is_ok() {
                self.silence_written(&write, at, lease);
                return Some((Rc::new(write), tried));
            }
            let id = node.id;
            node = self.client.call(self.object(id), move |api, _| api.get_node(id)).await.ok()?;
            if last {
                return None;
            }
            last = !self.next_tick(start).await;
            if self.breaker.is_waiting(&self.informers) {
                return None;
            }
            tried = self.try_update_node_health(&node);
        }
    }

    /// Sleeps until the next tick of the poll; false if the time is over then.
    async fn next_tick(&self, start: Time) -> bool {
        let elapsed = self.ctx.now().since(start).as_nanos();
        let next = Dur::from_nanos((elapsed / RETRY_SLEEP.as_nanos() + 1) * RETRY_SLEEP.as_nanos());
        if next >= RETRY_TIMEOUT {
            self.ctx.sleep_until(start + RETRY_TIMEOUT).await;
            return false;
        }
        self.ctx.sleep_until(start + next).await;
        true
    }

    /// Counts a node in its zone, unless it is excluded.
    fn count(&self, node: &Node, current: Option<ConditionStatus>, counted: &Counted) {
        let (zone, excluded) = self.zone_of(node);
        if !excluded {
            counted.with(|c| {
                let z = c.entry(zone).or_default();
                if current == Some(ConditionStatus::True) { z.ready += 1 } else { z.not_ready += 1 }
            });
        }
    }
}
