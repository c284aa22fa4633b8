//! The controller: its parts, what it hears of, and `Run`, which starts its loops and workers.

use super::core::{Config, NODE_EVICTION_PERIOD};
use super::decision::Eviction;
use super::memory::{Posted, Recaller};
use super::no_schedule::NoScheduleTainter;
use super::pass::Monitor;
use super::pods::PodMarker;
use super::skip::Skipper;
use crate::controllers::node_lifecycle::prelude::*;
use crate::plan::switches::node_lifecycle::ConditionTaints;

/// `nodeUpdateWorkerSize`: workers of the NoSchedule pass.
const NODE_UPDATE_WORKERS: usize = 8;

/// `podUpdateWorkerSize`
const POD_UPDATE_WORKERS: usize = 4;

/// In so many of 1,000 starts the first pass comes before the pod workers and the first round of the NoExecute loop,
/// where that does not come amid the pass: recordings of `ready-false-at-start` on an idle machine, 46 of 60 runs
/// of 1.25.
const PASS_FIRST: u32 = 767;

/// The same up to 1.24, where rounds lock the queues: 110 of 120 runs of 1.20 and 1.24.
const PASS_FIRST_LOCKED: u32 = 917;

/// Beyond this many nodes nothing was measured, and the odds stay as they are there.
const MEASURED_NODES: usize = 1000;

/// The node lifecycle controller.
pub(crate) struct Controller {
    core: Rc<Core>,
    zones: Rc<Zones>,
    health: Rc<HealthMap>,
    skipper: Rc<Skipper>,
    eviction: Rc<Eviction>,
    pods: Rc<PodMarker>,
    no_schedule: NoScheduleTainter,
    monitor: Rc<Monitor>,
}

