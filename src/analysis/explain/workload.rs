//! What became of a workload: when it had too few pods, which it lost and to whom, what replaced
//! them, and what is still missing.

use super::super::clock::{absolute, short};
use super::super::rows::{by, grouped};
use super::super::state::{Follow, NO_NODE};
use super::super::words::{self, ranges};
use super::super::workloads::{Owners, WorkloadOutcome, said, workloads};
use super::drain::Refusals;
use super::{Explanation, Question, Step, pending};
use crate::analysis::curves::value_at;
use crate::api::names::{TextId, WorkloadId};
use crate::kernel::{Dur, Time};
use crate::trace::{Actor, RecordId, What};

/// A loss: when, which record, whose pod on which node, by whom.
type Loss<'a> = (Time, RecordId, &'a str, &'a str, Actor);

/// Explains a workload.
pub(super) fn explain(question: Question<'_>, id: WorkloadId) -> Explanation {
    let analysis = question.analysis;
    let found = workloads(analysis);
    let Some(outcome) = found.outcomes.iter().find(|o| o.id == id) else {
        return Explanation::default();
    };
    let until = question.until;
    let (wanted, available) = (
        value_at(&outcome.wanted, until),
        value_at(&outcome.available, until),
    );
    let mut verdict = format!(
        "{} of {} pods available at {}",
        grouped(available.into()),
        grouped(wanted.into()),
        absolute(until)
    );
    let missing = missing(outcome, until);
    match (missing.first(), missing.iter().map(|m| m.2).max()) {
        (Some((from, ..)), Some(most)) => {
            let total = missing.iter().fold(Dur::ZERO, |sum, (from, to, _)| {
                sum.saturating_add(to.since(*from))
            });
            let total = short(Dur::from_millis(total.as_millis()));
            verdict.push_str(&format!(
                "; too few from {} on, for {total} in all, at worst {} missing",
                absolute(*from),
                grouped(most.into())
            ));
        }
        _ => verdict.push_str("; it never had too few"),
    }
    let mut steps = losses(question, id);
    steps.extend(refusals(question, id).steps(question));
    steps.extend(missing.iter().flat_map(|(from, to, most)| {
        let step = |at: Time, text: String| Step {
            at,
            text,
            rule: None,
            record: None,
        };
        let begins = step(
            *from,
            format!(
                "too few pods available from here on, at worst {} too few",
                grouped((*most).into())
            ),
        );
        let ends = (*to < until).then(|| step(*to, "enough pods are available again".to_owned()));
        std::iter::once(begins).chain(ends)
    }));
    let mut replaced: Vec<(Time, Option<Time>)> = Vec::new();
    let owners = Owners::new(analysis);
    for next in found.replacements.values() {
        if owners.of(analysis, next.pod) == Some(id) && next.created_at <= until {
            replaced.push((next.created_at, next.ready_at.filter(|at| *at <= until)));
        }
    }
    if let (Some(first), Some(last)) = (
        replaced.iter().map(|r| r.0).min(),
        replaced.iter().map(|r| r.0).max(),
    ) {
        let ready = replaced.iter().filter(|r| r.1.is_some()).count();
        let to = if last > first {
            format!(", the last at {}", absolute(last))
        } else {
            String::new()
        };
        let text = format!(
            "{} pods are created in place of lost ones{to}; {} of them get Ready",
            grouped(replaced.len() as u64),
            grouped(ready as u64)
        );
        steps.push(Step {
            at: first,
            text,
            rule: None,
            record: None,
        });
    }
    steps.sort_by_key(|s| s.at);
    let mut notes = Vec::new();
    if outcome.pending > 0 && until == analysis.horizon() {
        let why = outcome.why_pending.map_or(String::new(), |t: TextId| {
            let message = analysis.trace.names.text_of(t);
            let filters: Vec<String> = pending::rejections(message)
                .iter()
                .map(|r| format!("{} on {} nodes", r.filter, r.nodes))
                .collect();
            if filters.is_empty() {
                format!(": {message}")
            } else {
                format!(": {}", filters.join(", "))
            }
        });
        notes.push(format!(
            "{} of its pods are pending at the end{why}",
            grouped(outcome.pending)
        ));
    }
    if outcome.stuck > 0 {
        notes.push(format!(
            "{} of its pods are stuck Terminating at the end",
            grouped(outcome.stuck)
        ));
    }
    if !steps.is_empty() {
        notes.push("`explain` of one of its pods tells why that pod was lost".to_owned());
    }
    Explanation {
        object: said(analysis, id),
        verdict,
        steps,
        remedies: Vec::new(),
        notes,
    }
}

