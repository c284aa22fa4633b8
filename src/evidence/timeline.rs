//! The timeline of a past outage in the scenario language: each entry with its evidence in a
//! comment.
//!
//! What people did to objects that the cluster does not have is left out, and said. Evictions
//! through the API by somebody who cordoned the pods' node shortly before are a drain; without the
//! bodies of requests the patch of the node is taken to be that cordon.

use super::audit::{EVICTING, taints};
use super::outage::{Deletion, Failure, Outage, is_own};
use crate::evidence::prelude::*;
use crate::files::line;
use crate::import::micros;
use std::fmt::Write as _;

/// A kubelet that is reached again says so after about this long.
const BACK_US: i64 = SECOND_US;
/// Within this time a kubelet posts what it finds (`nodeStatusUpdateFrequency`).
const POSTED_US: i64 = 10 * SECOND_US;
/// The first eviction of a drain comes no longer than this after its cordon.
const DRAIN_BEGINS_US: i64 = 60 * SECOND_US;

/// What the cluster has at the start.
#[derive(Default)]
pub(super) struct Objects {
    /// The taints of nodes, without those that controllers write.
    taints: BTreeMap<String, Vec<String>>,
    /// The nodes of pods, where they have one.
    pods: BTreeMap<String, Option<String>>,
    /// `Kind/namespace/name`
    workloads: BTreeSet<String>,
}

/// An entry: its time in microseconds from the start, its step, and what is told of it.
type Entry = (i64, String, String);

/// A timeline.
pub(super) struct Timeline {
    start: Stamp,
    entries: Vec<Entry>,
    /// What people did to objects that are not there.
    strange: Vec<String>,
    /// What came after the outage was over.
    late: Vec<String>,
}

/// A node that somebody drained.
struct Drain {
    node: String,
    by: String,
    /// The cordon that it began with.
    begins: Statement,
    pods: BTreeSet<String>,
}

impl Objects {
    /// Of all objects that there are.
    pub(super) fn of(all: &[Value]) -> Self {
        let mut objects = Objects::default();
        for object in all {
            let name = full_name(object);
            match object["kind"].as_str() {
                Some("Node") => {
                    let mut taints = taints(&object["spec"]["taints"]);
                    taints.retain(|t| !is_own(t));
                    objects.taints.insert(name, taints);
                }
                Some("Pod") => {
                    let node = object["spec"]["nodeName"].as_str().map(str::to_owned);
                    objects.pods.insert(name, node);
                }
                Some(kind) if WorkloadKind::parse(kind).is_some() => {
                    objects.workloads.insert(format!("{kind}/{name}"));
                }
                _ => {}
            }
        }
        objects
    }
}

impl Timeline {
    pub(super) fn new(start: Stamp) -> Self {
        Timeline { start, entries: Vec::new(), strange: Vec::new(), late: Vec::new() }
    }

