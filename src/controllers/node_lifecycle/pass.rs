//! `monitorNodeHealth`: one pass over all nodes.

use super::controller::Controller;
use super::health::Tried;
use super::quiet::Skipped;
use super::resting::Roster;
use crate::api::meta::{ConditionStatus, Uid};
use crate::api::names::{NodeId, TextId};
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::client::{About, parallelize_list};
use crate::kernel::{Dur, Time};
use crate::plan::switches::node_lifecycle::EvictionMode;
use crate::trace::EventText;
use std::collections::BTreeSet;
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

/// The conditions of zones, each of which has counted nodes, by zone.
#[derive(Default, Debug)]
pub(super) struct Counted(Vec<(TextId, ZoneConditions)>);

impl Counted {
    fn add(&mut self, zone: TextId, of: ZoneConditions) {
        let place = self
            .0
            .binary_search_by_key(&zone, |z| z.0)
            .unwrap_or_else(|place| {
                self.0.insert(place, (zone, ZoneConditions::default()));
                place
            });
        let z = &mut self.0[place].1;
        (z.ready, z.not_ready) = (z.ready + of.ready, z.not_ready + of.not_ready);
    }

    /// The conditions of a zone; none if it has no counted nodes.
    pub(super) fn get(&self, zone: TextId) -> Option<ZoneConditions> {
        self.0
            .binary_search_by_key(&zone, |z| z.0)
            .ok()
            .map(|place| self.0[place].1)
    }

    /// All of them, by zone.
    pub(super) fn iter(&self) -> impl Iterator<Item = (TextId, ZoneConditions)> + '_ {
        self.0.iter().copied()
    }
}

/// A pass: the nodes that its workers go through, and what they gather. There is one at a time, and
/// its tables serve the next.
#[derive(Default)]
pub(super) struct Round {
    number: u32,
    /// When its nodes were listed.
    listed: Time,
    nodes: Vec<Rc<Node>>,
    /// How many of them have been taken.
    taken: usize,
    /// How many had to wait.
    waiting: usize,
    /// The cache as it was when the pass began, by id; taken when the pass has to wait for the
    /// first time.
    all: Option<Vec<Rc<Node>>>,
    /// How many passes there were when the nodes that the workers leave out, because they rest,
    /// already did; none once the workers go through these, too.
    rested: Option<u64>,
    /// The conditions of those.
    resting: Counted,
    counted: Counted,
}

impl Round {
    /// When its nodes were listed.
    pub(super) fn listed(&self) -> Time {
        self.listed
    }

    fn next(&mut self) -> Option<Rc<Node>> {
        let node = self.nodes.get(self.taken).cloned();
        self.taken += 1;
        node
    }

    /// Empties all tables.
    fn end(&mut self) {
        self.nodes.clear();
        self.resting.0.clear();
        self.counted.0.clear();
        (self.taken, self.waiting, self.all, self.rested) = (0, 0, None, None);
    }
}

impl Controller {
    /// One pass, the one of that number.
    pub(super) async fn monitor_node_health(self: &Rc<Self>, number: u32) {
        let listed = self.ctx.now();
        let mut nodes = self.round.with(|r| std::mem::take(&mut r.nodes));
        let mut all = None;
        self.awake_nodes(number, &mut nodes);
        if self.has_to_see_every_node(&nodes) {
            self.rouse_all();
            let every = all.insert(self.informers.nodes()).clone();
            nodes = self.in_order(number, every);
            self.greet_and_forget(&nodes).await;
        }
        let began = self.ctx.now();
        self.round.with(|round| {
            self.roster.with(|r| {
                r.counted()
                    .for_each(|(zone, of)| round.resting.add(zone, of));
                round.rested = Some(r.note_passes(Skipped {
                    first: began,
                    period: self.pass_period(),
                    count: 1,
                }));
            });
            (round.number, round.listed, round.nodes, round.all) = (number, listed, nodes, all);
        });
        let c = self.clone();
        parallelize_list(
            &self.ctx,
            self.group,
            self.config.switches.pass_workers,
            move || c.next_that_waits(),
        )
        .await;
        let counted = self.round.with(|r| {
            if r.rested.is_some() {
                r.resting
                    .iter()
                    .for_each(|(zone, of)| r.counted.add(zone, of));
            }
            std::mem::take(&mut r.counted)
        });
        self.handle_disruption(&counted).await;
        self.round.with(|r| {
            r.counted = counted;
            r.end();
        });
    }

    /// Lists the nodes that do not rest, in the order in which a pass over all of them comes to
    /// them.
    fn awake_nodes(&self, number: u32, nodes: &mut Vec<Rc<Node>>) {
        let whole = self.roster.with_ref(|r| {
            nodes.extend(r.awake().filter_map(|id| self.informers.node(id)));
            r.len()
        });
        let place = |n: &Rc<Node>| self.roster.with_ref(|r| r.place(n.id));
        self.ctx
            .order_some_at(self.points.list, number, whole, nodes, place, |n| {
                self.object(n.id)
            });
    }

