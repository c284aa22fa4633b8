//! Making room for a pod by evicting pods of lower priority (`framework/preemption`,
//! `plugins/defaultpreemption`): which nodes could take it, whom that would cost, and which of them
//! costs least.

use super::algorithm::{Algorithm, Diagnosis, Incoming};
use super::cycle_state::ClusterState;
use super::nominator::nominated;
use super::text::no_candidates;
use crate::api::budget::Budget;
use crate::controllers::scheduler::prelude::*;
use std::cmp::Reverse;

/// How many nodes are tried at least, in percent and in number (`minCandidateNodesPercentage`,
/// `minCandidateNodesAbsolute`).
const LEAST_PERCENTAGE: usize = 10;
const LEAST_NUMBER: usize = 100;

/// A node that could take the pod, and whom that would cost, the most important first.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Where room would be made.
    pub node: NodeId,
    /// The pods to be evicted.
    pub victims: Vec<Placed>,
    /// How many of them a budget would spare.
    pub(crate) violations: usize,
}

/// The result.
#[derive(Clone, Debug)]
pub enum Attempt {
    /// The pod may not preempt; why. A nomination that it has stays.
    NotEligible(&'static str),
    /// Taking pods away would help on no node; why.
    Hopeless(String),
    /// On no node there are pods to be taken away for it; why.
    NoVictims(String),
    /// This would.
    Found(Candidate),
}

/// What preemption leaves to chance.
#[derive(Clone, Copy, Debug)]
pub enum Draw {
    /// Where the dry runs begin, among that number of nodes.
    Offset(u32),
    /// Which candidate is taken, of that number of equally good ones.
    Candidate(u32),
}

/// What preemption works on (`preemption.Evaluator`).
pub struct Evaluator<'a> {
    /// What is known of nodes and pods.
    pub algorithm: &'a Algorithm,
    /// The pod that room is made for.
    pub of: Incoming<'a>,
    /// Why it fits nowhere.
    pub diagnosis: &'a Diagnosis,
    /// Who is to get which node.
    pub nominator: &'a Nominator,
    /// The disruption budgets.
    pub budgets: &'a [Rc<Budget>],
    /// The present: it stands for the start of pods that have not started.
    pub now: Timestamp,
}

