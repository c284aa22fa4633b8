//! `monitorNodeHealth`: one pass over the nodes, step for step as upstream's.
//!
//! Upstream lists all nodes and hands each to a worker. Here whoever runs the pass says which nodes
//! it goes over ([`PassNodes`]): what can be left out, and why, is said in `skip`. A worker's node
//! is dealt with at once where nothing has to wait for a request or for the lock, as most nodes
//! are; otherwise the rest is work that takes time.

use super::controller::Controller;
use super::node_health::Tried;
use super::notices::Notices;
use super::zone_conditions::{Counted, ZoneConditions};
use crate::api::meta::{ConditionStatus, Uid};
use crate::api::names::NodeId;
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::client::{About, parallelize_list};
use crate::kernel::{Dur, Time};
use crate::plan::switches::node_lifecycle::EvictionMode;
use crate::trace::EventText;
use std::collections::BTreeSet;
use std::pin::Pin;
use std::rc::Rc;

/// `retrySleepTime`: between tries of a node's health update.
const RETRY_SLEEP: Dur = Dur::from_millis(20);

/// `retrySleepTime * NodeHealthUpdateRetry`
const RETRY_TIMEOUT: Dur = Dur::from_millis(100);

/// What is left to do about a node once something has to wait.
pub(super) type Work = Pin<Box<dyn Future<Output = ()>>>;

/// The nodes of a pass, as whoever runs it lists them and hands them out.
pub(super) trait PassNodes: 'static {
    /// All nodes, in the order of the pass; none if there is nothing to register, to forget, or to
    /// give a queue.
    fn list(&mut self) -> Option<&[Rc<Node>]>;
    /// The workers begin.
    fn begin(&mut self);
    /// Updates nodes up to the next one that has to wait, and returns what is left to do about it.
    fn next_that_waits(&self) -> Option<Work>;
    /// The conditions of all zones, once the workers are done.
    fn zone_conditions(&self) -> Counted;
    /// The pass is over; its table serves the next.
    fn end(&self, counted: Counted);
}

/// What `classifyNodes` tells apart.
struct Classified<'a> {
    /// Nodes that are not known yet.
    added: Vec<&'a Rc<Node>>,
    /// Known nodes that are gone.
    deleted: Vec<(NodeId, Uid)>,
    /// Known nodes whose zone has no state.
    new_zone_representatives: Vec<&'a Rc<Node>>,
}

/// How far a worker came with a node at once.
pub(super) enum Updated {
    /// It was passed over, as the lease cache lags.
    PassedOver,
    /// Everything was done.
    Done(Tried),
    /// Something has to wait.
    Waits(Work),
}

impl Controller {
    /// `monitorNodeHealth`
    pub(super) async fn monitor_node_health(self: &Rc<Self>, mut pass: impl PassNodes) {
        if let Some(nodes) = pass.list() {
            let Classified {
                added,
                deleted,
                new_zone_representatives,
            } = self.classify_nodes(nodes);
            if !added.is_empty() || !deleted.is_empty() {
                self.restless();
            }
            for node in new_zone_representatives {
                self.add_pod_evictor_for_new_zone(node).await;
            }
            for node in added {
                self.register(node).await;
            }
            for (id, uid) in deleted {
                self.recorder
                    .event(About::Node(id, Some(uid)), EventText::RemovingNode);
                self.state.with(|s| s.know(id, None));
            }
        }
        pass.begin();
        let pass = Rc::new(pass);
        let (nodes, workers) = (pass.clone(), self.config.switches.pass_workers);
        parallelize_list(&self.ctx, self.group, workers, move || {
            nodes.next_that_waits()
        })
        .await;
        let counted = pass.zone_conditions();
        self.handle_disruption(&counted).await;
        pass.end(counted);
    }