    /// All nodes, given by id, in the order in which a pass comes to them.
    fn in_order(&self, number: u32, mut nodes: Vec<Rc<Node>>) -> Vec<Rc<Node>> {
        self.ctx
            .order_at(self.points.list, number, &mut nodes, |n| self.object(n.id));
        nodes
    }

    /// All nodes as they were when the pass began, in its order.
    pub(super) fn every_node(&self) -> Vec<Rc<Node>> {
        let (number, all) = self.round.with(|r| (r.number, r.all.clone()));
        self.in_order(number, all.unwrap_or_else(|| self.informers.nodes()))
    }

    /// Whether nodes that rest matter to this pass: nodes came or went, a zone has no state, or
    /// everybody waits for the lock.
    fn has_to_see_every_node(&self, awake: &[Rc<Node>]) -> bool {
        let all_have_state = self.roster.with_ref(|r| {
            self.state
                .with_ref(|s| r.zones().all(|z| s.zone_states.get(z).is_some()))
        });
        let locked = self.config.switches.lock_across_calls && self.evictor_lock.is_held();
        self.roster.with(Roster::take_members_changed)
            || locked
            || !all_have_state
            || !awake.iter().all(|n| self.zone_has_state(n))
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
            self.recorder.event(
                About::Node(node.id, Some(node.uid)),
                EventText::RegisteredNode,
            );
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
            self.recorder
                .event(About::Node(id, Some(uid)), EventText::RemovingNode);
            self.state.with(|s| s.know(id, None));
        }
    }

    /// Goes on through a pass's nodes up to the next one that has to wait, and returns what is left
    /// to do about it.
    fn next_that_waits(self: &Rc<Self>) -> Option<impl Future<Output = ()> + use<>> {
        loop {
            let node = self.round.with(Round::next)?;
            let Some(work) = self.update_node(&node) else {
                continue;
            };
            let waiting = self.round.with(|r| {
                r.waiting += 1;
                r.all.get_or_insert_with(|| self.informers.nodes());
                r.waiting
            });
            if waiting == self.config.switches.pass_workers {
                self.see_those_that_rest(node.id);
            }
            return Some(work);
        }
    }

    /// From this node on the workers are busy, and come to the other nodes one by one as time goes
    /// on: to those that rest too.
    fn see_those_that_rest(self: &Rc<Self>, last: NodeId) {
        let Some(rested) = self.round.with(|r| r.rested.take()) else {
            return;
        };
        let nodes = self.every_node();
        let seen = nodes.iter().position(|n| n.id == last).map_or(0, |i| i + 1);
        for (i, node) in nodes.iter().enumerate() {
            if self.rouse_before(node.id, rested) && i < seen {
                let waits = self.update_node(node).is_some();
                debug_assert!(!waits, "a node that rests needs nothing");
            }
        }
        self.round.with(|r| (r.nodes, r.taken) = (nodes, seen));
    }

    /// `classifyNodes`: names not known yet, and known names that are gone.
    fn classify_nodes(&self, nodes: &[Rc<Node>]) -> (Vec<NodeId>, Vec<(NodeId, Uid)>) {
        self.state.with(|s| {
            let mut added: Vec<NodeId> = nodes
                .iter()
                .map(|n| n.id)
                .filter(|id| s.known.get(id.index()).is_none_or(Option::is_none))
                .collect();
            added.sort_unstable();
            let known = s.known.iter().flatten().count();
            let deleted = if known + added.len() == nodes.len() {
                Vec::new()
            } else {
                let present: BTreeSet<NodeId> = nodes.iter().map(|n| n.id).collect();
                let known = s
                    .known
                    .iter()
                    .enumerate()
                    .filter_map(|(i, uid)| Some((NodeId(i as u32), (*uid)?)));
                known.filter(|(id, _)| !present.contains(id)).collect()
            };
            (added, deleted)
        })
    }

    /// Handles one node of a pass: all of it at once if nothing has to wait, else the rest as work
    /// for a worker.
    fn update_node(self: &Rc<Self>, node: &Rc<Node>) -> Option<impl Future<Output = ()> + use<>> {
        if self.breaker.is_waiting(&self.informers) {
            self.restless();
            return None;
        }
        if self.only_waits(node.id) {
            self.restless();
            self.count(node, Some(ConditionStatus::Unknown));
            self.queue_for_tainting(node, ConditionStatus::Unknown, false);
            return None;
        }
        let tried = self.try_update_node_health(node, Some(self.round.with(|r| r.listed)));
        if !self.has_to_wait(node, &tried) {
            self.count(node, tried.current);
            let decides = tried.current.map(|c| {
                if self.config.switches.taint_on_observed {
                    tried.observed
                } else {
                    c
                }
            });
            if let Some(decides) = decides {
                self.process_without_waiting(node, decides);
            }
            self.note_quiet_node(
                node,
                tried.current,
                decides,
                decides.is_some_and(|d| self.has_wanted_taint(node, d)),
            );
            self.state.with(|s| s.nodes_to_retry.remove(&node.id));
            return None;
        }
        self.restless();
        let (c, node) = (self.clone(), node.clone());
        Some(async move {
            c.ctx.set_cause(node.record);
            c.ctx.set_saw(node.record);
            c.update_node_waiting(node, tried).await;
        })
    }

    /// Whether anything about a node needs a request or a lock.
    fn has_to_wait(&self, node: &Node, tried: &Tried) -> bool {
        let s = &self.config.switches;
        if tried.write.is_some()
            || tried.expired && s.lease_circuit_breaker
            || s.lock_across_calls && self.evictor_lock.is_held()
        {
            return true;
        }
        if s.eviction_mode == EvictionMode::Timeout {
            return tried.current.is_some() && self.timeout_has_to_wait(node, tried);
        }
        let Some(current) = tried.current else {
            return false;
        };
        if tried.observed != ConditionStatus::True
            && self.state.with(|st| st.nodes_to_retry.contains(&node.id))
        {
            return true;
        }
        let decides = if s.taint_on_observed {
            tried.observed
        } else {
            current
        };
        match decides {
            ConditionStatus::True => {
                node.has_taint(&self.templates.not_ready)
                    || node.has_taint(&self.templates.unreachable)
            }
            ConditionStatus::False => {
                s.swap_without_limiter && node.has_taint(&self.templates.unreachable)
            }
            ConditionStatus::Unknown => {
                s.swap_without_limiter && node.has_taint(&self.templates.not_ready)
            }
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
            (EvictionMode::Timeout, ConditionStatus::True)
            | (EvictionMode::Taints, ConditionStatus::True) => self.unqueue(node),
            (EvictionMode::Taints, status) => self.queue_for_tainting(node, status, false),
            (EvictionMode::Timeout, _) => {}
        }
    }

    /// The body of `updateNodeFunc` where something has to wait.
    async fn update_node_waiting(self: Rc<Self>, node: Rc<Node>, first: Tried) {
        let Some((node, tried)) = self.poll_health(node, first).await else {
            return;
        };
        self.count(&node, tried.current);
        let Some(current) = tried.current else {
            self.state.with(|s| s.nodes_to_retry.remove(&node.id));
            return;
        };
        // The pods are read before the taint decision, whose requests may take a while.
        let pods = self.pods_in_some_order(node.id);
        let decides = if self.config.switches.taint_on_observed {
            tried.observed
        } else {
            current
        };
        match self.config.switches.eviction_mode {
            EvictionMode::Taints => self.process_taint_base_eviction(&node, decides).await,
            EvictionMode::Timeout => {
                self.process_no_taint_base_eviction(&node, tried.observed, &pods)
                    .await
            }
        }
        let needs_retry = self.state.with(|s| s.nodes_to_retry.contains(&node.id));
        let went_silent =
            current != ConditionStatus::True && tried.observed == ConditionStatus::True;
        if went_silent {
            self.recorder.event(
                About::Node(node.id, Some(node.uid)),
                EventText::NodeNotReady,
            );
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
        self.ctx
            .order(self.points.pods, &mut pods, |p| self.pod_object(p.id));
        pods
    }

    /// `wait.PollImmediate(20ms, 100ms, tryUpdateNodeHealth)`: a try at once, then at ticks, and a
    /// last one when the time is over. After an error the node is read live; none if that fails, or
    /// no try went well.
    async fn poll_health(&self, node: Rc<Node>, first: Tried) -> Option<(Rc<Node>, Tried)> {
        let start = self.ctx.now();
        let (mut node, mut tried, mut last) = (node, first, false);
        loop {
            if tried.expired
                && self.config.switches.lease_circuit_breaker
                && !self.live_lease_agrees(&node).await
            {
                return None;
            }
            let Some(write) = tried.write.take() else {
                return Some((node, tried));
            };
            let (lease, at) = (self.observed_lease(&node), self.now_ns());
            self.ctx.set_saw(node.record);
            self.note_expired(node.id);
            let body = write.clone();
            if self
                .client
                .call(self.object(node.id), move |api, actor| {
                    api.update_node_status(actor, &body)
                })
                .await
                .is_ok()
            {
                self.silence_written(&write, at, lease);
                return Some((Rc::new(write), tried));
            }
            let id = node.id;
            node = self
                .client
                .call(self.object(id), move |api, _| api.get_node(id))
                .await
                .ok()?;
            if last {
                return None;
            }
            last = !self.next_tick(start).await;
            if self.breaker.is_waiting(&self.informers) {
                return None;
            }
            tried = self.try_update_node_health(&node, None);
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
    fn count(&self, node: &Node, current: Option<ConditionStatus>) {
        let (zone, excluded) = self.zone_of(node);
        if !excluded {
            let ready = u32::from(current == Some(ConditionStatus::True));
            self.round.with(|r| {
                r.counted.add(
                    zone,
                    ZoneConditions {
                        ready,
                        not_ready: 1 - ready,
                    },
                )
            });
        }
    }
}
