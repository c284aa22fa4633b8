//! Which change may help which pods that were rejected (`framework/events.go`, the plugins'
//! `EventsToRegister` and queueing hints).

use super::cache::Cache;
use super::plugins::{
    node_affinity, node_ports, node_resources_fit, node_unschedulable, taint_toleration,
};
use super::shape::Shape;
use super::topology::KeyId;
use crate::api::labels::Labels;
use crate::api::names::PodId;
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::plan::switches::scheduler::{Switches, WakeRule};
use crate::trace::Plugin;
use std::rc::Rc;

/// A kind of change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClusterEvent {
    /// A node was added.
    NodeAdd,
    /// A node is gone.
    NodeDelete,
    /// A node's taints changed, or it is no longer cordoned.
    NodeTaint,
    /// A node's allocatable resources changed.
    NodeAllocatable,
    /// A node's labels changed.
    NodeLabel,
    /// The status of a condition of a node changed.
    NodeCondition,
    /// A bound pod was added.
    PodAdd,
    /// A bound pod's labels changed.
    PodLabel,
    /// A bound pod changed otherwise.
    PodUpdate,
    /// A bound pod is gone, or ended.
    PodDelete,
    /// The waiting pod's own labels changed.
    OwnLabels,
    /// The waiting pod got tolerations.
    OwnTolerations,
    /// The waiting pod's last scheduling gate was removed.
    OwnGates,
    /// The waiting pod changed otherwise.
    OwnUpdate,
    /// It has waited long enough, or somebody wants it tried.
    Any,
}

/// A pod and its shape.
pub type PodAndShape = (Rc<Pod>, Rc<Shape>);

/// A change with what it was before and after.
#[derive(Clone, Debug)]
pub struct Change {
    /// Its kind.
    pub event: ClusterEvent,
    /// The node before and after, of a change of a node.
    pub nodes: (Option<Rc<Node>>, Option<Rc<Node>>),
    /// The pod before and after, of a change of a pod.
    pub pods: (Option<PodAndShape>, Option<PodAndShape>),
}

impl Change {
    /// A change of no object.
    pub fn any() -> Self {
        Self {
            event: ClusterEvent::Any,
            nodes: (None, None),
            pods: (None, None),
        }
    }

    /// A change of a node.
    pub fn of_node(event: ClusterEvent, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) -> Self {
        Self {
            event,
            nodes: (old.cloned(), new.cloned()),
            pods: (None, None),
        }
    }

    /// A change of a pod.
    pub fn of_pod(event: ClusterEvent, old: Option<PodAndShape>, new: Option<PodAndShape>) -> Self {
        Self {
            event,
            nodes: (None, None),
            pods: (old, new),
        }
    }
}

/// What changed of a node that matters to waiting pods (`NodeSchedulingPropertiesChange`); `all` of
/// it, or the first only as up to 1.29.
pub fn node_changes(old: &Node, new: &Node, all: bool) -> Vec<ClusterEvent> {
    let statuses = |n: &Node| {
        let mut list: Vec<_> = n.conditions.iter().map(|c| (c.kind, c.status)).collect();
        list.sort_unstable();
        list
    };
    // Nearly always they come in the same order.
    let are_as_listed = || {
        old.conditions
            .iter()
            .map(|c| (c.kind, c.status))
            .eq(new.conditions.iter().map(|c| (c.kind, c.status)))
    };
    let mut events = Vec::new();
    if old.unschedulable && !new.unschedulable {
        events.push(ClusterEvent::NodeTaint);
    }
    if !Rc::ptr_eq(&old.allocatable, &new.allocatable) && old.allocatable != new.allocatable {
        events.push(ClusterEvent::NodeAllocatable);
    }
    if !Rc::ptr_eq(&old.labels, &new.labels) && old.labels != new.labels {
        events.push(ClusterEvent::NodeLabel);
    }
    if old.taints != new.taints {
        events.push(ClusterEvent::NodeTaint);
    }
    if !are_as_listed() && statuses(old) != statuses(new) {
        events.push(ClusterEvent::NodeCondition);
    }
    if !all {
        events.truncate(1);
    }
    events
}

