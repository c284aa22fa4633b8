//! Making room for a pod by evicting pods of lower priority (`framework/preemption`,
//! `plugins/defaultpreemption`): which nodes could take it, whom that would cost, and which of them
//! costs least.

use super::algorithm::{Algorithm, Diagnosis, Incoming};
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

/// The points at which it draws.
pub trait Chances {
    /// Where the dry runs begin, among that number of nodes.
    fn offset(&mut self, nodes: u32) -> u32;
    /// Which candidate is taken, of that number of equally good ones.
    fn pick(&mut self, candidates: u32) -> u32;
}

/// Looks for room (`Evaluator.Preempt`). `now` stands for the start of pods that have not started.
pub fn preempt(
    algorithm: &Algorithm,
    of: Incoming<'_>,
    diagnosis: &Diagnosis,
    nominator: &Nominator,
    budgets: &[Rc<Budget>],
    now: Timestamp,
    chances: &mut dyn Chances,
) -> Attempt {
    if let Some(why) = not_eligible(algorithm, of, diagnosis) {
        return Attempt::NotEligible(why);
    }
    let nodes = nodes_where_preemption_might_help(algorithm, diagnosis);
    if nodes.is_empty() {
        return Attempt::Hopeless(no_candidates(diagnosis.nodes, [].iter()));
    }
    if algorithm.cache.lowest_priority().is_none_or(|lowest| lowest >= of.shape.priority) {
        // Nobody is weaker anywhere, so no node needs to be tried.
        let (one, times) = (no_victims(), nodes.len());
        return Attempt::NoVictims(no_candidates(
            diagnosis.nodes,
            std::iter::repeat_n(&one, times),
        ));
    }
    let all = algorithm.choice.switches.preemption_tries_all;
    let (offset, wanted) =
        if all { (0, usize::MAX) } else { get_offset_and_num_candidates(nodes.len(), chances) };
    let (mut sparing, mut violating, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..nodes.len() {
        match select_victims(
            algorithm,
            of,
            nodes[(offset + i) % nodes.len()],
            diagnosis,
            nominator,
            budgets,
            now,
        ) {
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
        return Attempt::NoVictims(no_candidates(diagnosis.nodes, failures.iter()));
    }
    Attempt::Found(cheapest(sparing, now, chances))
}

/// Nodes where taking pods away might help (`nodesWherePreemptionMightHelp`), in the order of
/// nodes, as upstream lists them from its snapshot.
fn nodes_where_preemption_might_help(algorithm: &Algorithm, diagnosis: &Diagnosis) -> Vec<NodeId> {
    let hopeful = |number: u32| algorithm.rejections.get(number).is_some_and(|r| !r.unresolvable);
    let rejected = if diagnosis.at_once.is_some() { &[][..] } else { &diagnosis.rejected };
    let mut nodes: Vec<NodeId> =
        rejected.iter().filter(|(_, number)| hopeful(*number)).map(|(node, _)| *node).collect();
    let mut place = vec![usize::MAX; nodes.iter().map(|n| n.index() + 1).max().unwrap_or(0)];
    for (i, node) in algorithm
        .cache
        .list()
        .iter()
        .enumerate()
        .filter(|(_, n)| n.index() < place.len())
        .map(|(i, n)| (i, *n))
        .collect::<Vec<_>>()
    {
        place[node.index()] = i;
    }
    nodes.sort_by_key(|n| place[n.index()]);
    nodes
}

/// Where the dry runs begin, and how many candidates are enough (`GetOffsetAndNumCandidates`).
fn get_offset_and_num_candidates(nodes: usize, chances: &mut dyn Chances) -> (usize, usize) {
    let wanted = (nodes * LEAST_PERCENTAGE / 100).max(LEAST_NUMBER).min(nodes);
    (chances.offset(nodes as u32) as usize, wanted)
}

/// Why a pod may not preempt others (`PodEligibleToPreemptOthers`).
fn not_eligible(
    algorithm: &Algorithm,
    of: Incoming<'_>,
    diagnosis: &Diagnosis,
) -> Option<&'static str> {
    let switches = &algorithm.choice.switches;
    if switches.never_preempts && of.shape.spec().is_some_and(|s| s.never_preempts) {
        return Some("not eligible due to preemptionPolicy=Never.");
    }
    let node = of.pod.unscheduled.as_ref().and_then(|u| u.nominated)?;
    let number =
        diagnosis.rejected.iter().find(|(n, _)| *n == node).map_or(0, |(_, number)| *number);
    let hopeless = algorithm.rejections.get(number).is_some_and(|r| r.unresolvable);
    if hopeless && switches.hopeless_nomination_frees {
        return None;
    }
    let by_scheduler = |pod: &Pod| {
        pod.disruption_target.is_some_and(|c| {
            c.status == ConditionStatus::True
                && matches!(
                    c.reason,
                    PodReason::PreemptionByScheduler | PodReason::PreemptionByKubeScheduler
                )
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
fn started(pod: &Pod, now: Timestamp) -> Timestamp {
    pod.start_time.unwrap_or(now)
}

fn no_victims() -> Rejection {
    Rejection::unresolvable(
        Plugin::DefaultPreemption,
        "No preemption victims found for incoming pod",
    )
}

/// The fewest pods of a node whose eviction makes room, the least important of them
/// (`SelectVictimsOnNode`).
fn select_victims(
    algorithm: &Algorithm,
    of: Incoming<'_>,
    node: NodeId,
    diagnosis: &Diagnosis,
    nominator: &Nominator,
    budgets: &[Rc<Budget>],
    now: Timestamp,
) -> Result<Candidate, Rejection> {
    let info = algorithm.cache.node(node).ok_or_else(no_victims)?;
    let mut weaker: Vec<Placed> =
        info.pods.iter().filter(|p| p.shape.priority < of.shape.priority).cloned().collect();
    if weaker.is_empty() {
        return Err(no_victims());
    }
    let (mut info, mut state) = (info.clone(), diagnosis.state.clone());
    for placed in &weaker {
        info.remove(placed.pod.id);
        algorithm.change_state(&mut state, of, (&placed.pod, &placed.shape), (node, &info), -1);
    }
    algorithm.dry_run(of, node, &info, &state, nominator)?;
    let importance = |p: &Placed| (Reverse(p.shape.priority), started(&p.pod, now));
    weaker.sort_by_key(importance);
    let (spared, others) = split_by_budgets(weaker, budgets);
    let mut victims = Vec::new();
    let mut violations = 0;
    let first_others = spared.len();
    for (i, placed) in spared.into_iter().chain(others).enumerate() {
        info.add(placed.clone());
        algorithm.change_state(&mut state, of, (&placed.pod, &placed.shape), (node, &info), 1);
        if algorithm.dry_run(of, node, &info, &state, nominator).is_err() {
            info.remove(placed.pod.id);
            algorithm.change_state(&mut state, of, (&placed.pod, &placed.shape), (node, &info), -1);
            violations += usize::from(i < first_others);
            victims.push(placed);
        }
    }
    if algorithm.choice.switches.sorts_victims {
        victims.sort_by_key(importance);
    }
    Ok(Candidate { node, victims, violations })
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

/// The candidate that costs least (`pickOneNodeForPreemption`): fewest violations, lowest priority
/// of the first victim, lowest sum of priorities, fewest pods, latest start of the most important;
/// then any.
fn cheapest(
    mut candidates: Vec<Candidate>,
    now: Timestamp,
    chances: &mut dyn Chances,
) -> Candidate {
    let cost = |c: &Candidate| {
        let first = c.victims.first().map_or(i32::MIN, |p| p.shape.priority);
        let highest = c.victims.iter().map(|p| p.shape.priority).max().unwrap_or(i32::MIN);
        let sum: i64 = c.victims.iter().map(|p| i64::from(p.shape.priority) + (1 << 31)).sum();
        let top = c.victims.iter().filter(|p| p.shape.priority == highest);
        let earliest = top.map(|p| started(&p.pod, now)).min().unwrap_or(now);
        (c.violations, first, sum, c.victims.len(), Reverse(earliest))
    };
    let Some(least) = candidates.iter().map(cost).min() else {
        unreachable!("there is a candidate")
    };
    let ties: Vec<usize> =
        (0..candidates.len()).filter(|i| cost(&candidates[*i]) == least).collect();
    let chosen = ties[chances.pick(ties.len() as u32) as usize];
    candidates.swap_remove(chosen)
}
