//! From single nodes and pods to groups of the scenario language, one for each shape.

use super::node::{DeviceShape, NamedNode, NodeShape};
use super::pod::{NamedPod, PodShape};
use crate::api::device::DEFAULT_DEVICE_DRIVER;
use crate::import::prelude::*;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

/// Groups of nodes in the order of their first ones.
pub(super) fn nodes(nodes: Vec<NamedNode>) -> Vec<NodeGroup> {
    let grouped = by_shape(nodes.into_iter().map(|(name, shape)| (shape, name)));
    grouped.into_iter().map(|(shape, names)| node_group(names, shape)).collect()
}

/// Groups of pods in the order of their first ones. Pods that are bound and pods that are not do
/// not mix.
pub(super) fn pods(pods: Vec<NamedPod>) -> Vec<PodGroup> {
    let grouped = by_shape(
        pods.into_iter().map(|(name, node, shape)| ((node.is_some(), shape), (name, node))),
    );
    grouped.into_iter().map(|((_, shape), members)| pod_group(members, shape)).collect()
}

fn by_shape<S: Hash + Eq, M>(all: impl Iterator<Item = (S, M)>) -> Vec<(S, Vec<M>)> {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let mut by_hash: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut groups: Vec<(S, Vec<M>)> = Vec::new();
    for (shape, member) in all {
        let near = by_hash.entry(hasher.hash_one(&shape)).or_default();
        match near.iter().find(|i| groups[**i].0 == shape) {
            Some(&i) => groups[i].1.push(member),
            None => {
                near.push(groups.len());
                groups.push((shape, vec![member]));
            }
        }
    }
    groups
}

/// One name under `name`, several under `names`.
fn name_or_names(mut names: Vec<String>) -> (Option<String>, Option<OneOrMany>) {
    match names.len() {
        1 => (names.pop(), None),
        _ => (None, Some(OneOrMany::Many(shorten(&names)))),
    }
}

/// `timeAdded` of a taint, by the taint's name.
fn added(taint: &Taint) -> Option<(String, DurationText)> {
    Some((format!("{}:{}", taint.key, taint.effect), seconds(taint.time_added?.0)))
}

/// Devices in their order, those behind each other that are alike as one.
fn devices(all: &[DeviceShape]) -> Vec<NodeDevices> {
    let of = |d: &DeviceShape| (d.driver.clone(), d.pool.clone(), d.taints.clone());
    let alike = all.chunk_by(|a, b| of(a) == of(b));
    let written = |alike: &[DeviceShape]| {
        let (driver, pool, taints) = of(alike.first()?);
        let names: Vec<String> = alike.iter().map(|d| d.name.clone()).collect();
        let mut names = shorten(&names);
        Some(NodeDevices {
            driver: Some(driver).filter(|d| d != DEFAULT_DEVICE_DRIVER),
            names: match names.len() {
                1 => OneOrMany::One(names.pop()?),
                _ => OneOrMany::Many(names),
            },
            pool,
            taints_added: taints.iter().filter_map(added).collect(),
            taints: taints.iter().map(Taint::to_string).collect(),
        })
    };
    alike.filter_map(written).collect()
}

fn node_group(names: Vec<String>, shape: NodeShape) -> NodeGroup {
    let (name, names) = name_or_names(names);
    NodeGroup {
        name,
        names,
        labels: shape.labels,
        taints_added: shape.taints.iter().filter_map(added).collect(),
        taints: shape.taints.iter().map(Taint::to_string).collect(),
        unschedulable: shape.unschedulable,
        capacity: shape.allocatable,
        start: shape.start,
        images: shape.images.into_iter().collect(),
        devices: devices(&shape.devices),
        conditions: shape.asked_conditions,
        bootstrap_completed: shape.bootstrap_completed,
        kubelet: shape.kubelet.into_iter().map(|(flag, v)| (flag, FlagValue::Text(v))).collect(),
        ..NodeGroup::default()
    }
}

fn pod_group(members: Vec<(String, Option<String>)>, shape: PodShape) -> PodGroup {
    let (names, places): (Vec<String>, Vec<Option<String>>) = members.into_iter().unzip();
    let (name, names) = name_or_names(names);
    let on = match places.into_iter().collect::<Option<Vec<String>>>() {
        None => Placement::Unbound,
        Some(nodes) if nodes.windows(2).all(|w| w[0] == w[1]) => {
            nodes.into_iter().next().map_or(Placement::Unbound, Placement::Node)
        }
        Some(nodes) => Placement::Nodes(nodes),
    };
    // Bound pods are running and unbound ones are pending unless `start` says otherwise.
    let start = Some(shape.start).filter(|start| match start {
        PodStart::Running => false,
        PodStart::Pending => on != Placement::Unbound,
        PodStart::Starting { .. } | PodStart::Imported { .. } => true,
    });
    let group = PodGroup {
        name,
        names,
        namespace: (shape.namespace != "default").then_some(shape.namespace),
        on,
        owner: shape.owner,
        devices: shape.devices,
        static_pod: shape.static_pod,
        start,
        restart_count: Some(shape.restarts).filter(|n| *n > 0),
        stuck: shape.stuck,
        ..PodGroup::default()
    };
    let template = shape.template;
    // 30 is the default, and what nearly every pod has.
    let grace = template.termination_grace_period_seconds.filter(|g| *g != 30);
    group.with_template(PodTemplate {
        termination_grace_period_seconds: grace,
        priority: template.priority.filter(|p| *p != 0),
        ..template
    })
}

