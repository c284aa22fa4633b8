//! Nodes that rest: passes leave out those about which they would find nothing to do.
//!
//! A node rests if its heartbeats are computed and it is healthy and free of NoExecute taints, or
//! if it is silent, Unknown and tainted; until its heartbeats change or another version of it
//! reaches the cache. A pass over it would count it in its zone, which is done for all that rest at
//! once, and note its latest heartbeats in its health record, which is made up for when it is
//! roused: what a pass notes follows from when it was.

use super::super::ids::Ids;
use super::super::roster::{Rest, Roster};
use crate::controllers::node_lifecycle::prelude::*;

/// Which nodes rest.
pub(crate) struct RestingNodes {
    core: Rc<Core>,
    pub(super) zones: Rc<Zones>,
    health: Rc<HealthMap>,
    pub(super) roster: Shared<Roster>,
}

impl RestingNodes {
    /// No node rests.
    pub(super) fn new(core: &Rc<Core>, zones: &Rc<Zones>, health: &Rc<HealthMap>) -> Self {
        RestingNodes {
            health: health.clone(),
            roster: Shared::default(),
            zones: zones.clone(),
            core: core.clone(),
        }
    }

    /// Lets a node rest from this pass on, if it is steady.
    pub(super) fn let_rest(&self, node: &Rc<Node>, ready: bool) {
        if !self.is_steady(node) {
            return;
        }
        let (zone, excluded) = self.zones.zone_of(node);
        self.roster.with(|r| r.rest(node.id, Rest { zone, ready, excluded, as_of: r.passes }));
    }

    /// From now on passes only queue a node again, if it is steady.
    pub(super) fn let_wait(&self, node: &Rc<Node>) {
        if self.is_steady(node) {
            self.roster.with(|r| r.waiting.insert(node.id));
        }
    }

    /// Whether this is the version that the cache has, and nothing that is late may still come.
    fn is_steady(&self, node: &Rc<Node>) -> bool {
        self.core.informers.heartbeats_are_computed()
            && self.core.informers.node(node.id).is_some_and(|n| Rc::ptr_eq(&n, node))
    }

    /// Whether all there is to do about a node is to queue it again.
    pub(crate) fn only_waits(&self, id: NodeId) -> bool {
        !self.zones.is_locked() && self.roster.with_ref(|r| r.waiting.contains(id))
    }

    /// A node has to be looked at again.
    pub(super) fn rouse(&self, id: NodeId) {
        let now = self.roster.with_ref(|r| r.passes);
        self.rouse_before(id, now);
    }

    /// Has a node looked at again that has rested since before that pass; its health record then
    /// knows of the passes before it. False if there was no such rest.
    pub(super) fn rouse_before(&self, id: NodeId, pass: u64) -> bool {
        let Some(rest) = self.roster.with(|r| r.take(id, pass)) else { return false };
        // What is silent leaves nothing to note.
        if rest.ready {
            let from = self.first_that_counts(id, pass).max(rest.as_of);
            for passes in self.roster.with_ref(|r| r.passes_between(from, pass)) {
                self.health.make_up_for(id, passes);
            }
        }
        true
    }

    /// The first pass since the latest renewal that the one before `pass` saw: who first sees a
    /// renewal overwrites all that a health record knows of heartbeats, so that passes before it do
    /// not count.
    fn first_that_counts(&self, id: NodeId, pass: u64) -> u64 {
        let last = self.roster.with_ref(|r| r.time_before(pass));
        let last = last.filter(|_| self.core.switches().leases);
        let renewed = last.and_then(|last| self.core.informers.renewal_seen(id, last));
        renewed.map_or(0, |t| self.roster.with_ref(|r| r.first_pass_from(t)))
    }

    /// All nodes have to be looked at again.
    pub(crate) fn rouse_all(&self) {
        for id in self.roster.with_ref(Roster::resting) {
            self.rouse(id);
        }
        self.roster.with(|r| r.waiting = Ids::default());
    }
}
