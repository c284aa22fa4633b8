//! What a trace keeps in tables beside its records: changes of taints, budgets, verdicts of
//! filters, ends of drains.

use super::line::{Filter, Line, find, node_of, number, pod_of};
use crate::api::budget::{BudgetRule, IntOrPercent};
use crate::api::names::{NodeId, TextId};
use crate::api::taint::{Effect, Taint};
use crate::kernel::Dur;
use crate::trace::{
    BudgetState, DrainEnd, DrainOutcome, NO_BUDGET, Plugin, Refusal, Rejection, TaintChange, Trace,
    What,
};

/// Keeps a change of taints; gives its number.
pub(super) fn taints(
    added: &[String],
    removed: &[String],
    trace: &mut Trace,
) -> Result<u32, String> {
    let all = |taints: &[String]| taints.iter().map(|t| taint(t)).collect::<Result<_, _>>();
    let change = TaintChange { added: all(added)?, removed: all(removed)? };
    trace.taints.push(change);
    Ok(trace.taints.len() as u32 - 1)
}

/// Keeps the end of a drain; gives its node and what happened.
pub(super) fn drain(line: &Line, trace: &mut Trace) -> Result<(u32, What), String> {
    let names = &trace.names;
    let left = line.left.iter().map(|p| pod_of(names, Some(p))).collect::<Result<_, _>>()?;
    let outcome = line.status(DrainOutcome::ALL, DrainOutcome::as_str)?;
    let words = TextId(line.words(names)?);
    let took = Dur::from_millis(number("millis", line.millis)?.into());
    let (node, gone) = (line.node(names)?, number("count", line.count)?);
    let end = DrainEnd { outcome, took, gone, left, words };
    Ok((node, What::DrainEnded(trace.keep_drain(end))))
}

/// The budget of a line, kept; [`NO_BUDGET`] where there is none.
pub(super) fn budget(line: &Line, trace: &mut Trace) -> Result<u32, String> {
    let Some(told) = &line.budget else {
        return Ok(NO_BUDGET);
    };
    let budget = trace
        .names
        .find_workload(&told.name)
        .ok_or_else(|| format!("`{}` is no name of this run", told.name))?;
    let rule =
        IntOrPercent::parse(&told.amount).and_then(|amount| BudgetRule::of(&told.rule, amount));
    let rule = rule
        .ok_or_else(|| format!("`{}: {}` is nothing a budget asks for", told.rule, told.amount))?;
    Ok(trace.keep_budget(BudgetState {
        budget,
        rule,
        expected: told.expected_pods,
        desired: told.desired_healthy,
        healthy: told.current_healthy,
        allowed: told.disruptions_allowed,
        refusal: line.reason(Refusal::ALL, Refusal::as_str)?,
    }))
}

/// What filters said in an attempt to place a pod.
pub(super) fn verdicts(filters: &[Filter], trace: &mut Trace) -> Result<u32, String> {
    let mut rejected = Vec::new();
    for filter in filters {
        let plugin = find(Plugin::ALL, Plugin::as_str, "plugin", Some(&filter.plugin))?.as_str();
        let number =
            trace.verdicts.rejection(Rejection { plugin, reason: filter.reason.as_str().into() });
        if filter.nodes.is_empty() {
            return Ok(trace.verdicts.of_pod(number));
        }
        for nodes in &filter.nodes {
            let (first, last) = nodes.split_once("..").unwrap_or((nodes, nodes));
            let (first, last) =
                (node_of(&trace.names, Some(first))?, node_of(&trace.names, Some(last))?);
            rejected.extend((first.0..=last.0).map(|n| (NodeId(n), number)));
        }
    }
    Ok(trace.verdicts.of_nodes(rejected))
}

/// `key=value:Effect`, or `key:Effect`.
fn taint(text: &str) -> Result<Taint, String> {
    let wrong = || format!("{text:?} is not a taint");
    let (key, effect) = text.rsplit_once(':').ok_or_else(wrong)?;
    let (key, value) = key.split_once('=').unwrap_or((key, ""));
    let effect = Effect::parse(effect).ok_or_else(wrong)?;
    Ok(Taint { key: key.to_owned(), value: value.to_owned(), effect, time_added: None })
}
