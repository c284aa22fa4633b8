//! Which change may help which pods that were rejected (the plugins' `EventsToRegister` and
//! queueing hints).

use super::plugins::{
    dynamic_resources, node_affinity, node_ports, node_resources_fit, node_unschedulable,
    node_volume_limits, taint_toleration, volume_binding,
};
use crate::controllers::scheduler::prelude::*;

/// Whether a change of taints wakes the pods that a plugin rejected without asking it: one that hears of new nodes and not of
/// taints. What NodeVolumeLimits hears of is their CSINode.
fn unasked(plugin: Plugin, event: ClusterEvent, switches: &Switches) -> bool {
    let hears = |of| registered(plugin, of, switches);
    event == ClusterEvent::NodeTaint
        && switches.taint_changes_wake_unasked
        && switches.wake() == WakeRule::Hints
        && plugin != Plugin::NodeVolumeLimits
        && hears(ClusterEvent::NodeAdd)
        && !hears(event)
}

/// Whether a plugin hears of a kind of change at all.
fn registered(plugin: Plugin, event: ClusterEvent, switches: &Switches) -> bool {
    use ClusterEvent as E;
    let hints = switches.wake() == WakeRule::Hints;
    let node_update =
        matches!(event, E::NodeTaint | E::NodeAllocatable | E::NodeLabel | E::NodeCondition);
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
        Plugin::VolumeBinding
            if matches!(event, E::PersistentVolumeAdd | E::PersistentVolumeClaimUpdate) =>
        {
            true
        }
        Plugin::VolumeBinding => match event {
            E::NodeAdd | E::NodeLabel => true,
            E::NodeTaint if switches.taint_changes_wake_all => !hints,
            _ => node_update && switches.nodes_wake_volumes,
        },
        Plugin::VolumeRestrictions => matches!(event, E::NodeAdd | E::PodDelete),
        Plugin::NodeVolumeLimits => match event {
            E::VolumeAttachmentDelete => switches.attachments_count,
            event => matches!(event, E::NodeAdd | E::PodDelete),
        },
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
        Plugin::DynamicResources => dynamic_resources::hears(event),
        Plugin::DefaultPreemption => event == E::PodDelete,
        // Where these reject nodes, every change wakes all.
        Plugin::CheckNodeCondition
        | Plugin::CheckNodeMemoryPressure
        | Plugin::CheckNodePidPressure
        | Plugin::CheckNodeDiskPressure => false,
    }
}

/// Whether a plugin that rejected a pod thinks that a change may help it (the plugins' queueing
/// hints).
fn helps(
    plugin: Plugin,
    entry: &QueuedPod,
    change: &Change,
    cache: &Cache,
    switches: &Switches,
) -> bool {
    let shape = &*entry.shape;
    let nodes = (change.nodes.0.as_deref(), change.nodes.1.as_deref());
    let (old, new) = nodes;
    let deleted = || change.pods.1.is_none().then_some(change.pods.0.as_ref()).flatten();
    let comparison = switches.comparison_operators;
    match plugin {
        Plugin::SchedulingGates => change.event == ClusterEvent::OwnGates,
        Plugin::NodeUnschedulable => node_unschedulable::hint(shape, change.event, nodes),
        Plugin::TaintToleration => taint_toleration::hint(shape, change.event, nodes, comparison),
        Plugin::NodeAffinity => {
            let new = new.map(|n| (cache.node(n.id).map_or("", |i| &*i.name), &*n.labels));
            node_affinity::hint(shape, change.event, old.map(|n| &*n.labels), new)
        }
        Plugin::NodePorts => match deleted() {
            Some((_, gone)) => node_ports::share_a_port(shape, gone),
            None => new.is_some(),
        },
        Plugin::NodeResourcesFit => {
            deleted().is_some() || node_resources_fit::hint(shape, nodes, switches)
        }
        Plugin::VolumeBinding => volume_binding::hint(change.event, new),
        Plugin::VolumeRestrictions => deleted().is_some_and(|(gone, of)| {
            of.namespace == shape.namespace && volume_binding::share_a_claim(&entry.pod, gone)
        }),
        Plugin::NodeVolumeLimits => {
            node_volume_limits::hint(change.event, deleted().map(|(p, _)| &**p))
        }
        Plugin::PodTopologySpread => spread(entry, change, cache),
        Plugin::InterPodAffinity => affinity(shape, change, cache),
        Plugin::DynamicResources => true,
        Plugin::DefaultPreemption
        | Plugin::CheckNodeCondition
        | Plugin::CheckNodeMemoryPressure
        | Plugin::CheckNodePidPressure
        | Plugin::CheckNodeDiskPressure => false,
    }
}