    /// Its text in a scenario.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("    timeline: [\n");
        for (at, step, words) in &self.entries {
            // Writing to a string cannot fail.
            _ = writeln!(text, "        // {}", line(words));
            _ = writeln!(text, "        (at: {:?}, do: {step}),", micros(*at).0);
        }
        text + "    ],\n"
    }

    /// It in words, a sentence each.
    pub(super) fn told(&self) -> Vec<String> {
        let at = |us: &i64| Stamp(self.start.0 + us).to_rfc3339();
        let one = |(us, _, words): &Entry| format!("{}: {words}", at(us));
        self.entries.iter().map(one).collect()
    }

    /// Leaves out what came later, in microseconds from the start.
    pub(super) fn end(&mut self, last: i64) {
        let late = self.entries.partition_point(|e| e.0 <= last);
        let late = self.entries.split_off(late);
        self.late = late.into_iter().map(|(_, _, words)| words).collect();
    }

    /// What a person should know of what is not in it.
    pub(super) fn left_out(&self) -> impl Iterator<Item = String> {
        let parts = [
            (&self.strange, "of objects that the cluster does not have"),
            (&self.late, "of after the outage was over"),
        ];
        parts.into_iter().filter_map(|(what, why)| {
            let (first, n) = (what.first()?, what.len());
            let more = if n > 1 { ", …" } else { "" };
            Some(format!("{} {why}, left out: {first}{more}", are(n, "action")))
        })
    }

    /// Takes in what was known of others than silent nodes.
    pub(super) fn take(&mut self, outage: &Outage, was: &Objects) {
        let start = self.start.0;
        let found = |posted: &Statement| Statement {
            at: Stamp((posted.at.0 - POSTED_US / 2).max(start)),
            ..posted.clone()
        };
        for failure @ Failure { node, since, .. } in &outage.not_ready {
            let step = |status| format!("Condition(node: {node:?}, type: Ready, status: {status})");
            let said = format!("the kubelet of {node} says that it is not ready");
            self.add(&found(since), step("False"), said);
            if let Some(back) = failure.returned() {
                self.add(&found(back), step("True"), format!("{node} is ready again"));
            }
        }
        let drains = drains(outage, was);
        self.take_actions(&outage.actions, was, &drains);
        drains.iter().for_each(|drain| self.drain(drain));
        let drained: BTreeSet<&String> = drains.iter().flat_map(|d| &d.pods).collect();
        for (pod, Deletion { known, by, grace }) in outage.each_deletion() {
            if was.pods.contains_key(pod) && !drained.contains(pod) {
                let given = |g| (format!(", gracePeriodSeconds: {g}"), format!(", within {g} s"));
                let (flag, said) = grace.map(given).unwrap_or_default();
                let step = format!("DeletePod(pod: {pod:?}{flag})");
                self.add(known, step, format!("{by} deletes {pod}{said}"));
            }
        }
        for (component, known) in &outage.leaders {
            if component == "kube-controller-manager" {
                let step = "ControllerRestart(downtime: \"1s\")".to_owned();
                let words = "another kube-controller-manager takes over".to_owned();
                self.add(known, step, words);
            }
        }
        // What was before the start is in the cluster as it stands.
        self.entries.retain(|e| e.0 >= 0);
        self.entries.sort();
        // Of two sources that tell of one thing the first counts.
        self.entries.dedup_by(|b, a| a.1 == b.1 && b.0 - a.0 < SECOND_US);
    }

    fn add(&mut self, known: &Statement, step: String, words: String) {
        let words = format!("{words} ({})", known.place);
        self.entries.push((known.at.0 - self.start.0, step, words));
    }

    fn take_actions(&mut self, actions: &[(Statement, String)], was: &Objects, drains: &[Drain]) {
        let mut taints = was.taints.clone();
        for (told, by) in actions {
            let Statement { at, within_us, said, place } = told;
            let begins = |d: &Drain| {
                (d.begins.at, d.begins.within_us, &d.begins.place) == (*at, *within_us, place)
            };
            if drains.iter().any(begins) || matches!(said, Said::NodeWritten { .. }) {
                continue;
            }
            let node = said.node().filter(|n| !was.taints.contains_key(*n));
            let workload = match said {
                Said::Scaled { workload, .. } | Said::WorkloadDeleted { workload, .. } => {
                    Some(workload.as_str()).filter(|w| !was.workloads.contains(*w))
                }
                _ => None,
            };
            if let Some(name) = node.or(workload) {
                self.strange.push(format!("{by} on {name}"));
                continue;
            }
            for (step, words) in steps_of(said, by, &mut taints) {
                self.add(told, step, words);
            }
        }
    }

    fn drain(&mut self, drain: &Drain) {
        let Drain { node, by, pods, .. } = drain;
        // That it went on says that nothing stood in its way.
        let step = format!(
            "Drain(node: {node:?}, force: true, ignore_daemonsets: true, delete_emptydir_data: true)"
        );
        let pods = counted(pods.len(), "pod");
        let words = format!("{by} drains {node}: {pods} evicted through the API");
        self.add(&drain.begins, step, words);
    }

    /// A node falls silent then, for a reason.
    pub(super) fn falls_silent(&mut self, silence: &Failure, at: Stamp, why: &str) {
        let words = format!(
            "{} falls silent: given up {} ({}); {why}",
            silence.node,
            silence.since.when(),
            silence.since.place
        );
        let step = format!("Partition(node: {:?})", silence.node);
        self.entries.push((at.0 - self.start.0, step, words));
    }

    pub(super) fn comes_back(&mut self, node: &str, back: &Statement) {
        let words = format!("{node} comes back: Ready {} ({})", back.when(), back.place);
        let at = (back.at.0 - BACK_US - self.start.0).max(0);
        self.entries.push((at, format!("Heal(node: {node:?})"), words));
    }
}

