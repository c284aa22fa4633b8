//! What the scheduler hears of nodes and pods (`eventhandlers.go`). Pods that have ended are as
//! good as gone.

use super::bound_pods::BoundPods;
use super::core::{Core, State};
use super::events::{node_changes, pod_changes};
use super::plugins::{node_affinity, node_ports, node_resources_fit};
use crate::api::device::{DeviceTaintRule, ResourceSlices};
use crate::apiserver::Watcher;
use crate::controllers::scheduler::prelude::*;

/// Hears of nodes and pods.
pub(super) struct Handlers {
    core: Rc<Core>,
    bound: Rc<BoundPods>,
}

impl Handlers {
    /// One that keeps what `core` knows up to date.
    pub(super) fn new(core: &Rc<Core>, bound: &Rc<BoundPods>) -> Rc<Self> {
        Rc::new(Handlers { core: core.clone(), bound: bound.clone() })
    }

    fn set_node(&self, node: &Rc<Node>) {
        let api = self.core.api();
        api.names(|n| {
            self.core.state.with(|s| s.algorithm.cache.set_node(node, n.node_name(node.id)))
        });
    }

    /// `addPodToSchedulingQueue`, `updatePodInSchedulingQueue`, `deletePodFromSchedulingQueue`
    fn waiting_pod(&self, old: Option<PodAndShape>, new: Option<PodAndShape>, bound_now: bool) {
        let at = (self.core.ctx.now(), self.core.ctx.cause());
        let nominated = |p: &Pod| p.unscheduled.as_ref().and_then(|u| u.nominated);
        let freed = |old: &PodAndShape| {
            if !self.core.switches().nominations_wake || nominated(&old.0).is_none() {
                return;
            }
            let change = Change::of_pod(ClusterEvent::PodDelete, Some(old.clone()), None);
            let weaker = |e: &QueuedPod| e.shape.priority <= old.1.priority;
            self.core.state.with(|s| {
                s.queue.move_all_to_active_or_backoff_queue(
                    &change,
                    &weaker,
                    at,
                    &s.algorithm.cache,
                )
            });
        };
        match (old, new) {
            (None, Some(new)) => self.core.state.with(|s| {
                s.queue.add(&new.0, &new.1, at.0, at.1);
                if let Some(node) = nominated(&new.0) {
                    s.nominator.add(new, node);
                }
            }),
            (Some(old), Some(new)) => {
                if self.core.state.with(|s| s.algorithm.cache.is_assumed(new.0.id)) {
                    return;
                }
                let change = |event| Change::of_pod(event, Some(old.clone()), Some(new.clone()));
                let changes: Vec<Change> =
                    pod_changes(&old.0, &new.0).into_iter().map(change).collect();
                self.core.state.with(|s| {
                    s.queue.update(&old.0, &new.0, &new.1, &changes, at, &s.algorithm.cache);
                    s.nominator.update(nominated(&old.0), new.clone(), nominated(&new.0));
                });
                if nominated(&old.0) != nominated(&new.0) {
                    freed(&old);
                }
            }
            (Some(old), None) => {
                self.core.state.with(|s| {
                    if !bound_now {
                        // Its successor may be tried before its binding has failed.
                        s.algorithm.cache.forget(&old.0);
                    }
                    s.queue.delete(old.0.id);
                    s.nominator.remove(old.0.id);
                });
                if !bound_now || self.core.switches().bindings_wake {
                    freed(&old);
                }
            }
            (None, None) => {}
        }
    }
}