/// What changed of a pod (`PodSchedulingPropertiesChange`).
pub fn pod_changes(old: &Pod, new: &Pod) -> Vec<ClusterEvent> {
    let bound = new.node.is_some();
    let (a, b) = (&*old.template, &*new.template);
    let gates = |p: &crate::api::pod::PodTemplate| {
        p.scheduling.as_ref().is_some_and(|s| !s.gates.is_empty())
    };
    let mut events = Vec::new();
    if !Rc::ptr_eq(&old.template, &new.template) {
        if a.labels != b.labels {
            events.push(if bound {
                ClusterEvent::PodLabel
            } else {
                ClusterEvent::OwnLabels
            });
        }
        if !bound && gates(a) && !gates(b) {
            events.push(ClusterEvent::OwnGates);
        }
        if !bound && a.tolerations.len() != b.tolerations.len() {
            events.push(ClusterEvent::OwnTolerations);
        }
    }
    if events.is_empty() {
        events.push(if bound {
            ClusterEvent::PodUpdate
        } else {
            ClusterEvent::OwnUpdate
        });
    }
    events
}

/// Whether a change of taints wakes the pods that a plugin rejected without asking it.
fn unasked(plugin: Plugin, event: ClusterEvent, switches: &Switches) -> bool {
    let deaf = matches!(
        plugin,
        Plugin::NodeAffinity
            | Plugin::NodePorts
            | Plugin::NodeResourcesFit
            | Plugin::InterPodAffinity
    );
    deaf && event == ClusterEvent::NodeTaint
        && switches.taint_changes_wake_unasked
        && switches.wake() == WakeRule::Hints
}

/// Whether a plugin is told of a kind of change at all.
pub fn registered(plugin: Plugin, event: ClusterEvent, switches: &Switches) -> bool {
    use ClusterEvent as E;
    let hints = switches.wake() == WakeRule::Hints;
    if unasked(plugin, event, switches) {
        return true;
    }
    let node_update = matches!(
        event,
        E::NodeTaint | E::NodeAllocatable | E::NodeLabel | E::NodeCondition
    );
    match plugin {
        Plugin::SchedulingGates => event == E::OwnGates || !hints && event == E::OwnUpdate,
        Plugin::NodeUnschedulable => {
            matches!(event, E::NodeAdd | E::NodeTaint) || hints && event == E::OwnTolerations
        }
        Plugin::TaintToleration if hints => {
            matches!(event, E::NodeAdd | E::NodeTaint | E::OwnTolerations)
        }
        Plugin::NodeAffinity if hints => matches!(event, E::NodeAdd | E::NodeLabel),
        Plugin::TaintToleration | Plugin::NodeAffinity => event == E::NodeAdd || node_update,
        Plugin::NodePorts if hints => matches!(event, E::NodeAdd | E::PodDelete),
        Plugin::NodeResourcesFit if hints => {
            matches!(event, E::NodeAdd | E::NodeAllocatable | E::PodDelete)
        }
        Plugin::NodePorts | Plugin::NodeResourcesFit => {
            matches!(event, E::NodeAdd | E::PodDelete) || node_update
        }
        Plugin::PodTopologySpread => match event {
            E::PodAdd | E::PodLabel | E::PodDelete | E::NodeAdd | E::NodeDelete | E::NodeLabel => {
                true
            }
            E::PodUpdate => !hints && switches.hears_pod_updates,
            E::NodeTaint => switches.taint_changes_wake_all,
            E::OwnLabels | E::OwnTolerations => hints,
            _ => false,
        },
        Plugin::InterPodAffinity => match event {
            E::PodAdd | E::PodLabel | E::PodDelete | E::NodeAdd | E::NodeLabel => true,
            E::PodUpdate => !hints && switches.hears_pod_updates,
            E::NodeTaint => switches.taint_changes_wake_all && !hints,
            _ => false,
        },
        Plugin::DefaultPreemption => event == E::PodDelete,
    }
}

