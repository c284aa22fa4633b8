//! `Run`: the controller's loops and workers.

use super::controller::{Controller, NODE_EVICTION_PERIOD};
use super::queue::RateLimitedTimedQueue;
use crate::kernel::{Dur, Object};
use crate::plan::switches::node_lifecycle::ConditionTaints;
use crate::trace::ZoneState;
use std::rc::Rc;

/// `nodeUpdateWorkerSize`: workers of the NoSchedule pass.
const NODE_UPDATE_WORKERS: usize = 8;

/// `podUpdateWorkerSize`
const POD_UPDATE_WORKERS: usize = 4;

impl Controller {
    /// Starts the loops and workers (`Run`); the caches are filled. `warm`: it has been running for
    /// long, so that the next pass, and the next round of the NoExecute loop, come some time within
    /// a period of theirs.
    ///
    /// Upstream starts all of them at once, the pass last, which Go's scheduler likes to run first.
    /// Then it is over, if nothing in it had to wait, before the pod workers drop what they know no
    /// node's health for, and before the NoExecute loop looks first.
    pub(crate) fn run(self: &Rc<Self>, warm: bool) {
        let (s, busy) = (self.config.switches, self.ctx.name());
        let (mut pass, mut eviction) = (Dur::ZERO, Dur::ZERO);
        if warm {
            pass = self.ctx.phase(self.points.pass_phase, self.pass_period());
            eviction = self
                .ctx
                .phase(self.points.eviction_phase, NODE_EVICTION_PERIOD);
            if let Some(recalled) = self.config.memory {
                pass = self.recall(recalled, pass);
            } else {
                self.assume_running(pass);
            }
        }
        let pass_first = !warm && self.ctx.choose(self.points.start, Object::NONE, 2) == 1;
        if pass_first {
            self.ctx.spawn(self.group, self.clone().monitor_loop(pass));
        }
        if s.condition_taints == ConditionTaints::Mapped {
            for _ in 0..NODE_UPDATE_WORKERS {
                let c = self.clone();
                self.ctx
                    .spawn_alike(busy.at_rest(), self.group, async move {
                        c.do_node_processing_pass_worker(busy).await
                    });
            }
        }
        if s.pod_workers {
            for _ in 0..POD_UPDATE_WORKERS {
                let c = self.clone();
                self.ctx
                    .spawn_alike(busy.at_rest(), self.group, async move {
                        c.do_pod_processing_worker(busy).await
                    });
            }
        }
        self.ctx.spawn(
            self.group,
            self.clone().eviction_loop(eviction, NODE_EVICTION_PERIOD),
        );
        if !pass_first {
            self.ctx.spawn(self.group, self.clone().monitor_loop(pass));
        }
    }

    /// Takes over what a process that had been running for long would know: its nodes, how long ago
    /// a pass heard of each, and its zones as normal. `next`: when the next pass comes.
    pub(super) fn assume_running(&self, next: Dur) {
        let next_ns = (self.ctx.now() + next).as_nanos() as i64;
        for node in self.informers.nodes() {
            let (zone, _) = self.zone_of(&node);
            let queue = Rc::new(RateLimitedTimedQueue::new(
                &self.ctx,
                self.config.eviction_rate,
            ));
            self.state.with(|s| {
                s.know(node.id, Some(node.uid));
                s.zone_states.insert(zone, ZoneState::Normal);
                s.tainters.entry(zone).or_insert(queue);
            });
            self.assume_heard(&node, next_ns);
        }
    }
}