/// Evictions through the API, by who asked for them and by the pods' nodes, that a cordon of such a
/// node by the same person, or by somebody who is not named, came before.
fn drains(outage: &Outage, was: &Objects) -> Vec<Drain> {
    let mut evicted: BTreeMap<(&str, &str), Vec<(&String, Stamp)>> = BTreeMap::new();
    for (pod, Deletion { known, by, .. }) in outage.each_deletion() {
        let node = was.pods.get(pod).and_then(Option::as_deref);
        if let Some((by, node)) = by.strip_suffix(EVICTING).zip(node) {
            evicted.entry((by, node)).or_default().push((pod, known.at));
        }
    }
    let drain = |((by, node), pods): ((&str, &str), Vec<(&String, Stamp)>)| {
        let first = pods.iter().map(|p| p.1).min()?;
        let (begins, _) = outage.actions.iter().rev().find(|(told, who)| {
            let cordons = match &told.said {
                Said::Cordoned { cordoned, .. } => *cordoned,
                said => matches!(said, Said::NodeWritten { .. }),
            };
            cordons
                && told.said.node() == Some(node)
                && (who == by || who == SOMEBODY)
                && (0..DRAIN_BEGINS_US).contains(&(first.0 - told.at.0))
        })?;
        Some(Drain {
            node: node.to_owned(),
            by: by.to_owned(),
            begins: begins.clone(),
            pods: pods.into_iter().map(|p| p.0.clone()).collect(),
        })
    };
    evicted.into_iter().filter_map(drain).collect()
}

/// What a person did, in the language and in words. `taints` are those of nodes so far.
fn steps_of(
    said: &Said,
    by: &str,
    taints: &mut BTreeMap<String, Vec<String>>,
) -> Vec<(String, String)> {
    let one = match said {
        Said::TaintsAre { node, taints: told, .. }
        | Said::NoExecuteAre { node, taints: told }
        | Said::Tainted { node, taints: told } => {
            let before = taints.remove(node).unwrap_or_default();
            let stays = |t: &&String| match said {
                Said::TaintsAre { .. } => false,
                Said::NoExecuteAre { .. } => !t.ends_with(":NoExecute"),
                _ => !told.contains(*t),
            };
            let others = told.iter().filter(|t| !is_own(t));
            let now: Vec<String> = before.iter().filter(stays).chain(others).cloned().collect();
            taints.insert(node.clone(), now.clone());
            return taint_steps(node, by, &before, &now);
        }
        Said::Cordoned { node, cordoned, .. } => {
            let word = if *cordoned { "Cordon" } else { "Uncordon" };
            (format!("{word}(node: {node:?})"), format!("{by} {}s {node}", word.to_lowercase()))
        }
        Said::NodeDeleted { node, .. } => {
            (format!("DeleteNode(node: {node:?})"), format!("{by} deletes node {node}"))
        }
        Said::NodeRegistered { node } => {
            (format!("AddNode(node: (name: {node:?}))"), format!("node {node} joins again"))
        }
        Said::Scaled { workload, replicas, .. } => (
            format!("Scale(workload: {workload:?}, replicas: {replicas})"),
            format!("{by} scales {workload} to {replicas}"),
        ),
        Said::WorkloadDeleted { workload, .. } => {
            (format!("DeleteWorkload(workload: {workload:?})"), format!("{by} deletes {workload}"))
        }
        _ => return Vec::new(),
    };
    vec![one]
}

/// From the taints that a node had to those that it has.
fn taint_steps(node: &str, by: &str, before: &[String], now: &[String]) -> Vec<(String, String)> {
    let place = |t: &str| -> String {
        let (key, effect) = t.split_once(':').unwrap_or((t, ""));
        format!("{}:{effect}", key.split('=').next().unwrap_or(key))
    };
    let quoted = |t: &String| format!("{t:?}");
    let list = |all: Vec<String>| all.iter().map(quoted).collect::<Vec<String>>().join(", ");
    let added: Vec<String> = now.iter().filter(|t| !before.contains(t)).cloned().collect();
    let kept: BTreeSet<String> = now.iter().map(|t| place(t)).collect();
    let gone = before.iter().map(|t| place(t)).filter(|t| !kept.contains(t));
    let gone: Vec<String> = gone.collect();
    let mut steps = Vec::new();
    if !gone.is_empty() {
        steps.push((
            format!("Untaint(node: {node:?}, taint: [{}])", list(gone)),
            format!("{by} takes taints off {node}"),
        ));
    }
    if !added.is_empty() {
        steps.push((
            format!("Taint(node: {node:?}, taint: [{}], overwrite: true)", list(added)),
            format!("{by} taints {node}"),
        ));
    }
    steps
}