    /// `classifyNodes`
    fn classify_nodes<'a>(&self, nodes: &'a [Rc<Node>]) -> Classified<'a> {
        let is_known = |node: &Node| {
            self.state
                .with(|s| s.known.get(node.id.index()).is_some_and(Option::is_some))
        };
        let (known, added): (Vec<_>, Vec<_>) = nodes.iter().partition(|n| is_known(n));
        let new_zone_representatives = known
            .iter()
            .copied()
            .filter(|n| !self.zone_has_state(n))
            .collect();
        let deleted = self.state.with(|s| {
            let all_known = s
                .known
                .iter()
                .enumerate()
                .filter_map(|(i, uid)| Some((NodeId(i as u32), (*uid)?)));
            if known.len() == all_known.clone().count() {
                return Vec::new();
            }
            let present: BTreeSet<NodeId> = known.iter().map(|n| n.id).collect();
            all_known.filter(|(id, _)| !present.contains(id)).collect()
        });
        Classified {
            added,
            deleted,
            new_zone_representatives,
        }
    }

    /// What `monitorNodeHealth` does about a node that is new to it.
    async fn register(&self, node: &Rc<Node>) {
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

    /// `updateNodeFunc`
    pub(super) fn update_node(self: &Rc<Self>, node: &Rc<Node>) -> Updated {
        if self.breaker.is_waiting(&self.informers) {
            return Updated::PassedOver;
        }
        let listed = self.round.with(|r| r.listed());
        let tried = self.try_update_node_health(node, Some(listed));
        let decision = self.decide(node, &tried);
        if !self.has_to_wait(node, &tried, decision) {
            self.count(node, tried.current);
            if let Some(decision) = decision {
                self.process_at_once(node, decision);
            }
            self.state.with(|s| s.nodes_to_retry.remove(&node.id));
            return Updated::Done(tried);
        }
        let (c, node) = (self.clone(), node.clone());
        Updated::Waits(Box::pin(async move {
            c.ctx.set_cause(node.record);
            c.ctx.set_saw(node.record);
            c.update_node_waiting(node, tried).await;
        }))
    }

    /// `updateNodeFunc` from its first request on.
    async fn update_node_waiting(self: Rc<Self>, node: Rc<Node>, first: Tried) {
        let Some((node, tried)) = self.poll_health(node, first).await else {
            return;
        };
        self.count(&node, tried.current);
        if let (Some(current), Some(decision)) = (tried.current, self.decide(&node, &tried)) {
            // The pods are read before the taint decision is carried out, whose requests may take
            // a while.
            let pods = self.pods_in_some_order(node.id);
            self.process_taint_base_eviction(&node, decision, &pods)
                .await;
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
        }
        self.state.with(|s| s.nodes_to_retry.remove(&node.id));
    }

    /// `wait.PollImmediate(20ms, 100ms, tryUpdateNodeHealth)`: a try at once, then at ticks that are
    /// counted from its end (`poller`), and a last one when the time is over. After an error the
    /// node is read live; none if that fails, or no try went well.
    async fn poll_health(&self, node: Rc<Node>, first: Tried) -> Option<(Rc<Node>, Tried)> {
        let (mut node, mut tried, mut last) = (node, first, false);
        let mut start = None;
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
                .get(self.object(id), move |api, _| api.get_node(id))
                .await
                .ok()?;
            if last {
                return None;
            }
            let start = *start.get_or_insert(self.ctx.now());
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
    pub(super) fn count(&self, node: &Node, current: Option<ConditionStatus>) {
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

    /// The pods of a node in the order of Go's map, which is chance.
    pub(super) fn pods_in_some_order(&self, node: NodeId) -> Vec<Rc<Pod>> {
        let mut pods = self.informers.pods_on(node);
        self.ctx
            .order(self.points.pods, &mut pods, |p| self.pod_object(p.id));
        pods
    }

    /// All nodes as they were when the pass began, in its order.
    pub(super) fn every_node(&self) -> Vec<Rc<Node>> {
        let (number, all) = self.round.with(|r| (r.number, r.all.clone()));
        let all = all.unwrap_or_else(|| self.informers.nodes_as_they_are());
        self.in_order(number, all.iter().flatten().cloned().collect())
    }

    /// All nodes, given by id, in the order in which a pass comes to them.
    pub(super) fn in_order(&self, number: u32, mut nodes: Vec<Rc<Node>>) -> Vec<Rc<Node>> {
        self.ctx
            .order_at(self.points.list, number, &mut nodes, |n| self.object(n.id));
        nodes
    }
}
