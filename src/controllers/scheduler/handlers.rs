//! What the scheduler hears of nodes and pods (`eventhandlers.go`). Pods that have ended are as
//! good as gone.

use super::controller::{Controller, State};
use super::events::{Change, ClusterEvent, PodAndShape, node_changes, pod_changes};
use super::node_info::NodeInfo;
use super::plugins::{node_affinity, node_ports, node_resources_fit};
use super::queued_pod::QueuedPod;
use super::run::LET_IN;
use super::shape::Shape;
use crate::api::names::NodeId;
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::api::taint::Effect;
use crate::client::{NodeHandler, PodHandler};
use crate::kernel::Object;
use crate::plan::switches::scheduler::{Switches, WakeRule};
use std::collections::VecDeque;
use std::rc::Rc;

impl NodeHandler for Controller {
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        let switches = self.config.choice.switches;
        let at = (self.ctx.now(), self.ctx.cause());
        match (old, new) {
            (None, Some(new)) => {
                self.set_node(new);
                self.state.with(|s| {
                    move_for_node(
                        s,
                        &Change::of_node(ClusterEvent::NodeAdd, None, Some(new)),
                        new.id,
                        at,
                        &switches,
                    )
                });
            }
            (Some(old), Some(new)) => {
                let changes = node_changes(old, new, switches.several_node_changes);
                self.set_node(new);
                for event in changes {
                    self.state.with(|s| {
                        move_for_node(
                            s,
                            &Change::of_node(event, Some(old), Some(new)),
                            new.id,
                            at,
                            &switches,
                        )
                    });
                }
            }
            (Some(old), None) => self.state.with(|s| {
                if switches.wake() != WakeRule::All {
                    s.queue.move_all_to_active_or_backoff_queue(
                        &Change::of_node(ClusterEvent::NodeDelete, Some(old), None),
                        &|_| true,
                        at,
                        &s.algorithm.cache,
                    );
                }
                s.algorithm.cache.remove_node(old.id);
            }),
            (None, None) => {}
        }
        self.broadcast();
    }
}

/// Moves pods after a change of a node; by the older rule only those for which the node looks good
/// (`preCheckForNode`).
fn move_for_node(
    s: &mut State,
    change: &Change,
    node: NodeId,
    at: (crate::kernel::Time, u32),
    switches: &Switches,
) {
    let State {
        algorithm, queue, ..
    } = s;
    let Some(info) = algorithm.cache.node(node) else {
        return;
    };
    let check =
        |e: &QueuedPod| switches.wake() != WakeRule::Registered || looks_good(e, info, switches);
    queue.move_all_to_active_or_backoff_queue(change, &check, at, &algorithm.cache);
}

fn looks_good(e: &QueuedPod, info: &NodeInfo, switches: &Switches) -> bool {
    let Some(node) = &info.node else { return false };
    let tolerated = |t| {
        e.shape
            .template
            .tolerations
            .iter()
            .any(|own| own.tolerates(t, switches.comparison_operators))
    };
    node_resources_fit::filter(&e.shape, info, switches).is_ok()
        && node_affinity::matches(&e.shape, &info.name, &node.labels)
        && node_ports::filter(&e.shape, info).is_ok()
        && node
            .taints
            .iter()
            .filter(|t| t.effect == Effect::NoSchedule)
            .all(tolerated)
}

impl PodHandler for Controller {
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let live = |p: &&Rc<Pod>| !p.phase.is_terminal();
        let (old, new) = (old.filter(live), new.filter(live));
        if let (Some(old), Some(new)) = (old, new)
            && Rc::ptr_eq(&old.template, &new.template)
            && (old.node, old.is_terminating()) == (new.node, new.is_terminating())
            && self.behind.with_ref(VecDeque::is_empty)
            && self.state.with(|s| {
                !s.queue.wants(ClusterEvent::PodUpdate) && s.algorithm.cache.update_pod(new)
            })
        {
            // A change of its status, which concerns nobody here.
            return self.broadcast();
        }
        let of_new = new.map(|p| self.shape_of(p));
        let of_old = match (old, new, &of_new) {
            (Some(o), Some(n), Some(shape)) if Rc::ptr_eq(&o.template, &n.template) => {
                Some(shape.clone())
            }
            _ => old.map(|p| self.shape_of(p)),
        };
        let split = |pod: Option<&Rc<Pod>>,
                     shape: Option<Rc<Shape>>|
         -> (Option<PodAndShape>, Option<PodAndShape>) {
            let both = pod.cloned().zip(shape);
            if both.as_ref().is_some_and(|(p, _)| p.node.is_some()) {
                (both, None)
            } else {
                (None, both)
            }
        };
        let ((old_bound, old_waiting), (new_bound, new_waiting)) =
            (split(old, of_old), split(new, of_new));
        let bound_now = old_waiting.is_some() && new_bound.is_some();
        self.hear_of_bound_pod(old_bound, new_bound);
        self.waiting_pod(old_waiting, new_waiting, bound_now);
        self.broadcast();
    }
}

