//! The loop that looks what is short, and evicts (`eviction_manager.go`, `pod_workers.go: killPodNow`).
//!
//! It looks every 10 s, evicts one pod at most, waits until that has ended and is cleaned up, and looks again at once. Looking
//! takes no time here. While nothing is short it is computed when something could be, and the looks before that are left out.

use super::asleep::Sleepers;
use super::eviction::{
    Candidate, Observations, Pressure, Remembered, eviction_message, rank, request, thresholds_met,
};
use super::image_gc_manager::ImageGcManager;
use super::stats::Stats;
use crate::controllers::kubelet::prelude::*;
use crate::kernel::EventKey;
use crate::plan::Threshold;
use crate::plan::switches::kubelet::NoSeconds;

/// `evictionMonitoringPeriod`
const MONITORING_PERIOD: Dur = Dur::from_secs(10);
/// `podCleanupTimeout`
const POD_CLEANUP_TIMEOUT: Dur = Dur::from_secs(30);
/// `podCleanupPollFreq`
const POD_CLEANUP_POLL_FREQ: Dur = Dur::from_secs(1);
/// For how long a pod's end is waited for at least (`killPodNow`).
const MIN_KILL_TIMEOUT: i64 = 10;

/// What a manager is doing.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Doing {
    /// It waits for its next look.
    #[default]
    Monitoring,
    /// It waits for a pod to end (`killPodNow`).
    Killing(Uid),
    /// It waits, no longer than that, for what is left of a pod to be cleaned up.
    CleaningUp(Uid, Time),
}

/// The loop of one manager.
#[derive(Default)]
struct Monitor {
    doing: Doing,
    /// A look: the last, or the first of all while there was none.
    look: Option<Time>,
    has_looked: bool,
    next: Option<EventKey>,
}

/// The eviction managers of all kubelets.
pub(super) struct EvictionManager {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    stats: Rc<Stats>,
    image_gc: Rc<ImageGcManager>,
    pressure: Rc<Pressure>,
    sleepers: Rc<Sleepers>,
    monitors: ByNode<Monitor>,
    /// Goes on with the loop of a node.
    looker: HandlerId<NodeId>,
}

impl EvictionManager {
    /// None runs yet.
    pub(super) fn new(
        (nodes, pods): Base,
        (stats, image_gc, pressure): (&Rc<Stats>, &Rc<ImageGcManager>, &Rc<Pressure>),
        sleepers: &Rc<Sleepers>,
        looker: HandlerId<NodeId>,
    ) -> Self {
        let (stats, image_gc, pressure) = (stats.clone(), image_gc.clone(), pressure.clone());
        let (sleepers, monitors) = (sleepers.clone(), ByNode::default());
        Self { nodes, pods, stats, image_gc, pressure, sleepers, monitors, looker }
    }

    /// A node has a kubelet from now on.
    pub(super) fn join(&self, node: NodeId) {
        if self.stats.is_said {
            self.monitors.join(node, Monitor::default());
            self.pressure.join(node, Remembered::default());
        }
        self.image_gc.join(node);
    }

    /// A kubelet ends: what its manager knew is gone with it.
    pub(super) fn stops(&self, node: NodeId) {
        self.image_gc.stops(node);
        self.nodes.with(node, |k| k.said.clear());
        if let Some(key) = self.monitors.with(node, |m| std::mem::take(m).next).flatten() {
            self.nodes.ctx.cancel(key);
        }
        let before = self.pressure.with(node, std::mem::take).map(|r| r.conditions);
        self.pressure_changes(node, &before.unwrap_or_default());
    }

    /// A kubelet starts, and its manager looks then for the first time.
    pub(super) fn starts(&self, node: NodeId, at: Time) {
        self.image_gc.starts(node, at);
        self.monitors.with(node, |m| m.look = Some(at));
        self.plan(node);
    }

    /// What is used on a node changes otherwise than by itself: something may be short sooner, or later.
    pub(super) fn usage_changes(&self, node: NodeId) {
        if self.monitors.with(node, |m| m.doing) == Some(Doing::Monitoring) {
            self.plan(node);
        }
    }

    /// The first look of a manager that has been running for long: at any time within a period. Those of the recorder's
    /// kubelets begin with the run.
    fn first_look(&self, node: NodeId) -> Time {
        if let Some(look) = self.monitors.with(node, |m| m.look).flatten() {
            return look;
        }
        let most = MONITORING_PERIOD - Dur::from_nanos(1);
        let draw = |_| self.nodes.draw("eviction-manager-phase", node, most);
        let look = Time::ZERO + self.nodes.real().map_or(Dur::ZERO, draw);
        self.monitors.with(node, |m| m.look = Some(look));
        look
    }

