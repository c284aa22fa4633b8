//! Primitive steps with offsets from the beginning of their entry.

use super::budgets::Budgets;
use super::select::Workloads;
use super::select::{Nodes, Pods};
use super::select::{Nothing, said};
use crate::kernel::Dur;
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, at};
use crate::language::{Cut, DurationText, Problem, Step, values};
use crate::plan::{
    BudgetIndex, Connections, Do, LeaderElection, NodeFault, NodeIndex, Phase, PodIndex, Profile,
    WorkloadIndex,
};
use std::collections::BTreeMap;

/// One primitive step: when, from the beginning of its entry; which part of the entry; what.
pub(super) type Primitive = (Dur, Phase, Do);

/// The beginning of an entry.
pub(super) const START: Dur = Dur::from_nanos(0);

/// How many nodes a step names, and the step itself.
pub(super) fn weight(act: &Do) -> u64 {
    1 + act.nodes().map_or(0, |nodes| nodes.len() as u64)
}

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

/// Reads the steps of an entry.
pub(super) struct Reader<'a> {
    /// The entry's number in the timeline.
    pub(super) i: usize,
    /// What it does.
    pub(super) step: &'a Step,
    /// How long it lasts, if it ends.
    pub(super) lasts: Option<Dur>,
    /// What its steps are looked up in.
    pub(super) world: &'a World<'a>,
    pub(super) complaints: &'a mut Complaints,
}

impl Reader<'_> {
    /// The place of the entry's step.
    pub(super) fn place(&self) -> Place {
        at!["timeline", self.i, "do"]
    }

    /// The place of a field of the entry's step.
    pub(super) fn at(&self, field: &'static str) -> Place {
        at!["timeline", self.i, "do", field]
    }

    /// Complains about a field of the entry's step.
    pub(super) fn say(&mut self, field: &'static str, message: impl Into<String>) {
        self.complaints.say(self.at(field), message);
    }

    /// What a field of it names, or a complaint.
    pub(super) fn found<T>(&mut self, field: &'static str, found: Result<T, Nothing>) -> Option<T> {
        said(found, self.at(field), self.complaints)
    }

    /// The nodes that it names.
    pub(super) fn nodes(&mut self) -> Option<Vec<NodeIndex>> {
        let nodes = self.world.nodes;
        let help = "`node: \"a-03\"`, or `nodes: Zone(\"b\")`, `Nodes([…])`, `Label(\"k=v\")`, `Share(of: …, fraction: 0.5)`, `All`";
        let (one, selector) = self.step.nodes();
        let one = one.map(|name| nodes.named(name));
        self.either(["node", "nodes"], one, selector.map(|s| nodes.select(s)), help)
    }

    /// The pods that it names.
    pub(super) fn pods(&mut self) -> Option<Vec<PodIndex>> {
        let pods = self.world.pods;
        let help =
            "`pod: \"web-0\"`, or `pods: Group(\"web\")`, `Pods([…])`, `Label(\"k=v\")`, `All`";
        let (one, selector) = self.step.pods();
        let one = one.map(|name| pods.named(name));
        self.either(["pod", "pods"], one, selector.map(|s| pods.select(s)), help)
    }

    /// The objects that it names, in one of two ways.
    fn either(
        &mut self,
        [one, several]: [&'static str; 2],
        named: Option<Result<u32, Nothing>>,
        selected: Option<Result<Vec<u32>, Nothing>>,
        help: &str,
    ) -> Option<Vec<u32>> {
        match (named, selected) {
            (Some(found), None) => self.found(one, found).map(|n| vec![n]),
            (None, Some(found)) => self.found(several, found),
            (Some(_), Some(_)) => {
                self.say(several, format!("give either `{one}` or `{several}`, not both"));
                None
            }
            (None, None) => {
                let problem = Problem::new(format!("this needs `{one}` or `{several}`"));
                self.complaints.add(self.place(), problem.help(help));
                None
            }
        }
    }

    /// The workload of that name.
    pub(super) fn workload(&mut self, name: &str) -> Option<WorkloadIndex> {
        self.found("workload", self.world.workloads.named(name))
    }

    /// The disruption budget of that name.
    pub(super) fn budget(&mut self, name: &str) -> Option<BudgetIndex> {
        self.found("budget", self.world.budgets.named(name))
    }

    /// The span of time in a field of it, longer than none.
    pub(super) fn positive(&mut self, field: &'static str, text: &DurationText) -> Option<Dur> {
        self.complaints.take(self.at(field), values::positive(text.as_str()))
    }

    /// What begins, and what ends it.
    pub(super) fn lasting(&self, begin: Do, end: Do) -> Option<Vec<Primitive>> {
        Some(lasting(begin, end, self.lasts))
    }

    /// Its nodes fail, and recover when it ends.
    pub(super) fn fails(&mut self, faults: &[NodeFault]) -> Option<Vec<Primitive>> {
        Some(failing(&self.nodes()?, faults, self.lasts))
    }

    /// A step for each object that the entry adds.
    pub(super) fn each_added(&self, act: impl Fn(u32) -> Do) -> Option<Vec<Primitive>> {
        Some(each(self.world.added.get(&self.i)?, act))
    }
}

/// A single step.
pub(super) fn once(act: Do) -> Option<Vec<Primitive>> {
    Some(vec![(START, Phase::Begin, act)])
}

/// The same for each of several: the first begins the entry.
pub(super) fn each(all: &[u32], act: impl Fn(u32) -> Do) -> Vec<Primitive> {
    let phase = |k| if k == 0 { Phase::Begin } else { Phase::Step };
    all.iter().enumerate().map(|(k, &x)| (START, phase(k), act(x))).collect()
}

/// What begins an entry, and what ends it.
pub(super) fn lasting(begin: Do, end: Do, lasts: Option<Dur>) -> Vec<Primitive> {
    let end = lasts.map(|d| (d, Phase::End, end));
    std::iter::once((START, Phase::Begin, begin)).chain(end).collect()
}

/// Nodes fail in several ways at once, or recover: the first of them is that part of the entry.
pub(super) fn faults(
    act: fn(Vec<NodeIndex>, NodeFault) -> Do,
    nodes: &[NodeIndex],
    faults: &[NodeFault],
    at: Dur,
    part: Phase,
) -> impl Iterator<Item = Primitive> {
    let phase = move |k| if k == 0 { part } else { Phase::Step };
    faults.iter().enumerate().map(move |(k, &fault)| (at, phase(k), act(nodes.to_vec(), fault)))
}

/// Nodes fail from the beginning of an entry to its end.
pub(super) fn failing(
    nodes: &[NodeIndex],
    all: &[NodeFault],
    lasts: Option<Dur>,
) -> Vec<Primitive> {
    let end = lasts.map(|d| faults(Do::Recover, nodes, all, d, Phase::End));
    faults(Do::Fail, nodes, all, START, Phase::Begin).chain(end.into_iter().flatten()).collect()
}

/// What a partition is.
pub(super) fn partition(cut: Cut, connections: Connections) -> Vec<NodeFault> {
    match cut {
        Cut::Network => vec![NodeFault::Cut(connections), NodeFault::Isolated],
        Cut::ApiServer => vec![NodeFault::Cut(connections)],
    }
}
