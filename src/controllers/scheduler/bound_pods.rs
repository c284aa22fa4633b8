//! What the cache hears of pods on nodes (`eventhandlers.go: addPodToCache`, `updatePodInCache`,
//! `deletePodFromCache`).

use super::core::{Core, State};
use super::events::pod_changes;
use crate::controllers::scheduler::prelude::*;

/// A pod on a node before and after a change.
type BoundChange = (Option<PodAndShape>, Option<PodAndShape>);

/// The changes of pods on nodes.
pub(super) struct BoundPods {
    core: Rc<Core>,
    /// Those that the cache has not heard of yet.
    behind: Shared<VecDeque<BoundChange>>,
    behind_point: PointId,
}

impl BoundPods {
    /// The cache has heard of everything.
    pub(super) fn new(core: &Rc<Core>) -> Rc<Self> {
        Rc::new(BoundPods {
            behind: Shared::new(VecDeque::new()),
            behind_point: core.ctx.point("scheduler-cache-behind"),
            core: core.clone(),
        })
    }

    /// Whether the cache has heard of everything.
    pub(super) fn is_caught_up(&self) -> bool {
        self.behind.with_ref(VecDeque::is_empty)
    }

    /// Pods on nodes and pods that wait are heard of by two handlers, each with a goroutine of its
    /// own: that a pod ends may come to the cache after its successor has come to the queue, and
    /// been tried in vain, or put where a pod that is to end still counts.
    pub(super) fn hear(self: &Rc<Self>, old: Option<PodAndShape>, new: Option<PodAndShape>) {
        let first = self.is_caught_up();
        let late = !first
            || old.is_some()
                && self.core.ctx.yields(
                    self.behind_point,
                    Object::NONE,
                    self.core.switches().lets_in,
                );
        if !late {
            return self.bound_pod(old, new);
        }
        self.behind.with(|b| b.push_back((old, new)));
        if first {
            let c = self.clone();
            self.core.ctx.spawn(self.core.group, async move {
                c.core.ctx.after_others().await;
                c.catch_up();
                c.core.broadcast();
            });
        }
    }

    /// Has the cache hear of all that happened to pods on nodes.
    pub(super) fn catch_up(&self) {
        while let Some((old, new)) = self.behind.with(VecDeque::pop_front) {
            self.bound_pod(old, new);
        }
    }

    /// `addPodToCache`, `updatePodInCache`, `deletePodFromCache`
    fn bound_pod(&self, old: Option<PodAndShape>, new: Option<PodAndShape>) {
        let at = (self.core.ctx.now(), self.core.ctx.cause());
        let switches = self.core.switches();
        match (old, new) {
            (None, Some(new)) => self.core.state.with(|s| {
                s.algorithm.cache.set_pod(&new.0, &new.1);
                move_for_pod(
                    s,
                    &Change::of_pod(ClusterEvent::PodAdd, None, Some(new.clone())),
                    &new,
                    at,
                    switches,
                );
            }),
            (Some(old), Some(new)) => self.core.state.with(|s| {
                s.algorithm.cache.set_pod(&new.0, &new.1);
                for event in pod_changes(&old.0, &new.0) {
                    let change = Change::of_pod(event, Some(old.clone()), Some(new.clone()));
                    move_for_pod(s, &change, &new, at, switches);
                }
            }),
            (Some(old), None) => self.core.state.with(|s| {
                s.algorithm.cache.remove_pod(old.0.id);
                s.queue.move_all_to_active_or_backoff_queue(
                    &Change::of_pod(ClusterEvent::PodDelete, Some(old), None),
                    &|_| true,
                    at,
                    &s.algorithm.cache,
                );
            }),
            (None, None) => {}
        }
    }
}

/// Moves pods after a bound pod came or changed; by the older rules only those that it may concern
/// (`AssignedPodAdded`).
fn move_for_pod(
    s: &mut State,
    change: &Change,
    pod: &PodAndShape,
    at: (Time, u32),
    switches: &Switches,
) {
    let hints = switches.wake() == WakeRule::Hints;
    let concerned = |e: &QueuedPod| {
        hints
            || e.shape.affinity.iter().any(|t| e.shape.term_matches(t, &pod.1))
            || switches.spread_woken_by_pods
                && e.rejected_by.has(Plugin::PodTopologySpread)
                && e.shape.namespace == pod.1.namespace
    };
    s.queue.move_all_to_active_or_backoff_queue(change, &concerned, at, &s.algorithm.cache);
}