impl Controller {
    /// A controller that hears of nodes and pods but does not run yet
    /// (`NewNodeLifecycleController`).
    pub(crate) fn new(config: Config, context: ControllerContext) -> Rc<Self> {
        let informers = context.informers.clone();
        let core = Core::new(config, context);
        let (zones, health) = (Zones::new(core.clone()), HealthMap::new(core.clone()));
        let base: Base = (core.clone(), zones.clone(), health.clone());
        let skipper = Skipper::new(base.clone());
        let writer = Writer::new(core.clone());
        let eviction = Eviction::new(base.clone(), skipper.clone(), writer.clone());
        let pods = PodMarker::new(core.clone(), health.clone(), eviction.clone());
        let controller = Rc::new(Controller {
            no_schedule: NoScheduleTainter::new(core.clone(), writer),
            monitor: Monitor::new(base, skipper.clone(), eviction.clone(), pods.clone()),
            zones,
            health,
            skipper,
            eviction,
            pods,
            core,
        });
        informers.on_node(controller.clone());
        informers.on_pod(controller.clone());
        let c = controller.clone();
        informers.on_stir(Rc::new(move || c.skipper.stirred()));
        let c = controller.clone();
        informers.on_waking(Rc::new(move |node| c.wakes(node)));
        controller
    }

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
        let (s, ctx, group) = (self.core.switches(), &self.core.ctx, self.core.group);
        let busy = ctx.name();
        let (mut pass, mut eviction) = (Dur::ZERO, Dur::ZERO);
        if warm {
            // How long its next pass is away, and the next round of its NoExecute loop.
            pass = ctx.phase(ctx.point("node-monitor-phase"), self.core.pass_period());
            eviction = ctx.phase(ctx.point("node-eviction-phase"), NODE_EVICTION_PERIOD);
            let recaller = Recaller {
                core: &self.core,
                zones: &self.zones,
                health: &self.health,
                eviction: &self.eviction,
                monitor: &self.monitor,
            };
            match self.core.config.memory {
                Some(recalled) => pass = recaller.recall(recalled, pass),
                None => recaller.assume_running(pass, &Posted::new()),
            }
        }
        let nodes = self.core.informers.nodes_as_they_are().iter().flatten().count();
        let odds = odds_amid_pass(s.start_amid_pass, s.pass_workers, nodes);
        let start_amid = ctx.point("node-lifecycle-start-amid-pass");
        let amid = !warm && ctx.chance(start_amid, Object::NONE, odds);
        self.monitor.round_amid_pass.set(amid);
        let first = if s.lock_across_calls { PASS_FIRST_LOCKED } else { PASS_FIRST };
        // A pass with several workers either has that round amid it, or comes after it.
        let ahead = if warm || s.pass_workers > 1 {
            amid
        } else {
            ctx.chance(ctx.point("node-lifecycle-start-order"), Object::NONE, first)
        };
        // In the usual order what is started first is first; drawn turns have to be told.
        let draws_turns = ctx.draws_turns();
        let behind = ahead && draws_turns;
        let pass_first = ahead || amid && !draws_turns;
        if pass_first {
            ctx.spawn(group, self.clone().monitor_loop(pass));
        }
        if s.condition_taints == ConditionTaints::Mapped {
            // They have nothing of the controller's but its caches, client and queue.
            for _ in 0..NODE_UPDATE_WORKERS {
                let c = self.clone();
                ctx.spawn_alike(busy.at_rest(), group, async move {
                    c.starts(behind).await;
                    c.no_schedule.do_node_processing_pass_worker().await
                });
            }
        }
        if s.pod_workers {
            for _ in 0..POD_UPDATE_WORKERS {
                let c = self.clone();
                ctx.spawn_alike(busy.at_rest(), group, async move {
                    c.starts(behind).await;
                    c.pods.do_pod_processing_worker(busy).await
                });
            }
        }
        let c = self.clone();
        ctx.spawn(group, async move {
            c.starts(behind && !amid).await;
            c.eviction_loop(eviction).await;
        });
        if !pass_first {
            ctx.spawn(group, self.clone().monitor_loop(pass));
        }
    }

    /// Lets the first pass, and all that it sets off, go before.
    async fn starts(&self, behind: bool) {
        if behind {
            self.core.ctx.after_others().await;
        }
    }

    /// Runs passes for ever, the first one after `wait`, except for those that cannot change
    /// anything.
    async fn monitor_loop(self: Rc<Self>, wait: Dur) {
        let (core, period) = (&self.core, self.core.pass_period());
        if wait > Dur::ZERO {
            core.ctx.sleep(wait).await;
        }
        // Passes are counted from the beginning of the run, so that a process that starts later
        // draws orders of its own.
        let mut number = (core.ctx.now().as_nanos() / period.as_nanos().max(1)) as u32;
        loop {
            core.ctx.set_cause(u32::MAX);
            let began = core.ctx.now();
            self.skipper.pass_begins();
            self.monitor.monitor_node_health(number).await;
            number += 1;
            // Where eviction passes hold the lock across requests, a health pass may have to wait
            // for one.
            let free = !core.switches().lock_across_calls || self.zones.queues_are_empty();
            let Some(findings) = self.skipper.pass_ends(began, period).filter(|_| free) else {
                core.ctx.sleep(period).await;
                continue;
            };
            let passed = self.skipper.skip_passes(began, period, findings).await;
            number += (passed - 1) as u32;
            core.ctx.sleep_until(began + period * passed).await;
        }
    }

    /// Runs the eviction pass for ever, first after `wait`, except while all queues are empty.
    async fn eviction_loop(self: Rc<Self>, wait: Dur) {
        if wait > Dur::ZERO {
            self.core.ctx.sleep(wait).await;
        }
        self.monitor.until_amid_pass().await;
        loop {
            self.eviction.do_no_execute_tainting_pass().await;
            if self.core.lazy && self.zones.queues_are_empty() {
                self.skipper.skip_rounds(NODE_EVICTION_PERIOD).await;
            } else {
                self.core.ctx.sleep(NODE_EVICTION_PERIOD).await;
            }
        }
    }

    /// A node's heartbeats are computed up to now, and no more.
    fn wakes(&self, node: NodeId) {
        self.skipper.wakes(node);
        if self.core.switches().condition_taints == ConditionTaints::Mapped {
            // While all workers are busy, a post that changes nothing has its place in the queue.
            let arrived = self.core.informers.posts_arrived(node);
            self.no_schedule.node_queue.add_as_of(node, arrived);
        }
    }
}

impl ResourceEventHandler<Node> for Controller {
    fn cached(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let Some(n) = new.or(old) {
            self.skipper.node_changed(n.id, old.is_some(), new.is_some());
        }
    }

    fn on_change(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let Some(n) = new
            && self.core.switches().rename_alpha_taints
        {
            self.no_schedule.rename_alpha_taints(n);
        }
        match (old, new) {
            (_, Some(n)) => match self.core.switches().condition_taints {
                ConditionTaints::Mapped => self.no_schedule.node_queue.add(n.id),
                ConditionTaints::TrueOnly => self.no_schedule.taint_by_true_conditions(n),
                ConditionTaints::Off => {}
            },
            (Some(o), None) => {
                self.monitor.nodes_to_retry.with(|r| r.remove(&o.id));
                self.eviction.forget(o.id);
            }
            (None, None) => {}
        }
    }
}

impl ResourceEventHandler<Pod> for Controller {
    /// `podUpdated`: a pod that came to a node.
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        if let Some(p) = new
            && p.node.is_some()
            && self.core.switches().pod_workers
            && old.is_none_or(|o| o.node != p.node)
        {
            self.pods.pod_queue.add(p.id);
        }
    }
}

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
