//! From single nodes and pods to groups of the scenario language, one for each shape.

use super::fields;
use super::node::{ConditionShape, NamedNode, NodeShape, NodeState};
use super::pod::{NamedPod, PodConditionShape, PodShape, StartShape};
use super::times::SECOND_US;
use crate::api::pod::PodSource;
use crate::api::taint::Taint;
use crate::api::toleration::{Operator, Toleration};
use crate::language::{
    self, DurationText, NodeGroup, OneOrMany, Placement, PodGroup, QuantityText,
};
use std::collections::BTreeMap;

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

fn by_shape<S: Ord + Clone, M>(all: impl Iterator<Item = (S, M)>) -> Vec<(S, Vec<M>)> {
    let mut at: BTreeMap<S, usize> = BTreeMap::new();
    let mut groups: Vec<(S, Vec<M>)> = Vec::new();
    for (shape, member) in all {
        match at.get(&shape) {
            Some(&i) => groups[i].1.push(member),
            None => {
                at.insert(shape.clone(), groups.len());
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

fn node_group(names: Vec<String>, shape: NodeShape) -> NodeGroup {
    let (name, names) = name_or_names(names);
    let added = |t: &Taint| Some((format!("{}:{}", t.key, t.effect), seconds(t.time_added?.0)));
    NodeGroup {
        name,
        names,
        labels: shape.labels,
        taints_added: shape.taints.iter().filter_map(added).collect(),
        taints: shape.taints.iter().map(Taint::to_string).collect(),
        unschedulable: shape.unschedulable,
        capacity: quantities(shape.allocatable),
        start: shape.state.map(node_start),
        ..NodeGroup::default()
    }
}

fn node_start(state: NodeState) -> language::NodeStart {
    let condition = |c: ConditionShape| {
        Some(language::Condition {
            // Every type that is modelled is a word of the language.
            kind: fields::shared(c.kind.as_str())?,
            status: c.status,
            reason: c.reason,
            last_heartbeat_time: seconds(c.heartbeat),
            last_transition_time: seconds(c.transition),
        })
    };
    language::NodeStart::Imported {
        conditions: state.conditions.into_iter().filter_map(condition).collect(),
        renew_time: state.renewed_us.map(micros),
        cut_off: state.cut,
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
    let start = match shape.start {
        StartShape::Running => None,
        StartShape::Pending => {
            (!matches!(on, Placement::Unbound)).then_some(language::PodStart::Pending)
        }
        StartShape::State { phase, ready, disruption_target, deletion } => {
            Some(language::PodStart::Imported {
                phase,
                ready: ready.map(pod_condition),
                disruption_target: disruption_target.map(pod_condition),
                deletion: deletion.map(|(at, grace)| language::Deletion {
                    timestamp: seconds(at),
                    grace_period_seconds: grace,
                }),
            })
        }
    };
    let tolerations = shape.tolerations.into_iter().map(toleration);
    PodGroup {
        name,
        names,
        namespace: (shape.namespace != "default").then_some(shape.namespace),
        on,
        labels: shape.labels,
        owner: shape.owner.map(|(kind, name)| language::Owner { kind, name }),
        tolerations: tolerations.collect(),
        // 30 is the default, and what nearly every pod has.
        termination_grace_period_seconds: shape.grace.filter(|g| *g != 30),
        node_selector: shape.node_selector,
        requests: quantities(shape.requests),
        priority: shape.priority.filter(|p| *p != 0),
        priority_class_name: Some(shape.priority_class).filter(|c| !c.is_empty()),
        affinity: shape.scheduling.affinity,
        topology_spread_constraints: shape.scheduling.topology_spread_constraints,
        ports: shape.scheduling.ports,
        scheduling_gates: shape.scheduling.gates,
        preemption_policy: shape.scheduling.preemption_policy,
        container_requests: shape
            .scheduling
            .container_requests
            .into_iter()
            .map(quantities)
            .collect(),
        empty_dir: shape.scheduling.empty_dir,
        persistent_volumes: shape.scheduling.persistent_volumes,
        pod_deletion_cost: shape.deletion_cost,
        static_pod: shape
            .static_from_url
            .map(|url| if url { PodSource::Url } else { PodSource::File }),
        start,
        ..PodGroup::default()
    }
}

pub(super) fn toleration(t: Toleration) -> language::Toleration {
    language::Toleration {
        key: t.key,
        operator: Some(t.operator).filter(|o| *o != Operator::Equal),
        value: t.value,
        effect: t.effect,
        toleration_seconds: t.toleration_seconds,
    }
}

/// A reason that the language does not know is left out, as it says.
fn pod_condition(c: PodConditionShape) -> language::PodCondition {
    // Up to 1.25 the scheduler's reason had another name.
    let word =
        if c.reason == "PreemptionByKubeScheduler" { "PreemptionByScheduler" } else { &c.reason };
    language::PodCondition {
        status: c.status,
        reason: fields::shared(word),
        last_transition_time: seconds(c.transition),
    }
}

pub(super) fn quantities(texts: BTreeMap<String, String>) -> BTreeMap<String, QuantityText> {
    texts.into_iter().map(|(name, text)| (name, QuantityText(text))).collect()
}

fn seconds(s: i64) -> DurationText {
    micros(s * SECOND_US)
}

/// A span in Go's syntax, `-1h2m3.5s`; exact.
pub(super) fn micros(us: i64) -> DurationText {
    let sign = if us < 0 { "-" } else { "" };
    let (total_s, fraction) = (
        us.unsigned_abs() / SECOND_US.unsigned_abs(),
        us.unsigned_abs() % SECOND_US.unsigned_abs(),
    );
    let (h, m, s) = (total_s / 3600, total_s / 60 % 60, total_s % 60);
    let mut text = sign.to_owned();
    if h > 0 {
        text += &format!("{h}h");
    }
    if m > 0 {
        text += &format!("{m}m");
    }
    if fraction > 0 {
        text += format!("{s}.{fraction:06}").trim_end_matches('0');
        text += "s";
    } else if s > 0 || total_s == 0 {
        text += &format!("{s}s");
    }
    DurationText(text)
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
    let Ok(start) = low.parse::<u64>() else {
        return 1;
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Go's `time.Duration.String`, without the zero minutes and seconds it would add.
    #[test]
    fn spans_as_go_writes_them() {
        for (us, text) in [
            (0, "0s"),
            (-12_000_000, "-12s"),
            (-293_458, "-0.293458s"),
            (3_600_000_000, "1h"),
            (-93_784_500_000, "-26h3m4.5s"),
            (60_000_000, "1m"),
            (61_000_001, "1m1.000001s"),
        ] {
            assert_eq!(micros(us).0, text);
        }
    }

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