    /// Schedules the next look of a manager that waits for it: the first at which anything could be found.
    fn plan(&self, node: NodeId) {
        let now = self.nodes.now();
        let is_calm = self.pressure.with(node, |r| r.is_calm());
        let concerns = self.stats.is_measured(node) || is_calm == Some(false);
        if !self.nodes.runs(node) || !concerns {
            return self.schedule(node, None);
        }
        let from = if self.nodes.lazy && is_calm == Some(true) {
            self.stats.may_be_short(node)
        } else {
            Some(now)
        };
        let look = self.first_look(node);
        let least = u64::from(self.monitors.with(node, |m| m.has_looked) == Some(true));
        let next = |from: Time| {
            let periods = from.since(look).as_nanos().div_ceil(MONITORING_PERIOD.as_nanos());
            look + MONITORING_PERIOD * periods.max(least)
        };
        self.schedule(node, from.map(|from| next(from.max(now))));
    }

    /// Has a manager go on then, in place of when it would have.
    fn schedule(&self, node: NodeId, at: Option<Time>) {
        let ctx = &self.nodes.ctx;
        if let Some(key) = self.monitors.with(node, |m| m.next.take()).flatten() {
            ctx.cancel(key);
        }
        let Some(at) = at else { return };
        let key = ctx.post_ranked(at, Class::Timer, u64::from(node.0), self.looker, node);
        self.monitors.with(node, |m| m.next = Some(key));
    }

    /// A manager goes on.
    pub(super) fn look(&self, node: NodeId) {
        let now = self.nodes.now();
        let doing = self.monitors.with(node, |m| {
            m.next = None;
            m.doing
        });
        // Something of a pod still runs (`PodIsFinished`).
        let runs = |uid| self.pods.due(uid).is_some_and(|d| d.up);
        match doing.filter(|_| self.nodes.runs(node)) {
            None => {}
            Some(Doing::Killing(uid)) => {
                self.wait_for_cleanup(node, uid, now + POD_CLEANUP_TIMEOUT)
            }
            Some(Doing::CleaningUp(uid, until)) if runs(uid) && now < until => {
                self.wait_for_cleanup(node, uid, until);
            }
            Some(Doing::Monitoring | Doing::CleaningUp(..)) => self.synchronize(node),
        }
    }

    /// Looks a second later whether what is left of a pod is cleaned up (`waitForPodsCleanup`).
    fn wait_for_cleanup(&self, node: NodeId, uid: Uid, until: Time) {
        self.monitors.with(node, |m| m.doing = Doing::CleaningUp(uid, until));
        let next = (self.nodes.now() + POD_CLEANUP_POLL_FREQ).min(until);
        self.schedule(node, Some(next));
    }

    /// Looks what is short, and evicts a pod if something is (`synchronize`).
    fn synchronize(&self, node: NodeId) {
        let now = self.nodes.now();
        let config = self.nodes.config(node);
        let config = &config.eviction;
        self.monitors.with(node, |m| {
            (m.doing, m.look, m.has_looked) = (Doing::Monitoring, Some(now), true);
        });
        if !self.nodes.works(node) {
            // Without its runtime there are no statistics (`summaryProvider.Get`).
            return self.plan(node);
        }
        let observations = self.stats.observations(node);
        let seen = self.pressure.with(node, |r| {
            let before = r.conditions.clone();
            (before, r.observe(config, &observations, now))
        });
        let Some((before, met)) = seen else { return };
        self.pressure_changes(node, &before);
        match self.reclaim(node, config, &met, &observations) {
            Some((uid, ends)) => {
                self.monitors.with(node, |m| m.doing = Doing::Killing(uid));
                self.schedule(node, Some(ends));
            }
            None => self.plan(node),
        }
    }

    /// The conditions that a kubelet knows of are others than before: it says so with its next status.
    fn pressure_changes(&self, node: NodeId, before: &[NodeConditionType]) {
        let after = self.pressure.with(node, |r| r.conditions.clone()).unwrap_or_default();
        if before == after {
            return;
        }
        self.sleepers.wake_up(node);
        self.nodes.with(node, |k| {
            for kind in NodeConditionType::ALL {
                match (before.contains(&kind), after.contains(&kind)) {
                    (true, false) => k.view[kind as usize] = Some(ConditionStatus::False),
                    (false, true) => k.view[kind as usize] = Some(ConditionStatus::True),
                    _ => {}
                }
            }
        });
        self.nodes.view_changes(node);
    }

    /// Reclaims what is short: images that nobody uses, or a pod, and when the wait for its end is over.
    fn reclaim(
        &self,
        node: NodeId,
        config: &Eviction,
        met: &[usize],
        observations: &Observations,
    ) -> Option<(Uid, Time)> {
        let threshold = *config.thresholds.get(*met.first()?)?;
        if observations.has_no_memory() {
            let what = What::Noted(Note::MemoryUsedUp, 0);
            self.nodes.api.record_node(Actor::Kubelet, node, what);
        }
        if self.nodes.is_heard(node) {
            self.say_threshold_met(node, threshold.signal);
        }
        if self.reclaim_node_level_resources(node, config, threshold.signal) {
            return None;
        }
        let candidate = self.ranked_first(node, threshold.signal)?;
        let resource = threshold.signal.resource();
        let uses = (
            self.stats.of_container(node, candidate.uid, resource),
            request(&candidate.pod.template, resource),
        );
        let switches = &self.nodes.switches.eviction;
        let about = (&threshold, met);
        let message = eviction_message(switches.message, config, about, observations, uses);
        let said = self.nodes.api.names(|n| n.text(&message));
        if self.nodes.is_heard(node) {
            let about = About::Pod(candidate.pod.id, Some(candidate.uid)).name(self.nodes.now());
            self.nodes.say(about, EventBody::of_words(EventText::Evicted, said));
        } else {
            // The event is lost; what becomes of the pod is posted once the kubelet is heard.
            let what = What::Noted(Note::EvictedUnheard, said.0);
            self.nodes.api.record_pod(Actor::Kubelet, candidate.pod.id, what);
        }
        Some((candidate.uid, self.kill(&candidate, config, &threshold)))
    }

