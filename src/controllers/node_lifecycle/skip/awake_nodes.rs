//! A pass over the nodes that do not rest.

use super::super::controller::Controller;
use super::super::notices::Notices;
use super::super::pass::{PassNodes, Updated, Work};
use super::super::roster::Roster;
use super::super::round::Round;
use super::super::skipped::Skipped;
use super::super::zone_conditions::Counted;
use crate::api::meta::ConditionStatus;
use crate::api::names::NodeId;
use crate::api::node::Node;
use crate::client::Nodes;
use std::rc::Rc;

/// The nodes of a pass, without those that rest unless they matter to it.
pub(super) struct AwakeNodes {
    controller: Rc<Controller>,
    number: u32,
    nodes: Vec<Rc<Node>>,
    /// The whole cache, if it was listed.
    all: Option<Nodes>,
}

impl AwakeNodes {
    /// For the pass of that number, which begins now.
    pub(super) fn new(controller: &Rc<Controller>, number: u32) -> Self {
        AwakeNodes {
            controller: controller.clone(),
            number,
            nodes: controller.round.with(|r| r.list(controller.ctx.now())),
            all: None,
        }
    }
}

impl PassNodes for AwakeNodes {
    fn list(&mut self) -> Option<&[Rc<Node>]> {
        let c = &self.controller;
        c.list_awake_nodes(self.number, &mut self.nodes);
        if !c.has_to_see_every_node(&self.nodes) {
            return None;
        }
        c.rouse_all();
        let every = self.all.insert(c.informers.nodes_as_they_are());
        let every = every.iter().flatten().cloned().collect();
        self.nodes = c.in_order(self.number, every);
        Some(&self.nodes)
    }

    fn begin(&mut self) {
        let c = &self.controller;
        let began = c.ctx.now();
        let (nodes, all) = (std::mem::take(&mut self.nodes), self.all.take());
        c.round.with(|round| {
            c.roster.with(|r| {
                r.counted()
                    .for_each(|(zone, of)| round.resting.add(zone, of));
                round.rested = Some(r.note_passes(Skipped {
                    first: began,
                    period: c.pass_period(),
                    count: 1,
                }));
            });
            (round.number, round.nodes, round.all) = (self.number, nodes, all);
        });
    }

    fn next_that_waits(&self) -> Option<Work> {
        self.controller.next_that_waits()
    }

    fn zone_conditions(&self) -> Counted {
        self.controller.round.with(|r| {
            if r.rested.is_some() {
                r.resting
                    .iter()
                    .for_each(|(zone, of)| r.counted.add(zone, of));
            }
            std::mem::take(&mut r.counted)
        })
    }

    fn end(&self, counted: Counted) {
        self.controller.round.with(|r| {
            r.counted = counted;
            r.end();
        });
    }
}

impl Controller {
    /// Lists the nodes that do not rest, in the order in which a pass over all of them comes to
    /// them.
    fn list_awake_nodes(&self, number: u32, nodes: &mut Vec<Rc<Node>>) {
        let whole = self.roster.with_ref(|r| {
            nodes.extend(r.awake().filter_map(|id| self.informers.node(id)));
            r.len()
        });
        let place = |n: &Rc<Node>| self.roster.with_ref(|r| r.place(n.id));
        self.ctx
            .order_some(self.points.list, Some(number), whole, nodes, place, |n| {
                self.object(n.id)
            });
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

    /// Goes on through a pass's nodes up to the next one that has to wait, and returns what is left
    /// to do about it.
    fn next_that_waits(self: &Rc<Self>) -> Option<Work> {
        loop {
            let node = self.round.with(Round::next)?;
            let Some(work) = self.update_or_skip(&node) else {
                continue;
            };
            let waiting = self.round.with(|r| {
                r.waiting += 1;
                r.all
                    .get_or_insert_with(|| self.informers.nodes_as_they_are());
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
                let waits = self.update_or_skip(node).is_some();
                debug_assert!(!waits, "a node that rests needs nothing");
            }
        }
        self.round.with(|r| (r.nodes, r.taken) = (nodes, seen));
    }

    /// Updates a node, unless all there is to do about it is to queue it again. Returns what is
    /// left to do if something has to wait.
    fn update_or_skip(self: &Rc<Self>, node: &Rc<Node>) -> Option<Work> {
        if self.only_waits(node.id) {
            self.restless();
            self.count(node, Some(ConditionStatus::Unknown));
            self.mark_node_for_tainting(node, ConditionStatus::Unknown, false);
            return None;
        }
        match self.update_node(node) {
            Updated::PassedOver => self.restless(),
            Updated::Done(tried) => self.note_quiet_node(node, &tried),
            Updated::Waits(work) => {
                self.restless();
                return Some(work);
            }
        }
        None
    }
}
