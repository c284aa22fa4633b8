//! Why things happened: what `explain` says of nodes, pods, workloads and zones, each text and each
//! step once.

use super::names::{Nodes, Pods};
use crate::analysis::Eviction;
use crate::analysis::explain::{
    Explanation, Question, Step, Stories, explain_nodes, explain_pods, explain_workloads,
    explain_zones,
};
use crate::report::Report;
use crate::report::html::columns::Columns;
use crate::report::prelude::*;

/// At most this many pods are explained, the evicted ones first: each adds some fifty bytes to a page that is
/// attached to tickets.
const MOST_PODS: usize = 10_000;

/// What is explained: nodes, workloads, zones, and pods as far as it goes.
pub(super) fn write(
    report: &Report<'_>,
    groups: &[String],
    (nodes, pods): (&Nodes, &Pods),
    evicted: &[Eviction<'_>],
    columns: &mut Columns,
) {
    let analysis = report.analysis;
    let question = Question { analysis, until: analysis.horizon(), groups };
    let mut told = Told::default();
    // A node is in the chain of each of its pods, too.
    let stories = Stories::new(question, &nodes.ids);
    let of_nodes = explain_nodes(question, &nodes.ids, &stories);
    for (node, why) in (0..).zip(of_nodes) {
        told.add(NODE, node, &why);
    }
    for (zone, why) in (0..).zip(explain_zones(question, 0..analysis.zones.len() as u16)) {
        told.add(ZONE, zone, &why);
    }
    let (places, ids): (Vec<u32>, Vec<WorkloadId>) =
        (0..).zip(&report.serving.workloads).filter_map(|(place, w)| Some((place, w.id?))).unzip();
    for (place, why) in places.iter().zip(explain_workloads(question, &ids)) {
        told.add(WORKLOAD, *place, &why);
    }
    let ordered = ordered(pods, evicted);
    let shown = &ordered[..ordered.len().min(MOST_PODS)];
    for (pod, why) in shown.iter().zip(explain_pods(question, shown, &stories)) {
        told.add(POD, pods.place(*pod), &why);
    }
    told.write(columns);
}

/// The kinds of objects, as the page numbers them.
const POD: u32 = 0;
const NODE: u32 = 1;
const WORKLOAD: u32 = 2;
const ZONE: u32 = 3;

/// The pods of a page, those first whose story people ask for first: of each node the first one that
/// was evicted from it, then the second ones, and so on; then those that were not evicted.
fn ordered(pods: &Pods, evicted: &[Eviction<'_>]) -> Vec<PodId> {
    let mut of_node: BTreeMap<Option<NodeId>, u32> = BTreeMap::new();
    let mut first: BTreeMap<PodId, u32> = BTreeMap::new();
    for e in evicted {
        let before = of_node.entry(e.node).or_default();
        let place = first.entry(e.pod).or_insert(u32::MAX);
        *place = (*place).min(*before);
        *before += 1;
    }
    let mut all = pods.ids.clone();
    all.sort_by_cached_key(|p| first.get(p).copied().unwrap_or(u32::MAX));
    all
}

/// Explanations, with each text and each step once.
#[derive(Default)]
struct Told {
    texts: BTreeMap<String, u32>,
    steps: BTreeMap<(Time, u32, u32), u32>,
    all: Vec<One>,
}

struct One {
    kind: u32,
    place: u32,
    verdict: u32,
    steps: Vec<u32>,
    /// Texts, and what `--set` takes, one higher than its text.
    remedies: Vec<(u32, u32)>,
    notes: Vec<u32>,
}

impl Told {
    fn text(&mut self, text: &str) -> u32 {
        if let Some(known) = self.texts.get(text) {
            return *known;
        }
        let next = self.texts.len() as u32;
        self.texts.insert(text.to_owned(), next);
        next
    }

    fn or_none(&mut self, text: Option<&String>) -> u32 {
        text.map_or(0, |t| self.text(t) + 1)
    }

    fn step(&mut self, step: &Step) -> u32 {
        let (text, rule) = (self.text(&step.text), self.or_none(step.rule.as_ref()));
        let next = self.steps.len() as u32;
        *self.steps.entry((step.at, text, rule)).or_insert(next)
    }

    fn add(&mut self, kind: u32, place: u32, e: &Explanation) {
        let verdict = self.text(&e.verdict);
        let steps = e.steps.iter().map(|s| self.step(s)).collect();
        let remedies = e.remedies.iter();
        let remedies =
            remedies.map(|r| (self.text(&r.text), self.or_none(r.set.as_ref()))).collect();
        let notes = e.notes.iter().map(|n| self.text(n)).collect();
        self.all.push(One { kind, place, verdict, steps, remedies, notes });
    }

    fn write(self, columns: &mut Columns) {
        // Sorted, texts have most in common with the one before.
        let mut places = vec![0_u32; self.texts.len()];
        for (place, old) in (0..).zip(self.texts.values()) {
            places[*old as usize] = place;
        }
        let text = |old: u32| places[old as usize];
        let or_none = |old: u32| old.checked_sub(1).map_or(0, |old| text(old) + 1);
        columns.texts("why.text", self.texts.keys().map(String::as_str));
        let mut ordered: Vec<_> = self.steps.iter().collect();
        ordered.sort_unstable_by_key(|(_, place)| **place);
        let steps = || ordered.iter().map(|(step, _)| *step);
        columns.near("why.step.at", steps().map(|s| s.0.as_millis()));
        columns.near("why.step.text", steps().map(|s| text(s.1)));
        columns.near("why.step.rule", steps().map(|s| or_none(s.2)));
        let all = || self.all.iter();
        columns.codes("why.kind", all().map(|o| o.kind));
        columns.near("why.place", all().map(|o| o.place));
        columns.near("why.verdict", all().map(|o| text(o.verdict)));
        columns.codes("why.steps", all().map(|o| o.steps.len() as u32));
        columns.near("why.step", all().flat_map(|o| o.steps.iter().copied()));
        columns.codes("why.remedies", all().map(|o| o.remedies.len() as u32));
        let remedies = || all().flat_map(|o| &o.remedies);
        columns.near("why.remedy", remedies().map(|r| text(r.0)));
        columns.near("why.set", remedies().map(|r| or_none(r.1)));
        columns.codes("why.notes", all().map(|o| o.notes.len() as u32));
        columns.near("why.note", all().flat_map(|o| o.notes.iter().map(|n| text(*n))));
    }
}
