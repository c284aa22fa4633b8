//! The predicates about a node's conditions, which keep pods off where no taints stand for them (S89):
//! `CheckNodeConditionPredicate` and those of pressure (`algorithm/predicates/predicates.go`, up to 1.16).
//!
//! 1.6 and 1.7 leave the nodes that the first of them rejects out of the list
//! (`factory.go: getNodeConditionPredicate`) and say nothing of them; here they are rejected in its words.

use crate::api::meta::ConditionStatus::{False, True, Unknown};
use crate::controllers::scheduler::prelude::*;
use std::borrow::Cow;

/// CheckNodeCondition: rejects a node that is not ready, is cordoned, or may lack disk space or network.
pub(crate) fn check_node_condition(node: &Node, switches: &Switches) -> Verdict {
    if !switches.checks_node_condition {
        return Ok(());
    }
    let reason = |c: &NodeCondition| match (c.kind, c.status) {
        (NodeConditionType::Ready, False | Unknown) => Some("node(s) were not ready"),
        // Kubelets post it with Ready. Those here do not, so that it stays Unknown after a silence.
        (NodeConditionType::OutOfDisk, Unknown) if node.is_ready() => None,
        (NodeConditionType::OutOfDisk, True | Unknown) => Some("node(s) were out of disk space"),
        (NodeConditionType::NetworkUnavailable, True | Unknown) => {
            Some("node(s) had unavailable network")
        }
        _ => None,
    };
    let cordoned = node.unschedulable.then_some("node(s) were unschedulable");
    let found = node.conditions.iter().filter_map(reason).chain(cordoned);
    let reasons: Vec<_> = found.map(Cow::Borrowed).collect();
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Rejection { plugin: Plugin::CheckNodeCondition, unresolvable: true, reasons })
}

/// CheckNodeMemoryPressure, which is about BestEffort pods, CheckNodePIDPressure and CheckNodeDiskPressure.
pub(crate) fn check_pressure(shape: &Shape, node: &Node, switches: &Switches) -> Verdict {
    if !switches.checks_pressure {
        return Ok(());
    }
    let (memory, pid, disk) = (
        (Plugin::CheckNodeMemoryPressure, "node(s) had memory pressure"),
        (Plugin::CheckNodePidPressure, "node(s) had pid pressure"),
        (Plugin::CheckNodeDiskPressure, "node(s) had disk pressure"),
    );
    let mut verdict = Ok(());
    for (kind, asked, (plugin, reason)) in [
        (NodeConditionType::MemoryPressure, shape.template.is_best_effort(), memory),
        (NodeConditionType::PidPressure, switches.checks_pid_pressure, pid),
        (NodeConditionType::DiskPressure, true, disk),
    ] {
        if asked && node.condition(kind).is_some_and(|c| c.status == True) {
            verdict = both(verdict, Err(Rejection::unresolvable(plugin, reason)));
        }
        if verdict.is_err() && !switches.fit_words.are_names() {
            break;
        }
    }
    verdict
}
