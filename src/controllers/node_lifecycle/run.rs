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

/// Beyond this many nodes nothing was measured, and the odds stay as they are there.
const MEASURED_NODES: usize = 1000;

/// Of a thousand starts, in how many the first round of the NoExecute loop comes amid the first
/// pass, given those of a small cluster. With several workers it is over more often before the pass
/// has queued the first node, the more nodes the pass lists before: half as often with 600. One
/// worker takes the longer for its queue the more nodes there are: 300 of a thousand more with 600.
/// Measured on upstream's controller in real time (`extra/recorder/odds`), with 5 to 1000 nodes.
fn odds_amid_pass(of_small: u32, workers: usize, nodes: usize) -> u32 {
    let nodes = nodes.min(MEASURED_NODES) as u32;
    match workers {
        1 => of_small + nodes / 2,
        _ => of_small * 600 / (600 + nodes),
    }
}

impl Controller {
    /// Starts the loops and workers (`Run`); the caches are filled. `warm`: it has been running for
    /// long, so that the next pass, and the next round of the NoExecute loop, come some time within
    /// a period of theirs.
    ///
    /// Upstream starts all of them at once, the pass last, which Go's scheduler likes to run first.
    /// Then it is over, if nothing in it had to wait, before the pod workers drop what they know no
    /// node's health for, and before the NoExecute loop looks first. Or that loop, which another
    /// processor has taken over meanwhile, looks first amid the pass: nodes wait in the queues, and
    /// the limiters still let the first of each zone through ([`odds_amid_pass`]).
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
        let nodes = self.informers.nodes_as_they_are().iter().flatten().count();
        let odds = odds_amid_pass(s.start_amid_pass, s.pass_workers, nodes);
        let amid = !warm && self.ctx.chance(self.points.start_amid, Object::NONE, odds);
        self.state.with(|s| s.round_amid_pass = amid);
        let start = self.points.start;
        let pass_first = amid || !warm && self.ctx.choose(start, Object::NONE, 2) == 1;
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

#[cfg(test)]
mod tests {
    use super::odds_amid_pass;

    /// Starts that tainted a node of those that were made in real time, each with its 95 % interval
    /// (Wilson) in thousandths.
    #[test]
    fn the_odds_of_a_start_lie_in_the_intervals_of_what_was_measured() {
        for (of_small, workers, nodes, interval) in [
            (940, 8, 5, 865..=956),   // 1.34: 129 of 140
            (940, 8, 24, 874..=961),  // 130 of 140
            (940, 8, 300, 532..=691), // 86 of 140
            (650, 8, 5, 520..=799),   // 1.37: 27 of 40
            (650, 8, 24, 398..=693),  // 22 of 40
            (60, 1, 5, 18..=213),     // 1.23: 2 of 30
            (60, 1, 24, 35..=256),    // 3 of 30
            (60, 1, 300, 118..=409),  // 7 of 30
            (60, 1, 1000, 392..=726), // 17 of 30
        ] {
            let odds = odds_amid_pass(of_small, workers, nodes);
            assert!(interval.contains(&odds), "{nodes} nodes: {odds}");
        }
    }
}