impl Controller {
    fn set_node(&self, node: &Rc<Node>) {
        let api = self.client.api();
        api.names(|n| {
            self.state
                .with(|s| s.algorithm.cache.set_node(node, n.node_name(node.id)))
        });
    }

    /// Pods on nodes and pods that wait are heard of by two handlers, each with a goroutine of its
    /// own: that a pod is gone may come to the cache after its successor has come to the queue, and
    /// been tried in vain.
    fn hear_of_bound_pod(&self, old: Option<PodAndShape>, new: Option<PodAndShape>) {
        let first = self.behind.with_ref(VecDeque::is_empty);
        let late = !first
            || old.is_some()
                && new.is_none()
                && self.ctx.yields(self.behind_point, Object::NONE, LET_IN);
        if !late {
            return self.bound_pod(old, new);
        }
        self.behind.with(|b| b.push_back((old, new)));
        if let Some(c) = self.me.upgrade().filter(|_| first) {
            self.ctx.spawn(self.group, async move {
                c.ctx.after_others().await;
                c.catch_up();
                c.broadcast();
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
        let at = (self.ctx.now(), self.ctx.cause());
        let switches = self.config.choice.switches;
        match (old, new) {
            (None, Some(new)) => self.state.with(|s| {
                s.algorithm.cache.set_pod(&new.0, &new.1);
                move_for_pod(
                    s,
                    &Change::of_pod(ClusterEvent::PodAdd, None, Some(new.clone())),
                    &new,
                    at,
                    &switches,
                );
            }),
            (Some(old), Some(new)) => self.state.with(|s| {
                s.algorithm.cache.set_pod(&new.0, &new.1);
                for event in pod_changes(&old.0, &new.0) {
                    let change = Change::of_pod(event, Some(old.clone()), Some(new.clone()));
                    move_for_pod(s, &change, &new, at, &switches);
                }
            }),
            (Some(old), None) => self.state.with(|s| {
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

    /// `addPodToSchedulingQueue`, `updatePodInSchedulingQueue`, `deletePodFromSchedulingQueue`
    fn waiting_pod(&self, old: Option<PodAndShape>, new: Option<PodAndShape>, bound_now: bool) {
        let at = (self.ctx.now(), self.ctx.cause());
        let nominated = |p: &Pod| p.unscheduled.as_ref().and_then(|u| u.nominated);
        let freed = |old: &PodAndShape| {
            if !self.config.choice.switches.nominations_wake || nominated(&old.0).is_none() {
                return;
            }
            let change = Change::of_pod(ClusterEvent::PodDelete, Some(old.clone()), None);
            let weaker = |e: &QueuedPod| e.shape.priority <= old.1.priority;
            self.state.with(|s| {
                s.queue.move_all_to_active_or_backoff_queue(
                    &change,
                    &weaker,
                    at,
                    &s.algorithm.cache,
                )
            });
        };
        match (old, new) {
            (None, Some(new)) => self.state.with(|s| {
                s.queue.add(&new.0, &new.1, at.0, at.1);
                if let Some(node) = nominated(&new.0) {
                    s.nominator.add(new, node);
                }
            }),
            (Some(old), Some(new)) => {
                if self.state.with(|s| s.algorithm.cache.is_assumed(new.0.id)) {
                    return;
                }
                let change = |event| Change::of_pod(event, Some(old.clone()), Some(new.clone()));
                let changes: Vec<Change> = pod_changes(&old.0, &new.0)
                    .into_iter()
                    .map(change)
                    .collect();
                self.state.with(|s| {
                    s.queue
                        .update(&old.0, &new.0, &new.1, &changes, at, &s.algorithm.cache);
                    s.nominator
                        .update(nominated(&old.0), new.clone(), nominated(&new.0));
                });
                if nominated(&old.0) != nominated(&new.0) {
                    freed(&old);
                }
            }
            (Some(old), None) => {
                self.state.with(|s| {
                    if !bound_now {
                        // Its successor may be tried before its binding has failed.
                        s.algorithm.cache.forget(&old.0);
                    }
                    s.queue.delete(old.0.id);
                    s.nominator.remove(old.0.id);
                });
                if !bound_now || self.config.choice.switches.bindings_wake {
                    freed(&old);
                }
            }
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
    at: (crate::kernel::Time, u32),
    switches: &Switches,
) {
    let hints = switches.wake() == WakeRule::Hints;
    let concerned = |e: &QueuedPod| {
        hints
            || e.shape
                .affinity
                .iter()
                .any(|t| e.shape.term_matches(t, &pod.1))
            || switches.spread_woken_by_pods
                && e.rejected_by.has(crate::trace::Plugin::PodTopologySpread)
                && e.shape.namespace == pod.1.namespace
    };
    s.queue
        .move_all_to_active_or_backoff_queue(change, &concerned, at, &s.algorithm.cache);
}