/// The names in their order, runs as ranges of the scenario language.
pub(super) fn shorten(names: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = names;
    while let Some(first) = rest.first() {
        let length = run(rest);
        if length < 3 {
            out.push(first.clone());
            rest = &rest[1..];
        } else {
            let (head, low, tail) = split(first);
            let (_, high, _) = split(&rest[length - 1]);
            out.push(format!("{head}{{{low}..{high}}}{tail}"));
            rest = &rest[length..];
        }
    }
    out
}

/// How many names from the first one on count up by one.
fn run(names: &[String]) -> usize {
    let (head, low, tail) = split(&names[0]);
    let Ok(start) = low.parse::<u64>() else { return 1 };
    // A leading zero pads all numbers of a range to one width; without it, each number is as short
    // as it can be.
    let width = if low.len() > 1 && low.starts_with('0') { low.len() } else { 0 };
    let follows = |(i, name): (u64, &String)| {
        let (h, number, t) = split(name);
        h == head
            && t == tail
            && start.checked_add(i).is_some_and(|n| number == format!("{n:0width$}"))
    };
    (0_u64..).zip(names).take_while(|&pair| follows(pair)).count()
}

/// The last number of a name, and what stands before and after it.
fn split(name: &str) -> (&str, &str, &str) {
    let end = name.bytes().rposition(|b| b.is_ascii_digit()).map_or(0, |i| i + 1);
    let start = name[..end].bytes().rposition(|b| !b.is_ascii_digit()).map_or(0, |i| i + 1);
    (&name[..start], &name[start..end], &name[end..])
}

/// The priorities of Kubernetes' own classes, of those in the files, and of those that pods were
/// admitted with.
pub(super) fn priorities(
    classes: &Named<PriorityClass>,
    pods: &[NamedPod],
) -> BTreeMap<String, i32> {
    let mut all = BTreeMap::from([
        ("system-cluster-critical".to_owned(), 2_000_000_000),
        ("system-node-critical".to_owned(), 2_000_001_000),
    ]);
    all.extend(classes.iter().map(|c| (c.name.clone(), c.value)));
    for (.., shape) in pods {
        let template = &shape.template;
        if let (Some(class), Some(value)) = (&template.priority_class_name, template.priority) {
            all.entry(class.clone()).or_insert(value);
        }
    }
    all
}

/// The classes that a scenario writes: those of the files beside Kubernetes' own, and those that
/// templates name and only pods know the priority of.
pub(super) fn priority_classes(
    classes: &Named<PriorityClass>,
    priorities: BTreeMap<String, i32>,
    workloads: &[Workload],
) -> Vec<PriorityClass> {
    let own = |c: &&PriorityClass| !c.name.starts_with("system-");
    let mut all: Vec<PriorityClass> = classes.iter().filter(own).cloned().collect();
    let named = |name: &str| {
        workloads.iter().any(|w| w.group().template.priority_class_name.as_deref() == Some(name))
    };
    for (name, value) in priorities {
        if !name.starts_with("system-") && named(&name) && !all.iter().any(|c| c.name == name) {
            all.push(PriorityClass { name, value, global_default: false, preemption_policy: None });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], short: &[&str]) {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        assert_eq!(shorten(&names), short);
        let long: Vec<String> =
            short.iter().flat_map(|s| crate::language::names::expand(s, 100).unwrap()).collect();
        assert_eq!(long, names, "the language reads them back");
    }

    #[test]
    fn runs_become_ranges() {
        check(&["a1", "a2", "a3"], &["a{1..3}"]);
        check(&["a1", "a2"], &["a1", "a2"]);
        check(&["n007", "n008", "n009", "n010", "n012"], &["n{007..010}", "n012"]);
        check(&["a8", "a9", "a10", "a11"], &["a{8..11}"]);
        check(&["a08", "a09", "a10"], &["a{08..10}"]);
        check(&["db-0", "db-1", "db-2", "web-0"], &["db-{0..2}", "web-0"]);
        check(&["ip-1.x", "ip-2.x", "ip-3.x"], &["ip-{1..3}.x"]);
    }

    #[test]
    fn what_is_no_run() {
        check(&["a1", "a2", "b3"], &["a1", "a2", "b3"]);
        check(&["a3", "a2", "a1"], &["a3", "a2", "a1"]);
        check(&["a09", "a10", "a011"], &["a09", "a10", "a011"]);
        check(&["a9", "a010", "a011"], &["a9", "a010", "a011"]);
        check(&["x", "y", "z"], &["x", "y", "z"]);
        check(
            &["a18446744073709551615", "a18446744073709551616", "a18446744073709551617"],
            &["a18446744073709551615", "a18446744073709551616", "a18446744073709551617"],
        );
        check(&["a99", "a99", "a99"], &["a99", "a99", "a99"]);
    }
}
