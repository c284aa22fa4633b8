//! `taint-stale`, for taints of node readiness rules: one stays although its rule is gone, no longer selects the
//! node, or has its conditions met.
//!
//! What labels a user sets is taken from the plan, as no record says it.

use super::prelude::*;
use crate::analysis::words::short_taint;
use crate::api::labels::Labels;
use crate::api::readiness::ReadinessSpec;
use std::rc::Rc;

/// What the kubelet of a node that joins posts at once.
const HEALTHY: [NodeConditionType; 4] = [
    NodeConditionType::MemoryPressure,
    NodeConditionType::DiskPressure,
    NodeConditionType::PidPressure,
    NodeConditionType::Ready,
];

/// What is known of a node.
#[derive(Default)]
struct Known {
    labels: Labels,
    /// Conditions by their types.
    conditions: BTreeMap<String, ConditionStatus>,
}

struct Search<'a> {
    analysis: &'a Analysis<'a>,
    bound: Bound<'a>,
    nodes: Vec<Known>,
    /// How often a rule of that name was created.
    created: BTreeMap<&'a str, usize>,
    /// The rules that there are, by name.
    rules: BTreeMap<&'a str, &'a ReadinessSpec>,
    /// Taints of rules, by node and rule: the record, and since when there has been no reason for it.
    taints: BTreeMap<(NodeId, &'a str), (RecordId, Option<Time>)>,
    found: &'a mut Found,
}

pub(super) fn taint_stale<'a>(analysis: &'a Analysis<'a>, found: &'a mut Found, within: Dur) {
    let plan = analysis.plan;
    let created = plan.actions.iter().filter_map(|a| match &a.act {
        Do::CreateReadinessRule(spec) => Some(spec),
        _ => None,
    });
    let specs: Vec<&Rc<ReadinessSpec>> = plan.readiness.rules.iter().chain(created).collect();
    if specs.is_empty() {
        return;
    }
    let fresh = |i| analysis.planned(NodeId(i)).map(Known::of).unwrap_or_default();
    let nodes = (0..analysis.node_count() as u32).map(fresh).collect();
    let (created, rules, taints) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let bound = Bound::new(analysis, within);
    let mut search = Search { analysis, bound, nodes, created, rules, taints, found };
    let mut labels = plan.actions.iter().peekable();
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        while let Some(action) = labels.next_if(|a| a.at <= r.at) {
            search.label(&action.act);
            search.look(action.at);
        }
        search.record(id, r, &specs);
    }
    search.end(analysis.horizon());
}

impl Known {
    /// What the plan says of a node.
    fn of(plan: &NodePlan) -> Self {
        let posted = plan.readiness.iter().flat_map(|r| r.conditions.clone());
        let of_kubelet: Vec<(NodeConditionType, ConditionStatus)> = match &plan.start {
            NodeStart::Ready | NodeStart::Absent => HEALTHY.map(|k| (k, k.healthy())).to_vec(),
            NodeStart::Silent => Vec::new(),
            NodeStart::Imported { conditions, .. } => {
                conditions.iter().map(|c| (c.kind, c.status)).collect()
            }
        };
        let of_kubelet = of_kubelet.into_iter().map(|(k, status)| (k.as_str().to_owned(), status));
        Self { labels: (*plan.labels).clone(), conditions: posted.chain(of_kubelet).collect() }
    }
}

impl<'a> Search<'a> {
    fn label(&mut self, act: &Do) {
        let Do::Label(nodes, labels) = act else { return };
        for node in nodes {
            let own = &mut self.nodes[self.analysis.node_id(*node).index()].labels;
            for (key, value) in labels {
                match value {
                    Some(value) => own.insert(key.clone(), value.clone()),
                    None => own.remove(key),
                };
            }
        }
    }

    fn record(&mut self, id: RecordId, r: &Record, specs: &[&'a Rc<ReadinessSpec>]) {
        let trace = self.analysis.trace;
        let text = |arg| trace.names.text_of(TextId(arg));
        match (r.what, r.node()) {
            (What::Noted(Note::ReadinessRuleCreated, name), _) => {
                let nth = self.created.entry(text(name)).or_default();
                let spec = specs.iter().filter(|s| s.name == text(name)).nth(*nth);
                *nth += 1;
                self.rules.extend(spec.map(|s| (s.name.as_str(), &***s)));
            }
            (What::Noted(Note::ReadinessRuleGone, name), _) => _ = self.rules.remove(text(name)),
            (What::Noted(Note::AgentCondition, posted), Some(node)) => {
                let (kind, status) = text(posted).rsplit_once('=').unwrap_or_default();
                if let Some(status) = ConditionStatus::parse(status) {
                    self.nodes[node.index()].conditions.insert(kind.to_owned(), status);
                }
            }
            (What::NodeCondition(kind, status, _), Some(node)) => {
                self.nodes[node.index()].conditions.insert(kind.as_str().to_owned(), status);
            }
            (What::NodeTaints(_), Some(node)) => {
                let Some(change) = trace.taint_change(r) else { return };
                for spec in specs {
                    let is_of = |t: &&Taint| t.matches(&spec.taint);
                    if change.removed.iter().any(|t| is_of(&t)) {
                        self.taints.remove(&(node, spec.name.as_str()));
                    }
                    if r.actor == Actor::NodeReadiness && change.added.iter().any(|t| is_of(&t)) {
                        self.taints.insert((node, &spec.name), (id, None));
                    }
                }
            }
            (What::NodeDeleted, Some(node)) => {
                self.taints.retain(|(n, _), _| *n != node);
                let fresh = self.analysis.planned(node).map(Known::of);
                self.nodes[node.index()] = fresh.unwrap_or_default();
            }
            _ => return,
        }
        self.look(r.at);
    }

    /// Looks through the taints of rules after something has changed.
    fn look(&mut self, at: Time) {
        let mut over = Vec::new();
        for (key, (record, without)) in &mut self.taints {
            let known = &self.nodes[key.0.index()];
            let is_wanted = self.rules.get(key.1).is_some_and(|rule| {
                rule.selector.matches(&known.labels)
                    && !rule.is_met(|kind| known.conditions.get(kind).copied())
            });
            match *without {
                Some(since) if is_wanted => {
                    over.push((*key, *record, since));
                    *without = None;
                }
                None if !is_wanted => *without = Some(at),
                _ => {}
            }
        }
        for (key, record, since) in over {
            self.judge(key, record, since, at, false);
        }
    }

    fn end(&mut self, horizon: Time) {
        for (key, (record, without)) in std::mem::take(&mut self.taints) {
            if let Some(since) = without {
                self.found.is_open |= self.bound.due(since).is_some_and(|at| at > horizon);
                self.judge(key, record, since, horizon, true);
            }
        }
    }

    fn judge(
        &mut self,
        (node, rule): (NodeId, &str),
        record: RecordId,
        since: Time,
        until: Time,
        still: bool,
    ) {
        let due = self.bound.due(since);
        let Some(at) = due.filter(|at| *at <= until) else { return };
        let r = self.analysis.trace.get(record);
        let added = r.and_then(|r| self.analysis.trace.taint_change(r)).map(|c| &c.added);
        let taints: Vec<String> = added.into_iter().flatten().map(short_taint).collect();
        let name = self.analysis.node_name(node);
        let text = format!(
            "{name} still has {} at {at:#}, for which rule {rule} has had no reason since {since:#}",
            taints.join(", ")
        );
        self.found.add(at, (None, Some(node)), text, &[record]);
        self.found.lasts((None, Some(node)), if still { Time::MAX } else { until });
    }
}
