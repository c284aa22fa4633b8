//! Disruption budgets that stop every drain while all is well.

use super::hit::listed;
use crate::analysis::grouped;
use crate::api::workload::{namespace_of, short_name};
use crate::plan::{BudgetPlan, NodeIndex, Plan, PodPlan};
use std::collections::BTreeSet;

/// Disruption budgets that allow no eviction while all is well, so that no node with one of their
/// pods can be drained: a sentence, and the first such node.
pub(super) fn blocked(plan: &Plan) -> Option<(String, String)> {
    let all: Vec<Blocked<'_>> = plan.budgets.iter().filter_map(|b| blocks(plan, b)).collect();
    let nodes: BTreeSet<NodeIndex> = all.iter().flat_map(|b| b.nodes.clone()).collect();
    let nodes: Vec<&str> = nodes.iter().map(|n| plan.nodes[*n as usize].name.as_str()).collect();
    let first = &plan.nodes[*all.first()?.nodes.first()? as usize].name;
    let text = match all.as_slice() {
        [b] => format!(
            "budget {} allows no eviction while all is well (it needs {} of {} pods, {} healthy): no drain of {} comes to its end",
            b.name,
            b.desired,
            b.expected,
            b.healthy,
            listed(&nodes)
        ),
        all => {
            let names: Vec<&str> = all.iter().map(|b| b.name).collect();
            format!(
                "{} budgets allow no eviction while all is well ({}): no drain of any of {} nodes comes to its end ({})",
                grouped(names.len() as u64),
                listed(&names),
                grouped(nodes.len() as u64),
                listed(&nodes)
            )
        }
    };
    Some((text, first.clone()))
}

/// A budget that allows no eviction.
struct Blocked<'a> {
    name: &'a str,
    desired: i32,
    expected: i32,
    healthy: i32,
    /// Where its pods are.
    nodes: BTreeSet<NodeIndex>,
}

fn blocks<'a>(plan: &Plan, budget: &'a BudgetPlan) -> Option<Blocked<'a>> {
    let is_its = |p: &&PodPlan| {
        namespace_of(&budget.name) == p.name.split('/').next().unwrap_or_default()
            && plan
                .templates
                .get(p.template as usize)
                .is_some_and(|t| budget.selector.matches(&t.labels))
    };
    let exists = |p: &&PodPlan| p.start.runs() && !p.start.is_deleting();
    let pods: Vec<&PodPlan> = plan.pods.iter().filter(is_its).filter(exists).collect();
    let expected = i32::try_from(pods.len()).ok()?;
    let healthy = i32::try_from(pods.iter().filter(|p| p.start.is_ready()).count()).ok()?;
    let desired = match budget.rule {
        crate::api::budget::BudgetRule::MinAvailable(n) => n.of(expected),
        crate::api::budget::BudgetRule::MaxUnavailable(n) => expected - n.of(expected),
    };
    if expected == 0 || healthy > desired {
        return None;
    }
    Some(Blocked {
        name: short_name(&budget.name),
        desired,
        expected,
        healthy,
        nodes: pods.iter().filter_map(|p| p.node).collect(),
    })
}