/// Whether a plugin that rejected a pod thinks that a change may help it (the plugins' queueing
/// hints).
pub fn helps(
    plugin: Plugin,
    pod: PodId,
    shape: &Shape,
    change: &Change,
    cache: &Cache,
    switches: &Switches,
) -> bool {
    let (old, new) = (change.nodes.0.as_deref(), change.nodes.1.as_deref());
    let deleted = || {
        change
            .pods
            .1
            .is_none()
            .then_some(change.pods.0.as_ref())
            .flatten()
    };
    let comparison = switches.comparison_operators;
    if unasked(plugin, change.event, switches) {
        return true;
    }
    match plugin {
        Plugin::SchedulingGates => change.event == ClusterEvent::OwnGates,
        Plugin::NodeUnschedulable => node_unschedulable::hint(shape, change.event, old, new),
        Plugin::TaintToleration => {
            taint_toleration::hint(shape, change.event, old, new, comparison)
        }
        Plugin::NodeAffinity => {
            let new = new.map(|n| (cache.node(n.id).map_or("", |i| &*i.name), &*n.labels));
            node_affinity::hint(shape, change.event, old.map(|n| &*n.labels), new)
        }
        Plugin::NodePorts => match deleted() {
            Some((_, gone)) => node_ports::share_a_port(shape, gone),
            None => new.is_some(),
        },
        Plugin::NodeResourcesFit => {
            deleted().is_some() || node_resources_fit::hint(shape, old, new, switches)
        }
        Plugin::PodTopologySpread => spread(pod, shape, change, &|k| cache.topologies.name(k)),
        Plugin::InterPodAffinity => affinity(shape, change, &|k| cache.topologies.name(k)),
        Plugin::DefaultPreemption => false,
    }
}

fn spread<'a>(pod: PodId, shape: &Shape, change: &Change, keys: &dyn Fn(KeyId) -> &'a str) -> bool {
    let counts = |labels: &Labels| shape.hard_spread.iter().any(|c| c.selects(labels));
    let has_keys = |n: &Node| {
        shape
            .hard_spread
            .iter()
            .all(|c| n.labels.contains_key(keys(c.key)))
    };
    match (&change.nodes, &change.pods) {
        ((Some(old), Some(new)), _) => {
            let moved = || {
                shape
                    .hard_spread
                    .iter()
                    .any(|c| old.labels.get(keys(c.key)) != new.labels.get(keys(c.key)))
            };
            has_keys(old) != has_keys(new) || has_keys(new) && (moved() || old.taints != new.taints)
        }
        ((old, new), (None, None)) => old.as_ref().or(new.as_ref()).is_some_and(|n| has_keys(n)),
        (_, (old, new)) => {
            let related = |(p, s): &PodAndShape| {
                p.id == pod || p.node.is_some() && s.namespace == shape.namespace
            };
            if !old.iter().chain(new).all(related) {
                return false;
            }
            match (old, new) {
                (Some((_, a)), Some((_, b))) => {
                    let (a, b) = (&a.template, &b.template);
                    let tolerates_more = a.tolerations != b.tolerations
                        && shape.hard_spread.iter().any(|c| c.honor_taints);
                    tolerates_more
                        || shape
                            .hard_spread
                            .iter()
                            .any(|c| c.selects(&a.labels) != c.selects(&b.labels))
                }
                (one, other) => one
                    .as_ref()
                    .or(other.as_ref())
                    .is_some_and(|(_, s)| counts(&s.template.labels)),
            }
        }
    }
}

fn affinity<'a>(shape: &Shape, change: &Change, keys: &dyn Fn(KeyId) -> &'a str) -> bool {
    let hates = |other: &Shape| {
        !shape.anti_affinity.is_empty()
            && shape
                .anti_affinity
                .iter()
                .all(|t| shape.term_matches(t, other))
    };
    match (&change.nodes, &change.pods) {
        ((old, Some(new)), _) => {
            let value = |n: &Node, key: KeyId| n.labels.get(keys(key)).cloned();
            let gained = |key: KeyId| match old {
                None => value(new, key).is_some(),
                Some(old) => value(new, key).is_some() && value(old, key) != value(new, key),
            };
            let lost = |key: KeyId| match old {
                None => true,
                Some(old) => value(old, key).is_some() && value(old, key) != value(new, key),
            };
            shape.affinity.iter().any(|t| gained(t.key))
                || shape.anti_affinity.iter().any(|t| lost(t.key))
        }
        (_, (old, new)) if old.iter().chain(new).any(|(p, _)| p.node.is_none()) => false,
        (_, (Some((_, a)), Some((_, b)))) => {
            !shape.affinity_matches(a) && shape.affinity_matches(b) || hates(a) && !hates(b)
        }
        (_, (None, Some((_, added)))) => shape.affinity_matches(added),
        (_, (Some((_, gone)), None)) => hates(gone),
        _ => false,
    }
}