impl ResourceEventHandler<Node> for Handlers {
    fn on_change(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        let switches = self.core.switches();
        let at = (self.core.ctx.now(), self.core.ctx.cause());
        match (old, new) {
            (None, Some(new)) => {
                self.set_node(new);
                self.core.state.with(|s| {
                    move_for_node(
                        s,
                        &Change::of_node(ClusterEvent::NodeAdd, None, Some(new)),
                        new.id,
                        at,
                        switches,
                    )
                });
            }
            (Some(old), Some(new)) => {
                let changes = node_changes(old, new, switches.several_node_changes);
                self.set_node(new);
                for event in changes {
                    self.core.state.with(|s| {
                        move_for_node(
                            s,
                            &Change::of_node(event, Some(old), Some(new)),
                            new.id,
                            at,
                            switches,
                        )
                    });
                }
            }
            (Some(old), None) => self.core.state.with(|s| {
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
        self.core.broadcast();
    }
}

/// Moves pods after a change of a node; by the older rule only those for which the node looks good
/// (`preCheckForNode`).
fn move_for_node(
    s: &mut State,
    change: &Change,
    node: NodeId,
    at: (Time, u32),
    switches: &Switches,
) {
    let State { algorithm, queue, .. } = s;
    let Some(info) = algorithm.cache.node(node) else { return };
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
        && node.taints.iter().filter(|t| t.effect == Effect::NoSchedule).all(tolerated)
}

/// Hears of VolumeAttachments, as long as the scheduler lives.
pub(super) struct Attachments(pub(super) Weak<Core>);

impl Watcher for Attachments {
    fn attachment(&self, volume: VolumeId, node: NodeId) {
        let Some(core) = self.0.upgrade() else { return };
        if core.api().attachment(volume, node).is_none() {
            move_all(&core, ClusterEvent::VolumeAttachmentDelete);
        }
    }
}

/// Hears of claims, as long as the scheduler lives.
pub(super) struct Claims(pub(super) Weak<Core>);

impl Watcher for Claims {
    fn claim(&self, volume: VolumeId) {
        let Some(core) = self.0.upgrade() else { return };
        let api = core.api();
        if api.volume(volume).is_some() {
            move_all(&core, ClusterEvent::PersistentVolumeAdd);
        }
        // By their hint a claim is of use to the pods that have it.
        let hints = core.switches().wake() == WakeRule::Hints;
        let has_it = |e: &QueuedPod| !hints || api.claims_of(&e.pod).contains(&volume);
        move_some(&core, ClusterEvent::PersistentVolumeClaimUpdate, &has_it);
    }
}

/// Moves pods after a change that is of no node and of no pod.
fn move_all(core: &Core, event: ClusterEvent) {
    move_some(core, event, &|_| true);
}

/// Moves some of them.
fn move_some(core: &Core, event: ClusterEvent, some: &dyn Fn(&QueuedPod) -> bool) {
    let at = (core.ctx.now(), core.ctx.cause());
    let change = Change { event, ..Change::any() };
    core.state.with(|s| {
        let cache = &s.algorithm.cache;
        s.queue.move_all_to_active_or_backoff_queue(&change, some, at, cache);
    });
    core.broadcast();
}

impl ResourceEventHandler<Allocation> for Handlers {
    /// What is known of a claim is no longer only assumed; devices that are free again are worth a try.
    fn on_change(&self, old: Option<&Rc<Allocation>>, new: Option<&Rc<Allocation>>) {
        let Some(of) = new.or(old) else { return };
        self.core.in_flight.with(|all| {
            if all.get(&of.pod).is_some_and(|a| new.is_none_or(|n| n.devices == a.devices)) {
                all.remove(&of.pod);
            }
        });
        // Of several claims each is deallocated for itself. One that pods share concerns these alone, unless nobody has
        // it any more (`isSchedulableAfterClaimChange`).
        let has =
            |a: Option<&Rc<Allocation>>, i: usize| a.is_some_and(|a| !a.devices[i].is_empty());
        let (mut is_free, mut changed) = (false, BTreeSet::new());
        for (i, shared) in of.shared.iter().enumerate() {
            match (has(old, i), has(new, i), shared) {
                (true, false, Some(name)) if self.core.informers.shared_devices(name).is_some() => {
                    changed.insert(name.clone());
                }
                (true, false, _) => is_free = true,
                (false, true, Some(name)) => drop(changed.insert(name.clone())),
                _ => {}
            }
        }
        if is_free {
            move_all(&self.core, ClusterEvent::ResourceClaimUpdate);
        } else if !changed.is_empty() {
            let its =
                |c: &DeviceClaim| c.shared.as_ref().is_some_and(|name| changed.contains(name));
            let shares = |entry: &QueuedPod| entry.pod.template.devices.iter().any(its);
            move_some(&self.core, ClusterEvent::ResourceClaimUpdate, &shares);
        }
    }
}

impl ResourceEventHandler<ResourceSlices> for Handlers {
    fn on_change(&self, _old: Option<&Rc<ResourceSlices>>, new: Option<&Rc<ResourceSlices>>) {
        if new.is_some() {
            move_all(&self.core, ClusterEvent::ResourceSliceUpdate);
        }
    }
}

impl ResourceEventHandler<DeviceTaintRule> for Handlers {
    /// The slices whose devices a rule taints, or no longer taints, change with it
    /// (`resourceslice/tracker`).
    fn on_change(&self, old: Option<&Rc<DeviceTaintRule>>, new: Option<&Rc<DeviceTaintRule>>) {
        let spec = |rule: &Rc<DeviceTaintRule>| (rule.uid, rule.generation);
        if old.map(spec) != new.map(spec) {
            move_all(&self.core, ClusterEvent::ResourceSliceUpdate);
        }
    }
}

impl ResourceEventHandler<Pod> for Handlers {
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let live = |p: &&Rc<Pod>| !p.phase.is_terminal();
        let (old, new) = (old.filter(live), new.filter(live));
        if let (Some(old), Some(new)) = (old, new)
            && Rc::ptr_eq(&old.template, &new.template)
            && (old.node, old.is_terminating()) == (new.node, new.is_terminating())
            && self.bound.is_caught_up()
            && self.core.state.with(|s| {
                !s.queue.wants(ClusterEvent::PodUpdate) && s.algorithm.cache.update_pod(new)
            })
        {
            // A change of its status, which concerns nobody here.
            return self.core.broadcast();
        }
        let of_new = new.map(|p| self.core.shape_of(p));
        let of_old = match (old, new, &of_new) {
            (Some(o), Some(n), Some(shape)) if Rc::ptr_eq(&o.template, &n.template) => {
                Some(shape.clone())
            }
            _ => old.map(|p| self.core.shape_of(p)),
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
        self.bound.hear(old_bound, new_bound);
        self.waiting_pod(old_waiting, new_waiting, bound_now);
        self.core.broadcast();
    }
}