impl Evaluator<'_> {
    /// Looks for room (`Evaluator.Preempt`).
    pub fn preempt(&self, draw: &mut dyn FnMut(Draw) -> u32) -> Attempt {
        let algorithm = self.algorithm;
        if let Some(why) = self.not_eligible() {
            return Attempt::NotEligible(why);
        }
        let nodes = self.nodes_where_preemption_might_help();
        if nodes.is_empty() {
            return Attempt::Hopeless(no_candidates(self.diagnosis.nodes, [].iter()));
        }
        if algorithm.cache.lowest_priority().is_none_or(|lowest| lowest >= self.of.shape.priority) {
            // Nobody is weaker anywhere, so no node needs to be tried.
            let (one, times) = (no_victims(), nodes.len());
            let failures = std::iter::repeat_n(&one, times);
            return Attempt::NoVictims(no_candidates(self.diagnosis.nodes, failures));
        }
        let (offset, wanted) = if algorithm.choice.switches.preemption_tries_all {
            (0, usize::MAX)
        } else {
            get_offset_and_num_candidates(nodes.len(), draw)
        };
        let (mut sparing, mut violating, mut failures) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..nodes.len() {
            match self.select_victims_on_node(nodes[(offset + i) % nodes.len()]) {
                Ok(candidate) if candidate.violations == 0 => sparing.push(candidate),
                Ok(candidate) => violating.push(candidate),
                Err(rejection) => failures.push(rejection),
            }
            if !sparing.is_empty() && sparing.len() + violating.len() >= wanted {
                break;
            }
        }
        sparing.append(&mut violating);
        if sparing.is_empty() {
            return Attempt::NoVictims(no_candidates(self.diagnosis.nodes, failures.iter()));
        }
        Attempt::Found(self.cheapest(sparing, draw))
    }

    /// Nodes where taking pods away might help (`nodesWherePreemptionMightHelp`), in the order of
    /// nodes, as upstream lists them from its snapshot.
    fn nodes_where_preemption_might_help(&self) -> Vec<NodeId> {
        let rejections = &self.algorithm.rejections;
        let hopeful = |number: u32| rejections.get(number).is_some_and(|r| !r.unresolvable);
        let none = self.diagnosis.at_once.is_some();
        let rejected = if none { &[][..] } else { &self.diagnosis.rejected };
        let hopeful = rejected.iter().filter(|(_, number)| hopeful(*number));
        let mut nodes: Vec<NodeId> = hopeful.map(|(node, _)| *node).collect();
        nodes.sort_by_key(|n| self.algorithm.cache.place_of(*n).unwrap_or(usize::MAX));
        nodes
    }

    /// Why a pod may not preempt others (`PodEligibleToPreemptOthers`).
    fn not_eligible(&self) -> Option<&'static str> {
        let Self { algorithm, of, diagnosis, .. } = self;
        let switches = &algorithm.choice.switches;
        if switches.never_preempts && of.shape.spec().is_some_and(|s| s.never_preempts) {
            return Some("not eligible due to preemptionPolicy=Never.");
        }
        let node = nominated(of.pod)?;
        let number =
            diagnosis.rejected.iter().find(|(n, _)| *n == node).map_or(0, |(_, number)| *number);
        let hopeless = algorithm.rejections.get(number).is_some_and(|r| r.unresolvable);
        if hopeless && switches.hopeless_nomination_frees {
            return None;
        }
        let by_scheduler = |pod: &Pod| {
            use PodReason::{PreemptionByKubeScheduler, PreemptionByScheduler};
            pod.disruption_target.is_some_and(|c| {
                c.status == ConditionStatus::True
                    && matches!(c.reason, PreemptionByScheduler | PreemptionByKubeScheduler)
            })
        };
        let leaving = |p: &Placed| {
            p.shape.priority < of.shape.priority
                && p.pod.is_terminating()
                && (switches.any_terminating_blocks || by_scheduler(&p.pod))
        };
        let waits = algorithm.cache.node(node).is_some_and(|info| info.pods.iter().any(leaving));
        waits.then_some("not eligible due to a terminating pod on the nominated node.")
    }

    /// When a pod started, for its importance.
    fn started(&self, pod: &Pod) -> Timestamp {
        pod.start_time.unwrap_or(self.now)
    }

    /// The fewest pods of a node whose eviction makes room, the least important of them
    /// (`SelectVictimsOnNode`).
    fn select_victims_on_node(&self, node: NodeId) -> Result<Candidate, Rejection> {
        let (algorithm, of) = (self.algorithm, self.of);
        let info = algorithm.cache.node(node).ok_or_else(no_victims)?;
        let mut weaker: Vec<Placed> =
            info.pods.iter().filter(|p| p.shape.priority < of.shape.priority).cloned().collect();
        if weaker.is_empty() {
            return Err(no_victims());
        }
        let (mut info, mut state) = (info.clone(), self.diagnosis.state.clone());
        let known = (&algorithm.cache, &algorithm.choice.switches);
        let change = |state: &mut ClusterState, placed: &Placed, info: &NodeInfo, by: i64| {
            state.change(of, (&placed.pod, &placed.shape), (node, info), known, by);
        };
        for placed in &weaker {
            info.remove(placed.pod.id);
            change(&mut state, placed, &info, -1);
        }
        algorithm.dry_run(of, node, &info, &state, self.nominator)?;
        let importance = |p: &Placed| (Reverse(p.shape.priority), self.started(&p.pod));
        weaker.sort_by_key(importance);
        let (spared, others) = split_by_budgets(weaker, self.budgets);
        let mut victims = Vec::new();
        let mut violations = 0;
        let first_others = spared.len();
        for (i, placed) in spared.into_iter().chain(others).enumerate() {
            info.add(placed.clone());
            change(&mut state, &placed, &info, 1);
            if algorithm.dry_run(of, node, &info, &state, self.nominator).is_err() {
                info.remove(placed.pod.id);
                change(&mut state, &placed, &info, -1);
                violations += usize::from(i < first_others);
                victims.push(placed);
            }
        }
        if algorithm.choice.switches.sorts_victims {
            victims.sort_by_key(importance);
        }
        Ok(Candidate { node, victims, violations })
    }

    /// The candidate that costs least (`pickOneNodeForPreemption`): fewest violations, lowest
    /// priority of the first victim, lowest sum of priorities, fewest pods, latest start of the most
    /// important; then any.
    fn cheapest(
        &self,
        mut candidates: Vec<Candidate>,
        draw: &mut dyn FnMut(Draw) -> u32,
    ) -> Candidate {
        let cost = |c: &Candidate| {
            let first = c.victims.first().map_or(i32::MIN, |p| p.shape.priority);
            let highest = c.victims.iter().map(|p| p.shape.priority).max().unwrap_or(i32::MIN);
            let sum: i64 = c.victims.iter().map(|p| i64::from(p.shape.priority) + (1 << 31)).sum();
            let top = c.victims.iter().filter(|p| p.shape.priority == highest);
            let earliest = top.map(|p| self.started(&p.pod)).min().unwrap_or(self.now);
            (c.violations, first, sum, c.victims.len(), Reverse(earliest))
        };
        let costs: Vec<_> = candidates.iter().map(cost).collect();
        let least = costs.iter().min();
        let ties: Vec<usize> = (0..costs.len()).filter(|i| Some(&costs[*i]) == least).collect();
        let chosen = ties[draw(Draw::Candidate(ties.len() as u32)) as usize];
        candidates.swap_remove(chosen)
    }
}

/// Where the dry runs begin, and how many candidates are enough (`GetOffsetAndNumCandidates`).
fn get_offset_and_num_candidates(
    nodes: usize,
    draw: &mut dyn FnMut(Draw) -> u32,
) -> (usize, usize) {
    let wanted = (nodes * LEAST_PERCENTAGE / 100).max(LEAST_NUMBER).min(nodes);
    (draw(Draw::Offset(nodes as u32)) as usize, wanted)
}

fn no_victims() -> Rejection {
    let reason = "No preemption victims found for incoming pod";
    Rejection::unresolvable(Plugin::DefaultPreemption, reason)
}

/// Those whose eviction a budget forbids, and the others (`filterPodsWithPDBViolation`).
fn split_by_budgets(pods: Vec<Placed>, budgets: &[Rc<Budget>]) -> (Vec<Placed>, Vec<Placed>) {
    let mut allowed: Vec<i32> = budgets.iter().map(|b| b.status.disruptions_allowed).collect();
    pods.into_iter().partition(|p| {
        let mut violates = false;
        let labels = &p.shape.template.labels;
        for (budget, allowed) in budgets.iter().zip(&mut allowed) {
            let covers = *budget.namespace == *p.shape.namespace
                && !budget.selector.is_empty()
                && budget.selector.matches(labels);
            if covers && !labels.is_empty() && !budget.status.disrupted_pods.contains_key(&p.pod.id)
            {
                *allowed -= 1;
                violates |= *allowed < 0;
            }
        }
        violates
    })
}