/// The label of a node that a topology key is about.
fn value<'n>(node: &'n Node, key: KeyId, cache: &Cache) -> Option<&'n String> {
    node.labels.get(cache.topologies.name(key))
}

fn spread(entry: &QueuedPod, change: &Change, cache: &Cache) -> bool {
    let (namespace, all) = (&entry.shape.namespace, &entry.shape.hard_spread);
    let has_keys = |n: &Rc<Node>| all.iter().all(|c| value(n, c.key, cache).is_some());
    match (&change.nodes, &change.pods) {
        ((Some(old), Some(new)), _) => {
            let moves = |c: &Spread| value(old, c.key, cache) != value(new, c.key, cache);
            let moved = || all.iter().any(moves);
            has_keys(old) != has_keys(new) || has_keys(new) && (moved() || old.taints != new.taints)
        }
        ((old, new), (None, None)) => old.as_ref().or(new.as_ref()).is_some_and(has_keys),
        (_, (old, new)) => {
            let related = |(p, s): &PodAndShape| {
                p.id == entry.pod.id || p.node.is_some() && s.namespace == *namespace
            };
            if !old.iter().chain(new).all(related) {
                return false;
            }
            match (old, new) {
                (Some((_, a)), Some((_, b))) => {
                    let (a, b) = (&a.template, &b.template);
                    a.tolerations != b.tolerations && all.iter().any(|c| c.honor_taints)
                        || all.iter().any(|c| c.selects(&a.labels) != c.selects(&b.labels))
                }
                (one, other) => one
                    .as_ref()
                    .or(other.as_ref())
                    .is_some_and(|(_, s)| all.iter().any(|c| c.selects(&s.template.labels))),
            }
        }
    }
}

fn affinity(shape: &Shape, change: &Change, cache: &Cache) -> bool {
    let hates = |other: &Shape| {
        !shape.anti_affinity.is_empty()
            && shape.anti_affinity.iter().all(|t| shape.term_matches(t, other))
    };
    match (&change.nodes, &change.pods) {
        ((old, Some(new)), _) => {
            let before = |key: KeyId| old.as_ref().and_then(|old| value(old, key, cache));
            let changed = |key: KeyId| old.is_none() || before(key) != value(new, key, cache);
            let gained = |key: KeyId| value(new, key, cache).is_some() && changed(key);
            let lost = |key: KeyId| old.is_none() || before(key).is_some() && changed(key);
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

/// Whether a change is worth another try (`isPodWorthRequeuing`, `podMatchesEvent`).
pub(super) fn is_pod_worth_requeuing(
    entry: &QueuedPod,
    change: &Change,
    cache: &Cache,
    switches: &Switches,
) -> bool {
    let rejectors = entry.rejected_by;
    let of_this_pod = || change.pods.1.as_ref().is_none_or(|(p, _)| p.id == entry.pod.id);
    match change.event {
        _ if rejectors.is_empty() => true,
        ClusterEvent::Any => of_this_pod(),
        event => Plugin::ALL.iter().filter(|p| rejectors.has(**p)).any(|plugin| {
            unasked(*plugin, event, switches)
                || registered(*plugin, event, switches)
                    && (switches.wake() != WakeRule::Hints
                        || helps(*plugin, entry, change, cache, switches))
        }),
    }
}

/// Whether a change of this kind may help any pod.
pub(super) fn wants(event: ClusterEvent, switches: &Switches) -> bool {
    let all = switches.wake() == WakeRule::All;
    event == ClusterEvent::Any || all || Plugin::ALL.iter().any(|p| registered(*p, event, switches))
}
