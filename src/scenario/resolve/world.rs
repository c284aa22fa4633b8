//! What the steps of an entry are looked up in: nodes, pods, workloads and budgets.

use super::budgets::Budgets;
use super::found::said;
use super::select::{Nodes, Pods};
use super::workloads::Workloads;
use crate::language::Problem;
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, at, with};
use crate::language::{NodeSelector, PodSelector};
use crate::plan::{BudgetIndex, LeaderElection, NodeIndex, PodIndex, Profile, WorkloadIndex};
use std::collections::BTreeMap;

/// What an entry's steps are looked up in.
pub(super) struct World<'a> {
    pub(super) nodes: &'a Nodes,
    pub(super) pods: &'a Pods,
    pub(super) workloads: &'a Workloads,
    pub(super) budgets: &'a Budgets,
    pub(super) profile: &'a Profile,
    pub(super) leader_election: Option<LeaderElection>,
    /// The nodes, pods, workloads or budgets that an entry of that number adds.
    pub(super) added: &'a BTreeMap<usize, Vec<u32>>,
}

impl World<'_> {
    /// The workload that the entry of number `i` names.
    pub(super) fn target_workload(
        &self,
        i: usize,
        name: &str,
        complaints: &mut Complaints,
    ) -> Option<WorkloadIndex> {
        let place = at!["timeline", i, "do", "workload"];
        said(self.workloads.named(name), place, complaints)
    }

    /// The disruption budget that the entry of number `i` names.
    pub(super) fn target_budget(
        &self,
        i: usize,
        name: &str,
        complaints: &mut Complaints,
    ) -> Option<BudgetIndex> {
        let place = at!["timeline", i, "do", "budget"];
        said(self.budgets.named(name), place, complaints)
    }

    /// The nodes that the entry of number `i` names, in one of two ways.
    pub(super) fn target_nodes(
        &self,
        i: usize,
        node: Option<&str>,
        nodes: Option<&NodeSelector>,
        complaints: &mut Complaints,
    ) -> Option<Vec<NodeIndex>> {
        let place: Place = at!["timeline", i, "do"];
        match (node, nodes) {
            (Some(name), None) => {
                let found = self.nodes.named(name).map(|n| vec![n]);
                said(found, with(&place, "node"), complaints)
            }
            (None, Some(selector)) => {
                let found = self.nodes.select(selector);
                said(found, with(&place, "nodes"), complaints)
            }
            (Some(_), Some(_)) => {
                complaints.say(with(&place, "nodes"), "give either `node` or `nodes`, not both");
                None
            }
            (None, None) => {
                let help = "`node: \"a-03\"`, or `nodes: Zone(\"b\")`, `Nodes([…])`, `Label(\"k=v\")`, `Share(of: …, fraction: 0.5)`, `All`";
                complaints.add(place, Problem::new("this needs `node` or `nodes`").help(help));
                None
            }
        }
    }

    /// The pods that the entry of number `i` names, in one of two ways.
    pub(super) fn target_pods(
        &self,
        i: usize,
        pod: Option<&str>,
        pods: Option<&PodSelector>,
        complaints: &mut Complaints,
    ) -> Option<Vec<PodIndex>> {
        let place: Place = at!["timeline", i, "do"];
        match (pod, pods) {
            (Some(name), None) => {
                let found = self.pods.named(name).map(|p| vec![p]);
                said(found, with(&place, "pod"), complaints)
            }
            (None, Some(selector)) => {
                let found = self.pods.select(selector);
                said(found, with(&place, "pods"), complaints)
            }
            (Some(_), Some(_)) => {
                complaints.say(with(&place, "pods"), "give either `pod` or `pods`, not both");
                None
            }
            (None, None) => {
                let help = "`pod: \"web-0\"`, or `pods: Group(\"web\")`, `Pods([…])`, `Label(\"k=v\")`, `All`";
                complaints.add(place, Problem::new("this needs `pod` or `pods`").help(help));
                None
            }
        }
    }
}