    /// Says what is reclaimed.
    fn say_threshold_met(&self, node: NodeId, signal: Signal) {
        let text = match signal.resource() {
            Used::Memory => EventText::ReclaimMemory,
            Used::Pids => EventText::ReclaimPids,
            Used::NodeFsInodes | Used::ImageFsInodes => EventText::ReclaimInodes,
            Used::NodeFs | Used::ImageFs => EventText::ReclaimEphemeralStorage,
        };
        self.nodes.say_of(node, text);
    }

    /// Deletes containers that nobody needs, and images that nobody uses, where disk is short; whether nothing is short then
    /// (`reclaimNodeLevelResources`). Dead containers take up nothing here but their images.
    fn reclaim_node_level_resources(
        &self,
        node: NodeId,
        config: &Eviction,
        signal: Signal,
    ) -> bool {
        let of_images = match signal {
            Signal::ImageFsAvailable | Signal::ImageFsInodesFree => true,
            Signal::NodeFsAvailable | Signal::NodeFsInodesFree => !self.stats.has_image_fs(node),
            _ => false,
        };
        if !of_images {
            return false;
        }
        self.image_gc.images.delete_all_unused_containers(node);
        self.image_gc.delete_unused_images(node);
        let all = 0..config.thresholds.len();
        thresholds_met(config, all, &self.stats.observations(node), true).is_empty()
    }

    /// The pod that is evicted first, of those that may be.
    fn ranked_first(&self, node: NodeId, signal: Signal) -> Option<Candidate> {
        let candidate = |uid: Uid| {
            let due = self.pods.due(uid)?;
            let pod = self.pods.object(uid, &due)?;
            let active = due.admission == Admission::Admitted
                && due.orphaned.is_none()
                && (!pod.phase.is_terminal() || due.up);
            let may_be = active && (due.evicted.is_none() || due.up) && !pod.template.is_critical();
            let used = self.stats.of_pod_for(node, uid, signal);
            may_be.then_some(Candidate { uid, pod, used })
        };
        let by_count = self.nodes.switches.eviction.ranks_processes;
        let rank_of = |c: &Candidate| rank(signal, &c.pod.template, c.used, by_count);
        let all: Vec<Candidate> =
            self.pods.of_node(node).into_iter().filter_map(candidate).collect();
        let first = all.iter().map(rank_of).min()?;
        let mut alike: Vec<Candidate> = all.into_iter().filter(|c| rank_of(c) == first).collect();
        // Who comes first of them is drawn: Go's sort is not stable, and what it sorts comes from a map.
        let (ctx, most) = (&self.nodes.ctx, alike.len() as u64 - 1);
        let which = ctx.uniform(ctx.point("eviction-tie"), self.nodes.object(node), 0, most);
        Some(alike.swap_remove(which as usize))
    }

    /// Has a pod end, with the grace of a threshold; when the wait for that is over (`evictPod`, `killPodNow`).
    fn kill(&self, candidate: &Candidate, config: &Eviction, threshold: &Threshold) -> Time {
        let now = self.nodes.now();
        let (pod, uid) = (&candidate.pod, candidate.uid);
        let asked = self.grace_override(pod, config, threshold);
        let grace =
            self.nodes.effective_grace_period(asked, pod.termination_grace_period_seconds());
        let due = self.pods.due(uid);
        let takes = match due {
            Some(due) if due.up => due.unhurried.min(grace),
            _ => Dur::ZERO,
        };
        let before = due.map_or(Time::MAX, |d| d.stop.min(d.evicted.unwrap_or(Time::MAX)));
        let stop = before.min(now + takes);
        self.pods.with_due(uid, |d| d.evicted = Some(stop));
        self.pods.work_at(uid, now);
        if stop > now {
            self.pods.work_at(uid, stop);
        }
        let timeout = (asked + asked / 2).max(MIN_KILL_TIMEOUT).unsigned_abs();
        stop.min(now + Dur::from_secs(timeout))
    }

    /// The grace that the manager asks for, in seconds.
    fn grace_override(&self, pod: &Pod, config: &Eviction, threshold: &Threshold) -> i64 {
        let switches = &self.nodes.switches;
        let most = config.max_pod_grace_period_seconds;
        match (threshold.is_hard(), switches.no_seconds) {
            (true, NoSeconds::IsOne) => 1,
            (true, _) => 0,
            (false, _) if switches.eviction.soft_grace_is_capped => {
                most.min(pod.termination_grace_period_seconds())
            }
            (false, _) => most,
        }
    }
}
