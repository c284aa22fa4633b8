//! The nodes of a pass, without those that rest unless they matter to it.

use super::super::roster::Roster;
use super::super::round::Round;
use super::skipper::Skipper;
use crate::client::Nodes;
use crate::controllers::node_lifecycle::prelude::*;

/// The nodes of a pass. Upstream lists all nodes and hands each to a worker; here some are left out.
pub(crate) struct AwakeNodes {
    skipper: Rc<Skipper>,
    number: u32,
    nodes: Vec<Rc<Node>>,
    /// The whole cache, if it was listed.
    all: Option<Nodes>,
}

impl AwakeNodes {
    /// For the pass of that number, which begins now.
    pub(crate) fn new(skipper: &Rc<Skipper>, number: u32) -> Self {
        let nodes = skipper.round.with(|r| r.list(skipper.core.ctx.now()));
        AwakeNodes { skipper: skipper.clone(), number, nodes, all: None }
    }

    /// All nodes, in the order of the pass; none if there is nothing to register, to forget, or to
    /// give a queue.
    pub(crate) fn list(&mut self) -> Option<&[Rc<Node>]> {
        self.list_awake_nodes();
        if !self.has_to_see_every_node() {
            return None;
        }
        self.skipper.rouse_all();
        let every = self.all.insert(self.skipper.core.informers.nodes_as_they_are());
        let every = every.iter().flatten().cloned().collect();
        self.nodes = self.skipper.core.in_order(self.number, every);
        Some(&self.nodes)
    }

    /// Lists the nodes that do not rest, in the order in which a pass over all of them comes to
    /// them.
    fn list_awake_nodes(&mut self) {
        let (core, roster) = (&self.skipper.core, &self.skipper.roster);
        let whole = roster.with_ref(|r| {
            self.nodes.extend(r.awake().filter_map(|id| core.informers.node(id)));
            r.len()
        });
        core.ctx.order_some(
            core.ctx.point("node-lister-order"),
            Some(self.number),
            whole,
            &mut self.nodes,
            |n| roster.with_ref(|r| r.place(n.id)),
            |n| core.client.node_object(n.id),
        );
    }

    /// Whether nodes that rest matter to this pass: nodes came or went, a zone has no state, or
    /// everybody waits for the lock.
    fn has_to_see_every_node(&self) -> bool {
        let Skipper { roster, zones, .. } = &*self.skipper;
        let all_have_state = roster.with_ref(|r| r.zones().all(|z| zones.zone_state(z).is_some()));
        roster.with(Roster::take_members_changed)
            || zones.is_locked()
            || !all_have_state
            || !self.nodes.iter().all(|n| zones.zone_has_state(n))
    }

    /// The workers begin.
    pub(crate) fn begin(&mut self) {
        let began = self.skipper.core.ctx.now();
        let (nodes, all) = (std::mem::take(&mut self.nodes), self.all.take());
        self.skipper.round.with(|round| {
            self.skipper.roster.with(|r| {
                r.counted().for_each(|(zone, of)| round.resting.add(zone, of));
                let period = self.skipper.core.pass_period();
                let this = Skipped { first: began, period, count: 1 };
                round.rested = Some(r.note_passes(this));
            });
            (round.number, round.nodes, round.all) = (self.number, nodes, all);
        });
    }

    /// The next node for a worker.
    pub(crate) fn next_node(&self) -> Option<Rc<Node>> {
        self.skipper.round.with(Round::next)
    }

    /// One more worker has to wait, about that node. From the one on that keeps the last of them
    /// busy the workers come to the other nodes one by one as time goes on: to those that rest,
    /// too. Returns those of them that come before that node.
    pub(crate) fn worker_waits(&self, about: NodeId, workers: usize) -> Vec<Rc<Node>> {
        let waiting = self.skipper.round.with(|r| {
            r.waiting += 1;
            r.all.get_or_insert_with(|| self.skipper.core.informers.nodes_as_they_are());
            r.waiting
        });
        if waiting != workers {
            return Vec::new();
        }
        let Some(rested) = self.skipper.round.with(|r| r.rested.take()) else { return Vec::new() };
        let nodes = self.skipper.every_node();
        let seen = nodes.iter().position(|n| n.id == about).map_or(0, |i| i + 1);
        let mut roused = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            if self.skipper.rouse_before(node.id, rested) && i < seen {
                roused.push(node.clone());
            }
        }
        self.skipper.round.with(|r| (r.nodes, r.taken) = (nodes, seen));
        roused
    }

    /// The conditions of all zones, once the workers are done.
    pub(crate) fn zone_conditions(&self) -> Counted {
        self.skipper.round.with(|r| {
            if r.rested.is_some() {
                r.resting.iter().for_each(|(zone, of)| r.counted.add(zone, of));
            }
            std::mem::take(&mut r.counted)
        })
    }

    /// The pass is over; its table serves the next.
    pub(crate) fn end(&self, counted: Counted) {
        self.skipper.round.with(|r| {
            r.counted = counted;
            r.end();
        });
    }
}
