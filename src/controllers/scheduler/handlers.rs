//! What the scheduler hears of nodes and pods (`eventhandlers.go`). Pods that have ended are as
//! good as gone.

use super::core::{Core, State};
use super::events::{node_changes, pod_changes};
use super::nominator::nominated;
use super::plugins::{node_affinity, node_ports, node_resources_fit};
use crate::api::device::{DeviceTaintRule, ResourceSlices};
use crate::apiserver::Watcher;
use crate::controllers::scheduler::prelude::*;

/// A pod on a node before and after a change.
type BoundChange = (Option<PodAndShape>, Option<PodAndShape>);

/// Keeps what the scheduler knows of nodes and pods up to date.
pub(super) struct Handlers {
    me: Weak<Handlers>,
    core: Rc<Core>,
    /// The changes of pods on nodes that the cache has not heard of yet.
    behind: Shared<VecDeque<BoundChange>>,
    /// When it heard last that a claim of devices is free.
    freed_at: Cell<Option<Time>>,
}

impl Handlers {
    /// The cache has heard of everything.
    pub(super) fn new(core: &Rc<Core>) -> Rc<Self> {
        Rc::new_cyclic(|me| Handlers {
            me: me.clone(),
            behind: Shared::default(),
            freed_at: Cell::default(),
            core: core.clone(),
        })
    }

    /// Whether the cache has heard of everything.
    fn is_caught_up(&self) -> bool {
        self.behind.with_ref(VecDeque::is_empty)
    }