/// When too few pods were available: from, to, and how many too few at worst. Starting up does not
/// count.
fn missing(outcome: &WorkloadOutcome, until: Time) -> Vec<(Time, Time, u32)> {
    let mut times: Vec<Time> = outcome
        .wanted
        .iter()
        .chain(&outcome.available)
        .map(|s| s.0)
        .filter(|t| *t <= until)
        .collect();
    times.sort_unstable();
    times.dedup();
    let few =
        |t: Time| value_at(&outcome.wanted, t).saturating_sub(value_at(&outcome.available, t));
    let begins = times
        .iter()
        .position(|t| value_at(&outcome.wanted, *t) > 0 && few(*t) == 0)
        .unwrap_or(0);
    let mut spans: Vec<(Time, Time, u32)> = Vec::new();
    let mut open: Option<(Time, u32)> = None;
    for &t in &times[begins.min(times.len())..] {
        open = match (open, few(t)) {
            (Some((from, most)), 0) => {
                spans.push((from, t, most));
                None
            }
            (None, 0) => None,
            (Some((from, most)), n) => Some((from, most.max(n))),
            (None, n) => Some((t, n)),
        };
    }
    spans.extend(open.map(|(from, most)| (from, until, most)));
    spans
}

/// The evictions of its pods that budgets refused, which is what a drain waits for.
fn refusals(question: Question<'_>, id: WorkloadId) -> Refusals {
    let analysis = question.analysis;
    let owners = Owners::new(analysis);
    let mut refused = Refusals::default();
    for (r, record) in analysis
        .trace
        .iter()
        .zip(0..)
        .take_while(|(r, _)| r.at <= question.until)
    {
        if r.pod()
            .is_some_and(|pod| owners.of(analysis, pod) == Some(id))
        {
            refused.add(question, record, r);
        }
    }
    refused
}

/// Its lost pods, those of one cause and a minute together.
fn losses(question: Question<'_>, id: WorkloadId) -> Vec<Step> {
    let analysis = question.analysis;
    let owners = Owners::new(analysis);
    let mut follow = Follow::new(analysis);
    let mut groups: Vec<Vec<Loss<'_>>> = Vec::new();
    for (r, record) in analysis
        .trace
        .iter()
        .zip(0..)
        .take_while(|(r, _)| r.at <= question.until)
    {
        let step = follow.apply(record, r);
        let Some((pod, before)) = step
            .deletion_begins()
            .filter(|_| matches!(r.what, What::PodDeleting(_)))
        else {
            continue;
        };
        if owners.of(analysis, pod) != Some(id) {
            continue;
        }
        let node = if before.node == NO_NODE {
            ""
        } else {
            analysis.node_name(crate::api::names::NodeId(before.node))
        };
        let loss = (r.at, record, analysis.pod_name(pod), node, r.actor);
        let last = groups
            .iter_mut()
            .rfind(|g| g[0].4 == r.actor && r.at.since(g[g.len() - 1].0) <= Dur::from_secs(60));
        match last {
            Some(group) => group.push(loss),
            None => groups.push(vec![loss]),
        }
    }
    let step = |group: &Vec<Loss<'_>>| {
        let &(at, record, pod, node, actor) = &group[0];
        let last = group[group.len() - 1].0;
        let text = if group.len() == 1 {
            let on = if node.is_empty() {
                String::new()
            } else {
                format!(" of {node}")
            };
            format!("{pod}{on} deleted by {}", by(actor))
        } else {
            let nodes: Vec<&str> = group
                .iter()
                .map(|l| l.3)
                .filter(|n| !n.is_empty())
                .collect();
            let on = if nodes.is_empty() {
                String::new()
            } else {
                format!(" of {}", ranges(&nodes))
            };
            let to = if last.since(at) >= Dur::from_secs(1) {
                format!(", the last at {}", absolute(last))
            } else {
                String::new()
            };
            format!(
                "{} pods{on} deleted by {}{to}",
                grouped(group.len() as u64),
                by(actor)
            )
        };
        let rule = super::super::causes::chain(analysis.trace, record)
            .find(|(_, c)| matches!(c.what, What::TimerSet(_)))
            .map(|(_, c)| words::record(analysis, c));
        Step {
            at,
            text,
            rule,
            record: Some(record),
        }
    };
    groups.iter().map(step).collect()
}
