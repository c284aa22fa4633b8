//! What became of a zone: its states, the rate that held in each, and what it cost.

use super::super::clock::absolute;
use super::super::evictions::evictions;
use super::super::rows::grouped;
use super::super::setting::{is_no_execute, zone_name};
use super::super::words::{self, ranges};
use super::{Explanation, Question, Step, node, rules};
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, TextId};
use crate::api::node::NodeConditionType;
use crate::kernel::Time;
use crate::trace::{Actor, RecordId, What, ZoneState};

/// When something became true of a node, and which record says so.
type Turned = (Time, RecordId, NodeId);

/// Explains a zone, given by its place in the list of zones.
pub(super) fn explain(question: Question<'_>, zone: u16) -> Explanation {
    let analysis = question.analysis;
    let name = analysis
        .zones
        .get(usize::from(zone))
        .map_or("", String::as_str);
    let of_zone = |n: NodeId| analysis.zone_of.get(n.index()) == Some(&zone);
    let nodes: Vec<NodeId> = (0..analysis.node_count() as u32)
        .map(NodeId)
        .filter(|n| of_zone(*n))
        .collect();
    let mut steps: Vec<Step> = Vec::new();
    let mut state = ZoneState::Normal;
    // Nodes that turned Unknown or NotReady, and those that were tainted, since the last step that
    // told of them.
    let (mut unready, mut tainted): (Vec<Turned>, Vec<Turned>) = (Vec::new(), Vec::new());
    let mut all_tainted = std::collections::BTreeSet::new();
    // What the run began with.
    let before: Vec<(NodeId, node::AtStart)> = nodes
        .iter()
        .map(|n| (*n, node::at_start(question, *n)))
        .collect();
    let began = |what: &str, of: &dyn Fn(&node::AtStart) -> bool| {
        let names: Vec<&str> = before
            .iter()
            .filter(|(_, b)| of(b))
            .map(|(n, _)| analysis.node_name(*n))
            .collect();
        let text = format!("{} {what} when the run began", ranges(&names));
        (!names.is_empty()).then_some(Step {
            at: Time::ZERO,
            text,
            rule: None,
            record: None,
        })
    };
    steps.extend(
        began("not Ready", &|b| b.unready)
            .into_iter()
            .chain(began("tainted NoExecute", &|b| b.no_execute)),
    );
    let records = analysis
        .trace
        .iter()
        .zip(0..)
        .take_while(|(r, _)| r.at <= question.until);
    for (r, id) in records {
        match r.what {
            What::Zone(new)
                if zone_name(analysis.trace.names.text_of(TextId(r.object))) == name =>
            {
                flush(
                    question,
                    &mut steps,
                    &mut unready,
                    "not Ready any more",
                    None,
                );
                flush(
                    question,
                    &mut steps,
                    &mut tainted,
                    "tainted NoExecute",
                    rules::zone(analysis.plan, state, nodes.len()),
                );
                if new != state {
                    let rule = rules::zone(analysis.plan, new, nodes.len());
                    steps.push(Step {
                        at: r.at,
                        text: words::record(analysis, r),
                        rule,
                        record: Some(id),
                    });
                }
                state = new;
            }
            What::MasterDisruptionEntered | What::MasterDisruptionLeft => {
                flush(
                    question,
                    &mut steps,
                    &mut unready,
                    "not Ready any more",
                    None,
                );
                flush(
                    question,
                    &mut steps,
                    &mut tainted,
                    "tainted NoExecute",
                    None,
                );
                steps.push(Step {
                    at: r.at,
                    text: words::record(analysis, r),
                    rule: None,
                    record: Some(id),
                });
            }
            What::NodeCondition(NodeConditionType::Ready, status, _)
                if of_zone(NodeId(r.object)) && status != ConditionStatus::True =>
            {
                unready.push((r.at, id, NodeId(r.object)));
            }
            What::NodeTaints(change)
                if of_zone(NodeId(r.object)) && r.actor == Actor::NodeLifecycle =>
            {
                let added = analysis
                    .trace
                    .taints
                    .get(change as usize)
                    .is_some_and(|c| c.added.iter().any(|t| is_no_execute(t.effect)));
                if added && all_tainted.insert(r.object) {
                    tainted.push((r.at, id, NodeId(r.object)));
                }
            }
            _ => {}
        }
    }
    flush(
        question,
        &mut steps,
        &mut unready,
        "not Ready any more",
        None,
    );
    flush(
        question,
        &mut steps,
        &mut tainted,
        "tainted NoExecute",
        rules::zone(analysis.plan, state, nodes.len()),
    );
    steps.sort_by_key(|s| s.at);
    let lost = evictions(analysis)
        .iter()
        .filter(|e| e.at <= question.until && e.node.is_some_and(of_zone))
        .count();
    let count = |n: usize, one: &str| {
        format!(
            "{} {one}{}",
            grouped(n as u64),
            if n == 1 { "" } else { "s" }
        )
    };
    let verdict = if steps.is_empty() {
        "nothing happened to its nodes".to_owned()
    } else {
        let said = if state == ZoneState::Empty {
            "without a state"
        } else {
            state.as_str()
        };
        format!(
            "{} of its {} tainted NoExecute, {} evicted; at {} it is {said}",
            grouped(
                all_tainted
                    .union(
                        &before
                            .iter()
                            .filter(|(_, b)| b.no_execute)
                            .map(|(n, _)| n.0)
                            .collect()
                    )
                    .count() as u64
            ),
            count(nodes.len(), "node"),
            count(lost, "pod"),
            absolute(question.until)
        )
    };
    Explanation {
        object: format!("zone {name}"),
        verdict,
        steps,
        ..Explanation::default()
    }
}

/// One step for what several nodes have in common.
fn flush(
    question: Question<'_>,
    steps: &mut Vec<Step>,
    of: &mut Vec<Turned>,
    what: &str,
    rule: Option<String>,
) {
    let (Some(&(at, record, _)), Some(&(last, ..))) = (of.first(), of.last()) else {
        return;
    };
    let names: Vec<&str> = of
        .iter()
        .map(|(_, _, n)| question.analysis.node_name(*n))
        .collect();
    let until = if last.since(at) >= crate::kernel::Dur::from_secs(1) {
        format!(", the last at {}", absolute(last))
    } else {
        String::new()
    };
    steps.push(Step {
        at,
        text: format!("{} {what}{until}", ranges(&names)),
        rule,
        record: Some(record),
    });
    of.clear();
}