    /// Pods on nodes and pods that wait are heard of by two handlers, each with a goroutine of its
    /// own: that a pod ends may come to the cache after its successor has come to the queue, and
    /// been tried in vain, or put where a pod that is to end still counts.
    fn hear(&self, old: Option<PodAndShape>, new: Option<PodAndShape>) {
        let first = self.is_caught_up();
        let (ctx, odds) = (&self.core.ctx, self.core.switches().lets_in);
        let comes_late = || ctx.yields(ctx.point("scheduler-cache-behind"), Object::NONE, odds);
        let late = !first || old.is_some() && comes_late();
        if !late {
            return self.bound_pod(old, new);
        }
        self.behind.with(|b| b.push_back((old, new)));
        if let Some(c) = self.me.upgrade().filter(|_| first) {
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
        match (old, new) {
            (old, Some(new)) => {
                self.core.state.with(|s| s.algorithm.cache.set_pod(&new.0, &new.1));
                let added = || vec![ClusterEvent::PodAdd];
                for event in old.as_ref().map_or_else(added, |old| pod_changes(&old.0, &new.0)) {
                    let change = Change::of_pod(event, old.clone(), Some(new.clone()));
                    self.move_for_pod(&change, &new);
                }
            }
            (Some(old), None) => {
                self.core.state.with(|s| s.algorithm.cache.remove_pod(old.0.id));
                let change = Change::of_pod(ClusterEvent::PodDelete, Some(old), None);
                self.core.move_all_to_active_or_backoff_queue(&change, &|_| true);
            }
            (None, None) => {}
        }
    }

    /// Moves pods after a bound pod came or changed; by the older rules only those that it may
    /// concern (`AssignedPodAdded`).
    fn move_for_pod(&self, change: &Change, pod: &PodAndShape) {
        let switches = self.core.switches();
        let concerned = |e: &QueuedPod| {
            switches.wake() == WakeRule::Hints
                || e.shape.affinity.iter().any(|t| e.shape.term_matches(t, &pod.1))
                || switches.spread_woken_by_pods
                    && e.rejected_by.has(Plugin::PodTopologySpread)
                    && e.shape.namespace == pod.1.namespace
        };
        self.core.move_all_to_active_or_backoff_queue(change, &concerned);
    }

    fn set_node(&self, node: &Rc<Node>) {
        let set = |name: &str| self.core.state.with(|s| s.algorithm.cache.set_node(node, name));
        self.core.api().names(|n| set(n.node_name(node.id)));
    }

    /// `addPodToSchedulingQueue`, `updatePodInSchedulingQueue`, `deletePodFromSchedulingQueue`
    fn waiting_pod(&self, old: Option<PodAndShape>, new: Option<PodAndShape>, bound_now: bool) {
        let (now, cause) = (self.core.ctx.now(), self.core.ctx.cause());
        let freed = |old: &PodAndShape| {
            if !self.core.switches().nominations_wake || nominated(&old.0).is_none() {
                return;
            }
            let change = Change::of_pod(ClusterEvent::PodDelete, Some(old.clone()), None);
            let weaker = |e: &QueuedPod| e.shape.priority <= old.1.priority;
            self.core.move_all_to_active_or_backoff_queue(&change, &weaker);
        };
        match (old, new) {
            (None, Some(new)) => self.core.state.with(|s| {
                s.queue.add(&new.0, &new.1, now, cause);
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
                let (was, is) = (nominated(&old.0), nominated(&new.0));
                self.core.state.with(|s| {
                    let cache = &s.algorithm.cache;
                    s.queue.update(&old.0, &new.0, &new.1, &changes, (now, cause), cache);
                    s.nominator.update(was, new, is);
                });
                if was != is {
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

    /// Moves pods after a change of a node; by the older rule only those for which the node looks
    /// good (`preCheckForNode`).
    fn move_for_node(&self, change: &Change, node: NodeId) {
        let (switches, at) = (self.core.switches(), (self.core.ctx.now(), self.core.ctx.cause()));
        let all = switches.wake() != WakeRule::Registered;
        self.core.state.with(|s| {
            let State { algorithm, queue, .. } = s;
            let Some(info) = algorithm.cache.node(node) else { return };
            let check = |e: &QueuedPod| all || looks_good(e, info, switches);
            queue.move_all_to_active_or_backoff_queue(change, &check, at, &algorithm.cache);
        });
    }
}

impl ResourceEventHandler<Node> for Handlers {
    fn on_change(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        let switches = self.core.switches();
        let change = |event| Change::of_node(event, old, new);
        match (old, new) {
            (old, Some(new)) => {
                let added = || vec![ClusterEvent::NodeAdd];
                let all = switches.several_node_changes;
                let changes = old.map_or_else(added, |old| node_changes(old, new, all));
                self.set_node(new);
                changes.into_iter().for_each(|event| self.move_for_node(&change(event), new.id));
            }
            (Some(old), None) => {
                if switches.deleted_node_wakes {
                    let change = change(ClusterEvent::NodeDelete);
                    self.core.move_all_to_active_or_backoff_queue(&change, &|_| true);
                }
                self.core.state.with(|s| s.algorithm.cache.remove_node(old.id));
            }
            (None, None) => {}
        }
        self.core.broadcast();
    }
}

/// Whether it is one of the scheduler's own pods (`responsibleForPod`).
fn responsible_for_pod(shape: &Shape) -> bool {
    shape.spec().is_none_or(|s| !s.another_scheduler)
}

fn looks_good(e: &QueuedPod, info: &NodeInfo, switches: &Switches) -> bool {
    let Some(node) = &info.node else { return false };
    let tolerations = &e.shape.template.tolerations;
    let tolerated = |t| tolerations.iter().any(|x| x.tolerates(t, switches.comparison_operators));
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
            core.move_for(ClusterEvent::VolumeAttachmentDelete, &|_| true);
        }
    }
}

/// Hears of claims, as long as the scheduler lives.
pub(super) struct Claims(pub(super) Weak<Core>);

/// In how many of 1,000 drawn turns a pod is tried before the cache of claims has heard what woke it. Fitted: 90 of 120 runs of
/// `disk-made-node-deleted` of 1.34 try a pod as if its claim were not bound yet; of 1.37 none of 60 does.
const CLAIM_BEHIND: u32 = 750;

/// Whether that cache hears of a claim late, where the order within an instant is drawn.
fn claim_comes_late(core: &Core) -> bool {
    let odds = if core.switches().lets_in > 0 { CLAIM_BEHIND } else { 0 };
    core.ctx.yields(core.ctx.point("scheduler-claim-behind"), Object::NONE, odds)
}

impl Claims {
    /// The cache of claims hears that a claim is bound, or given back, by a handler with a goroutine of its own: pods that this
    /// wakes may be tried before (`assumecache`).
    fn hear(core: &Rc<Core>, volume: VolumeId) {
        let is_bound = core.api().volume(volume).is_some();
        if !is_bound && core.api().selected(volume).is_some() {
            return;
        }
        let is_assumed = core.assumed_claims.with(|all| all.contains_key(&volume));
        if !(is_assumed && is_bound && claim_comes_late(core)) {
            return core.assumed_claims.with(|all| _ = all.remove(&volume));
        }
        let of = core.clone();
        core.ctx.spawn(core.group, async move {
            of.ctx.after_others().await;
            of.assumed_claims.with(|all| _ = all.remove(&volume));
        });
    }
}

impl Watcher for Claims {
    fn claim(&self, volume: VolumeId) {
        let Some(core) = self.0.upgrade() else { return };
        Self::hear(&core, volume);
        let api = core.api();
        // By their hint a claim is of use to the pods that have it.
        let hints = core.switches().wake() == WakeRule::Hints;
        let has_it = |e: &QueuedPod| !hints || api.claims_of(&e.pod).contains(&volume);
        core.move_for(ClusterEvent::PersistentVolumeClaimUpdate, &has_it);
    }

    fn unbound_volume(&self) {
        if let Some(core) = self.0.upgrade() {
            core.move_for(ClusterEvent::PersistentVolumeAdd, &|_| true);
        }
    }
}

impl ResourceEventHandler<Allocation> for Handlers {
    /// The cache of claims hears of them by a handler with a goroutine of its own (`assumecache`): a pod that shares a claim
    /// may be tried before it has heard that this is allocated, and a pod is tried again between two claims that become free.
    fn on_change(&self, old: Option<&Rc<Allocation>>, new: Option<&Rc<Allocation>>) {
        let core = &self.core;
        let pending = |of: &Rc<Allocation>| {
            let alone = |c: &Rc<SharedClaim>| core.has_alone(&c.name, of.uid);
            core.in_flight.with(|all| all.get(&of.uid).is_some_and(|a| is_known(a, new)))
                && of.shared.iter().flatten().any(alone)
        };
        let is_own = |of: &Rc<Allocation>, i: usize| of.shared[i].is_none();
        let freed = old.is_some_and(|old| {
            let is_free = |i: &usize| new.is_none_or(|new| new.devices[*i].is_empty());
            (0..old.devices.len())
                .any(|i| is_own(old, i) && !old.devices[i].is_empty() && is_free(&i))
        });
        let second = freed && self.freed_at.replace(Some(core.ctx.now())) == Some(core.ctx.now());
        let first = core.claims_behind.with_ref(VecDeque::is_empty);
        let late =
            second && !core.ctx.draws_turns() || new.is_some_and(pending) && claim_comes_late(core);
        if first && !late {
            return self.claim(old, new);
        }
        core.claims_behind.with(|b| b.push_back((old.cloned(), new.cloned())));
        if let Some(c) = self.me.upgrade().filter(|_| first) {
            core.ctx.spawn(core.group, async move {
                c.core.ctx.after_others().await;
                while let Some((old, new)) = c.core.claims_behind.with(VecDeque::pop_front) {
                    c.claim(old.as_ref(), new.as_ref());
                }
            });
        }
    }
}

/// Whether what is in flight is known by now.
fn is_known(in_flight: &Allocation, new: Option<&Rc<Allocation>>) -> bool {
    new.is_none_or(|new| {
        let mut all = in_flight.devices.iter().zip(&new.devices);
        all.all(|(own, new)| own.is_empty() || own == new)
    })
}

impl Handlers {
    /// What is known of a claim is no longer only assumed; devices that are free again are worth a try.
    fn claim(&self, old: Option<&Rc<Allocation>>, new: Option<&Rc<Allocation>>) {
        let Some(of) = new.or(old) else { return };
        self.core.in_flight.with(|all| {
            if all.get(&of.uid).is_some_and(|a| is_known(a, new)) {
                all.remove(&of.uid);
            }
        });
        // Of several claims each is deallocated for itself. One that pods share concerns these alone, unless nobody has
        // it any more (`isSchedulableAfterClaimChange`).
        let has =
            |a: Option<&Rc<Allocation>>, i: usize| a.is_some_and(|a| !a.devices[i].is_empty());
        let is_reserved = |a: Option<&Rc<Allocation>>, i: usize| a.is_some_and(|a| a.reserved[i]);
        let (mut is_free, mut changed) = (false, BTreeSet::new());
        for (i, shared) in of.shared.iter().enumerate() {
            match (has(old, i), has(new, i), shared.as_ref().map(|claim| &claim.name)) {
                (true, false, Some(name)) if self.core.informers.shared_devices(name).is_some() => {
                    changed.insert(name.clone());
                }
                (true, false, _) => is_free = true,
                (false, true, Some(name)) => drop(changed.insert(name.clone())),
                (true, true, Some(name)) if is_reserved(old, i) != is_reserved(new, i) => {
                    changed.insert(name.clone());
                }
                _ => {}
            }
        }
        let its = |c: &DeviceClaim| c.shared.as_ref().is_some_and(|name| changed.contains(name));
        let is_helped = |e: &QueuedPod| is_free || e.pod.template.devices.iter().any(its);
        if is_free || !changed.is_empty() {
            self.core.move_for(ClusterEvent::ResourceClaimUpdate, &is_helped);
        }
    }
}

impl ResourceEventHandler<ResourceSlices> for Handlers {
    fn on_change(&self, _old: Option<&Rc<ResourceSlices>>, new: Option<&Rc<ResourceSlices>>) {
        if new.is_some() {
            self.core.move_for(ClusterEvent::ResourceSliceUpdate, &|_| true);
        }
    }
}

impl ResourceEventHandler<DeviceTaintRule> for Handlers {
    /// The slices whose devices a rule taints, or no longer taints, change with it
    /// (`resourceslice/tracker`).
    fn on_change(&self, old: Option<&Rc<DeviceTaintRule>>, new: Option<&Rc<DeviceTaintRule>>) {
        let informers = &self.core.informers;
        let is_changed = |slices: &Rc<ResourceSlices>| {
            let node = informers.name_of(slices.node);
            slices.devices.iter().any(|device| {
                let taint = |rule: Option<&Rc<DeviceTaintRule>>| {
                    let rule = rule.filter(|r| r.selector.matches(device, &node))?;
                    Some((rule.taint.clone(), rule.previews))
                };
                taint(old) != taint(new)
            })
        };
        if informers.slices().iter().any(is_changed) {
            self.core.move_for(ClusterEvent::ResourceSliceUpdate, &|_| true);
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
            && self.is_caught_up()
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
        let split = |pod: Option<PodAndShape>| match pod {
            Some(pod) if pod.0.node.is_some() => (Some(pod), None),
            pod => (None, pod.filter(|(_, shape)| responsible_for_pod(shape))),
        };
        let (old_bound, old_waiting) = split(old.cloned().zip(of_old));
        let (new_bound, new_waiting) = split(new.cloned().zip(of_new));
        let bound_now = old_waiting.is_some() && new_bound.is_some();
        self.hear(old_bound, new_bound);
        self.waiting_pod(old_waiting, new_waiting, bound_now);
        self.core.broadcast();
    }
}
