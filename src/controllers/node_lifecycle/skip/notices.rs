//! What follows from the notices of the controller's steps.

use super::super::controller::{Controller, NODE_EVICTION_PERIOD};
use super::super::ids::Ids;
use super::super::notices::Notices;
use super::super::roster::Roster;
use crate::api::names::NodeId;
use crate::plan::switches::node_lifecycle::ConditionTaints;

impl Notices for Controller {
    fn restless(&self) {
        self.rest.with(|r| {
            if let Some(f) = &mut r.findings {
                f.restless = true;
            }
        });
    }

    fn rouse_all(&self) {
        for id in self.roster.with_ref(Roster::resting) {
            self.rouse(id);
        }
        self.roster.with(|r| r.waiting = Ids::default());
    }

    // In a search, an eviction pass of this instant, whose turn was fixed one period ago, has come
    // before a worker that began to run in this instant, or sent its last request after that.
    fn tainting_is_due(&self, by_worker: bool) {
        self.ctx.take_turn(self.idler);
        let began_now = self.round.with(|r| r.listed()) == self.ctx.now();
        let waits = self.rest.with(|r| {
            r.tainting_missed =
                by_worker && (began_now || self.client.round_trip() <= NODE_EVICTION_PERIOD);
            r.tainting_waits.take()
        });
        if let Some(t) = waits
            && self.ctx.claim(t)
        {
            self.ctx.wake(t);
        }
    }

    fn node_changed(&self, id: NodeId, was: bool, is: bool) {
        self.rouse(id);
        if was != is {
            self.roster.with(|r| r.member(id, is));
        }
    }

    fn stirred(&self) {
        if let Some(t) = self.rest.with(|r| r.pass_waits.take())
            && self.ctx.claim(t)
        {
            self.ctx.wake(t);
        }
    }

    fn wakes(&self, node: NodeId) {
        self.make_up_so_far();
        self.rouse(node);
        self.hear_as_listed(node);
        if self.config.switches.condition_taints == ConditionTaints::Mapped {
            // While all workers are busy, a post that changes nothing has its place in the queue.
            self.node_queue
                .add_as_of(node, self.informers.posts_arrived(node));
        }
    }
}
