//! What plugins answer, which of them a release runs in which order (`framework/interface.go`,
//! `apis/config/v1/default_plugins.go`), and how nodes are chosen.

use crate::plan::Strategy;
use crate::plan::switches::scheduler::{FilterOrder, Switches};
use crate::trace::Plugin;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How nodes are chosen (`KubeSchedulerConfiguration`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What the release does.
    pub switches: Switches,
    /// `percentageOfNodesToScore`; 0 is the default, which depends on the size of the cluster.
    pub percentage_of_nodes_to_score: u32,
    /// `scoringStrategy` of NodeResourcesFit.
    pub strategy: Strategy,
    /// What is known of nodes is kept up to date; otherwise it is worked out anew for each pod,
    /// with the same result.
    pub indexed: bool,
}

/// The best score of a plugin.
pub(crate) const MAX_NODE_SCORE: i64 = 100;

/// A set of plugins.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Plugins(u32);

impl Plugins {
    /// Adds one.
    pub fn insert(&mut self, plugin: Plugin) {
        self.0 |= 1 << plugin as u16;
    }

    /// Whether it is among them.
    pub(crate) fn has(self, plugin: Plugin) -> bool {
        self.0 & 1 << plugin as u16 != 0
    }

    /// Whether there is none.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Why a plugin rejects a node (`framework.Status`).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rejection {
    /// Who rejects it.
    pub plugin: Plugin,
    /// Evicting pods would not help (`UnschedulableAndUnresolvable`).
    pub(crate) unresolvable: bool,
    /// Why, each counted on its own.
    pub(crate) reasons: Vec<Cow<'static, str>>,
}

impl Rejection {
    /// One that preemption cannot help with.
    pub(crate) fn unresolvable(plugin: Plugin, reason: &'static str) -> Self {
        Self { plugin, unresolvable: true, reasons: vec![reason.into()] }
    }

    /// One that preemption may help with.
    pub(crate) fn resolvable(plugin: Plugin, reason: &'static str) -> Self {
        Self { plugin, unresolvable: false, reasons: vec![reason.into()] }
    }
}

/// What a filter says about a node.
pub(crate) type Verdict = Result<(), Rejection>;

/// What two filters say where both are asked.
pub(crate) fn both(one: Verdict, other: Verdict) -> Verdict {
    let (mut all, more) = match (one, other) {
        (Err(one), Err(other)) => (one, other),
        (Ok(()), verdict) | (verdict, Ok(())) => return verdict,
    };
    // One that preemption does not help with is enough (`nodesWherePreemptionMightHelp`).
    all.unresolvable |= more.unresolvable;
    for reason in more.reasons {
        if !all.reasons.contains(&reason) {
            all.reasons.push(reason);
        }
    }
    Err(all)
}

/// The rejections of a run, each held once.
#[derive(Default, Debug)]
pub struct Rejections {
    all: Vec<Rejection>,
    numbers: BTreeMap<Rejection, u32>,
}

impl Rejections {
    /// The number of a verdict: zero for a node that was not rejected.
    pub(crate) fn number(&mut self, verdict: Verdict) -> u32 {
        let Err(rejection) = verdict else { return 0 };
        if let Some(number) = self.numbers.get(&rejection) {
            return *number;
        }
        self.all.push(rejection.clone());
        let number = self.all.len() as u32;
        self.numbers.insert(rejection, number);
        number
    }

    /// The rejection of a number above zero.
    pub(crate) fn get(&self, number: u32) -> Option<&Rejection> {
        self.all.get((number as usize).checked_sub(1)?)
    }
}

/// The filters whose verdict depends on one node alone, in the release's order.
pub(crate) fn node_filters(order: FilterOrder) -> &'static [Plugin] {
    use Plugin::{NodeAffinity, NodePorts, NodeResourcesFit, NodeUnschedulable, TaintToleration};
    match order {
        FilterOrder::ResourcesEarly | FilterOrder::ResourcesEarlySpreadFirst => {
            &[NodeUnschedulable, NodeResourcesFit, NodePorts, NodeAffinity, TaintToleration]
        }
        FilterOrder::TaintsEarly => {
            &[NodeUnschedulable, TaintToleration, NodeAffinity, NodePorts, NodeResourcesFit]
        }
    }
}

/// The filters that look at pods on other nodes too; in every release they come last.
pub(crate) fn cluster_filters(order: FilterOrder) -> [Plugin; 2] {
    match order {
        FilterOrder::ResourcesEarly => [Plugin::InterPodAffinity, Plugin::PodTopologySpread],
        FilterOrder::ResourcesEarlySpreadFirst | FilterOrder::TaintsEarly => {
            [Plugin::PodTopologySpread, Plugin::InterPodAffinity]
        }
    }
}

/// How many feasible nodes end a search among `nodes` (`numFeasibleNodesToFind`); `percentage` is
/// `percentageOfNodesToScore`, 0 for the default.
pub(crate) fn feasible_nodes_to_find(nodes: usize, percentage: u32) -> usize {
    const LEAST: usize = 100;
    const LEAST_PERCENTAGE: i64 = 5;
    if nodes < LEAST {
        return nodes;
    }
    let share = match percentage {
        0 => (50 - nodes as i64 / 125).max(LEAST_PERCENTAGE) as usize,
        given => given as usize,
    };
    (nodes * share / 100).max(LEAST).min(nodes)
}

#[cfg(test)]
mod tests {
    use super::feasible_nodes_to_find;

    /// Upstream's `TestNumFeasibleNodesToFind` (schedule_one_test.go, v1.34).
    #[test]
    fn nodes_to_find() {
        for (nodes, percentage, wanted) in [
            (10, 0, 10),
            (10, 40, 10),
            (1000, 0, 420),
            (1000, 40, 400),
            (6000, 0, 300),
            (6000, 40, 2400),
            (5000, 0, 500),
        ] {
            assert_eq!(
                feasible_nodes_to_find(nodes, percentage),
                wanted,
                "{nodes} at {percentage}"
            );
        }
    }
}
