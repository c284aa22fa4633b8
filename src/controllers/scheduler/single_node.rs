//! What filters and scores make of a node on its own: of its labels, taints and resources, and of
//! the pods on it.

use super::framework::{Choice, node_filters};
use super::plugins::{
    balanced_allocation, node_affinity, node_conditions, node_ports, node_resources_fit,
    node_unschedulable, taint_toleration,
};
use crate::controllers::scheduler::prelude::*;

/// What was found out about a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The number of its rejection, or 0.
    pub(crate) rejection: u32,
    /// The scores that need no other node: resources and balance.
    pub(crate) score: i32,
    /// Taints PreferNoSchedule that are not tolerated.
    pub(crate) taints: i32,
    /// The weights of preferred node affinity that match.
    pub(crate) affinity: i32,
}

/// What is one predicate up to 1.16 (`algorithm/predicates/predicates.go: GeneralPredicates`).
const GENERAL: [Plugin; 3] = [Plugin::NodeResourcesFit, Plugin::NodePorts, Plugin::NodeAffinity];

/// The filters that look at one node alone, in the release's order. Up to 1.9 all are asked; then the first that rejects
/// gives the reason (S103).
pub(super) fn run_filter_plugins(shape: &Shape, info: &NodeInfo, switches: &Switches) -> Verdict {
    let Some(node) = &info.node else { return Ok(()) };
    let all = switches.fit_words.are_names();
    let mut verdict = node_conditions::check_node_condition(node, switches);
    let filter = |plugin: &Plugin| match plugin {
        Plugin::NodeUnschedulable => node_unschedulable::filter(shape, node),
        Plugin::TaintToleration => taint_toleration::filter(shape, node, switches),
        Plugin::NodeAffinity => {
            let message = switches.node_affinity_message;
            node_affinity::filter(shape, &info.name, &node.labels, message)
        }
        Plugin::NodePorts => node_ports::filter(shape, info),
        _ => node_resources_fit::filter(shape, info, switches),
    };
    // One of GeneralPredicates has rejected the node, so that the others are asked, too (S97).
    let mut general = false;
    for plugin in node_filters(switches.filter_order) {
        if verdict.is_err() && !all && !(general && GENERAL.contains(plugin)) {
            continue;
        }
        let found = filter(plugin);
        general |= found.is_err() && switches.general_predicates && GENERAL.contains(plugin);
        verdict = both(verdict, found);
    }
    if verdict.is_err() && !all {
        return verdict;
    }
    both(verdict, node_conditions::check_pressure(shape, node, switches))
}

/// What filters and scores make of a node on its own: its rejection or, where there is none, its
/// scores.
pub(super) fn filter_and_score(
    shape: &Shape,
    info: &NodeInfo,
    choice: &Choice,
    rejections: &mut Rejections,
) -> Found {
    let rejection = rejections.number(run_filter_plugins(shape, info, &choice.switches));
    let Some(node) = info.node.as_ref().filter(|_| rejection == 0) else {
        return Found { rejection, ..Found::default() };
    };
    let fit = node_resources_fit::score(shape, info, choice.strategy);
    let balance = balanced_allocation::score(shape, info, choice.switches.balance);
    let taints = taint_toleration::score(shape, node, choice.switches.comparison_operators);
    let affinity = node_affinity::score(shape, &info.name, &node.labels);
    Found {
        rejection,
        score: i32::try_from(fit.wrapping_add(balance)).unwrap_or(0),
        taints: i32::try_from(taints).unwrap_or(i32::MAX),
        affinity: i32::try_from(affinity).unwrap_or(i32::MAX),
    }
}
